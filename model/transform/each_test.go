package transform_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/model/transform"
)

// Each passes on what the tables hold, and the items too.
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
	at := 0
	err := transform.Each(t.Context(), transformer, shards, transform.Options{Workers: 3},
		func(d *transform.Inferred) error {
			want := stored[at]
			if d.ID != want.id || !slices.Equal(d.Mixture, want.mixture) || d.Top != int(want.top) ||
				float32(d.Deviation) != want.deviation || d.Known != want.known || d.Unknown != want.unknown {
				t.Errorf("document %d: %+v, want %+v", at, d, want)
			}
			first, known := m.Vocabulary.Lookup(fmt.Appendf(nil, "w%d1", at%3))
			if !known || d.Items[0] != first || d.Counts[0] != 2 || !slices.Contains(d.Items, -1) {
				t.Errorf("document %d: items %v, counts %v", at, d.Items, d.Counts)
			}
			at++
			return nil
		})
	if err != nil || at != 300 {
		t.Errorf("%d documents were passed on: %v", at, err)
	}
}
