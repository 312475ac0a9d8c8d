package main

import (
	"errors"
	"strings"
	"testing"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1B": 1, "17B": 17, "1K": 1000, "1KiB": 1 << 10, "1KB": 1000, "512MiB": 512 << 20, "2GB": 2e9, "4G": 4e9, "4GiB": 4 << 30,
		"2gb": 2e9, "2g": 2e9, "2gib": 2 << 30, "2Gi": 2 << 30, "1mib": 1 << 20, "1.5K": 1500, "0.5KB": 500, "2 MiB": 2 << 20, "3TiB": 3 << 40,
		"3TB": 3e12, "3t": 3e12, "9m": 9e6, "9MB": 9e6, "1 PiB": 1 << 50,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "0.5", "-1", "-1KiB", "K", "MiB", "lots", "1mibi", "NaN", "Inf", "1e19", "99999999T", "8EiB", "1KiBB", "0x", "1e3"} {
		if got, err := parseSize(text); err == nil || !strings.Contains(err.Error(), "is not a size: write it like 512MiB") {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
}

// TestParseLimit wants 0 to be a limit, though it is not a size.
func TestParseLimit(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "10KB": 10000} {
		if got, err := parseLimit(text); err != nil || got != want {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"0B", "00", "-1", "much"} {
		if got, err := parseLimit(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

func TestParseCount(t *testing.T) {
	for text, want := range map[string]int{"auto": 0, "1": 1, "20": 20} {
		if got, err := parseCount("--passes", text); err != nil || got != want {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "2x", "x2", "1.5", "Auto", "99999999999999999999"} {
		_, err := parseCount("--passes", text)
		if !errors.As(err, new(*usageError)) || !strings.HasPrefix(err.Error(), "--passes is ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestOneOf(t *testing.T) {
	if err := oneOf("--f", "b", "a", "b"); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		words []string
		want  string
	}{
		{[]string{"a"}, `--f is "x": use a`},
		{[]string{"a", "b"}, `--f is "x": use a or b`},
		{[]string{"a", "b", "c"}, `--f is "x": use a, b or c`},
	} {
		err := oneOf("--f", "x", test.words...)
		if !errors.As(err, new(*usageError)) || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
