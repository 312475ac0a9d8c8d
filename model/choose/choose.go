// This file chooses the number of topics and shows what other numbers would give.

package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	c := &Choice{Count: *count, run: opts.Model.Run, Manifest: Manifest{Kind: Kind, Layout: layoutVersion,
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
	pass := out.Pass
	if out.Account.DocumentsRead == 0 {
		pass = func(context.Context, func(*corpus.Documents) error) error { return nil }
	}
	held, err := readHeld(ctx, pass, 1, o.Model.Seed)
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
	end := o.Model.Run.Stage("solve")
	defer end()
	for i, k := range counts {
		if o.Model.Run.Progress != nil {
			o.Model.Run.Progress("choosing", int64(i), int64(len(counts)))
		}
		candidate, err := o.solve(ctx, sketched, k, held)
		if err != nil {
			return err
		}
		candidate.Gap, candidate.AboveNoise = math.NaN(), math.NaN()
		if k <= len(c.Values) {
			candidate.AboveNoise = c.Values[k-1] / c.Edge
		}
		if k < len(c.Values) {
			candidate.Gap = c.Values[k-1] / c.Values[k]
		}
		c.Candidates = append(c.Candidates, *candidate)
	}
	if err := readLists(ctx, docs, c.Candidates, o.Model.Run.Workers); err != nil {
		return err
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
		last := len(counts) - 1
		options.Levels, options.Topics, options.Start = counts[:last], counts[last], nil
		s, err := fit.Sketch(ctx, docs, options)
		var rank *sketch.RankError
		if !errors.As(err, &rank) || rank.Rank < counts[0] {
			return s, counts, err
		}
		within(rank.Rank)
	}
}

// Options say among which numbers of topics is chosen. The zero value is the default.
type Options struct {
	From, To int // the range; 0 for 2 and 200, or fewer where the vocabulary is small
	// Steps is how many numbers of the range are solved besides the recommended one, evenly spaced by their ratio; 0 for
	// 8.
	Steps int
	// Model says how models are solved. Its Topics, Levels and Refine are not used: a candidate has the topics that
	// its anchors have.
	Model fit.Options
}

// The defaults.
const (
	DefaultFrom  = least
	DefaultTo    = 200
	DefaultSteps = 8
	least        = 2
	mostSteps    = 1000
)

// Check returns a *model.OptionError if an option is out of range.
func (o *Options) Check() error {
	from, to := o.bounds()
	switch {
	case from < least || to > fit.MostTopics || from > to:
		return &model.OptionError{Option: "Choose.Range", Reason: fmt.Sprintf("the range must go from at least %d up to at "+
			"most %d topics, but goes from %d to %d", least, fit.MostTopics, from, to)}
	case o.Steps < 0 || o.Steps > mostSteps:
		return &model.OptionError{Option: "Choose.Steps", Reason: fmt.Sprintf("must be from 0 to %d, but is %d",
			mostSteps, o.Steps)}
	}
	of := o.Model
	of.Topics = to
	return of.Check()
}

// bounds returns the range with its defaults.
func (o *Options) bounds() (from, to int) {
	to = cmp.Or(o.To, max(DefaultTo, o.From))
	return cmp.Or(o.From, min(DefaultFrom, to)), to
}

// prepared returns the options with defaults in place of zero values, for a corpus.
func (o Options) prepared(docs *corpus.Corpus) (Options, error) {
	if o.Model.Run == nil {
		o.Model.Run = new(fit.Run)
	}
	if err := o.Check(); err != nil {
		return o, err
	}
	if !docs.Copied() {
		return o, &model.OptionError{Option: "Sketch.Passes", Reason: "the number of topics cannot be chosen in a single " +
			"pass over the documents"}
	}
	o.Model.Method, o.Model.Baseline = fit.LRJSMF, false
	o.From, o.To = o.bounds()
	o.Steps = cmp.Or(o.Steps, DefaultSteps)
	// C has at most as many positive eigenvalues as there are items, and as there are documents.
	n, documents := docs.Vocabulary.Len(), docs.Account.DocumentsRead
	if o.From > n || int64(o.From) > documents {
		return o, &model.OptionError{Option: "Choose.Range", Reason: fmt.Sprintf("the range begins with %d topics, but "+
			"there are only %d items and %d documents", o.From, n, documents)}
	}
	// Outside of more than half of the dimensions there is no noise to compare with.
	o.To = int(min(int64(min(o.To, max(n/2, o.From))), documents))
	return o, nil
}

// withoutCheckpoint takes the checkpoint away from the run until the function that it returns is called: the choice
// keeps no state, and the stages that it shares with a fit must not be taken for those of the fit.
func (o *Options) withoutCheckpoint() (restore func()) {
	run := o.Model.Run
	kept := run.Checkpoint
	run.Checkpoint = nil
	return func() { run.Checkpoint = kept }
}
