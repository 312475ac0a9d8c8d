// This file holds the product of S = C + Ĥ_diag with a test matrix in single precision, accumulated in one pass.

package sketch

import (
	"context"

	"anchorage/corpus"
	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
)

// streaming accumulates M·S·[T Ω], the marginals and the scatter. Sums of the documents of a chunk are of double
// precision, and are rounded once when they are added to the rows. So the error grows with the number of chunks, not
// with that of documents: 10⁹ documents in 10⁶ chunks leave about 10⁻⁴ of an entry.
//
// A chunk has a fixed number of documents, whatever the batches in which they come; documents that do not fill it wait
// for others. So the result has the same bits for any number of workers and any batches. The number is that for the
// columns at the beginning, and stays when columns are dropped: a sketch that had fewer from the beginning is rounded
// elsewhere.
type streaming struct {
	product
	sketch  *Streamed
	chunk   int // documents of a chunk
	pending corpus.Documents
}

func newStreaming(s *Streamed, workers int) *streaming {
	t := &streaming{sketch: s, chunk: streamedChunk(s.Product.Cols())}
	t.workers, t.itemWeights, t.pairPrior = workers, s.Marginals.Weights, s.Marginals.PairPrior
	t.rows = func() rowAdder { return s.tested().rows(s.vocabulary.Key) }
	t.pending.Offsets = []int32{0}
	return t
}

// streamedChunk returns the number of documents of a chunk for the given number of columns.
func streamedChunk(cols int) int { return max(zBytes/8/aligned.Columns[float64](cols), 64) }

// add adds documents, as far as they fill chunks.
func (t *streaming) add(ctx context.Context, docs *corpus.Documents) error {
	first, n := 0, docs.Documents()
	if waiting := t.pending.Documents(); waiting > 0 {
		first = min(t.chunk-waiting, n)
		appendDocuments(&t.pending, docs, 0, first)
		if waiting+first < t.chunk {
			return nil
		}
		if err := t.flush(ctx); err != nil {
			return err
		}
	}
	for ; first+t.chunk <= n; first += t.chunk {
		if err := t.process(ctx, docs, first, first+t.chunk); err != nil {
			return err
		}
	}
	appendDocuments(&t.pending, docs, first, n)
	return nil
}

// appendDocuments appends documents [first, last) of docs to others.
func appendDocuments(to, docs *corpus.Documents, first, last int) {
	if first == last {
		return
	}
	begin, end := docs.Offsets[first], docs.Offsets[last]
	shift := int32(len(to.Items)) - begin
	to.Items, to.Counts = append(to.Items, docs.Items[begin:end]...), append(to.Counts, docs.Counts[begin:end]...)
	for _, offset := range docs.Offsets[first+1 : last+1] {
		to.Offsets = append(to.Offsets, offset+shift)
	}
}

// flush adds the documents that wait.
func (t *streaming) flush(ctx context.Context) error {
	p := &t.pending
	err := t.process(ctx, p, 0, p.Documents())
	p.Items, p.Counts, p.Offsets, p.Weights = p.Items[:0], p.Counts[:0], p.Offsets[:1], p.Weights[:0]
	return err
}

// process adds one chunk of documents.
func (t *streaming) process(ctx context.Context, docs *corpus.Documents, first, last int) error {
	sums := t.sketch.Product
	t.width = aligned.Columns[float64](sums.Cols())
	if err := t.project(ctx, docs, first, last); err != nil {
		return err
	}
	if err := t.sorted.sort(ctx, docs, first, last, t.weights, sums.Rows(), t.workers); err != nil {
		return err
	}
	err := t.sorted.byRange(ctx, t.workers, func(part []entry) error {
		t.addEntries(part)
		return nil
	})
	if err != nil {
		return err
	}
	for _, w := range t.weights {
		if w > 0 {
			t.sketch.Marginals.Documents++
		}
	}
	return nil
}

// addEntries adds sorted entries to the rows of their items, to the marginals and to the scatter.
func (t *streaming) addEntries(part []entry) {
	const most = 256 // entries that one call of the kernel handles
	sums, marginals := t.sketch.Product, &t.sketch.Marginals
	documents, shares := make([]int32, 0, most), make([]float64, 0, most)
	wide := aligned.Make[float64](t.width)
	for at := 0; at < len(part); {
		item := part[at].item
		row := sums.Row(int(item))
		kernel.Prefetch(sums, int(item))
		clear(wide)
		for at < len(part) && part[at].item == item {
			documents, shares = documents[:0], shares[:0]
			for ; at < len(part) && part[at].item == item && len(shares) < most; at++ {
				e := part[at]
				tokens, weight := t.tokens[e.document], t.weights[e.document]
				documents, shares = append(documents, e.document), append(shares, t.weighted(item, e.count))
				marginals.Add(item, e.count, tokens, weight, 1)
				t.sketch.Scatter.add(t.itemWeight(item), item, e.count, tokens, weight, t.squares[e.document])
			}
			kernel.Combine(documents, shares, t.z, wide)
		}
		for j, v := range wide[:len(row)] {
			row[j] += float32(v)
		}
	}
}
