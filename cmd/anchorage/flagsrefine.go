// This file holds the flags of the refinement.

package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"anchorage/bayes/refine"
	"anchorage/model/fit"
)

// refineFlags say how topics are refined.
type refineFlags struct {
	passes  string
	purpose string
}

// noRefinement is the value of --refine with which topics are not refined.
const noRefinement = "none"

func (f *refineFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.passes, "refine", "auto", "passes of variational inference that refine the topics by the likelihood of the documents: a number, none, or auto, which goes on until the likelihood settles, and makes none after a single pass, with --baseline or another --method")
	flags.StringVar(&f.purpose, "for", string(refine.ForAuto), "what topics are refined for: prediction counts every token; reading counts an item once per document and stays near the topics that were found; auto is reading for texts that repeat their words")
}

// into sets the options of the refinement.
func (f *refineFlags) into(o *fit.Options) error {
	if err := oneOf("--for", f.purpose, purposes()...); err != nil {
		return err
	}
	o.Refine.For = refine.Purpose(f.purpose)
	switch f.passes {
	case "auto":
	case noRefinement:
		o.Refine.Passes = fit.NoRefinement
	default:
		n, err := strconv.Atoi(f.passes)
		if err != nil || n < 1 || n > mostRefinements {
			return &usageError{fmt.Errorf("--refine is %q: use auto, none or a number of passes from 1 to %d", f.passes, mostRefinements)}
		}
		o.Refine.Passes = n
	}
	if o.Refine.For != refine.ForAuto && !o.Refines() {
		return &usageError{fmt.Errorf("--for %s has no effect: topics are not refined with --refine none, nor by itself after a single pass, with --baseline or by another --method; give --refine a number of passes", f.purpose)}
	}
	return nil
}

// mostRefinements is the most passes that --refine takes.
const mostRefinements = 1000

func purposes() (names []string) {
	for _, p := range refine.Purposes {
		names = append(names, string(p))
	}
	return names
}
