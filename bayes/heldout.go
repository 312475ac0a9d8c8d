// This file predicts thirds of documents that are held out: of a batch before the fit learns from it, and of all
// documents of a pass under a state that does not change.

package bayes

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"

	"anchorage/bayes/internal/batch"
	"anchorage/corpus"
	"anchorage/internal/random"
)

// HeldOut is the score of tokens that were predicted.
type HeldOut struct {
	Step          int64   `json:"step"`           // steps made before
	Documents     int64   `json:"documents"`      // in a fit: learned from before; else: documents that were read
	Tokens        int64   `json:"tokens"`         // tokens predicted
	LogLikelihood float64 `json:"log_likelihood"` // mean of ln p(token), in nats
}

// folds is into how many parts a document's tokens are dealt.
const folds = 3

// heldScratch is the scratch for testing a document.
type heldScratch struct {
	local
	random  []int32   // of each entry: how many of its tokens are dealt at random
	parts   []int8    // of each of these tokens: its part
	held    []float64 // of each entry: its tokens in the part that is held out
	entries []int32   // the entries with tokens in the other parts
	kept    []float64 // of each of these entries: its tokens there
	shares  []float64
}

// mostRandom is about how many tokens of an entry are dealt at random. The others are dealt evenly, so that an entry of
// a billion tokens takes no more memory.
const mostRandom = 300

// test deals the tokens of every document into three parts at random. For each of the three it finds the document's
// variables from the two others, and predicts it from posterior means:
//
//	p(v) = Σ_k E β_vk E ω_kd / Σ_v Σ_k E β_vk E ω_kd
//
// So every token is predicted once. The random numbers depend on the number of the batch. The error is that of ctx.
func (e *engine) test(ctx context.Context, number int64) (HeldOut, error) {
	e.prepare()
	documents := e.b.Documents()
	e.makeRoom(documents)
	means := make([]float64, len(e.b.Items)*e.s.stride) // a row per item of the batch: p(item | topic)
	for r, item := range e.b.Items {
		e.s.MeanRow(means[r*e.s.stride:][:e.s.Options.Topics], int(item))
	}
	logs, counted := make([]float64, documents), make([]int64, documents)
	err := e.eachDocument(ctx, func(work *ascent, d int) { logs[d], counted[d] = e.testDocument(work, number, d, means) })
	if err != nil {
		return HeldOut{}, err
	}
	result := HeldOut{Step: e.s.Step, Documents: e.s.Seen}
	for d, v := range logs {
		result.LogLikelihood += v
		result.Tokens += counted[d]
	}
	result.LogLikelihood /= float64(max(result.Tokens, 1))
	return result, nil
}

// testDocument returns Σ ln p over the tokens of a document, and their number. A document of one token is left out,
// since nothing would be left to infer it from.
func (e *engine) testDocument(work *ascent, number int64, d int, means []float64) (sum float64, count int64) {
	rows, counts, _ := e.b.Document(d)
	h, topics := &work.held, e.s.Options.Topics
	if floats.Sum(counts) < 2 {
		return 0, 0
	}
	h.deal(counts, e.s.Options.Seed, uint64(number), uint64(d))
	h.norms = batch.Resize(h.norms, len(rows))
	for fold := range int8(folds) {
		h.hold(rows, counts, fold)
		training := h.local
		training.norms = h.norms[:len(h.entries)]
		e.optimise(work, h.entries, h.kept, training, false)
		e.shares(h.shares[:topics], training)
		for i, held := range h.held {
			if held > 0 {
				sum += held * math.Log(dot(means[int(rows[i])*e.s.stride:][:topics], h.shares))
				count += int64(held)
			}
		}
	}
	return sum, count
}

