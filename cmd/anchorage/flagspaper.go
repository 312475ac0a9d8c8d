// This file holds --paper, which chooses the settings of the papers.

package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/anchor"
	"anchorage/model/fit"
)

// published returns the values of flags that stand for options. --paper sets flags to those of model.Published.
func published(o fit.Options) map[string]string {
	rowSums, polish, sketching, eigenpairs := "factor", "factor", sketchKrylov, pairsCarried
	if o.Anchor.RowSums == anchor.RowSumsExact {
		rowSums = "exact"
	}
	if o.Anchor.NoPolish {
		polish = "none"
	}
	if o.Sketch.Power {
		sketching = sketchPower
	}
	if o.Rectify.Truncated {
		eigenpairs = pairsTruncated
	}
	refine := strconv.Itoa(o.Refine.Passes)
	if o.Refine.Passes == fit.NoRefinement {
		refine = noRefinement
	}
	return map[string]string{
		"refine":       refine,
		"item-weights": string(o.Sketch.ItemWeights), "evidence": strconv.FormatBool(!o.Anchor.NoEvidence),
		"sketch-method": sketching, "enn-eigenpairs": eigenpairs,
		"normalization": string(o.Rectify.Normalization), "row-sums": rowSums, "polish": polish,
		"relevance": strconv.FormatFloat(o.Anchor.Relevance, 'g', -1, 64),
	}
}

// usual returns the values of flags that --paper sets unless they are given: how many passes and iterations are made, and which items and
// documents count. The papers choose items by tf·idf (--max-items) after leaving out stop words (--stopwords), and have no other rule for them.
func usual(o fit.Options, flags *pflag.FlagSet) map[string]string {
	values := map[string]string{"min-items": "3", "min-tokens": "5"}
	if !flags.Changed("vocab") && !flags.Changed("no-prune") { // which forbid other rules
		values["min-df"], values["max-df-ratio"] = "0", "0"
	}
	if o.Rectify.Iterations > 0 {
		values["enn-iterations"] = strconv.Itoa(o.Rectify.Iterations)
	}
	if o.Sketch.Passes > 0 && !flags.Changed("no-prune") { // which reads documents once
		values["passes"] = strconv.Itoa(o.Sketch.Passes)
	}
	return values
}

// paperFlag adds --paper to a command. A flag that contradicts it is refused, except for those of usual.
func paperFlag(cmd *cobra.Command) {
	paper := cmd.Flags().Bool("paper", false, "everything as published (docs/papers.md has what differs): 52 passes of power iteration, 50 iterations of ENN and no pruning but by tf·idf unless their flags say otherwise; equal weights, truncated eigendecompositions, uniform normalization, row sums of the factor, every row taken as certain, no polish, no refinement")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if !*paper {
			return nil
		}
		return setPublished(cmd.Flags())
	}
}

// warnOfPaper warns of --paper with every item: without a choice of items, the papers' methods find anchors among the rarest.
func (p *program) warnOfPaper() {
	flags := p.flags
	items, chosen := flags.Lookup("max-items"), flags.Changed("max-items") || flags.Changed("vocab")
	if paper, err := flags.GetBool("paper"); err == nil && paper && items != nil && !chosen {
		p.log.Warn("--paper keeps every item, and takes rare ones for anchors: the papers keep the best few thousand by tf·idf, without stop words",
			"remedy", "--max-items 5000 --stopwords LANGUAGE")
	}
}

// setPublished sets the flags of a command to what is published.
func setPublished(flags *pflag.FlagSet) error {
	method := fit.LRJSMF
	if flag := flags.Lookup("method"); flag != nil {
		var err error
		if method, err = fit.ParseMethod(flag.Value.String()); err != nil {
			return &usageError{fmt.Errorf("--method: %w", err)}
		}
	}
	options := fit.Published(method)
	for name, value := range usual(options, flags) {
		if flag := flags.Lookup(name); flag != nil && !flag.Changed {
			if err := flag.Value.Set(value); err != nil {
				return err
			}
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
