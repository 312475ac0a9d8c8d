package safetext

import (
	"testing"
	"unicode/utf8"
)

func TestShorten(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "a…d"},
		{"größer", 5, "gr…er"},
		{"主題模型", 8, "主題模型"},
		{"主題模型", 5, "主…型"},
		{"ab", 1, "…"},
		{"ab", 0, ""},
		{"WHITE HANGING HEART T-LIGHT HOLDER", 20, "WHITE…T-LIGHT HOLDER"},
		{"WHITE HANGING HEART T-LIGHT HOLDER", 12, "WHITE…HOLDER"},
		{"one two three four", 17, "one…three four"},
		{"e\u0301e\u0301e\u0301e\u0301", 3, "e\u0301…e\u0301"},
	} {
		if got := Shorten(test.text, test.width); got != test.want {
			t.Errorf("Shorten(%q, %d) is %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

// FuzzShorten wants text that fits as it is, and other text cut to whole characters within the width.
func FuzzShorten(f *testing.F) {
	f.Add("a b c d e f", byte(8))
	f.Add("主題模型主題模型", byte(9))
	f.Add("🇩🇪🇫🇷🇩🇪🇫🇷🇩🇪🇫🇷🇩🇪", byte(8))
	f.Add("👩‍👩‍👧👩‍👩‍👧", byte(3))
	f.Fuzz(func(t *testing.T, text string, width byte) {
		text = Text(text)
		short := Shorten(text, int(width))
		if Width(short) > int(width) || !utf8.ValidString(short) || Width(text) <= int(width) && short != text {
			t.Errorf("width %d: %q is shown as %q", width, text, short)
		}
	})
}
