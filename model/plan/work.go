// This file says what work the stages of a fit are, in operations of a usual machine.

package plan

import (
	"cmp"
	"fmt"
	"maps"

	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/model/fit"
)

// The times of a processor, on the machine that bench/results/plan names: gather to add one value of a row of double
// precision, anywhere in a matrix, to another; multiply for a multiplication and an addition within a product of single
// precision; local for a topic of an entry in a step of inferring a document.
const gather, multiply, local = 1.1e-9, 37e-12, 0.95e-9

// written is how many bytes a second go to a disk. Only stages that take long otherwise write much.
const written = 200e6

// The parts are numbers of such operations per unit of the work of a stage: a multiple of the time for each entry and
// column, say. They come from the runs of bench/results/plan.
const (
	readPart     = 0.7    // processor time of the sample, per entry; the sample makes smaller batches
	gatherPart   = 1.7    // gather: per pass, entry and column: a row is read and another changed, and entries are sorted
	squarePart   = 19     // multiply: per pass, item and square of columns: double precision, a basis of several blocks
	evidencePart = 4.1    // gather: per entry and topic
	correctPart  = 2.7    // multiply: per iteration, item, column of the corrections and topic
	anchorPart   = 90     // multiply: per item and square of topics
	anchorRow    = 17_500 // multiply: per item and topic
	writePart    = 9_700  // the same
	rowsPart     = 35     // gather: per entry, for the anchors' rows; most of it is decoding
	refinePart   = 16     // local: per pass, entry that is kept, and topic; documents take several steps
	diagnosePart = 24     // local: per entry of the sample, and topic
	renewPart    = 500    // multiply: per part of an epoch, item and topic
)

const (
	// usualIterations is the number of iterations of a rectification that decides itself when to end: 6 to 9 on kos, NIPS
	// and retail, 12 on drawn corpora.
	usualIterations = 9
	// readingPasses and predictionPasses are those of a refinement after its epochs, on the corpora of bench/results/plan,
	// without passes that draw topics: these take drawPart of the time.
	readingPasses, predictionPasses, drawPart = 5, 11, 0.6
	refineEpochs, refineParts                 = 2, 16
	// repeatedTokens is the number of tokens per entry from which documents are likely to be refined for reading.
	repeatedTokens = 1.15
)

// passes returns how many are expected.
func passes(o *fit.Options) int { return cmp.Or(o.Sketch.Passes, fit.UsualPasses) }

// refinePasses returns the passes that a refinement is expected to make, how many of them are epochs, and how many more
// draw topics.
func refinePasses(o *fit.Options, e corpus.Expectation) (passes, epochs, draws int) {
	reads := o.Refine.For == refine.ForReading || o.Refine.For != refine.ForPrediction && e.Repeats >= repeatedTokens &&
		e.Kind != corpus.Baskets
	if !reads {
		passes, epochs = refineEpochs+predictionPasses, refineEpochs
		if e.Repeats < repeatedTokens || e.Kind == corpus.Baskets {
			draws = refine.Samples(int64(e.Repeats * e.EntriesKept))
		}
	} else {
		passes = readingPasses
	}
	if o.Refine.Passes > 0 {
		passes, draws = o.Refine.Passes, 0
	}
	return passes, min(epochs, passes-1), draws
}

// work returns what the stages of a run are expected to take, by their names.
func work(e corpus.Expectation, f *fit.Forecast, o *fit.Options) map[string]Stage {
	n, k, l, p := float64(f.Items), float64(f.Topics), float64(f.Columns), float64(passes(o))
	works := make(map[string]Stage)
	for _, topics := range f.Levels {
		level := *f
		level.Topics, level.Levels = topics, nil
		for stage, w := range work(e, &level, o) {
			works[fmt.Sprintf("%s/%d", stage, topics)] = w
		}
	}
	iterated := float64(cmp.Or(o.Rectify.Iterations, usualIterations))
	if o.Baseline {
		iterated = 0
	}
	chosen := float64(min(int(10*k)+1000, f.Items)) // columns of the corrections at most
	maps.Copy(works, map[string]Stage{
		"sketch":   of(p*(gatherPart*gather*e.EntriesKept*l+squarePart*multiply*n*l*l), 0.6, 1.6, passes(o)),
		"evidence": of(evidencePart*gather*e.EntriesKept*k, 0.7, 1.4, 1),
		"rectify":  of(iterated*correctPart*multiply*n*chosen*k, 0.5, 2, 0),
		"write":    of(writePart*multiply*n*k, 0.6, 1.6, 0),
	})
	found, counting := anchorPart*multiply*n*k*k+anchorRow*multiply*n*k, 0
	if o.Sketch.Passes != 1 {
		found, counting = found+rowsPart*gather*e.EntriesKept, 1
	}
	works["anchor"] = of(found, 0.5, 2, counting)
	if f.Refined {
		all, epochs, draws := refinePasses(o, e)
		if !o.NoCertificate {
			all += refine.ErrorPasses
		}
		each := refinePart*local*e.EntriesKept*k*(float64(all)+drawPart*float64(draws)) +
			renewPart*multiply*float64(epochs*refineParts)*n*k
		works["refine"] = of(each, 0.4, 2.5, all+draws)
	}
	if f.Diagnosed {
		works["diagnostics"] = of(diagnosePart*local*f.Sampled*e.EntriesKept*k, 0.5, 2, 0)
	}
	return works
}

// of returns the work that takes one processor the given seconds.
func of(cpu, low, high float64, passes int) Stage {
	return Stage{CPU: cpu, low: low, high: high, passes: passes}
}
