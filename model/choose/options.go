// This file defines the options of a choice.

package choose

import (
	"fmt"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
)

// Options say among which numbers of topics is chosen. The zero value is the default.
type Options struct {
	From, To int // the range; 0 for 2 and 200, or fewer where the vocabulary is small
	// Steps is how many numbers of the range are solved besides the recommended one, evenly spaced by their ratio; 0 for
	// 8.
	Steps int
	// Model says how models are solved. Its Topics, TopicCounts and Refine are not used: a candidate has the topics that
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
	from, to = o.From, o.To
	if to == 0 {
		to = max(DefaultTo, from)
	}
	if from == 0 {
		from = min(DefaultFrom, to)
	}
	return from, to
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
	if o.Steps == 0 {
		o.Steps = DefaultSteps
	}
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
	run := o.run()
	kept := run.Checkpoint
	run.Checkpoint = nil
	return func() { run.Checkpoint = kept }
}

// run returns the run that records what stages take.
func (o *Options) run() *fit.Run { return o.Model.Run }
