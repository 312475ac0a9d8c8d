// This file makes a single fit.

package bayes

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"anchorage/bayes"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/model"
)

// topic is a topic as people read it.
type topic struct {
	Share float64
	Words []string
}

const (
	correlationTopics = 40
	anchorMinDF       = 100 // of the anchors that fits begin with
	tableWords        = 10
)

// errEnough ends a pass that has seen enough documents.
var errEnough = errors.New("enough documents")

// steps returns the step sizes of a fit of so many documents; none for the batch algorithm.
func (r *Run) steps(documents int64) []float64 {
	if r.Algorithm == batch {
		return nil
	}
	perEpoch := (documents + int64(r.BatchSize) - 1) / int64(r.BatchSize)
	rho := make([]float64, perEpoch*int64(r.Epochs))
	for t := range rho {
		rho[t] = 1 / math.Sqrt(r.Delay+float64(t+1))
	}
	return rho
}

// remembered returns of how many documents the global variables are the mean at the end. Step t of T has the weight w_t = ρ_t Π_{s>t} (1−ρ_s)
// in it, and a mean of batches with these weights varies as one of 1/Σw² batches with equal weights does. It is at most all documents,
// which is what the batch algorithm remembers.
func (r *Run) remembered(documents int64) float64 {
	rho := r.steps(documents)
	left, sum, squares := 1.0, 0.0, 0.0
	for _, step := range slices.Backward(rho) {
		w := left * step
		sum, squares, left = sum+w, squares+w*w, left*(1-step)
	}
	if squares == 0 {
		return float64(documents)
	}
	return min(float64(documents), sum*sum/squares*float64(r.BatchSize))
}

// options are those of the fit.
func (r *Run) options(facts bayes.Totals, workers int) bayes.Options {
	o := bayes.Options{Model: bayes.Model(r.Model), Topics: r.Topics, BatchSize: r.BatchSize, Delay: r.Delay, Seed: r.Seed, Workers: workers,
		C0: 0.05 * float64(facts.Items)}
	switch r.Priors {
	case learned:
		o.LearnPriors = true
	case window:
		o.C0 *= float64(facts.Documents) / r.remembered(facts.Documents)
	}
	return o
}

// plan is how the fit goes.
func (r *Run) plan() bayes.Plan {
	if r.Algorithm == batch {
		return bayes.Plan{Batch: true, Iterations: r.Epochs}
	}
	return bayes.Plan{Epochs: r.Epochs}
}

// fit learns one model and tests it.
func (g *Grid) fit(ctx context.Context, d *divided, run Run) (*Record, error) {
	made := &Record{Run: run, Vocabulary: d.facts.Items, Documents: d.facts.Documents, Tokens: d.facts.Tokens, Remembered: run.remembered(d.facts.Documents),
		Workers: kernel.Workers(g.Workers), Started: time.Now().UTC().Truncate(time.Second), Command: g.Command, Machine: report.Machine(g.Workers)}
	state, err := g.begin(ctx, d, run)
	if err != nil {
		return nil, err
	}
	f, err := bayes.NewFitter(state, run.plan(), bayes.Source{Shuffled: d.shuffled, Pass: passOf(d.learning)})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	start, before := time.Now(), report.CPUTime()
	if err := f.Run(ctx); err != nil {
		return nil, err
	}
	made.Seconds, made.CPU = time.Since(start).Seconds(), (report.CPUTime() - before).Seconds()
	made.curve = f.Scores
	made.Tenth, made.Last = around(f.Scores, 0.1), lastFifth(f.Scores)
	o := state.Options
	made.A0, made.B0, made.C0 = o.A0, o.B0, o.C0
	state.Options.Seed = g.Seed // which deals the tokens of the documents set aside into thirds, the same for all fits
	score, err := bayes.Evaluate(ctx, state, passOf(d.apart))
	if err != nil {
		return nil, err
	}
	made.Apart, made.ApartTokens = score.LogLikelihood, score.Tokens
	if run.Model == string(bayes.CNMF) && run.Seed == g.Seed && run.Beginning == random {
		made.read(state, d.vocabulary)
	}
	return made, nil
}

// begin returns the state before the first step.
func (g *Grid) begin(ctx context.Context, d *divided, run Run) (*bayes.State, error) {
	options := run.options(d.facts, g.Workers)
	if run.Beginning != anchors {
		return bayes.NewState(options, d.facts), nil
	}
	docs, err := d.anchored(ctx, g.Workers)
	if err != nil {
		return nil, err
	}
	fitted, err := model.Fit(ctx, docs, model.Options{Topics: run.Topics, Seed: g.Seed,
		Sketch: model.SketchOptions{ItemWeights: model.WeightsNone},
		Anchor: model.AnchorOptions{MinDF: min(anchorMinDF, d.facts.Documents/20)},
		Run:    &model.Run{Workers: g.Workers, Log: g.Log}})
	if err != nil {
		return nil, errors.Join(err, docs.Close())
	}
	t := fitted.Topics
	state := bayes.NewStateFrom(options, d.facts, func(dst []float64, v int) {
		if at, ok := docs.Vocabulary.Lookup([]byte(d.vocabulary.ID(v))); ok {
			t.BRow(dst, int(at))
		} else {
			clear(dst)
		}
	}, t.Prior)
	return state, docs.Close()
}

// read notes the topics of a state, and the correlations of the first ones.
func (r *Record) read(state *bayes.State, vocabulary *corpus.Vocabulary) {
	t := model.BayesTopics(state)
	order := make([]int, t.K)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Prior[b], t.Prior[a]) })
	prominent := t.Prominent(t.RowSums, 1, tableWords)
	for _, k := range order {
		one := topic{Share: t.Prior[k]}
		for _, scored := range prominent[k] {
			one.Words = append(one.Words, vocabulary.ID(scored.Item))
		}
		r.topics = append(r.topics, one)
	}
	first := order[:min(correlationTopics, len(order))]
	for _, i := range first {
		row := make([]float64, len(first))
		for at, j := range first {
			row[at] = state.Correlation(i, j)
		}
		r.correlationRow = append(r.correlationRow, row)
	}
}

// around returns the mean score over a tenth of all tests, from the given share of them on; NaN if there are no tests.
func around(scores []bayes.HeldOut, share float64) float64 {
	if len(scores) == 0 {
		return math.NaN()
	}
	first := int(share * float64(len(scores)))
	return meanScore(scores[first:min(first+max(len(scores)/10, 1), len(scores))])
}

// lastFifth returns the mean score over the last fifth of the batches tested, since a single batch is noisy; NaN if there are none.
func lastFifth(scores []bayes.HeldOut) float64 {
	n := len(scores)
	return meanScore(scores[n-max(n/5, min(n, 1)):])
}

// meanScore returns the mean over all tokens; NaN if there are none.
func meanScore(scores []bayes.HeldOut) float64 {
	sum, tokens := 0.0, int64(0)
	for _, s := range scores {
		sum += s.LogLikelihood * float64(s.Tokens)
		tokens += s.Tokens
	}
	return sum / float64(tokens)
}
