// Package fold gives the items that shaped no topics a place: those that pruning left out because they are in too many
// documents, or in too few. One pass infers the mixtures θ of all documents from the items that shaped topics. Then for
// an item of which document m has x_m tokens, with d documents in which an item of the model is,
//
//	own_k = Σ_m x_m·θ_mk/Σ_m x_m        ρ = d/(d + 1)        p(topic k | item) = ρ·own_k + (1 − ρ)·p(topic k)
//
// so that the prior weighs as much as one document. Memory does not grow with the items. The sums of those of most
// documents are in memory, 64 MiB at most; the shares of the others go to a file, by blocks of items, and are added up
// block by block while the table is written. Only the 16 greatest shares of a document go there, and what they leave is
// shared out as all tokens are. Of several ranks each takes its documents, to which rows come as in package visit, and
// sums are added rank by rank.
package fold

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/internal/visit"
	"anchorage/matrix"
	"anchorage/model"
)

const (
	priorDocuments = 1
	blockItems     = 4 * matrix.BlockRows
	keptShares     = 16
	leastShare     = 0.01    // of a topic that goes to the file
	batchValues    = 8 << 20 // of rows of B
	batchDocuments = 4096
	chunkBytes     = 32 << 10 // of a block, that are written at once
)

var denseBytes = 64 << 20 // of sums in memory

// Rows are the N×K rows that Of turns into rows of B: dst holds row i of Table, and then row i of B.
type Rows struct {
	Table *matrix.Tall
	Of    func(dst []float64, i int)
}

// Items writes the items that a corpus left out into out, with their topics under m, of which rows has B, or without if
// rows is nil: then nothing is read but the counts. It returns what it wrote, nil if nothing was left out. pass is
// corpus.PassWithLeft, perhaps watched.
func Items(ctx context.Context, m *model.Model, rows *Rows, docs *corpus.Corpus, pass corpus.Pass, out *model.Output,
	workers int) (*model.FoldRecord, error) {
	record := &model.FoldRecord{Items: docs.LeftItems(), Topics: rows != nil, Names: docs.NamesLeft()}
	if record.Items == 0 {
		return nil, nil
	}
	f := &folder{m: m, rows: rows, kept: docs.Vocabulary.Len(), items: record.Items, layout: docs.Layout()}
	if rows != nil {
		f.k = m.Topics()
		scratch, err := out.Scratch()
		if err != nil {
			return nil, err
		}
		if f.file, err = durable.CreateWork(filepath.Join(scratch, fmt.Sprint("folding-", f.k))); err != nil {
			return nil, err
		}
		defer func() { _ = errors.Join(f.file.Close(), durable.Remove(f.file.Name())) }() // the scratch folder goes
		if err := f.gather(ctx, pass, workers); err != nil {
			return nil, err
		}
	}
	if !kernel.CountsShared(f.layout) { // another rank writes
		for b := range f.blocks {
			if _, err := f.sums(ctx, &f.blocks[b]); err != nil {
				return nil, err
			}
		}
		return record, nil
	}
	return record, f.write(ctx, docs, out, record)
}

// folder adds up what documents say of items.
type folder struct {
	m              *model.Model
	rows           *Rows
	kept, k, items int // N; K; items to fold in
	layout         matrix.Layout

	dense  []float64 // sums of the first items, K and then x and d of each
	file   *durable.WorkFile
	size   int64
	blocks []block
	batch  *infer.Batch
	rest   corpus.Documents // what the documents of the batch have to fold in
	shares []share
}

// row has items to fold in of a document.
type row struct{ items, counts []int32 }

// block is where the records of some items are.
type block struct {
	waiting []byte
	chunks  [][2]int64 // beginning and length, in the file
}

type share struct {
	topic int
	value float32
}

// width is the number of sums of an item.
func (f *folder) width() int { return f.k + 2 }

// inMemory returns the number of items whose sums are in memory.
func (f *folder) inMemory() int { return len(f.dense) / f.width() }

