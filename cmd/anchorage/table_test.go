package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"anchorage/internal/safetext"
	"anchorage/internal/table"
)

// printViews prints a table of topics.
func printViews(w io.Writer, views []topicView, width int, all bool) {
	titles, rows := topicTable(views, width)
	table.New(titles, rows, width).Print(w, all)
}

func TestPrintTable(t *testing.T) {
	views := []topicView{
		{Topic: 3, Share: 0.125, Anchor: "a-very-long-anchor-name", Prominent: []string{"große wörter", "überall", "z"},
			Characteristic: []string{"x"}},
		{Topic: 10, Share: 0.01, Anchor: "kurz", Prominent: []string{"主題", "模型"}, Characteristic: []string{"v", "y"}},
	}
	for _, test := range []struct {
		width int
		all   bool
		want  string
	}{
		{100, false, "" +
			"topic  share  anchor                prominent                        characteristic\n" +
			"    3  12.5%  a-very-lon…chor-name  große wörter · überall · z       x\n" +
			"   10   1.0%  kurz                  主題 · 模型                      v · y\n"},
		{50, false, "" +
			"topic  share  anchor      prominent\n" +
			"    3  12.5%  a-ver…name  große wörter · überall\n" +
			"   10   1.0%  kurz        主題 · 模型\n"},
		{50, true, "" +
			"topic  share  anchor      prominent\n" +
			"    3  12.5%  a-ver…name  große wörter · überall\n" +
			"                          z\n" +
			"   10   1.0%  kurz        主題 · 模型\n"},
	} {
		var out bytes.Buffer
		printViews(&out, views, test.width, test.all)
		if out.String() != test.want {
			t.Errorf("width %d: got\n%swant\n%s", test.width, out.String(), test.want)
		}
	}
	var out bytes.Buffer // a model without anchors
	printViews(&out, []topicView{{Topic: 7, Share: 0.5, Prominent: []string{"alpha", "beta"}}, {Topic: 1}}, 60, false)
	if want := "topic  share  prominent\n    7  50.0%  alpha · beta\n    1   0.0%\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// Every form of the topics shows their ids as their numbers.
func TestTopicIDs(t *testing.T) {
	views := []topicView{{Topic: 12, Index: 1, Name: "a", Share: 0.5, Prominent: []string{"alpha"}}, {Topic: 3, Name: "b",
		Share: 0.25}}
	var list bytes.Buffer
	printViews(&list, views, 60, false)
	if want := "topic  share  name  prominent\n   12  50.0%  a     alpha\n    3  25.0%  b\n"; list.String() != want {
		t.Errorf("got\n%swant\n%s", list.String(), want)
	}
	value, err := json.Marshal(views[0])
	if err != nil || !strings.Contains(string(value), `"topic":12`) {
		t.Errorf("%s, %v", value, err)
	}
}

// TestTableWidths wants no line wider than the terminal, one line per topic, and columns that begin at the same cell,
// whatever the names.
func TestTableWidths(t *testing.T) {
	long := strings.Repeat("語", 90)
	views := []topicView{
		{Topic: 11, Share: 0.99, Anchor: long, Prominent: []string{long}, Characteristic: []string{"a", long}},
		{Topic: 2, Share: 0.004, Anchor: "é", Prominent: strings.Fields(strings.Repeat("wort ", 40)),
			Characteristic: []string{long}},
		{Topic: 3, Anchor: "👩‍👩‍👧", Prominent: nil, Characteristic: []string{"x"}},
		{Topic: 4, Anchor: "a\nb\x1b[31m", Prominent: []string{"WHITE HANGING HEART T-LIGHT HOLDER", "\u202efdp.exe"},
			Characteristic: []string{"x y z"}},
	}
	for _, width := range []int{leastWidth, 74, 75, 80, 120, 301} {
		var out bytes.Buffer
		printViews(&out, views, width, false)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != len(views)+1 {
			t.Fatalf("%d lines:\n%s", len(lines), out.String())
		}
		before, _, _ := strings.Cut(lines[0], "prominent")
		column := safetext.Width(before)
		for i, line := range lines {
			if n := safetext.Width(line); n > width {
				t.Errorf("width %d: line %d has %d cells", width, i, n)
			}
			if first := safetext.Head(line, column); safetext.Width(line) > column && (safetext.Width(first) != column ||
				!strings.HasSuffix(first, "  ")) {
				t.Errorf("width %d: the items of line %d do not begin at %d: %q", width, i, column, line)
			}
		}
	}
}

// TestWidth wants nothing to be cut where stdout is a file or a pipe, unless COLUMNS says otherwise, and 120 cells where
// nothing is known.
func TestWidth(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for columns, want := range map[string]int{"": 120, "x": 120, "-5": 120, "97": 97, "7": leastWidth} {
		t.Setenv("COLUMNS", columns)
		for _, p := range []*program{{stdout: &bytes.Buffer{}}, {stdout: file}} {
			wanted := want
			if want == 120 && p.stdout == file {
				wanted = table.Open
			}
			if got := p.width(); got != wanted {
				t.Errorf("COLUMNS %q, %T: %d", columns, p.stdout, got)
			}
		}
	}
}
