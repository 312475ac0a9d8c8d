// This file holds --paper, which chooses the settings of the papers.

package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/anchor"
	"anchorage/model"
)

// published returns the values of flags that stand for options. --paper sets flags to those of model.Published.
func published(o model.Options) map[string]string {
	rowSums, polish := "factor", "factor"
	if o.Anchor.RowSums == anchor.RowSumsExact {
		rowSums = "exact"
	}
	if o.Anchor.NoPolish {
		polish = "none"
	}
	refine := strconv.Itoa(o.Refine.Passes)
	if o.Refine.Passes == model.NoRefinement {
		refine = noRefinement
	}
	return map[string]string{
		"refine":       refine,
		"item-weights": string(o.Sketch.ItemWeights), "evidence": strconv.FormatBool(!o.Anchor.NoEvidence),
		"normalization": string(o.Rectify.Normalization), "row-sums": rowSums, "polish": polish,
		"relevance": strconv.FormatFloat(o.Anchor.Relevance, 'g', -1, 64),
	}
}

// paperFlag adds --paper to a command. A flag that contradicts it is refused, except for the number of iterations.
func paperFlag(cmd *cobra.Command) {
	paper := cmd.Flags().Bool("paper", false, "everything as published: 50 iterations of ENN unless a number is given, equal weights, uniform normalization, row sums of the factor, every row taken as certain, no polish, no refinement")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if !*paper {
			return nil
		}
		return setPublished(cmd.Flags())
	}
}

// setPublished sets the flags of a command to what is published.
func setPublished(flags *pflag.FlagSet) error {
	method := model.LRJSMF
	if flag := flags.Lookup("method"); flag != nil {
		var err error
		if method, err = model.ParseMethod(flag.Value.String()); err != nil {
			return &usageError{fmt.Errorf("--method: %w", err)}
		}
	}
	options := model.Published(method)
	if flag := flags.Lookup("enn-iterations"); flag != nil && !flag.Changed && options.Rectify.Iterations > 0 {
		if err := flag.Value.Set(strconv.Itoa(options.Rectify.Iterations)); err != nil {
			return err
		}
	}
	for name, value := range published(options) {
		flag := flags.Lookup(name)
		if flag == nil {
			continue
		}
		if flag.Changed && flag.Value.String() != value {
			return &usageError{fmt.Errorf("--paper means --%s %s: leave one of the two out", name, value)}
		}
		if err := flag.Value.Set(value); err != nil {
			return err
		}
	}
	return nil
}
