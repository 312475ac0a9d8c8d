// This file solves one number of topics from the common sketch and measures the result.

package choose

import (
	"context"
	"errors"
	"html/template"
	"math"
	"time"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/metric"
	"anchorage/model/fit"
	"anchorage/model/report"
)

// Candidate is what was measured at one number of topics. Figures that are unknown are NaN; JSON has null.
type Candidate struct {
	Topics int
	// Of the spectrum: how many times as great as the next one eigenvalue K of C is, and as the greatest of noise, with
	// items of equal weight.
	Gap, AboveNoise float64
	// Of ENN: the iterations, the last change, whether that counts as settled, and the ε of the negative entries that are
	// left.
	Iterations int
	Change     float64
	Settled    bool
	Epsilon    float64
	// LogLikelihood is the mean of ln p(token) of held-out documents, of which half of the tokens are known;
	// LikelihoodError its standard error.
	LogLikelihood, LikelihoodError float64
	NPMI, Diversity                float64 // of the prominent items: 10 and 25 of each topic
	// topics that rest on little, and pairs of topics that share half of their items
	Thin, Duplicates int
	// Failure says why there are no topics; the other figures are those of the spectrum then.
	Failure string
	// Seconds are those of a solution, without the sketch. They may differ from run to run.
	Seconds float64

	prominent [][]int
	picture   template.HTML // the topics with the greatest shares
}

// solve finds the topics and measures them. What needs a pass over the documents is left for all candidates at once.
func (o *Options) solve(ctx context.Context, sketched *fit.Sketched, k int, held *heldOut) (*Candidate, error) {
	begin := time.Now()
	c := &Candidate{Topics: k, Change: math.NaN(), Epsilon: math.NaN(), LogLikelihood: math.NaN(),
		LikelihoodError: math.NaN(), NPMI: math.NaN(), Diversity: math.NaN()}
	at, err := sketched.At(k)
	if err != nil {
		return nil, err
	}
	options := o.Model
	options.Topics, options.Levels = k, nil
	r, err := at.Rectify(ctx, options)
	if err != nil {
		return nil, err
	}
	f, err := r.Anchor(ctx, options)
	var rank *anchor.RankError
	if errors.As(err, &rank) {
		c.Failure = err.Error()
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	c.note(f)
	c.Seconds = time.Since(begin).Seconds()
	m := f.Loaded()
	for _, list := range m.Prominent {
		var items []int
		for _, listed := range list {
			items = append(items, listed.Item)
		}
		c.prominent = append(c.prominent, items)
	}
	if c.picture, err = report.Areas(ctx, m, mostPictured, o.Model.Run.Workers); err != nil {
		return nil, err
	}
	c.LogLikelihood, c.LikelihoodError, err = held.score(ctx, m, o.Model.Run.Workers)
	return c, err
}

// note sets what the fit says of itself.
func (c *Candidate) note(f *fit.Fitted) {
	if r := f.Manifest.Rectify; r != nil {
		c.Iterations, c.Change, c.Settled = r.Iterations, r.Change, r.Converged
		if r.Negative != nil {
			c.Epsilon = r.Negative.Epsilon
		}
	}
	findings := f.Manifest.Anchor.Findings
	c.Thin, c.Duplicates = len(findings.ThinAnchors), len(findings.Duplicates)
}

// The items of a topic in the coherence and in the diversity.
const (
	coherentItems = 10
	diverseItems  = 25
)

// readLists sets NPMI and diversity of all candidates, in one pass over the documents.
func readLists(ctx context.Context, docs *corpus.Corpus, candidates []Candidate, workers int) error {
	var lists [][]int
	for _, c := range candidates {
		lists = append(lists, metric.Leading(c.prominent, coherentItems)...)
	}
	if len(lists) == 0 {
		return nil
	}
	pairs, err := metric.CountPairs(ctx, docs.Pass, docs.Vocabulary.Len(), lists, workers)
	if err != nil {
		return err
	}
	for i := range candidates {
		c := &candidates[i]
		n := len(c.prominent)
		if n == 0 {
			continue
		}
		c.NPMI = metric.NPMI(&metric.Pairs{Documents: pairs.Documents, Lists: pairs.Lists[:n]})
		c.Diversity = metric.TopicDiversity(metric.Leading(c.prominent, diverseItems))
		pairs.Lists = pairs.Lists[n:]
	}
	return nil
}
