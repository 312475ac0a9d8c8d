package bag

import (
	"strconv"
	"strings"
	"testing"
)

// numberTexts are texts that are numbers, nearly so, or not at all.
var numberTexts = []string{"", "0", "1", "9", "10", "007", "-0", "-1", "-", "--1", "+1", "1.", "1.0", ".5", "1e3",
	"1E3", "1e-1", "0x10", "1_000",
	" 1", "1 ", "\x00", "٣", "2147483647", "2147483648", "999999999999999999", "1000000000000000000",
	"9223372036854775807",
	"9223372036854775808", "-9223372036854775808", "1e300", "1e400", "nan", "inf", "-inf", "Infinity", "1,5"}

// TestWholeNumber compares with strconv on every text.
func TestWholeNumber(t *testing.T) {
	for _, text := range numberTexts {
		want, err := strconv.ParseUint(text, 10, 64)
		wanted := err == nil && len(text) <= 18
		got, ok := WholeNumber([]byte(text))
		if ok != wanted || ok && uint64(got) != want {
			t.Errorf("%q: %d, %v; want %d, %v", text, got, ok, want, wanted)
		}
	}
}

// TestCanonicalNumber wants exactly the texts that strconv writes.
func TestCanonicalNumber(t *testing.T) {
	for _, text := range numberTexts {
		value, err := strconv.ParseInt(text, 10, 64)
		wanted := err == nil && strconv.FormatInt(value, 10) == text && len(strings.TrimPrefix(text, "-")) <= 18
		if got, ok := CanonicalNumber([]byte(text)); ok != wanted || ok && got != value {
			t.Errorf("%q: %d, %v; want %d, %v", text, got, ok, value, wanted)
		}
	}
}

func TestCheckItem(t *testing.T) {
	for id, wanted := range map[string]bool{"": false, "a": true, "日本語": true, "a\xff": false, "\x00": true,
		strings.Repeat("x", MaxItemBytes): true, strings.Repeat("x", MaxItemBytes+1): false} {
		if err := CheckItem([]byte(id)); (err == nil) != wanted {
			t.Errorf("%.10q of %d bytes: %v", id, len(id), err)
		}
	}
}
