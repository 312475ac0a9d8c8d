package metric_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/internal/synth"
	"anchorage/metric"
	"anchorage/sketch"
)

// naiveRow is a row of C̄ by its definition.
type naiveRow struct {
	row, whole []float64
	documents  []int
}

// countRow counts a row of C̄ in the plainest way.
func countRow(docs *corpus.Documents, n, anchor int, weights []float64) naiveRow {
	r := naiveRow{make([]float64, n), make([]float64, n), make([]int, n)}
	sum, wholeSum := 0.0, 0.0
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		tokens, single, h := 0.0, 0.0, 0.0
		for t, item := range items {
			tokens += weights[item] * float64(counts[t])
			single += weights[item] * weights[item] * float64(counts[t])
			if int(item) == anchor {
				h = float64(counts[t])
			}
		}
		if h == 0 || tokens*tokens-single < 1e-9 {
			continue
		}
		for t, item := range items {
			other := float64(counts[t])
			if int(item) == anchor {
				other--
			}
			pairs := weights[anchor] * h * other / (tokens*tokens - single)
			r.row[item] += pairs * weights[item]
			r.whole[item] += pairs
			sum, wholeSum = sum+pairs*weights[item], wholeSum+pairs
			r.documents[item] = min(r.documents[item]+1, 3)
		}
	}
	for i := range n {
		if sum > 0 {
			r.row[i], r.whole[i] = r.row[i]/sum, r.whole[i]/wholeSum
		}
	}
	return r
}

// beside returns the list of a row.
func (r naiveRow) beside(anchor, count int, hidden func(int) bool) (list []metric.Beside) {
	for i, p := range r.row {
		if p > 0 && i != anchor && !(hidden != nil && hidden(i)) {
			list = append(list, metric.Beside{Item: i, Probability: p, Whole: r.whole[i], Documents: r.documents[i]})
		}
	}
	slices.SortStableFunc(list, func(a, b metric.Beside) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(b.Probability, a.Probability))
	})
	return list[:min(count, len(list))]
}

// counting is a corpus whose rows are counted. It has so many items that tallies begin as tables, and some end with a
// place for every item.
type counting struct {
	docs    *corpus.Documents
	n       int
	anchors []int
	weights []float64
}

func newCounting(weighted bool) counting {
	c := counting{n: 5000, anchors: []int{4711, 3, 17, 3, 4999}, weights: make([]float64, 5000)}
	c.docs, _ = synth.Model{Items: c.n, Topics: 5, Documents: 700, Tokens: 60, Concentration: 0.2, Seed: 1}.Draw()
	for range 2 { // the last item is in two documents, the first of them long
		long := make([]int32, 0, 3000)
		for i := range c.n {
			if i%2 == 1 && len(long) < cap(long) || i == c.n-1 {
				long = append(long, int32(i))
			}
		}
		c.docs.Append(long, slices.Repeat([]int32{2}, len(long)))
		c.docs.Append([]int32{3, 17, 4711, 4999}, []int32{1, 2, 3, 1})
	}
	for i := range c.weights {
		c.weights[i] = 1
		if weighted {
			c.weights[i] = 0.5 + float64(i%7)/2
		}
	}
	return c
}

// batches returns a pass over the documents from first, before last.
func (c counting) batches(first, last, size int) corpus.Pass {
	return func(_ context.Context, fn func(*corpus.Documents) error) error {
		for at := first; at < last; at += size {
			part := new(corpus.Documents)
			end := min(at+size, last)
			for d := at; d < end; d++ {
				part.Append(c.docs.Row(d))
			}
			if err := fn(part); err != nil {
				return err
			}
		}
		return nil
	}
}

