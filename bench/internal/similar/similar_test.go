package similar

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
)

var wiki = filepath.Join("..", "..", "..", "testdata", "wiki")

// The halves of an item never meet, and have half of its documents each.
func TestSplit(t *testing.T) {
	ctx := context.Background()
	s, err := newSplitter(ctx, wiki, 20, 20, 30)
	if err != nil {
		t.Fatal(err)
	}
	defer s.docs.Close()
	if len(s.chosen) != 30 {
		t.Errorf("%d items are split", len(s.chosen))
	}
	df := map[string]int{}
	for document, err := range s.split(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, id := range document.Items {
			seen[id] = true
			df[id]++
		}
		for id := range seen {
			if strings.HasSuffix(id, suffix) && seen[strings.TrimSuffix(id, suffix)] {
				t.Fatalf("both halves of %q are in a document", id)
			}
		}
	}
	for item := range s.chosen {
		id := s.docs.Vocabulary.ID(int(item))
		if first, second := df[id], df[id+suffix]; second < 20 || first-second > 1 || first < second {
			t.Errorf("%q has %d and %d documents", id, first, second)
		}
	}
	split, err := corpus.FromSeq(ctx, s.split(ctx), corpus.Options{Passes: 2})
	if err != nil {
		t.Fatal(err)
	}
	split.Close()
}

// Of few topics, similar items find the other half more often than chance does, and the tables add up.
func TestRun(t *testing.T) {
	o := Options{Topics: 20, Items: 60, MinDF: 20, Least: 20, Seed: 1, Pairs: true}
	records, err := o.Run(context.Background(), wiki)
	if err != nil {
		t.Fatal(err)
	}
	if want := (len(vectors) + 2) * (1 + len(bands)); len(records) != want {
		t.Fatalf("%d records, want %d", len(records), want)
	}
	for at := 0; at < len(records); at += 1 + len(bands) {
		all, queries, found := records[at], 0, 0.0
		for _, r := range records[at+1 : at+1+len(bands)] {
			queries += r.Queries
			found += r.Ten * float64(r.Queries)
		}
		if all.Queries != 120 || queries != all.Queries || found < all.Ten*120-1e-6 || found > all.Ten*120+1e-6 || all.First > all.Ten {
			t.Errorf("%s: %+v, and %d queries in bands", all.Vectors, all, queries)
		}
		if all.Ten < 0.05 && all.Vectors != "pairs" { // by chance 10 of 3,000 items
			t.Errorf("%s finds %v", all.Vectors, all.Ten)
		}
	}
	path := filepath.Join(t.TempDir(), "results")
	folder, err := report.NewFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Write(folder, records, o, report.NewOrigin("the command", 1)), folder.Commit()); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, path, "README.md", "similar.csv")
	benchtest.Results(t, path)
	benchtest.Says(t, "README.md", benchtest.Text(t, path, "README.md"), "\nthe command\n", "a model of 20 topics", "| wiki | ", "| all | 120 | profile | ", "| 300 and more | ")
}
