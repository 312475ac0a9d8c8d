package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/shard"
)

// byKind are the options of a fit that leaves its limits to the documents.
var byKind = corpus.Options{}

// discovered returns the shards of a path.
func discovered(t *testing.T, path string) []shard.Shard {
	t.Helper()
	shards, err := shard.Discover(t.Context(), []string{path}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return shards
}

// A sample of everything knows what a corpus of everything is like.
func TestSampleAll(t *testing.T) {
	shards := discovered(t, filepath.Join("..", "testdata", "wiki"))
	sample, err := Sample(t.Context(), shards, 0, 2)
	if err != nil || !sample.Complete {
		t.Fatal(err, "the sample is not complete")
	}
	opts := byKind
	opts.Dir = t.TempDir()
	docs, err := Open(t.Context(), shards, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	e, a := sample.Expect(byKind), docs.Account
	for name, of := range map[string][2]float64{"documents": {e.Documents.Estimate, float64(a.DocumentsRead)},
		"entries": {e.Entries.Estimate, float64(a.Entries)},
		"items":   {e.Items.Estimate, float64(int64(a.Items) + a.Pruned.Total().Items)}, "items kept": {e.Kept.Estimate, float64(a.Items)},
		"least df": {float64(e.MinDF), float64(a.MinDF)}} {
		if of[0] != of[1] {
			t.Errorf("%g %s, want %g", of[0], name, of[1])
		}
	}
	if !e.Kept.Known() || e.Kind != a.Kind {
		t.Errorf("%+v of %s", e.Kept, e.Kind)
	}
}

// A sample of a sixth is the same for any number of workers, and its intervals hold what there is.
func TestSampleSome(t *testing.T) {
	shards := discovered(t, filepath.Join("..", "testdata", "wiki"))
	var first corpus.Expectation
	for _, workers := range []int{1, 3} {
		sample, err := Sample(t.Context(), shards, 90_000, workers)
		if err != nil || sample.Complete {
			t.Fatal(err, "the sample is complete")
		}
		e := sample.Expect(byKind)
		if workers == 1 {
			first = e
		}
		if fmt.Sprint(e) != fmt.Sprint(first) {
			t.Errorf("%d workers: %+v, want %+v", workers, e, first)
		}
	}
	const documents, entries, items, kept = 1614, 526_747, 70_521, 12_023
	for name, of := range map[string]struct {
		found corpus.Interval
		truth float64
		wide  float64 // what the bounds may be apart, as a factor
	}{"documents": {first.Documents, documents, 1}, "entries": {first.Entries, entries, 2}, "items": {first.Items, items,
		3}, "items kept": {first.Kept, kept, 3}} {
		if of.found.Low > of.truth || of.found.High < of.truth || of.found.High > of.wide*of.found.Low {
			t.Errorf("%s: %+v, want %g", name, of.found, of.truth)
		}
	}
}

// The number of documents of a text is known only when it is read: it follows from how far the reading came.
func TestSampleText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.dat")
	var text strings.Builder
	const documents = 60_000
	for d := range documents {
		fmt.Fprintf(&text, "item%d item%d item%d item%d\n", d%1000, 1000+d%999, 2000+d%997, 3000+d%991)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	sample, err := Sample(t.Context(), discovered(t, path), 50_000, 2)
	if err != nil || sample.Complete {
		t.Fatal(err, "the sample is complete")
	}
	e := sample.Expect(byKind)
	if got := e.Documents.Estimate; got < 0.9*documents || got > 1.1*documents {
		t.Errorf("%g documents, want %d", got, documents)
	}
	if e.Kind != corpus.Baskets || e.Kept.Estimate < 3900 || e.Kept.Estimate > 4200 {
		t.Errorf("%g items of %s", e.Kept.Estimate, e.Kind)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Sample(ctx, discovered(t, path), 0, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}
