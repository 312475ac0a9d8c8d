// This file holds the flags of the rectification.

package main

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"anchorage/model/fit"
	"anchorage/rectify"
)

// The values of --enn-eigenpairs.
const (
	pairsCarried   = "carried"
	pairsTruncated = "truncated"
)

// rectifyFlags say how the factor is rectified.
type rectifyFlags struct {
	iterations    string
	eigenpairs    string
	normalization string
	corrections   string
	memory        string
	spillDir      string // set by rectify; fit has one for all stages
	spillLimit    string
}

func (f *rectifyFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.iterations, "enn-iterations", "auto", "make exactly this many published iterations; auto takes steps that go further, until the factor has settled, and with methods other than ENN iterations until nothing moves")
	flags.StringVar(&f.eigenpairs, "enn-eigenpairs", pairsCarried, "what an iteration of ENN makes of the corrected matrix: carried, one product with the vectors carried along; truncated, a truncated eigendecomposition to residuals of 1e-6, as published")
	flags.StringVar(&f.normalization, "normalization", string(fit.NormalizeMarginal), "how the rectification makes co-occurrences sum to 1: marginal adds in proportion to how frequent both items are; uniform adds the same to every pair, as published")
	flags.StringVar(&f.corrections, "corrections", string(rectify.CorrectionsAuto),
		"where corrections are kept that are applied more than once: memory, an error if they do not fit; spill, a file; "+
			"recompute, nowhere; auto, as is fastest. The result is the same")
	flags.StringVar(&f.memory, "corrections-memory", "1GiB", "memory that corrections may take")
	flags.StringVar(&f.spillLimit, "spill-limit", "0",
		"bytes that spilled corrections may take, 0 for as many as there is room for")
}

// into sets the options of the rectification.
func (f *rectifyFlags) into(options *fit.Options) error {
	o := &options.Rectify
	o.Normalization = fit.Normalization(f.normalization)
	if err := oneOf("--normalization", o.Normalization, fit.NormalizeMarginal, fit.NormalizeUniform); err != nil {
		return err
	}
	if err := oneOf("--enn-eigenpairs", f.eigenpairs, pairsCarried, pairsTruncated); err != nil {
		return err
	}
	o.Truncated = f.eigenpairs == pairsTruncated
	var err error
	if o.Iterations, err = parseCount("--enn-iterations", f.iterations); err != nil {
		return err
	}
	return f.placement(o)
}

// placement sets where corrections are kept.
func (f *rectifyFlags) placement(o *fit.RectifyOptions) error {
	o.Corrections.Mode = rectify.CorrectionsMode(f.corrections)
	modes := []rectify.CorrectionsMode{rectify.CorrectionsAuto, rectify.CorrectionsMemory, rectify.CorrectionsSpill,
		rectify.CorrectionsRecompute}
	if !slices.Contains(modes, o.Corrections.Mode) {
		return &usageError{fmt.Errorf("--corrections is %q: use auto, memory, spill or recompute", f.corrections)}
	}
	var err error
	if o.Corrections.Bytes, err = parseLimit(f.memory); err != nil {
		return &usageError{fmt.Errorf("--corrections-memory: %w", err)}
	}
	o.Corrections.NoMemory = o.Corrections.Bytes == 0
	if o.Corrections.SpillLimit, err = parseLimit(f.spillLimit); err != nil {
		return &usageError{fmt.Errorf("--spill-limit: %w", err)}
	}
	return nil
}

// parseLimit is parseSize of a limit that may be 0.
func parseLimit(text string) (int64, error) {
	if text == "0" {
		return 0, nil
	}
	return parseSize(text)
}
