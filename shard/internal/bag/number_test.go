package bag

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// numberTexts are texts that are numbers, nearly so, or not at all.
var numberTexts = []string{"", "0", "1", "9", "10", "007", "-0", "-1", "-", "--1", "+1", "1.", "1.0", ".5", "1e3", "1E3", "1e-1", "0x10", "1_000",
	" 1", "1 ", "\x00", "٣", "2147483647", "2147483648", "999999999999999999", "1000000000000000000", "9223372036854775807",
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

func TestParseCount(t *testing.T) {
	good := map[string]int32{"1": 1, "007": 7, "1.0": 1, "1.": 1, "1e3": 1000, "+1": 1, "2147483647": MaxCount, "0x10p0": 16}
	for text, want := range good {
		if got, err := ParseCount([]byte(text)); got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "not a number", "x": "not a number", "1,5": "not a number", "0": "count 0", "-1": "count -1 is negative", "-0": "count 0",
		"1.5": "not a whole number: give the counts as they were", "2147483648": "greater than 2147483647", "1e300": "greater than",
		"1e400": "out of range", "nan": "not a number", "inf": "not a number", "99999999999999999999": "greater than",
	} {
		if got, err := ParseCount([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %d, %v; want %q", text, got, err, want)
		}
	}
}

func TestParseIndex(t *testing.T) {
	for _, text := range numberTexts {
		want, wanted := WholeNumber([]byte(text))
		if got, err := ParseIndex([]byte(text)); (err == nil) != wanted || got != want && wanted {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

func TestCheckCount(t *testing.T) {
	for count, wanted := range map[int64]bool{math.MinInt64: false, -1: false, 0: false, 1: true, MaxCount: true, MaxCount + 1: false, math.MaxInt64: false} {
		if err := CheckCount(count); (err == nil) != wanted {
			t.Errorf("%d: %v", count, err)
		}
	}
}

func TestIntegerOf(t *testing.T) {
	for value, want := range map[float64]int64{0: 0, 1: 1, -3: -3, 1 << 53: 1 << 53, -1 << 53: -1 << 53} {
		if got, err := IntegerOf(value); got != want || err != nil {
			t.Errorf("%v: %d, %v", value, got, err)
		}
	}
	for _, value := range []float64{0.5, -0.1, math.Inf(1), math.Inf(-1), math.NaN(), 1<<53 + 2, 1e300, math.SmallestNonzeroFloat64} {
		if got, err := IntegerOf(value); err == nil {
			t.Errorf("%v: %d", value, got)
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
