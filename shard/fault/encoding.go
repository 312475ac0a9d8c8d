// This file says which encoding bytes look like that are not UTF-8.

package fault

// NotUTF8 returns the error of a text that is not UTF-8; what says what it is.
func NotUTF8(what string, text []byte) error {
	return Because(Encoding, "%s %.40q is not valid UTF-8; its bytes look like %s", what, text, LikelyEncoding(text))
}

// LikelyEncoding returns the likeliest encoding of a text that is not UTF-8: UTF-16 by its zeros, that of Cyrillic if
// most letters are above those of ASCII, otherwise Western European of Windows.
func LikelyEncoding(text []byte) string {
	var zeros, ascii, high int
	for _, b := range text {
		switch {
		case b == 0:
			zeros++
		case b >= 0xc0:
			high++
		case b|0x20 >= 'a' && b|0x20 <= 'z':
			ascii++
		}
	}
	switch {
	case zeros > 0:
		return "utf-16le"
	case high > 2*ascii && high > 3:
		return "windows-1251"
	}
	return "windows-1252"
}
