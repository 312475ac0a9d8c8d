// This file holds what the tests share: small corpora, C by its definition, and topics.

package metric_test

import (
	"context"
	"math"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/metric"
)

// inBatches returns a pass over docs in batches of the given number of documents.
func inBatches(docs *corpus.Documents, batch int) corpus.Pass {
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		for first := 0; first < docs.Documents(); first += batch {
			last := min(first+batch, docs.Documents())
			start, end := docs.Offsets[first], docs.Offsets[last]
			part := &corpus.Documents{Items: docs.Items[start:end], Counts: docs.Counts[start:end]}
			for _, offset := range docs.Offsets[first : last+1] {
				part.Offsets = append(part.Offsets, offset-start)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(part); err != nil {
				return err
			}
		}
		return nil
	}
}

// drawn returns a synthetic corpus with a document of one token and one of none.
func drawn(n, k, documents int) *corpus.Documents {
	docs, _ := synth.Model{Items: n, Topics: k, Documents: documents, Tokens: 20, Concentration: 0.2, Seed: 1}.Draw()
	docs.Items = append(docs.Items, 3)
	docs.Counts = append(docs.Counts, 1)
	docs.Offsets = append(docs.Offsets, int32(len(docs.Items)), int32(len(docs.Items)))
	return docs
}

// coOccurrences is C by its definition, n×n, its row sums, and M.
func coOccurrences(docs *corpus.Documents, n int) (c [][]float64, p []float64, m float64) {
	c, p = make([][]float64, n), make([]float64, n)
	for i := range c {
		c[i] = make([]float64, n)
	}
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		tokens := 0.0
		for _, count := range counts {
			tokens += float64(count)
		}
		if tokens < 2 {
			continue
		}
		m++
		for a, i := range items {
			for b, j := range items {
				pairs := float64(counts[a]) * float64(counts[b])
				if i == j {
					pairs = float64(counts[a]) * float64(counts[a]-1)
				}
				c[i][j] += pairs / (tokens * (tokens - 1))
			}
		}
	}
	for i := range c {
		for j := range c[i] {
			c[i][j] /= m
			p[i] += c[i][j]
		}
	}
	return c, p, m
}

// uniform returns numbers from 0 to 1 that depend on the seed.
func uniform(seed uint64) func() float64 {
	return func() float64 {
		seed++
		return random.Uniform(0, random.Test, seed, 0)
	}
}

// someTopics returns a factorization that has nothing to do with any corpus: every kind of figure can be computed from
// it.
func someTopics(n, k int, seed uint64) *metric.Topics {
	next := uniform(seed << 32)
	t := &metric.Topics{Items: matrix.NewTall(n, k), Mixtures: matrix.NewTall(n, k), TopicJoint: make([]float64, k*k)}
	for i := range n {
		sum := 0.0
		for s := range k {
			t.Items.Row(i)[s] = math.Pow(next(), 6)
			t.Mixtures.Row(i)[s] = next()
			sum += t.Mixtures.Row(i)[s]
		}
		for s := range k {
			t.Mixtures.Row(i)[s] /= sum
		}
	}
	for s := range k {
		t.Anchors = append(t.Anchors, (7*s+5)%n)
		for l := range s + 1 {
			t.TopicJoint[s*k+l] = next() / float64(k*k)
			t.TopicJoint[l*k+s] = t.TopicJoint[s*k+l]
		}
	}
	sums := kernel.ColumnSums(context.Background(), t.Items, 1)
	for i := range n {
		for s := range k {
			t.Items.Row(i)[s] /= sums[s]
		}
	}
	return t
}

// tall returns a matrix with the given rows.
func tall(rows ...[]float64) *matrix.Tall {
	t := matrix.NewTall(len(rows), len(rows[0]))
	for i, row := range rows {
		copy(t.Row(i), row)
	}
	return t
}

// near fails unless got is want except for rounding.
func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.IsNaN(want) && math.IsNaN(got) {
		return
	}
	if !(math.Abs(got-want) <= 1e-11*max(math.Abs(want), 1e-3)) {
		t.Errorf("%s is %.15g, want %.15g", name, got, want)
	}
}