// hold sets held to the tokens of one part, and entries and kept to those of the others.
func (h *heldScratch) hold(rows []int32, counts []float64, fold int8) {
	h.held, h.entries, h.kept = batch.Resize(h.held, len(rows)), h.entries[:0], h.kept[:0]
	parts := h.parts
	for i, c := range counts {
		held := (c - float64(h.random[i])) / folds
		for _, part := range parts[:h.random[i]] {
			if part == fold {
				held++
			}
		}
		parts = parts[h.random[i]:]
		h.held[i] = held
		if c > held {
			h.entries, h.kept = append(h.entries, rows[i]), append(h.kept, c-held)
		}
	}
}

// deal puts every token into one of the parts, whose sizes differ by one at most: a random permutation (Fisher & Yates)
// of parts in turn.
func (h *heldScratch) deal(counts []float64, seed, number, document uint64) {
	h.random = batch.Resize(h.random, len(counts))
	n := 0
	for i, c := range counts {
		h.random[i] = int32(c)
		if c > mostRandom {
			h.random[i] = mostRandom + int32(int64(c-mostRandom)%folds)
		}
		n += int(h.random[i])
	}
	h.parts = batch.Resize(h.parts, n)
	for i := range h.parts {
		h.parts[i] = int8(i % folds)
	}
	key := number<<32 | document
	for i := n - 1; i > 0; i-- {
		j := int(random.Uniform(seed, random.HeldOutThirds, key, uint64(i)) * float64(i+1))
		h.parts[i], h.parts[j] = h.parts[j], h.parts[i]
	}
}

// Evaluate predicts held-out thirds of all documents of a pass, as a fit does with a batch before it learns from it.
// The state does not change. The error is that of pass or ctx, or says that there was nothing to predict.
func Evaluate(ctx context.Context, s *State, pass corpus.Pass) (HeldOut, error) {
	e, size := newEngine(s), s.Options.BatchSize
	result, sum, batches := HeldOut{Step: s.Step}, 0.0, int64(0)
	score := func() error {
		of, err := e.test(ctx, batches)
		if err != nil {
			return err
		}
		sum += of.LogLikelihood * float64(of.Tokens)
		result.Tokens += of.Tokens
		result.Documents += int64(e.b.Documents())
		batches++
		e.b.Reset()
		return ctx.Err()
	}
	err := pass(ctx, func(docs *corpus.Documents) error {
		for d := 0; d < docs.Documents(); {
			take := min(docs.Documents()-d, size-e.b.Documents())
			e.b.Add(docs, d, d+take)
			d += take
			if e.b.Documents() == size {
				if err := score(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil && e.b.Documents() > 0 {
		err = score()
	}
	if err == nil && result.Tokens == 0 {
		err = errors.New("nothing can be predicted: no document has two tokens of the model's items")
	}
	result.LogLikelihood = sum / float64(result.Tokens)
	return result, err
}

// Split deals the tokens of documents into thirds, as Evaluate does with the documents of its first batch. It returns
// two of the thirds and the other third, with the documents in the same order. A document of one token is empty in
// both.
func Split(docs *corpus.Documents, seed uint64) (training, held *corpus.Documents) {
	training, held = &corpus.Documents{Offsets: []int32{0}}, &corpus.Documents{Offsets: []int32{0}}
	var h heldScratch
	for d := range docs.Documents() {
		items, row := docs.Row(d)
		counts := make([]float64, len(row))
		for i, c := range row {
			counts[i] = float64(c)
		}
		if floats.Sum(counts) > 1 {
			h.deal(counts, seed, 0, uint64(d))
			h.hold(items, counts, 0)
			training.Items = append(training.Items, h.entries...)
			for _, c := range h.kept {
				training.Counts = append(training.Counts, int32(c))
			}
			for i, c := range h.held {
				if c > 0 {
					held.Items, held.Counts = append(held.Items, items[i]), append(held.Counts, int32(c))
				}
			}
		}
		training.Offsets = append(training.Offsets, int32(len(training.Items)))
		held.Offsets = append(held.Offsets, int32(len(held.Items)))
	}
	return training, held
}
