package benchtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder without a fault has no problem, and every fault is found.
func TestProblems(t *testing.T) {
	for name, test := range map[string]struct{ file, text, want string }{
		"a table":       {"README.md", "| a | b |\n| --- | ---: |\n| 1 | 2 |\n\n| c |\n", ""},
		"a link":        {"README.md", "see [this](README.md#here) and [that](https://example.org/x)", ""},
		"a CSV":         {"a.csv", "a,b\n1,NaN\n", ""},
		"a chart":       {"a.svg", "<svg><g/></svg>", ""},
		"uneven table":  {"README.md", "| a | b |\n| 1 |\n", "line 2 has 1 cells, the one before 2"},
		"escaped cell":  {"README.md", "| a |\n| \\|I\\| |\n", ""},
		"NaN":           {"README.md", "| NaN |\n", "line 1 has NaN"},
		"broken link":   {"README.md", "![chart](chart.svg)", "links to chart.svg, which is not there"},
		"uneven CSV":    {"a.csv", "a,b\n1\n", "wrong number of fields"},
		"cut chart":     {"a.svg", "<svg><g>", "unexpected EOF"},
		"empty chart":   {"a.svg", "", "EOF"},
		"Parquet":       {"a.parquet", "PAR1", "is neither README.md nor CSV nor SVG"},
		"other text":    {"table.md", "| a |", "is neither README.md nor CSV nor SVG"},
		"success":       {"_SUCCESS", "", "is neither README.md nor CSV nor SVG"},
		"nested folder": {"part/x.json", "{}", "is neither README.md nor CSV nor SVG"},
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, filepath.FromSlash(test.file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		found := strings.Join(Problems(folder), "\n")
		if (test.want == "") != (found == "") || !strings.Contains(found, test.want) {
			t.Errorf("%s: found %q, want %q", name, found, test.want)
		}
	}
	if len(Problems(filepath.Join(t.TempDir(), "nothing"))) == 0 ||
		len(Links(filepath.Join(t.TempDir(), "nothing.md"))) == 0 {
		t.Error("a folder or file that is not there passes")
	}
}