// gather makes the pass.
func (f *folder) gather(ctx context.Context, pass corpus.Pass, workers int) error {
	first := min(denseBytes/8/f.width(), f.items)
	f.dense = make([]float64, first*f.width())
	f.blocks = make([]block, (f.items-first+blockItems-1)/blockItems)
	batchItems := min(max(batchValues/f.k, 4096), 1<<16)
	f.rest.Offsets = []int32{0}
	batchOf := func(items int, row func(dst []float64, i int)) {
		f.batch = infer.NewBatch(items, f.k, row, f.m.TopicJoint, workers)
	}
	take := func(items, counts []int32, left row) error {
		f.batch.Add(items, counts)
		f.rest.Append(left.items, left.counts)
		if f.batch.Items() < batchItems && f.rest.Documents() < batchDocuments {
			return nil
		}
		return f.add(ctx)
	}
	var err error
	if f.layout == nil {
		batchOf(f.kept, func(dst []float64, i int) { copy(dst, f.rows.Table.Row(i)); f.rows.Of(dst, i) })
		if err = pass(ctx, func(docs *corpus.Documents) error { return f.split(docs, take) }); err == nil {
			err = f.add(ctx)
		}
	} else {
		err = f.visit(ctx, pass, batchOf, take)
	}
	for b := range f.blocks {
		err = cmp.Or(err, f.flush(&f.blocks[b]))
	}
	if err != nil {
		return err
	}
	return kernel.AddUpLong(ctx, f.layout, f.dense)
}

// split calls take with those documents that have items of the model and items to fold in.
func (f *folder) split(docs *corpus.Documents, take func(items, counts []int32, left row) error) error {
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		at, _ := slices.BinarySearch(items, int32(f.kept))
		if at == 0 || at == len(items) {
			continue // nothing is known of its topics, or nothing to fold in
		}
		if err := take(items[:at], counts[:at], row{items[at:], counts[at:]}); err != nil {
			return err
		}
	}
	return nil
}

// visit is the pass of several ranks: the rows of a batch's items come first.
func (f *folder) visit(ctx context.Context, pass corpus.Pass, batchOf func(int, func([]float64, int)),
	take func(items, counts []int32, left row) error) error {
	var waiting []row
	known := func(ctx context.Context, fn func(*corpus.Documents) error) error {
		return pass(ctx, func(docs *corpus.Documents) error {
			some := corpus.Documents{Offsets: []int32{0}}
			_ = f.split(docs, func(items, counts []int32, left row) error { // fails only if this does
				some.Append(items, counts)
				waiting = append(waiting, row{slices.Clone(left.items), slices.Clone(left.counts)})
				return nil
			})
			return fn(&some)
		})
	}
	return visit.Batches(ctx, f.layout, known, f.kept, 16*f.k, func(b *visit.Batch) error {
		table, err := visit.Fetch(ctx, b, f.rows.Table)
		if err != nil {
			return err
		}
		batchOf(len(b.Items), func(dst []float64, i int) { copy(dst, table.Row(i)); f.rows.Of(dst, int(b.Items[i])) })
		for d := range b.Documents.Documents() {
			items, counts := b.Documents.Row(d)
			if err := take(items, counts, waiting[d]); err != nil {
				return err
			}
		}
		waiting = waiting[b.Documents.Documents():]
		return f.add(ctx)
	})
}

// add infers the documents of the batch, in whose order it adds them up, and empties rest.
func (f *folder) add(ctx context.Context) error {
	rest := &f.rest
	if rest.Documents() == 0 {
		return nil
	}
	mixtures := make([][]float32, rest.Documents())
	if _, err := f.batch.Infer(ctx, func(d int, of infer.BatchDocument) { mixtures[d] = of.Mixture }); err != nil {
		return err
	}
	for d, mixture := range mixtures {
		items, counts := rest.Row(d)
		f.shares = f.shares[:0]
		for at, item := range items {
			j, x := int(item)-f.kept, float64(counts[at])
			if j < f.inMemory() {
				sums := f.dense[j*f.width():][:f.width()]
				for k, p := range mixture {
					sums[k] += x * float64(p)
				}
				sums[f.k] += x
				sums[f.k+1]++
				continue
			}
			if len(f.shares) == 0 {
				f.greatest(mixture)
			}
			if err := f.record(j-f.inMemory(), counts[at]); err != nil {
				return err
			}
		}
	}
	rest.Items, rest.Counts, rest.Offsets = rest.Items[:0], rest.Counts[:0], rest.Offsets[:1]
	return nil
}

