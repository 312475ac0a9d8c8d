// Package diagnose computes diagnostics of topics: what topics themselves say, and in one pass over the documents, what
// those say.
package diagnose

import (
	"context"
	"math"
	"unicode/utf8"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/metric"
	"anchorage/model"
)

// malletSmoothing is what MALLET adds to numbers of documents: its default β.
const malletSmoothing = 0.01

// Documents are those that the topics were learned from.
type Documents struct {
	Pass   corpus.Pass
	Inputs []corpus.Input // that they come from; none for a corpus in memory
}

// Topics diagnoses the topics of a model, which needs Row but not Items. It makes one pass over the documents, and
// infers the topics of a sample of about 20,000, or fewer if they are long, so that a large corpus takes no longer than
// a pass. Every document counts once, whatever its weight. With docs nil, what needs documents stays unknown. The error
// is that of the pass, of the inference or of ctx.
func Topics(ctx context.Context, m *model.Model, docs *Documents, workers int) (*model.Diagnostics,
	*model.DiagnosticsRecord, error) {
	d, record := &model.Diagnostics{Examples: make([][]model.ExampleDocument, m.Topics())}, new(model.DiagnosticsRecord)
	for range metric.Defined(metric.OfTopic) {
		d.Figures = append(d.Figures, unknown(m.Topics()))
	}
	err := describeTopics(ctx, d, m, workers)
	if err == nil && docs != nil {
		err = diagnoseDocuments(ctx, m, d, docs, record, workers)
	}
	if err == nil {
		d.Map, err = itemMap(ctx, m)
	}
	return d, record, err
}

// diagnoseDocuments makes the pass.
func diagnoseDocuments(ctx context.Context, m *model.Model, d *model.Diagnostics, docs *Documents,
	record *model.DiagnosticsRecord, workers int) error {
	lists := make([][]int, m.Topics())
	for k, list := range m.Prominent {
		for _, listed := range list {
			lists[k] = append(lists[k], listed.Item)
		}
	}
	s := newDocumentSample(m, lists, workers)
	pairs, err := metric.CountPairs(ctx, func(ctx context.Context, fn func(*corpus.Documents) error) error {
		return docs.Pass(ctx, func(run *corpus.Documents) error {
			if err := s.add(ctx, run); err != nil {
				return err
			}
			return fn(run)
		})
	}, m.Vocabulary.Len(), lists, min(kernel.Workers(workers), pairWorkers))
	if err != nil {
		return err
	}
	if err := s.infer(ctx); err != nil {
		return err
	}
	record.Documents, record.Sampled = pairs.Documents, s.documents
	cohere(d, pairs)
	s.into(d, docs.Inputs)
	return nil
}

// pairWorkers bounds how many goroutines count pairs: each takes 4 bytes for every item of the vocabulary.
const pairWorkers = 4

// describeTopics sets the figures that need only the topics.
func describeTopics(ctx context.Context, d *model.Diagnostics, m *model.Model, workers int) error {
	n, k := m.Vocabulary.Len(), m.Topics()
	pieces := (n + matrix.BlockRows - 1) / matrix.BlockRows
	sums := make([][]float64, pieces) // of each piece: Σ p·ln p, Σ p·ln(p/p(item)), Σ p²
	err := kernel.Parallel(ctx, workers, pieces, func(piece int) error {
		row, sum := make([]float64, k), make([]float64, 3*k)
		for i := piece * matrix.BlockRows; i < min((piece+1)*matrix.BlockRows, n); i++ {
			m.ItemRow(row, i)
			logOf := math.Log(m.Probability[i])
			for t, p := range row {
				if p > 0 {
					logP := math.Log(p)
					sum[3*t] += p * logP
					if !math.IsInf(logOf, 0) {
						sum[3*t+1] += p * (logP - logOf)
					}
					sum[3*t+2] += p * p
				}
			}
		}
		sums[piece] = sum
		return nil
	})
	if err != nil {
		return err
	}
	row := make([]float64, k)
	for t := range k {
		var all [3]float64
		for _, sum := range sums {
			for j := range all {
				all[j] += sum[3*t+j]
			}
		}
		d.Of("uniform_distance")[t], d.Of("corpus_distance")[t], d.Of("effective_items")[t] = math.Log(float64(n))+all[0],
			all[1], 1/all[2]
		list, length := make([]int, 0, model.TopItems), 0
		for _, listed := range m.Prominent[t] {
			list = append(list, listed.Item)
			length += utf8.RuneCountInString(m.Vocabulary.ID(listed.Item))
		}
		d.Of("exclusivity")[t] = metric.TopicExclusivity(t, list, func(i int) []float64 { m.ItemRow(row, i); return row })
		if !m.Vocabulary.Integers() {
			d.Of("item_length")[t] = float64(length) / float64(len(m.Prominent[t]))
		}
	}
	return nil
}

// cohere sets the coherences.
func cohere(d *model.Diagnostics, pairs *metric.Pairs) {
	few := pairs.Leading(10)
	for k := range pairs.Lists {
		one := func(p *metric.Pairs) *metric.Pairs {
			return &metric.Pairs{Documents: p.Documents, Lists: p.Lists[k : k+1]}
		}
		d.Of("npmi_10")[k], d.Of("npmi_20")[k] = metric.NPMI(one(few)), metric.NPMI(one(pairs))
		d.Of("umass_10")[k], d.Of("umass_20")[k] = metric.UMass(one(few)), metric.UMass(one(pairs))
		list, sum := &pairs.Lists[k], 0.0
		for i := range list.Items {
			for j := range i {
				sum += math.Log((float64(list.Joint(i, j)) + malletSmoothing) / (float64(list.Single(j)) + malletSmoothing))
			}
		}
		d.Of("coherence")[k] = sum
	}
}
