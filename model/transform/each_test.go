package transform_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/model"
	"anchorage/model/transform"
)

// Each and EachStored pass on what the tables hold, and Each the items too.
func TestEach(t *testing.T) {
	m, transformer := learned(t)
	var lines strings.Builder
	for d := range 300 {
		fmt.Fprintf(&lines, "{\"id\": \"d%d\", \"items\": [\"w%d1\", \"w%d2\", \"other\", \"w%d1\"]}\n", d, d%3, d%2, d%3)
	}
	shards := discovered(t, "a.jsonl", lines.String())
	path := filepath.Join(t.TempDir(), "documents")
	if _, err := transform.Write(t.Context(), m, transformer, shards, path, transform.Options{}); err != nil {
		t.Fatal(err)
	}
	stored := rows(t, filepath.Join(path, "part-00000.parquet"), false)
	compare := func(name string, items bool) (func(*transform.Inferred) error, func()) {
		at := 0
		return func(d *transform.Inferred) error {
				want := stored[at]
				if d.ID != want.id || !slices.Equal(d.Mixture, want.mixture) || d.Top != int(want.top) ||
					float32(d.Deviation) != want.deviation ||
					d.Known != want.known || d.Unknown != want.unknown {
					t.Errorf("%s, document %d: %+v, want %+v", name, at, d, want)
				}
				if items {
					first, known := m.Vocabulary.Lookup(fmt.Appendf(nil, "w%d1", at%3))
					if !known || d.Items[0] != first || d.Counts[0] != 2 || !slices.Contains(d.Items, -1) {
						t.Errorf("%s, document %d: items %v, counts %v", name, at, d.Items, d.Counts)
					}
				}
				at++
				return nil
			}, func() {
				if at != 300 {
					t.Errorf("%s passed on %d documents", name, at)
				}
			}
	}
	fn, done := compare("Each", true)
	if err := transform.Each(t.Context(), transformer, shards, transform.Options{Workers: 3}, fn); err != nil {
		t.Error(err)
	}
	done()
	fn, done = compare("EachStored", false)
	if err := transform.EachStored(t.Context(), path, fn); err != nil {
		t.Error(err)
	}
	done()
	if err := transform.EachStored(t.Context(), t.TempDir(), func(*transform.Inferred) error { return nil }); err == nil {
		t.Error("an empty folder is read")
	} else if _, ok := err.(*model.InputError); !ok {
		t.Errorf("an empty folder: %v", err)
	}
}
