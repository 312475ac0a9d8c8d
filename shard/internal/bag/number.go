// This file parses the numbers of text formats: item numbers and counts.

package bag

import (
	"errors"
	"fmt"
	"math"
	"strconv"
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

// ParseCount returns the count that a text stands for: a whole number, which may be written as a decimal fraction.
func ParseCount(text []byte) (int32, error) {
	count, ok := WholeNumber(text)
	if !ok {
		float, err := strconv.ParseFloat(string(text), 64)
		if errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("count %.40q is out of range", text)
		}
		if err != nil {
			return 0, fmt.Errorf("count %.40q is not a number", text)
		}
		if count, err = IntegerOf(float); err != nil {
			return 0, fmt.Errorf("%w: give the counts as they were before weighting or normalization", err)
		}
	}
	if err := CheckCount(count); err != nil {
		return 0, err
	}
	return int32(count), nil
}

// ParseIndex returns the item number that a text stands for.
func ParseIndex(text []byte) (int64, error) {
	if number, ok := WholeNumber(text); ok {
		return number, nil
	}
	return 0, fmt.Errorf("item number %.40q is not a whole number of at most 18 digits", text)
}

// MaxCount is the greatest count of an item in a document.
const MaxCount = math.MaxInt32

// CheckCount returns what is wrong with a count.
func CheckCount(count int64) error {
	switch {
	case count < 0:
		return fmt.Errorf("count %d is negative", count)
	case count == 0:
		return errors.New("count 0: an item that does not occur must not be listed")
	case count > MaxCount:
		return fmt.Errorf("count %d is greater than %d", count, MaxCount)
	}
	return nil
}

// IntegerOf returns the value of a float that holds a whole number.
func IntegerOf(value float64) (int64, error) {
	switch {
	case math.IsNaN(value) || math.IsInf(value, 0):
		return 0, fmt.Errorf("count %v is not a number", value)
	case value != math.Trunc(value):
		return 0, fmt.Errorf("count %v is not a whole number", value)
	case math.Abs(value) > 1<<53:
		return 0, fmt.Errorf("count %v is greater than %d", value, MaxCount)
	}
	return int64(value), nil
}
