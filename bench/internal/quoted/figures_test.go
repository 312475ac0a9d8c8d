package quoted

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// bench is the folder of the benchmarks.
const bench = "../.."

// Every measured figure that the documents quote is in the results that its paragraph or section links to, or
// testdata/figures.tsv says where it comes from.
func TestQuotedFigures(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(bench, "testdata", "figures.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := ParseAllowed(string(text))
	if err != nil {
		t.Fatal(err)
	}
	read := make(map[string]*Results)
	results := func(folder string) *Results {
		if read[folder] == nil {
			var err error
			if read[folder], err = Read(filepath.Join(bench, "results", filepath.FromSlash(folder))); err != nil {
				t.Fatal(err)
			}
		}
		return read[folder]
	}
	found := 0
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/decisions/*.md"} {
		paths, err := filepath.Glob(filepath.Join(bench, "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(filepath.Join(bench, ".."), path)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range Sections(filepath.ToSlash(name), string(text)) {
				for _, f := range s.Figures {
					if allowed.Has(&s, f) {
						continue
					}
					if slices.ContainsFunc(f.Results, func(folder string) bool { return results(folder).Has(f) }) {
						found++
					} else {
						t.Errorf("%s:%d: %s of section %q is not in the results that it links to (%q): correct it, link to its "+
							"results, or add it to testdata/figures.tsv",
							s.File, f.Line, f.Text, s.Heading, f.Results)
					}
				}
			}
		}
	}
	for _, line := range allowed.Unused() {
		t.Errorf("testdata/figures.tsv:%d: no figure needs this line: take it out", line)
	}
	if found < 100 {
		t.Errorf("only %d figures are found in results: the search is broken", found)
	}
}
