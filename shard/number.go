// This file parses the numbers of text formats: item numbers and counts.

package shard

import (
	"errors"
	"fmt"
	"strconv"
)

// wholeNumber returns the value of a text that is made of 1 to 18 digits.
func wholeNumber(text []byte) (value int64, ok bool) {
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

// canonicalNumber returns the value of a text that is the decimal number which strconv.AppendInt would write.
func canonicalNumber(text []byte) (value int64, ok bool) {
	digits := text
	if len(digits) > 1 && digits[0] == '-' {
		digits = digits[1:]
	}
	if value, ok = wholeNumber(digits); !ok || digits[0] == '0' && len(text) > 1 {
		return 0, false
	}
	if len(digits) < len(text) {
		value = -value
	}
	return value, true
}

// parseCount returns the count that a text stands for: a whole number, which may be written as a decimal fraction.
func parseCount(text []byte) (int32, error) {
	count, ok := wholeNumber(text)
	if !ok {
		float, err := strconv.ParseFloat(string(text), 64)
		if errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("count %.40q is out of range", text)
		}
		if err != nil {
			return 0, fmt.Errorf("count %.40q is not a number", text)
		}
		if count, err = integer(float); err != nil {
			return 0, fmt.Errorf("%w: give the counts as they were before weighting or normalization", err)
		}
	}
	if err := checkCount(count); err != nil {
		return 0, err
	}
	return int32(count), nil
}

// parseIndex returns the item number that a text stands for.
func parseIndex(text []byte) (int64, error) {
	if number, ok := wholeNumber(text); ok {
		return number, nil
	}
	return 0, fmt.Errorf("item number %.40q is not a whole number of at most 18 digits", text)
}
