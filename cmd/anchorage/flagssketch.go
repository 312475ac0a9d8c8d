// This file holds the flags of the sketch.

package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"anchorage/model/fit"
)

// The values of --sketch-method.
const (
	sketchKrylov = "krylov"
	sketchPower  = "power"
)

// sketchFlags say how eigenpairs are found.
type sketchFlags struct {
	topics   topicCount
	passes   string
	columns  int
	seed     uint64
	method   string
	weights  string
	evidence bool
}

func (f *sketchFlags) add(flags *pflag.FlagSet) {
	flags.VarP(&f.topics, "topics", "k", "number of topics (required)")
	flags.StringVar(&f.passes, "passes", "auto", "passes over the documents: auto for as many as accuracy needs, 1 for a strict single pass with a wide sketch, or a number")
	flags.StringVar(&f.method, "sketch-method", sketchKrylov, "how several passes find eigenpairs: krylov keeps what all have found; power keeps the last product alone, as published, and takes more of them")
	flags.IntVar(&f.columns, "sketch-columns", 0, "columns of the random matrix; 0 for K+30, 2K with power, or with a single pass for 16K, fewer where they would take more than --memory-limit, or 2 GiB without one, and 4K at least")
	seedFlag(flags, &f.seed)
	flags.StringVar(&f.weights, "item-weights", "auto", "how items weigh in documents: idf, by the logarithm of how rare they are; none, all alike; auto, idf where items are counted before the first pass")
	flags.BoolVar(&f.evidence, "evidence", true, "make a pass that measures how far each item's row can be trusted; a single pass estimates it instead")
}

// seedFlag adds --seed.
func seedFlag(flags *pflag.FlagSet, seed *uint64) {
	flags.Uint64Var(seed, "seed", 1, "seed of all random numbers")
}

// into sets the options of the sketch, and checks them; noPrune makes a single pass the default.
func (f *sketchFlags) into(o *fit.Options, noPrune bool) error {
	o.Topics, o.Seed = f.topics.number, f.seed
	o.Sketch = fit.SketchOptions{Columns: f.columns, Power: f.method == sketchPower, ItemWeights: fit.ItemWeights(f.weights), NoEvidence: !f.evidence}
	if err := oneOf("--sketch-method", f.method, sketchKrylov, sketchPower); err != nil {
		return err
	}
	if err := oneOf("--item-weights", o.Sketch.ItemWeights, fit.WeightsAuto, fit.WeightsIDF, fit.WeightsNone); err != nil {
		return err
	}
	if err := f.topics.need(); err != nil {
		return err
	}
	if f.columns < 0 {
		return &usageError{fmt.Errorf("--sketch-columns is %d: it cannot be negative", f.columns)}
	}
	var err error
	if o.Sketch.Passes, err = parseCount("--passes", f.passes); err != nil {
		return err
	}
	if f.passes == "auto" && noPrune {
		o.Sketch.Passes = 1
	}
	if f.topics.auto {
		if o.Sketch.Passes == 1 {
			return &usageError{errors.New("-k auto needs several passes over the documents: give a number, or leave --passes 1 and --no-prune out")}
		}
		o.Topics = autoFrom // until it is chosen
	}
	return o.Check()
}

// needTopics checks that -k was given.
func needTopics(topics int) error {
	if topics == 0 {
		return &usageError{errors.New("the number of topics is missing: give it with -k")}
	}
	return nil
}

// parseCount returns the number that a flag gives; 0 for auto.
func parseCount(flag, text string) (int, error) {
	if text == "auto" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, &usageError{fmt.Errorf("%s is %q: use auto or a number from 1", flag, text)}
	}
	return n, nil
}