// greatest sets shares to the greatest of a mixture; at least one.
func (f *folder) greatest(mixture []float32) {
	for k, p := range mixture {
		if p >= leastShare {
			f.shares = append(f.shares, share{k, p})
		}
	}
	slices.SortFunc(f.shares, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.topic, b.topic))
	})
	if f.shares = f.shares[:min(keptShares, len(f.shares))]; len(f.shares) == 0 {
		f.shares = append(f.shares, share{0, 0})
	}
}

// record appends a document's share to the block of an item: the item's number there, x, and the topics.
func (f *folder) record(j int, count int32) error {
	b := &f.blocks[j/blockItems]
	text := binary.LittleEndian.AppendUint32(b.waiting, uint32(j%blockItems))
	text = binary.LittleEndian.AppendUint32(text, uint32(count))
	text = append(text, byte(len(f.shares)))
	for _, s := range f.shares {
		text = binary.LittleEndian.AppendUint32(text, uint32(s.topic))
		text = binary.LittleEndian.AppendUint32(text, math.Float32bits(s.value))
	}
	if b.waiting = text; len(text) < chunkBytes {
		return nil
	}
	return f.flush(b)
}

// flush writes what waits in a block.
func (f *folder) flush(b *block) error {
	_, err := f.file.Write(b.waiting)
	b.chunks = append(b.chunks, [2]int64{f.size, int64(len(b.waiting))})
	f.size += int64(len(b.waiting))
	b.waiting = b.waiting[:0]
	return err
}

// sums returns the sums of the items of a block, of all ranks, which call it together.
func (f *folder) sums(ctx context.Context, b *block) ([]float64, error) {
	sums := make([]float64, blockItems*f.width())
	var text []byte
	for _, chunk := range b.chunks {
		text = slices.Grow(text[:0], int(chunk[1]))[:chunk[1]]
		if _, err := f.file.ReadAt(text, chunk[0]); err != nil && err != io.EOF {
			return nil, err
		}
		for at := 0; at < len(text); {
			number := func() uint32 { at += 4; return binary.LittleEndian.Uint32(text[at-4:]) }
			row := sums[int(number())*f.width():][:f.width()]
			x := float64(number())
			topics, known := int(text[at]), 0.0
			at++
			for range topics {
				k, p := number(), float64(math.Float32frombits(number()))
				row[k] += x * p
				known += p
			}
			for k, share := range f.m.Shares {
				row[k] += x * max(1-known, 0) * share
			}
			row[f.k] += x
			row[f.k+1]++
		}
	}
	return sums, kernel.AddUpLong(ctx, f.layout, sums)
}

// write writes the table.
func (f *folder) write(ctx context.Context, docs *corpus.Corpus, out *model.Output, record *model.FoldRecord) error {
	next, stop := docs.Left()
	defer stop()
	from, at := f.dense, 0
	var mixtures []float32
	of := func(j int) (sums []float64, err error) { // of item j, in order
		if within := j - f.inMemory(); within >= 0 && within%blockItems == 0 {
			from, err = f.sums(ctx, &f.blocks[within/blockItems])
		}
		if j >= f.inMemory() {
			j = (j - f.inMemory()) % blockItems
		}
		return from[j*f.width():][:f.width()], err
	}
	return out.WriteFolded(*record, f.k, func(n int) ([]any, error) {
		ids, documents, tokens := make([]string, n), make([]int64, n), make([]int64, n)
		names, reliabilities := make([]string, n), make([]float64, n)
		mixtures = mixtures[:0]
		for r := range n {
			item, err := next()
			if err != nil {
				return nil, err
			}
			ids[r], documents[r], tokens[r], names[r] = string(item.ID), item.DocumentFrequency, item.TermFrequency, item.Name
			if !record.Topics {
				continue
			}
			sums, err := of(at)
			if err != nil {
				return nil, err
			}
			at++
			reliability := sums[f.k+1] / (sums[f.k+1] + priorDocuments)
			reliabilities[r] = reliability
			for k, sum := range sums[:f.k] {
				mixtures = append(mixtures, float32(reliability*sum/max(sums[f.k], 1)+(1-reliability)*f.m.Shares[k]))
			}
		}
		columns := []any{ids, documents, tokens}
		if record.Names {
			columns = append(columns, names)
		}
		if record.Topics {
			columns = append(columns, reliabilities, mixtures)
		}
		return columns, nil
	})
}