// marginals counts the marginals; with equal weights they have none.
func (c counting) marginals(t *testing.T) *sketch.Marginals {
	t.Helper()
	given := c.weights
	if slices.Max(given) == 1 {
		given = nil
	}
	m, _, err := sketch.CountMarginals(t.Context(), c.batches(0, c.docs.Documents(), 100), c.n, given, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// eachCounting runs a test with and without weights of items.
func eachCounting(t *testing.T, test func(t *testing.T, c counting)) {
	for _, weighted := range []bool{false, true} {
		t.Run(fmt.Sprintf("weighted=%t", weighted), func(t *testing.T) { test(t, newCounting(weighted)) })
	}
}

// Anchors' rows are those of C by its definition, and have the same bits whatever the workers and the batches.
func TestCountAnchorRows(t *testing.T) {
	eachCounting(t, func(t *testing.T, c counting) {
		m := c.marginals(t)
		first, err := metric.CountAnchorRows(t.Context(), c.batches(0, c.docs.Documents(), 90), m, c.anchors, 1)
		if err != nil {
			t.Fatal(err)
		}
		for k, s := range c.anchors {
			want, row := countRow(c.docs, c.n, s, c.weights), first.Rows[k]
			for at, item := range row.Items {
				near(t, "an entry of C̄", row.Values[at], want.row[item])
				want.row[item] = 0
			}
			if !slices.IsSorted(row.Items) || slices.Max(want.row) > 0 {
				t.Errorf("anchor %d: items are missing or out of order", s)
			}
		}
		for _, workers := range []int{2, 5} {
			again, err := metric.CountAnchorRows(t.Context(), c.batches(0, c.docs.Documents(), 13*workers), m,
				c.anchors, workers)
			if err != nil || !reflect.DeepEqual(again, first) {
				t.Errorf("%d workers: the rows are others: %v", workers, err)
			}
		}
	})
}

// Lists have the items of greatest entry, and have the same bits for any workers, ranks, batches and groups.
func TestCountBeside(t *testing.T) {
	hidden := func(item int) bool { return item%5 == 0 }
	eachCounting(t, func(t *testing.T, c counting) {
		m, all := c.marginals(t), c.docs.Documents()
		opts := metric.BesideOptions{Count: 9, Hidden: hidden, Workers: 1}
		want, err := metric.CountBeside(t.Context(), c.batches(0, all, 100), m, c.anchors, opts)
		if err != nil {
			t.Fatal(err)
		}
		few := 0
		for k, s := range c.anchors {
			naive := countRow(c.docs, c.n, s, c.weights).beside(s, opts.Count, hidden)
			if len(naive) != len(want[k]) {
				t.Fatalf("anchor %d: %d items, not %d", s, len(want[k]), len(naive))
			}
			for at, b := range want[k] {
				near(t, "a probability", b.Probability, naive[at].Probability)
				near(t, "a probability in whole documents", b.Whole, naive[at].Whole)
				if b.Documents != naive[at].Documents || b.Item == s || hidden(b.Item) {
					t.Errorf("anchor %d: %+v, want %+v", s, b, naive[at])
				}
				if b.Documents < 3 {
					few++
				}
			}
		}
		if few == 0 {
			t.Error("no list continues with items of few documents")
		}
		for _, other := range []metric.BesideOptions{{Workers: 3}, {Workers: 2, Bytes: 1}, {Workers: 1, Bytes: 200_000}} {
			other.Count, other.Hidden = opts.Count, hidden
			passes := 0
			pass := func(ctx context.Context, fn func(*corpus.Documents) error) error {
				passes++
				return c.batches(0, all, 37)(ctx, fn)
			}
			got, err := metric.CountBeside(t.Context(), pass, m, c.anchors, other)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v: the lists are others: %v", other, err)
			}
			if other.Bytes == 1 && passes != 4 || other.Bytes == 0 && passes != 1 || other.Bytes > 1 &&
				(passes == 1 || passes == 4) {
				t.Errorf("%d bytes: %d passes", other.Bytes, passes)
			}
		}
		for _, ranks := range []int{2, 3} {
			err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
				r := collective.From(ctx).Rank()
				opts := opts
				opts.Layout = collective.From(ctx).Layout()
				got, err := metric.CountBeside(ctx, c.batches(r*all/ranks, (r+1)*all/ranks, 50), m, c.anchors, opts)
				if err == nil && !reflect.DeepEqual(got, want) {
					err = errors.New("the lists are others")
				}
				return err
			})
			if err != nil {
				t.Errorf("%d ranks: %v", ranks, err)
			}
		}
	})
}

// An item that one document repeats comes after those of three documents, and equal items in the order of their
// numbers; in whole rows, only the entries count, and the anchor is listed.
func TestBesideOfFewDocuments(t *testing.T) {
	docs := new(corpus.Documents)
	docs.Append([]int32{0, 1}, []int32{2, 2})
	for range 3 {
		docs.Append([]int32{0, 2, 3, 4}, []int32{1, 1, 2, 1})
	}
	docs.Append([]int32{5, 6}, []int32{1, 1})
	pass := inBatches(docs, 2)
	m, _, err := sketch.CountMarginals(t.Context(), pass, 8, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for whole, want := range map[bool][]int{false: {3, 2, 4, 1}, true: {1, 3, 0, 2, 4}} {
		lists, err := metric.CountBeside(t.Context(), pass, m, []int{0, 7}, metric.BesideOptions{Count: 20, Whole: whole})
		if err != nil {
			t.Fatal(err)
		}
		var items []int
		for _, b := range lists[0] {
			items = append(items, b.Item)
		}
		if !slices.Equal(items, want) || lists[1] != nil {
			t.Errorf("%v and %v", lists[0], lists[1])
		}
	}
	failed := errors.New("failed")
	broken := func(context.Context, func(*corpus.Documents) error) error { return failed }
	if _, err := metric.CountBeside(t.Context(), broken, m, []int{0},
		metric.BesideOptions{Count: 2}); !errors.Is(err, failed) {
		t.Errorf("an error of the pass is lost: %v", err)
	}
}

func BenchmarkCountBeside(b *testing.B) {
	docs, _ := synth.Model{Items: 100_000, Topics: 50, Documents: 20_000, Tokens: 100, Concentration: 0.1, Seed: 1}.Draw()
	pass := inBatches(docs, 1000)
	m, _, err := sketch.CountMarginals(b.Context(), pass, 100_000, nil, 0)
	if err != nil {
		b.Fatal(err)
	}
	var anchors []int
	for k := range 50 {
		anchors = append(anchors, 997*k)
	}
	for b.Loop() {
		if _, err := metric.CountBeside(b.Context(), pass, m, anchors, metric.BesideOptions{Count: 20,
			Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(docs.Entries()), "ns/entry")
}
