// This file counts the eigenvalues of the co-occurrences that are above the noise of the sample, and finds how many
// topics can be relied on, of those that the documents show.

package choose

import (
	"context"
	"errors"
	"fmt"
	"math"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/sketch"
)

// The constants of the rule were chosen on drawn corpora; docs/choose.md says how, and how the rule does on others.
const (
	// surely is how many times as great as the edge of the noise an eigenvalue is that a gap below it cannot explain away:
	// single ones of noise come up to about 1.6 times.
	surely = 2
	// clearGap is the ratio of two eigenvalues in turn from which the gap between them decides.
	clearGap = 1.3
	// The interval goes from the eigenvalues that are aboveMost times the edge to those that are aboveLeast times the
	// edge.
	aboveMost, aboveLeast = 1.25, 0.75
	// edgeRounds bounds how often the edge is measured again outside of as many eigenvectors as are above it.
	edgeRounds = 4
)

// The bases of a count, in ChoiceRecord.Basis.
const (
	ByGap   = "gap"   // a gap of the spectrum near the edge of the noise
	ByEdge  = "edge"  // the number of eigenvalues above the edge
	ByRange = "range" // all eigenvalues up to the end of the range are above the edge, or none from its beginning does
	ByRank  = "rank"  // the co-occurrences have no more positive eigenvalues
)

// Count is how many topics documents show.
type Count struct {
	model.ChoiceRecord
	// Values are the eigenvalues of C, of items of equal weight, in decreasing order: up to one more than the range has
	// topics.
	Values []float64 `json:"-"`
}

// Spectrum counts the topics of a corpus by the eigenvalues of its co-occurrences: how many are above what the sampling
// of documents makes of nothing. Items have equal weights, which separates weak topics from noise best, and documents
// count by their length, for the pairs of the shortest are most of the noise. It makes as many passes as the eigenpairs
// take, and up to 25 more of a few columns. The documents must have been copied. The error is an *model.OptionError, a
// *sketch.RankError if there are fewer than two topics, that of the sketch, or that of ctx.
func Spectrum(ctx context.Context, docs *corpus.Corpus, opts Options) (*Count, error) {
	opts, err := opts.prepared(docs)
	if err != nil {
		return nil, err
	}
	defer opts.withoutCheckpoint()()
	return opts.count(ctx, docs)
}

// count is Spectrum with prepared options.
func (o *Options) count(ctx context.Context, docs *corpus.Corpus) (*Count, error) {
	sketched, ranked, err := o.sketchWhole(ctx, docs)
	if err != nil {
		return nil, err
	}
	defer o.Model.Run.Stage("noise")()
	of, err := newNoise(ctx, docs.Pass, &sketched.Marginals, &sketched.Eigen, o.Model.Seed, sketched.Vocabulary.Key,
		o.Model.Run.Workers)
	if err != nil {
		return nil, err
	}
	values := sketched.Eigen.Values
	edge, err := settledEdge(values, func(k int) (float64, error) { return of.edge(ctx, k) })
	if err != nil {
		return nil, err
	}
	return judge(values, edge, o.From, o.To, ranked), nil
}

// sketchWhole finds one eigenpair more than the range has topics, or as many as there are, which ranked says.
func (o *Options) sketchWhole(ctx context.Context, docs *corpus.Corpus) (_ *fit.Sketched, ranked bool, err error) {
	options := o.Model
	options.Sketch = fit.SketchOptions{ItemWeights: fit.WeightsNone, DocumentWeights: fit.WeightsLength, NoEvidence: true}
	options.Levels, options.Topics, options.Start = nil, min(o.To+1, docs.Vocabulary.Len(),
		int(min(docs.Account.DocumentsRead, fit.MostTopics))), nil
	s, err := fit.Sketch(ctx, docs, options)
	var rank *sketch.RankError
	if errors.As(err, &rank) && rank.Rank >= least {
		options.Topics = rank.Rank
		s, err = fit.Sketch(ctx, docs, options)
	}
	return s, err == nil && options.Topics <= o.To, err
}

// settledEdge returns the edge of the noise outside of as many eigenvectors as have a greater eigenvalue. Outside of
// fewer, noise is greater.
func settledEdge(values []float64, edge func(k int) (float64, error)) (float64, error) {
	for k, round := len(values)-1, 1; ; round++ {
		e, err := edge(k)
		if err != nil {
			return 0, err
		}
		next := max(above(values, e), 1)
		if next >= k || round == edgeRounds {
			return e, nil
		}
		k = next
	}
}

// above returns how many of some decreasing values are greater than a bound.
func above(values []float64, bound float64) int {
	n := 0
	for n < len(values) && values[n] > bound {
		n++
	}
	return n
}

