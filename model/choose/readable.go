// This file finds how many topics can be relied on, of those that the documents show.

package choose

import (
	"context"
	"math"

	"anchorage/corpus"
	"anchorage/model/fit"
)

const (
	// mostTrials is how many numbers of topics are fitted at most.
	mostTrials = 4
	// wantedError is the mean error that the next number should have; good is up to 0.6.
	wantedError = 0.55
	// leastStep and mostStep bound the next number, in parts of the present one.
	leastStep, mostStep = 0.25, 0.85
)

// Readable lowers the number of topics of a count until the certificate of a fit with the options is good: then Topics
// is that number, and There the one that the documents show. If no number is good, or topics are not refined, it
// changes nothing. The next number to try is that of the topics that are found again, or less: the mean error grows
// about as the third root of the number. The errors are those of fit.Fit.
func (c *Count) Readable(ctx context.Context, docs *corpus.Corpus, opts Options) error {
	opts, err := opts.prepared(docs)
	if err != nil {
		return err
	}
	defer opts.withoutCheckpoint()()
	run := opts.Model.Run
	defer run.Stage("readable")()
	o := opts.Model
	o.Extras, o.TopicCounts, o.Levels, o.Choice, o.Wishes = fit.Extras{}, nil, nil, nil, nil
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
		step := min(math.Pow(wantedError/e, 3), 1-float64(len(certificate.Lost))/float64(o.Topics), mostStep)
		o.Topics = max(int(max(step, leastStep)*float64(o.Topics)), opts.From)
	}
	return nil
}
