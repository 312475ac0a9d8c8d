// This file holds --paper, which stands for the settings of the papers.

package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"anchorage/anchor"
	"anchorage/model"
)

// published returns the values that flags have with --paper: those of model.Published.
func published(o model.Options) map[string]string {
	rowSums, polish := "factor", "factor"
	if o.Anchor.RowSums == anchor.RowSumsExact {
		rowSums = "exact"
	}
	if o.Anchor.NoPolish {
		polish = "none"
	}
	return map[string]string{
		"item-weights": string(o.Sketch.ItemWeights), "evidence": strconv.FormatBool(!o.Anchor.NoEvidence),
		"normalization": string(o.Rectify.Normalization), "row-sums": rowSums, "polish": polish,
		"relevance": strconv.FormatFloat(o.Anchor.Relevance, 'g', -1, 64),
	}
}

// paperFlag adds --paper to a command. It sets the command's flags to what is published. A flag that says otherwise is refused, but
// for the number of iterations.
func paperFlag(cmd *cobra.Command) {
	paper := cmd.Flags().Bool("paper", false, "everything as published: 50 iterations of ENN unless a number is given, equal weights, uniform normalization, row sums of the factor, every row taken for certain, no polish")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if !*paper {
			return nil
		}
		method := model.LRJSMF
		if flag := cmd.Flags().Lookup("method"); flag != nil {
			var err error
			if method, err = model.ParseMethod(flag.Value.String()); err != nil {
				return &usageError{fmt.Errorf("--method: %w", err)}
			}
		}
		options := model.Published(method)
		if flag := cmd.Flags().Lookup("enn-iterations"); flag != nil && !flag.Changed && options.Rectify.Iterations > 0 {
			if err := flag.Value.Set(strconv.Itoa(options.Rectify.Iterations)); err != nil {
				return err
			}
		}
		for name, value := range published(options) {
			flag := cmd.Flags().Lookup(name)
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
}
