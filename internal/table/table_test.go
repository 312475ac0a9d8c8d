package table

import (
	"fmt"
	"strings"
	"testing"
)

// TestFitting wants the first items that fit, and at least one.
func TestFitting(t *testing.T) {
	for _, test := range []struct {
		items []string
		width int
		want  string
	}{
		{nil, 5, ""},
		{[]string{"ab"}, 5, "ab"},
		{[]string{"ab", "cd"}, 7, "ab · cd"},
		{[]string{"ab", "cd"}, 6, "ab"},
		{[]string{"ab", "cdefgh", "f"}, 7, "ab"}, // the order is that of the items: no later item fills the gap
		{[]string{"abcdef", "g"}, 5, "ab…ef"},
		{[]string{"äöü", "ß"}, 7, "äöü · ß"},
		{[]string{"主題", "模型"}, 11, "主題 · 模型"},
		{[]string{"主題", "模型"}, 10, "主題"},
		{[]string{"a b", "c d"}, 20, "a b · c d"},
	} {
		if got := Fitting(test.items, test.width); got != test.want {
			t.Errorf("Fitting(%q, %d) is %q, want %q", test.items, test.width, got, test.want)
		}
	}
}

// TestOpenTable wants titles that are wider than what is below them to be whole.
func TestOpenTable(t *testing.T) {
	var out strings.Builder
	New([]string{" topic", "prominent", "characteristic"}, []Row{{Cells: []string{"1"}, Lists: [][]string{{"a"}, {"b"}}}},
		Open).Print(&out, false)
	if !strings.HasPrefix(out.String(), "topic  prominent   characteristic\n") {
		t.Errorf("%q", out.String())
	}
}

// inked is a writer that marks coloured text.
type inked struct{ strings.Builder }

func (w *inked) Ink(hue int, text string) { fmt.Fprintf(w, "<%d %s>", hue, text) }

// TestInk wants the number and the name of a topic to be coloured where the writer can, and nothing to move.
func TestInk(t *testing.T) {
	rows := []Row{{Cells: []string{"3", "50%", "film · actor"}, Lists: [][]string{{"film", "actor"}}, Hue: 2},
		{Cells: []string{"12", "1%", "ship"}, Lists: [][]string{{"ship"}}}}
	table := New([]string{" topic", " share", "name", "prominent"}, rows, 80)
	var plain strings.Builder
	var colour inked
	table.Print(&plain, false)
	table.Print(&colour, false)
	if want := "    <2 3>    50%  <2 film · actor>  film · actor\n"; !strings.Contains(colour.String(), want) {
		t.Errorf("%q is not in\n%s", want, &colour)
	}
	if bare := strings.NewReplacer("<2 ", "", ">", "").Replace(colour.String()); bare != plain.String() {
		t.Errorf("with colours\n%s, without\n%s", bare, &plain)
	}
}
