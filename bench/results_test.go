package main

import (
	"path/filepath"
	"testing"

	"anchorage/bench/internal/benchtest"
)

// The committed results are as the programs write them: CSV, README.md and SVG, tables in order, links that lead
// somewhere.
func TestCommittedResults(t *testing.T) {
	benchtest.Results(t, "results")
}

// The links of all documents lead somewhere.
func TestLinks(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../docs/*/*.md", "../testdata/*/*.md", "peers/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			seen++
			for _, err := range benchtest.Links(path) {
				t.Errorf("%s %v", path, err)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d documents: the search is broken", seen)
	}
}
