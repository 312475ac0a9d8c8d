// This file says what work the stages of a fit are, in operations whose rates are calibrated.

package plan

import (
	"cmp"
	"fmt"
	"maps"

	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/model/fit"
)

// The parts are numbers of operations at a calibrated rate, per unit of the work of a stage: a multiple of the rate for
// each entry and column, say. They come from the runs of bench/results/plan, on the machine that it names.
const (
	readPart     = 0.7    // processor time of the sample, per entry; the sample makes smaller batches
	gatherPart   = 1.7    // Gather: per pass, entry and column: a row is read and another changed, and entries are sorted
	squarePart   = 19     // Multiply: per pass, item and square of columns: double precision, a basis of several blocks
	evidencePart = 4.1    // Gather: per entry and topic
	correctPart  = 2.7    // Multiply: per iteration, item, column of the corrections and topic
	anchorPart   = 90     // Multiply: per item and square of topics
	anchorRow    = 17_500 // Multiply: per item and topic
	writePart    = 9_700  // the same
	rowsPart     = 35     // Gather: per entry, for the anchors' rows; most of it is decoding
	refinePart   = 16     // Local: per pass, entry that is kept, and topic; documents take several steps
	diagnosePart = 24     // Local: per entry of the sample, and topic
	renewPart    = 500    // Multiply: per part of an epoch, item and topic
)

const (
	// usualIterations is the number of iterations of a rectification that decides itself when to end, as measured on the
	// corpora of bench/results/plan.
	usualIterations = 17
	// readingPasses and baskettedPasses are those of a refinement after its epochs, as measured on the same corpora.
	readingPasses, baskettedPasses = 5, 5
	refineEpochs, refineParts      = 2, 16
	// repeatedTokens is the number of tokens per entry from which documents are likely to be refined for reading.
	repeatedTokens = 1.15
)

// passes returns how many are expected.
func passes(o *fit.Options) int { return cmp.Or(o.Sketch.Passes, fit.UsualPasses) }

// refinePasses returns the passes that a refinement is expected to make, and how many of them are epochs.
func refinePasses(o *fit.Options, e corpus.Expectation) (passes, epochs int) {
	reads := o.Refine.For == refine.ForReading || o.Refine.For != refine.ForPrediction && e.Repeats >= repeatedTokens &&
		e.Kind != corpus.Baskets
	if !reads {
		passes, epochs = refineEpochs+baskettedPasses, refineEpochs
	} else {
		passes = readingPasses
	}
	if o.Refine.Passes > 0 {
		passes = o.Refine.Passes
	}
	return passes, min(epochs, passes-1)
}

// work returns what the stages of a run are expected to take, by their names.
func (r Rates) work(e corpus.Expectation, f *fit.Forecast, o *fit.Options) map[string]Stage {
	n, k, l, p := float64(f.Items), float64(f.Topics), float64(f.Columns), float64(passes(o))
	work := make(map[string]Stage)
	for _, topics := range f.Levels {
		level := *f
		level.Topics, level.Levels = topics, nil
		for stage, w := range r.work(e, &level, o) {
			work[fmt.Sprintf("%s/%d", stage, topics)] = w
		}
	}
	iterated := float64(cmp.Or(o.Rectify.Iterations, usualIterations))
	if o.Baseline {
		iterated = 0
	}
	chosen := float64(min(int(10*k)+1000, f.Items)) // columns of the corrections at most
	maps.Copy(work, map[string]Stage{
		"sketch":   r.of(p*(gatherPart*r.Gather*e.EntriesKept*l+squarePart*r.Multiply*n*l*l), 0.6, 1.6, passes(o)),
		"evidence": r.of(evidencePart*r.Gather*e.EntriesKept*k, 0.7, 1.4, 1),
		"rectify":  r.of(iterated*correctPart*r.Multiply*n*chosen*k, 0.5, 2, 0),
		"write":    r.of(writePart*r.Multiply*n*k, 0.6, 1.6, 0),
	})
	found, counting := anchorPart*r.Multiply*n*k*k+anchorRow*r.Multiply*n*k, 0
	if o.Sketch.Passes != 1 {
		found, counting = found+rowsPart*r.Gather*e.EntriesKept, 1
	}
	work["anchor"] = r.of(found, 0.5, 2, counting)
	if f.Refined {
		all, epochs := refinePasses(o, e)
		if !o.NoCertificate {
			all += refine.ErrorPasses
		}
		each := refinePart*r.Local*e.EntriesKept*k*float64(all) + renewPart*r.Multiply*float64(epochs*refineParts)*n*k
		work["refine"] = r.of(each, 0.4, 2.5, all)
	}
	if f.Diagnosed {
		work["diagnostics"] = r.of(diagnosePart*r.Local*f.Sampled*e.EntriesKept*k, 0.5, 2, 0)
	}
	writing := work["write"]
	writing.Seconds += n * k * outputValueBytes / written
	work["write"] = writing
	return work
}

// of returns the work that takes one processor the given seconds, shared by all workers.
func (r Rates) of(cpu, low, high float64, passes int) Stage {
	return Stage{CPU: cpu, Seconds: cpu / max(r.Speedup, 0.01), low: low, high: high, passes: passes}
}
