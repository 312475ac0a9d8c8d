package table

import (
	"strings"
	"testing"
	"unicode/utf8"

	"anchorage/internal/safetext"
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
		if got := safetext.Shorten(test.text, test.width); got != test.want {
			t.Errorf("safetext.Shorten(%q, %d) is %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

// TestShortenAll wants names that would look alike to stay apart.
func TestShortenAll(t *testing.T) {
	for _, names := range [][]string{
		{"Organic Whole Milk, one gallon", "Organic Skim Milk, one gallon", "Organic Whole Milk, two gallons"},
		{"prefix prefix prefix prefix a suffix suffix suffix", "prefix prefix prefix prefix b suffix suffix suffix"},
		{strings.Repeat("x", 40), strings.Repeat("x", 41), strings.Repeat("x", 42), "xxxxx…xxxxx"},
		{"a…b", "a", "b", "a b"},
	} {
		for _, width := range []int{8, 12, 20, 26} {
			seen := make(map[string]bool)
			for name, shown := range shortenAll(names, width) {
				if seen[shown] || safetext.Width(shown) > width {
					t.Errorf("width %d: %q is shown as %q", width, name, shown)
				}
				seen[shown] = true
			}
		}
	}
}

// TestTellApart wants the words that tell names apart to be shown.
func TestTellApart(t *testing.T) {
	var names []string
	for _, kind := range []string{"Strawberry", "Vanilla"} {
		for _, size := range []string{"4", "6", "32"} { // some share the kind, others the size
			names = append(names, "Organic Whole Milk Yoghurt "+kind+" Family Size "+size+" oz")
		}
	}
	shown := shortenAll(names, 22)
	for i, want := range []string{"Organic…Strawberry…4…", "Organic…Strawberry…6…", "Organic…Strawberry…32…",
		"Organic…Vanilla…4…", "Organic…Vanilla…6…",
		"Organic…Vanilla…32…"} {
		if got := shown[names[i]]; got != want {
			t.Errorf("%q is shown as %q, want %q", names[i], got, want)
		}
	}
}

func FuzzShortenAll(f *testing.F) {
	f.Add("a b c d e f", "a b c x e f", "a b c d e g", byte(8))
	f.Add("主題模型主題模型", "主題模型主題模形", "e\u0301e\u0301e\u0301e\u0301", byte(9))
	f.Add("🇩🇪🇫🇷🇩🇪🇫🇷🇩🇪🇫🇷🇩🇪", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "\u202eabc\x1b[0m", byte(8))
	f.Fuzz(func(t *testing.T, a, b, c string, width byte) {
		room := 8 + int(width)%60
		names := cleaned([]string{a, b, c})
		shown := shortenAll(names, room)
		seen := make(map[string]string)
		for _, name := range names {
			text := shown[name]
			if other, taken := seen[text]; taken && other != name {
				t.Errorf("%q and %q are both shown as %q", other, name, text)
			}
			seen[text] = name
			if safetext.Width(text) > room || !utf8.ValidString(text) || text != safetext.Lines(text) {
				t.Errorf("width %d: %q is shown as %q", room, name, text)
			}
			if safetext.Width(name) <= room && text != name && !strings.Contains(text, "~") {
				t.Errorf("%q fits, and is shown as %q", name, text)
			}
		}
	})
}
