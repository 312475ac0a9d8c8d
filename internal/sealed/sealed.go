// Package sealed writes and reads JSON objects that carry their own checksum, so that damage to them is noticed.
//
// The text is indented by two blanks. Its last member is "checksum": the SHA-256 of all bytes before the line that
// holds it, in hexadecimal:
//
//	{
//	  "kind": "anchorage/model",
//	  "checksum": "9f86…"
//	}
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
)

const (
	member = "  \"checksum\": \""
	end    = "\n}\n"
)

// ErrDamaged reports that a text is not the one that was sealed.
var ErrDamaged = errors.New("its checksum does not fit its content: it is damaged or was edited")

// Encode returns a value, which must encode as an object with members, as sealed JSON.
func Encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return Seal(text.Bytes()), nil
}

// Write writes a value as Encode returns it.
func Write(w io.Writer, value any) error {
	text, err := Encode(value)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// Seal returns the indented text of an object with members, as encoding/json writes it, with a checksum.
func Seal(object []byte) []byte {
	body, whole := bytes.CutSuffix(object, []byte(end))
	if !whole {
		panic("sealed: the text is not an object with members")
	}
	body = append(bytes.Clone(body), ",\n"...)
	return append(body, seal(body)...)
}

// seal returns the line with the checksum of the bytes before it, and the end of the object.
func seal(body []byte) string {
	sum := sha256.Sum256(body)
	return member + hex.EncodeToString(sum[:]) + `"` + end
}

// Open returns the object of a text without its checksum, and whether there is one. A text without a checksum is
// returned as it is. The error is ErrDamaged.
func Open(text []byte) (object []byte, has bool, err error) {
	at := bytes.LastIndex(text, []byte(",\n"+member))
	if at < 0 {
		return text, false, nil
	}
	body := text[:at+len(",\n")]
	if string(text[len(body):]) != seal(body) {
		return nil, true, ErrDamaged
	}
	return append(bytes.Clone(text[:at]), end...), true, nil
}
