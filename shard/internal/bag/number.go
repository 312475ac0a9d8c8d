// This file reads whole numbers in text and in bytes.

package bag

import "encoding/binary"

// WholeNumber returns the value of a text that is made of 1 to 18 digits.
func WholeNumber(text []byte) (value int64, ok bool) {
	if len(text) == 0 || len(text) > 18 {
		return 0, false
	}
	for _, b := range text {
		digit := b - '0'
		if digit > 9 {
			return 0, false
		}
		value = value*10 + int64(digit)
	}
	return value, true
}

// CanonicalNumber returns the value of a text that is the decimal number which strconv.AppendInt would write.
func CanonicalNumber(text []byte) (value int64, ok bool) {
	digits := text
	if len(digits) > 1 && digits[0] == '-' {
		digits = digits[1:]
	}
	if value, ok = WholeNumber(digits); !ok || digits[0] == '0' && len(text) > 1 {
		return 0, false
	}
	if len(digits) < len(text) {
		value = -value
	}
	return value, true
}

// Unsigned returns a number of 1, 2, 4 or 8 bytes, the least significant first.
func Unsigned(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// Signed is Unsigned for numbers in two's complement.
func Signed(b []byte) int64 {
	unused := 64 - 8*len(b)
	return int64(Unsigned(b)) << unused >> unused
}
