package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"anchorage/internal/safetext"
)

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "große Wörter": "große Wörter", "主題": "主題", "می\u200cخواهم": "می\u200cخواهم", "👩\u200d👧": "👩\u200d👧",
		"\ufffd":     "\ufffd",
		"a\x1b[31mb": `a\x1b[31mb`, "a\nb\tc\r": `a\nb\tc\x0d`, "\u202eexe.fdp": `\u202eexe.fdp`,
		"\u2066x\u2069": `\u2066x\u2069`,
		"\u009b2J":      `\u009b2J`, "\x7f": `\x7f`, "a\xffb": `a\xffb`, "\u2028": `\u2028`, "\U000e0041": `\U000e0041`,
		"\u200b\ufeff\u00ad": `\u200b\ufeff\u00ad`,
	} {
		if got := clean(text); got != want {
			t.Errorf("clean(%q) is %q, want %q", text, got, want)
		}
	}
	if got := safetext.Lines("a\tb\nc\x1b\u202e\n"); got != "a\tb\nc\\x1b\\u202e\n" {
		t.Errorf("%q", got)
	}
}

// obeys reports whether text has a character that a terminal would obey, apart from line breaks and tabs.
func obeys(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
	})
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff\ufffd\u2028")
	f.Fuzz(func(t *testing.T, text string) {
		if got := clean(text); obeys(got) || strings.ContainsAny(got, "\n\t") {
			t.Errorf("clean(%q) is %q", text, got)
		}
		if got := safetext.Lines(text); obeys(got) || strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("safetext.Lines(%q) is %q", text, got)
		}
		var out bytes.Buffer
		if err := encodeJSON(&out, []string{text}, "  "); err != nil {
			t.Fatal(err)
		}
		var back []string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || obeys(out.String()) ||
			back[0] != strings.ToValidUTF8(text, "\ufffd") && utf8.ValidString(text) {
			t.Errorf("%q is %q as JSON, and %q read back: %v", text, out.String(), back, err)
		}
	})
}
