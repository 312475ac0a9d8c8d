package shard

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWriters reads the same documents as other programs have written them.
func TestWriters(t *testing.T) {
	const dir = "testdata/writers"
	want, err := collect(t, Options{}, filepath.Join(dir, "documents.jsonl"))
	if err != nil || len(want) != 60 {
		t.Fatal(len(want), err)
	}
	full := slices.DeleteFunc(slices.Clone(want), func(d document) bool { return len(d) == 0 })
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, path := range files {
		name := filepath.Base(path)
		if name == "README.md" || strings.HasSuffix(name, "js") {
			continue
		}
		read++
		t.Run(name, func(t *testing.T) {
			expected := want
			if strings.Contains(name, "long") {
				expected = full
			}
			conform(t, expected, Options{}, path)
		})
	}
	if read < 27 {
		t.Errorf("only %d files", read)
	}
}
