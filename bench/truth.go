// This file holds the command that measures how much of a known truth is recovered.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bench/internal/report"
	"anchorage/bench/internal/truth"
	"anchorage/internal/synth"
)

// truthFlags say what is drawn and how it is learned.
type truthFlags struct {
	options  truth.Options
	prior    string
	logistic synth.LogisticNormal
	length   string
}

func (p *program) truthCommand() *cobra.Command {
	var f truthFlags
	var output string
	cmd := &cobra.Command{
		Use:   "truth",
		Short: "Measure how much of a known truth is recovered as documents become more",
		Long: `Truth draws documents from topics that it knows, with Zipf item frequencies and correlations, and learns topics from a
growing number of them. It compares the two: the ℓ1 error of the topics once they are matched, over all items and over common,
middling and rare items, the relative error of the correlations, and the share of anchors that were found.

By default it compares four methods: from accurate eigenpairs, ENN with exact and with factor row sums, and no rectification;
and ENN from the eigenpairs that a fit takes by default. --methods takes others: the settings that bench topics compares, as
whole fits, and ap+aw, alternating projection and AW on a dense matrix.`,
		Example: `  go run ./bench truth -o results
  go run ./bench truth -o rare --items 100000 -k 20 --documents 30000,100000 --methods default,published
  go run ./bench truth -o hard --anchor-strength 0.8 --prior logistic-normal --blocks 2 --correlation 0.5`,
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if err := f.complete(); err != nil {
				return &usageError{err}
			}
			folder, err := report.NewFolder(output)
			if err != nil {
				return err
			}
			f.options.Workers = p.workers
			f.options.Report = p.tellTruth
			records, err := truth.Run(cmd.Context(), f.options)
			if err != nil {
				return err
			}
			if err := truth.Write(folder, records, report.NewOrigin(commandLine(cmd), p.workers)); err != nil {
				return err
			}
			if err := folder.Commit(); err != nil {
				return err
			}
			return p.wrote(output)
		}),
	}
	outputFlag(cmd.Flags(), &output, newFolder)
	f.add(cmd.Flags())
	return cmd
}

// tellTruth logs a record.
func (p *program) tellTruth(r truth.Record) {
	p.log.Info("recovered", "documents", r.Documents, "seed", r.Seed, "method", r.Method, "error_b", r.Recovery.ErrorB,
		"error_a", r.Recovery.ErrorA, "anchors", r.Recovery.Anchors, "passes", r.Passes, "failure", r.Failure)
}

func (f *truthFlags) add(flags *pflag.FlagSet) {
	o, m := &f.options, &f.options.Model
	flags.IntVar(&m.Items, "items", 500, "items, N")
	flags.IntVarP(&m.Topics, "topics", "k", 5, "topics, K")
	flags.IntSliceVar(&o.Documents, "documents", []int{1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000}, "numbers of documents, M")
	flags.StringSliceVar(&o.Methods, "methods", truth.StageMethods, "methods, of these and "+strings.Join(truth.FitMethods(), ", "))
	flags.IntVar(&o.Seeds, "seeds", 3, "corpora drawn, each of another truth")
	flags.Uint64Var(&m.Seed, "seed", 1, "the first seed; the others follow it")
	flags.IntVar(&m.Tokens, "tokens", 50, "mean length of documents")
	flags.StringVar(&f.length, "length", "geometric", "distribution of lengths: geometric, fixed or log-normal")
	flags.Float64Var(&m.Exponent, "exponent", 1, "of the Zipf law: item i is in proportion to (i+offset)^-exponent")
	flags.Float64Var(&m.Offset, "offset", 10, "of the Zipf law")
	flags.Float64Var(&m.Spread, "spread", 1, "total concentration of an item's shares in the topics: a smaller one gives items fewer topics")
	flags.IntVar(&m.Anchors, "anchors", 1, "anchors per topic")
	flags.Float64Var(&m.AnchorStrength, "anchor-strength", 1, "share of an anchor that lies in its own topic")
	flags.StringVar(&f.prior, "prior", "dirichlet", "distribution of topic mixtures: dirichlet or logistic-normal")
	flags.Float64Var(&m.Concentration, "concentration", 0.1, "of the Dirichlet distribution, per topic")
	flags.Float64Var(&f.logistic.Deviation, "deviation", 2, "of the logistic-normal distribution")
	flags.IntVar(&f.logistic.Blocks, "blocks", 1, "of topics that correlate, in the logistic-normal distribution")
	flags.Float64Var(&f.logistic.Correlation, "correlation", 0, "of topics of a block")
	flags.Float64Var(&o.Tolerance, "tolerance", 1e-3, "residual of accurate eigenpairs, in proportion to the K-th eigenvalue")
	flags.IntVar(&o.Iterations, "enn-iterations", 0, "iterations of ENN; 0 until it has stopped moving")
}

// complete turns names into what they stand for and checks everything.
func (f *truthFlags) complete() error {
	o := &f.options
	lengths := []string{synth.Geometric: "geometric", synth.Fixed: "fixed", synth.LogNormal: "log-normal"}
	length := slices.Index(lengths, f.length)
	if length < 0 {
		return fmt.Errorf("--length is %q: it must be geometric, fixed or log-normal", f.length)
	}
	o.Model.Length = synth.Length(length)
	switch f.prior {
	case "dirichlet":
	case "logistic-normal":
		o.Model.Logistic = &f.logistic
	default:
		return fmt.Errorf("--prior is %q: it must be dirichlet or logistic-normal", f.prior)
	}
	if len(o.Documents) == 0 || o.Documents[0] < 2 || !slices.IsSorted(o.Documents) {
		return errors.New("--documents must be increasing numbers from 2")
	}
	if err := o.Check(); err != nil {
		return err
	}
	if o.Seeds < 1 || o.Tolerance <= 0 || o.Iterations < 0 {
		return errors.New("--seeds and --tolerance must be positive, --enn-iterations not negative")
	}
	model := o.Model
	model.Documents = o.Documents[0]
	return model.Check()
}
