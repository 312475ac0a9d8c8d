// This file measures passes over documents in memory: the first pass, with random signs, and later ones.

package kernels

import (
	"context"
	"fmt"
	"runtime/debug"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/sketch"
)

// batchEntries is the number of entries that a pass delivers at a time: as many as package sketch joins, so that it adds them at once.
const batchEntries = 1 << 19

// documentModel returns the model of the documents: items with Zipf frequencies.
func (k *Options) documentModel() synth.Model {
	return synth.Model{Items: k.SketchItems, Topics: 10, Documents: k.Documents, Tokens: k.Tokens, Seed: 1}
}

// sketches measures the accumulation of documents: a pass gets them again and again. What comes before and after a pass is not
// measured.
func (m *measuring) sketches(ctx context.Context) error {
	docs := m.documentModel().Plant()
	batches, entries, err := collectDocuments(ctx, docs)
	if err != nil {
		return err
	}
	vocabulary := docs.Vocabulary()
	for _, columns := range m.Columns {
		table := newRowTable(m.TableBytes, columns)
		for _, workers := range m.Workers {
			// The share is that of bare rows: each entry changes one, and gathers another in a later pass.
			pass := func(kernelName string, bare visit, rows float64) corpus.Pass {
				return func(ctx context.Context, fn func(*corpus.Documents) error) error {
					shape := fmt.Sprintf("L = %d, N = %d, %.3g M entries", columns, m.SketchItems, float64(entries)/1e6)
					name := Name{groupSketch, kernelName, shape, workers}
					op := timed(float64(entries)/1e6, func() error {
						for i := range batches {
							if err := fn(&batches[i]); err != nil {
								return err
							}
						}
						return nil
					})
					if err := m.add(ctx, name, op, table.visit(bare, workers, 1e-6)); err != nil {
						return err
					}
					m.last().Cost = m.last().Rate * 8 * rows * float64(columns) / 1e3
					return nil
				}
			}
			if err := m.passes(ctx, vocabulary, columns, workers, pass); err != nil {
				return err
			}
			debug.FreeOSMemory() // the next matrices are as large
		}
	}
	return nil
}

// passes makes the first pass and a later one in either precision, each of which measures itself. named takes the name of a pass, what an
// entry does to rows, and the number of rows of N×L matrices that it reads and writes, one half for a row of single precision.
func (m *measuring) passes(ctx context.Context, vocabulary *corpus.Vocabulary, columns, workers int,
	named func(name string, bare visit, rows float64) corpus.Pass) error {
	opts := sketch.Options{Columns: columns, Seed: 1, Workers: workers}
	s, err := sketch.Accumulate(ctx, named("first pass, C·Ω", change, 2), vocabulary, opts)
	if err != nil {
		return err
	}
	later := sketch.Operator{Pass: named("later pass, C·X", gather|change, 3), Marginals: &s.Marginals, Workers: workers}
	product := matrix.Like(s.Product)
	if err := later.Multiply(ctx, product, s.Product); err != nil {
		return err
	}
	later.Pass, later.Single = named("later pass in single precision", gatherSingle|change, 2.5), true
	return later.Multiply(ctx, product, s.Product)
}

// collectDocuments returns all documents of a corpus in batches, and the number of their entries. What is left over is in the last batch.
func collectDocuments(ctx context.Context, docs *synth.Drawn) (batches []corpus.Documents, entries int, err error) {
	err = docs.Pass(ctx, func(docs *corpus.Documents) error {
		if len(batches) == 0 || batches[len(batches)-1].Entries() >= batchEntries {
			batches = append(batches, corpus.Documents{Offsets: []int32{0}})
		}
		batch := &batches[len(batches)-1]
		start := int32(batch.Entries())
		batch.Items, batch.Counts = append(batch.Items, docs.Items...), append(batch.Counts, docs.Counts...)
		for _, end := range docs.Offsets[1:] {
			batch.Offsets = append(batch.Offsets, start+end)
		}
		entries += docs.Entries()
		return nil
	})
	if n := len(batches); n > 1 && batches[n-1].Entries() < batchEntries {
		last, left := &batches[n-2], &batches[n-1]
		start := int32(last.Entries())
		last.Items, last.Counts = append(last.Items, left.Items...), append(last.Counts, left.Counts...)
		for _, end := range left.Offsets[1:] {
			last.Offsets = append(last.Offsets, start+end)
		}
		batches = batches[:n-1]
	}
	return batches, entries, err
}
