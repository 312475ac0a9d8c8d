// This file chooses the number of topics and shows what other numbers would give.

package choose

import (
	"context"
	"errors"
	"math"
	"slices"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/sketch"
)

// Choice is a recommended number of topics, and what was measured at several.
type Choice struct {
	Count
	Candidates []Candidate // with increasing numbers of topics
	Documents  int64       // that the candidates were learned from
	Held       int         // documents that were held out
	HeldTokens int64       // of them that were predicted
	// Manifest says what documents were read and how: its kind is Kind.
	Manifest Manifest

	run *fit.Run
}

// Topics chooses the number of topics by the spectrum, as Spectrum does, lowers it if Readable does, and solves several
// numbers of the range from one sketch of the same documents without a tenth, but 10,000 at most, which is held out.
// The errors are those of Spectrum, of Readable and of the stages of a fit.
//
// Memory: the N×K eigenvectors of the greatest number, and what a fit of one number takes. The candidates are not
// refined.
func Topics(ctx context.Context, docs *corpus.Corpus, opts Options) (*Choice, error) {
	opts, err := opts.prepared(docs)
	if err != nil {
		return nil, err
	}
	defer opts.withoutCheckpoint()()
	count, err := opts.count(ctx, docs)
	if err != nil {
		return nil, err
	}
	if err := count.Readable(ctx, docs, opts); err != nil {
		return nil, err
	}
	c := &Choice{Count: *count, run: opts.run(), Manifest: Manifest{Kind: Kind, Layout: layoutVersion,
		Program: model.Version, Seed: opts.Model.Seed, Inputs: docs.Inputs, Skipped: docs.Skipped}}
	learning, held := divide(docs, opts.Model.Seed)
	if err := opts.compare(ctx, c, docs, learning, held); err != nil {
		return nil, err
	}
	c.Manifest.Corpus = docs.Account
	return c, nil
}

// compare adds the candidates.
func (o *Options) compare(ctx context.Context, c *Choice, docs, learning, out *corpus.Corpus) error {
	held, err := readHeld(ctx, out, o.Model.Seed)
	if err != nil {
		var lacks *corpus.DataError
		if !errors.As(err, &lacks) { // no held-out document counts
			return err
		}
	}
	sketched, counts, err := o.sketchCounts(ctx, learning, o.steps(&c.Count))
	if err != nil {
		return err
	}
	end := o.run().Stage("solve")
	defer end()
	var candidates []*Candidate
	for i, k := range counts {
		if o.run().Progress != nil {
			o.run().Progress("choosing", int64(i), int64(len(counts)))
		}
		candidate, err := o.solve(ctx, sketched, k, held)
		if err != nil {
			return err
		}
		candidate.noteSpectrum(&c.Count)
		candidates = append(candidates, candidate)
	}
	if err := readLists(ctx, docs, candidates, o.run().Workers); err != nil {
		return err
	}
	for _, candidate := range candidates {
		c.Candidates = append(c.Candidates, *candidate)
	}
	c.Documents, c.Held, c.HeldTokens = sketched.Marginals.Documents, held.known.Documents(), held.tokens
	return nil
}

// steps returns the numbers of topics that are solved: evenly spaced by their ratio over the range, and the recommended
// one.
func (o *Options) steps(c *Count) []int {
	counts := []int{c.Topics}
	ratio := float64(o.To) / float64(o.From)
	for i := range o.Steps {
		at := float64(o.From)
		if o.Steps > 1 {
			at *= math.Pow(ratio, float64(i)/float64(o.Steps-1))
		}
		counts = append(counts, int(math.Round(at)))
	}
	slices.Sort(counts)
	return slices.Compact(counts)
}

// sketchCounts makes the sketch that serves all numbers of topics. Those for which there are not enough eigenpairs are
// left out.
func (o *Options) sketchCounts(ctx context.Context, docs *corpus.Corpus, counts []int) (*fit.Sketched, []int, error) {
	within := func(most int) {
		counts = slices.DeleteFunc(slices.Clone(counts), func(k int) bool { return k > most })
	}
	if most := docs.Account.DocumentsRead; most >= int64(counts[0]) { // C has no more eigenvalues than documents
		within(int(min(most, fit.MostTopics)))
	}
	for {
		options := o.Model
		options.TopicCounts, options.Topics, options.Start = counts, counts[len(counts)-1], nil
		s, err := fit.Sketch(ctx, docs, options)
		var rank *sketch.RankError
		if !errors.As(err, &rank) || rank.Rank < counts[0] {
			return s, counts, err
		}
		within(rank.Rank)
	}
}
