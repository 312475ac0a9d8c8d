// This file parses the numbers of text formats.

package bag

import (
	"fmt"

	"anchorage/shard/documents"
)

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

// ParseIndex returns the item number that a text gives.
func ParseIndex(text []byte) (int64, error) {
	if number, ok := WholeNumber(text); ok {
		return number, nil
	}
	return 0, fmt.Errorf("item number %.40q is not a whole number of at most 18 digits", text)
}

// CheckCount returns what is wrong with a count.
func CheckCount(count int64) error {
	if count >= 1 && count <= documents.MaxCount {
		return nil
	}
	_, err := new(Counter).Integer(count)
	return err
}
