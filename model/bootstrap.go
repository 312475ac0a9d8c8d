// This file measures how stable topics are: whether they are found again in bootstrap resamples of the documents, and how their shares
// vary between resamples.

package model

import (
	"context"
	"math"
	"slices"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/sketch"
)

// Stability is what bootstrap resamples of the documents say of the K topics; see docs/method.md. Slices have a value per topic.
type Stability struct {
	// Found is the share of resamples in which the topic is found again.
	Found []float64
	// ShareLow and ShareHigh are the 5th and the 95th percentile of p(topic) in the resamples. They say how much it depends on which
	// documents were drawn, and nothing of what the method gets wrong in every resample.
	ShareLow, ShareHigh []float64
}

// stabilityFile is the table of Stability.
const stabilityFile = "stability.parquet"

// table has one row per topic.
func (s *Stability) table(k int) table {
	return table{file: stabilityFile, rows: k, whole: true, columns: []column{
		numbered("topic"), values("found", &s.Found), values("share_low", &s.ShareLow), values("share_high", &s.ShareHigh),
	}}
}

// BootstrapRecord says how stability was measured.
type BootstrapRecord struct {
	Resamples  int `json:"resamples"`
	Candidates int `json:"candidates"` // the items whose rows were searched for anchors in every resample
}

// intervalEnds are the percentiles at which intervals of shares end.
var intervalEnds = [2]float64{0.05, 0.95}

// Bootstrap measures the stability of the topics by n resamples, in one pass over the documents that they were learned from, and sets
// Stability. It needs a factor and the evidence. The error is an *OptionError, or that of the corpus or of ctx.
func (f *Fitted) Bootstrap(ctx context.Context, docs *corpus.Corpus, n int) error {
	switch {
	case n < 1:
		return badOption("Bootstrap", "there must be at least 1 resample, not %d", n)
	case f.Manifest.Refine != nil:
		return badOption("Bootstrap", "resamples must be measured before the topics are refined")
	case f.Factor == nil || f.Evidence == nil:
		return badOption("Bootstrap", "resamples need a factor and the evidence about it")
	}
	defer f.run.Stage("bootstrap")()
	t := f.Topics
	how := anchor.ResamplingOptions{Probabilities: f.Marginals.Probabilities(), SamplingVariance: f.Evidence.SamplingVariance,
		MinDF: f.Manifest.Anchor.AnchorMinDF, DocumentFrequency: f.Marginals.DocumentFrequency, Workers: f.run.Workers}
	if f.memory != nil {
		how.Candidates = f.memory.candidates
	}
	search, err := t.Resampling(ctx, how)
	if err != nil {
		return err
	}
	if f.memory != nil {
		f.memory.resamples, f.memory.searched = n, len(search.Items)
		f.run.model(f.memory.stages())
	}
	sums, err := sketch.MeasureResamples(ctx, f.run.watched(docs, "resampling"), &f.Marginals, f.Factor,
		sketch.ResampleOptions{Seed: f.Manifest.Sketch.Seed, Resamples: n, Items: search.Items, Workers: f.run.Workers})
	if err != nil {
		return err
	}
	found, err := search.Evaluate(ctx, n, sums.Sums, sums.Rows, sums.Means)
	if err != nil {
		return err
	}
	f.Stability = &Stability{Found: found.Found}
	f.Stability.setShares(f.movedShares(found.Moves, n), n)
	f.Manifest.Bootstrap = &BootstrapRecord{Resamples: n, Candidates: len(search.Items)}
	f.run.found("resamples", n, "candidates", len(search.Items), "least_found", slices.Min(found.Found))
	return nil
}

// movedShares returns the shares of the topics in n resamples, n×K, from their differences to those of all documents, which are thinned.
// Where a resample does not have a topic, the share is NaN, and others are as if it had the share of all documents.
func (f *Fitted) movedShares(moves []float64, n int) []float64 {
	t := f.Topics
	whole := f.thinning(context.Background())
	shares, one := make([]float64, 0, n*t.K), make([]float64, t.K)
	for at := range n {
		for k := range one {
			one[k] = t.Prior[k]
			if move := moves[at*t.K+k]; !math.IsNaN(move) {
				one[k] += move
			}
		}
		shares = append(shares, whole.shares(one)...)
		for k := range one {
			if math.IsNaN(moves[at*t.K+k]) {
				shares[at*t.K+k] = math.NaN()
			}
		}
	}
	return shares
}

// setShares sets the bounds of the shares from those of n resamples, n×K.
func (s *Stability) setShares(shares []float64, n int) {
	k := len(shares) / n
	s.ShareLow, s.ShareHigh = make([]float64, k), make([]float64, k)
	for topic := range k {
		var values []float64
		for r := range n {
			if share := shares[r*k+topic]; !math.IsNaN(share) {
				values = append(values, min(max(share, 0), 1))
			}
		}
		if len(values) == 0 {
			s.ShareHigh[topic] = 1 // no resample has the topic: nothing is known
			continue
		}
		slices.Sort(values)
		s.ShareLow[topic], s.ShareHigh[topic] = percentile(values, intervalEnds[0]), percentile(values, intervalEnds[1])
	}
}

// percentile returns the quantile q of increasing values, interpolated between order statistics at q·(n+1) (Hyndman & Fan, Am. Stat. 50,
// 1996, definition 6).
func percentile(values []float64, q float64) float64 {
	at := min(max(q*float64(len(values)+1)-1, 0), float64(len(values)-1))
	below := int(math.Floor(at))
	above := min(below+1, len(values)-1)
	return values[below] + (at-float64(below))*(values[above]-values[below])
}

// rescale makes the bounds those of refined topics, whose shares were others before: topics of the same documents, whose shares differ
// from corpus to corpus no more than those that the refinement starts from.
func (s *Stability) rescale(before, after []float64) {
	for k := range s.ShareLow {
		if before[k] > 0 {
			s.ShareLow[k] *= after[k] / before[k]
			s.ShareHigh[k] = min(s.ShareHigh[k]*after[k]/before[k], 1)
		}
	}
}
