// Package mixtures measures how near the inferred topics of documents come to those that the documents were drawn with.
//
// The topics are the true ones, so that all error is of the inference and of the documents' few tokens. Each document has a mixture of its
// own from a Dirichlet distribution with unequal parameters.
package mixtures

import (
	"context"
	"errors"
	"math"

	"anchorage/bayes/infer"
	"anchorage/internal/kernel"
	"anchorage/internal/synth"
)

// Options say what is measured.
type Options struct {
	Documents int // of each length; a tenth of them of the longest
	Seed      uint64
	Workers   int // goroutines; 0 for as many as there are processors
	Report    func(Record)
}

// Check returns an error that names a flag out of its range.
func (o *Options) Check() error {
	if o.Documents < 10 {
		return errors.New("--documents must be at least 10")
	}
	return nil
}

// Record is what one method makes of documents of one length.
type Record struct {
	Topics        int
	Concentration float64 // the sum of the Dirichlet parameters
	Method, Prior string
	Tokens        int
	Documents     int
	Error         float64 // √ of the mean of ‖θ̂ − θ‖²
	Top           float64 // √ of the mean of (θ̂_t − θ_t)², t the topic with the greatest θ̂
	Stated        float64 // √ of the mean of the squared deviations that were stated of θ̂_t
	Coverage      float64 // share of the 90 % intervals of θ_t that hold it
}

const (
	items    = 1200 // of all drawn corpora
	interval = 0.9
	block    = 64 // documents of a task
)

// The documents that methods are compared on, and those that the stated deviation is held against.
var (
	compared = world{topics: 20, concentration: 2, tokens: []int{8, 2000}}
	spread   = []world{{topics: 10, concentration: 1, tokens: lengths}, {topics: 40, concentration: 3, tokens: lengths}}
	lengths  = []int{2, 8, 32, 128, 512}
)

// methods are all methods with the priors that they are measured with, the default first.
var methods = []infer.Options{{}, {Method: infer.Mode, Prior: infer.LogisticNormal}, {Method: infer.Variational}, {Method: infer.Projection}, {Prior: infer.Uniform}}

// world is documents of several lengths under one set of topics.
type world struct {
	topics        int
	concentration float64
	tokens        []int
}

// drawn draws the topics. The Dirichlet parameters go as 1, 2, 3, 1, 2, 3, … and sum to the concentration.
func (w *world) drawn(seed uint64) *synth.Drawn {
	m := synth.Model{Items: items, Topics: w.topics, Documents: 1, Seed: seed, Spread: 3}
	sum := 0.0
	for k := range w.topics {
		m.Alpha = append(m.Alpha, float64(k%3+1))
		sum += m.Alpha[k]
	}
	for k := range m.Alpha {
		m.Alpha[k] *= w.concentration / sum
	}
	return m.Plant()
}

// Run measures all methods, and the stated deviation of the default.
func Run(ctx context.Context, o Options) (records []Record, err error) {
	add := func(w *world, methods []infer.Options) error {
		drawn := w.drawn(o.Seed)
		for _, method := range methods {
			for _, tokens := range w.tokens {
				r := Record{Topics: w.topics, Concentration: w.concentration, Tokens: tokens, Documents: o.Documents}
				if tokens > 1000 {
					r.Documents /= 10
				}
				if err := r.measure(ctx, drawn, method, o.Workers); err != nil {
					return err
				}
				if o.Report != nil {
					o.Report(r)
				}
				records = append(records, r)
			}
		}
		return nil
	}
	if err := add(&compared, methods); err != nil {
		return nil, err
	}
	for i := range spread {
		if err := add(&spread[i], methods[:1]); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// measure infers the documents.
func (r *Record) measure(ctx context.Context, drawn *synth.Drawn, o infer.Options, workers int) error {
	truth := drawn.Truth
	inferrer, err := infer.New(truth.Items, truth.Topics, truth.CopyRow, truth.Correlations, o)
	if err != nil {
		return err
	}
	r.Method, r.Prior = string(inferrer.Options().Method), string(inferrer.Options().Prior)
	parts := make([]Record, (r.Documents+block-1)/block) // sums
	err = kernel.Parallel(ctx, workers, len(parts), func(b int) error {
		part, worker, mixture := &parts[b], inferrer.Worker(), make([]float32, truth.Topics)
		for d := b * block; d < min((b+1)*block, r.Documents); d++ {
			items, counts, theta := drawn.Known(d, r.Tokens)
			part.add(worker.Infer(mixture, items, counts), mixture, theta)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, part := range parts {
		r.Error += part.Error
		r.Top += part.Top
		r.Stated += part.Stated
		r.Coverage += part.Coverage
	}
	n := float64(r.Documents)
	r.Error, r.Top, r.Stated, r.Coverage = math.Sqrt(r.Error/n), math.Sqrt(r.Top/n), math.Sqrt(r.Stated/n), r.Coverage/n
	return nil
}

// add adds the squares of one document's errors.
func (r *Record) add(found infer.Result, mixture []float32, theta []float64) {
	for k, v := range mixture {
		r.Error += (float64(v) - theta[k]) * (float64(v) - theta[k])
	}
	top, truth := float64(mixture[found.Top]), theta[found.Top]
	r.Top += (top - truth) * (top - truth)
	r.Stated += found.Deviation * found.Deviation
	if low, high := infer.Interval(top, found.Deviation, interval); low <= truth && truth <= high {
		r.Coverage++
	}
}
