package sketch

import (
	"context"
	"errors"
	"slices"
	"testing"

	"anchorage/corpus"
)

// runsOf is a pass over runs as they are.
func runsOf(runs ...*corpus.Documents) corpus.Pass {
	return func(_ context.Context, fn func(*corpus.Documents) error) error {
		for _, run := range runs {
			if err := fn(run); err != nil {
				return err
			}
		}
		return nil
	}
}

// uniform returns equal documents of the given number of entries.
func uniform(documents, entries int) *corpus.Documents {
	docs := &corpus.Documents{}
	items, counts := make([]int32, entries), make([]int32, entries)
	for t := range items {
		items[t], counts[t] = int32(t), int32(entries)
	}
	for range documents {
		docs.Append(items, counts)
	}
	return docs
}

func TestJoined(t *testing.T) {
	empty := &corpus.Documents{Offsets: []int32{0}}
	given := []*corpus.Documents{uniform(3, 2), empty, uniform(1000, 300), uniform(1000, 300), uniform(1, 0),
		uniform(2, 5), uniform(1, 3), uniform(4, 1), uniform(2, joinedEntries), uniform(1, 1)}
	type document struct {
		entries int
		first   int32
	}
	list := func(pass corpus.Pass) (all []document, runs []int) {
		err := pass(t.Context(), func(docs *corpus.Documents) error {
			runs = append(runs, docs.Entries())
			for d := range docs.Documents() {
				items, counts := docs.Row(d)
				first := int32(-1)
				if len(counts) > 0 {
					first = counts[0]
				}
				all = append(all, document{len(items), first})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all, runs
	}
	want, _ := list(runsOf(given...))
	got, runs := list(Joined(runsOf(given...)))
	if !slices.Equal(got, want) {
		t.Errorf("%d documents, want %d", len(got), len(want))
	}
	// The third and fourth complete a run with what was before; a run ends before a long one.
	if want := []int{600_006, 17, 2 * joinedEntries, 1}; !slices.Equal(runs, want) {
		t.Errorf("runs of %d entries, want %d", runs, want)
	}
	stop := errors.New("stop")
	calls := 0
	err := Joined(runsOf(given...))(t.Context(), func(*corpus.Documents) error { calls++; return stop })
	if err != stop || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if err := Joined(func(context.Context, func(*corpus.Documents) error) error { return stop })(t.Context(),
		nil); err != stop {
		t.Errorf("the error of the pass is %v", err)
	}
}