// judge chooses the number of topics. Eigenvalues that are surely above the edge are topics. Below them, down to the
// edge, the greatest gap decides if it is clear; otherwise all count that are above the edge. ranked says that
// C has no more positive eigenvalues than there are values.
func judge(values []float64, edge float64, from, to int, ranked bool) *Count {
	c := &Count{ChoiceRecord: model.ChoiceRecord{From: from, To: to, Edge: edge, Basis: ByEdge}, Values: values}
	shown := above(values, edge)
	c.Topics, c.Low, c.High = shown, above(values, aboveMost*edge), above(values, aboveLeast*edge)
	greatest := 0.0
	for k := max(above(values, surely*edge), 1); k <= shown && k < len(values); k++ {
		if gap := values[k-1] / values[k]; gap >= clearGap && gap > greatest {
			c.Topics, c.Basis, greatest = k, ByGap, gap
			c.Low, c.High = min(above(values, aboveMost*edge), k), max(shown, k)
		}
	}
	switch {
	case c.Basis == ByGap:
		c.Reason = fmt.Sprintf("eigenvalue %d of the co-occurrences is %.1f times the next one, and %.1f times the "+
			"greatest of noise", c.Topics, greatest, values[c.Topics-1]/edge)
	case shown >= len(values) && ranked:
		c.Basis = ByRank
		c.Reason = fmt.Sprintf("the co-occurrences have only %d positive eigenvalues, all above the greatest of noise", shown)
	case shown > to:
		c.Basis, c.Open = ByRange, true
		c.Reason = fmt.Sprintf("all %d eigenvalues of the range are above the greatest of noise, the last of them %.2f "+
			"times: there may be more topics", to, values[to-1]/edge)
	default:
		c.Reason = fmt.Sprintf("%d eigenvalues of the co-occurrences are above the greatest of noise", shown)
	}
	c.clamp()
	return c
}

// clamp keeps the numbers within the range.
func (c *Count) clamp() {
	if c.Topics < c.From {
		c.Reason += fmt.Sprintf("; the range begins with %d topics", c.From)
		c.Basis = ByRange
	}
	if c.Topics > c.To && !c.Open {
		c.Basis = ByRange
	}
	c.Open = c.Open || c.High > c.To
	last := c.To
	if c.Basis == ByRank {
		last = min(last, len(c.Values))
	}
	for _, n := range []*int{&c.Topics, &c.Low, &c.High} {
		*n = min(max(*n, c.From), last)
	}
}

const (
	// mostTrials is how many numbers of topics are fitted at most.
	mostTrials = 6
	// wantedError is the mean error that the next number should have; good is up to 0.6.
	wantedError = 0.55
	// leastStep and mostStep bound the next number, in parts of the present one.
	leastStep, mostStep = 0.25, 0.85
)

// Readable lowers the number of topics of a count until the certificate of a fit with the options is good: then Topics
// is that number, and There the one that the documents show. If no number is good, or topics are not refined, it
// changes nothing. The next number to try is that of the topics that are found again, or less: the mean error grows
// about as the square root of the number. The errors are those of fit.Fit.
func (c *Count) Readable(ctx context.Context, docs *corpus.Corpus, opts Options) error {
	opts, err := opts.prepared(docs)
	if err != nil {
		return err
	}
	defer opts.withoutCheckpoint()()
	run := opts.Model.Run
	defer run.Stage("readable")()
	o := opts.Model
	o.Extras, o.Levels, o.Choice, o.Wishes = fit.Extras{}, nil, nil, nil
	if !o.Refines() {
		return nil
	}
	o.Topics = c.Topics
	for range mostTrials {
		o.Run = &fit.Run{Workers: run.Workers, MemoryLimit: run.MemoryLimit, SpillDir: run.SpillDir, Progress: run.Progress}
		fitted, err := fit.Fit(ctx, docs, o)
		if err != nil {
			return err
		}
		certificate := fitted.Manifest.Certificate
		good, e := certificate.Reliable()
		if run.Log != nil {
			run.Log.Info("number of topics tried", "topics", o.Topics, "good", good, "topic_error", e)
		}
		switch {
		case math.IsNaN(e) || !good && o.Topics == opts.From:
			return nil
		case good:
			if o.Topics < c.Topics {
				c.There, c.Topics = c.Topics, o.Topics
			}
			return nil
		}
		step := min(math.Pow(wantedError/e, 2), 1-float64(len(certificate.Lost))/float64(o.Topics), mostStep)
		o.Topics = max(int(max(step, leastStep)*float64(o.Topics)), opts.From)
	}
	return nil
}
