// This file holds the command that measures how much of a known truth is recovered.

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bench"
	"anchorage/internal/synth"
)

// truthFlags say what is drawn and how it is learned.
type truthFlags struct {
	options  bench.TruthOptions
	prior    string
	logistic synth.LogisticNormal
	length   string
}

func (p *program) benchTruthCommand() *cobra.Command {
	var truth truthFlags
	var output string
	var cmd *cobra.Command
	cmd = &cobra.Command{
		Use:   "truth",
		Short: "Measure how much of a known truth is recovered as documents become more",
		Long: `Truth draws documents from topics with Zipf item frequencies and correlations that it knows, learns topics from a
growing number of the documents, and compares: the ℓ1 error of the topics once they are matched, all in all and for
common, middling and rare items, the relative error of the correlations, and the share of anchors that were found.

It compares ENN with exact and with factor row sums and no rectification, from accurate eigenpairs, and ENN from those that
fit takes by default. --methods takes others: the settings that bench topics compares, as whole fits, and ap+aw, alternating
projection and AW on a dense matrix. It writes tables (Parquet, CSV, Markdown) and a chart with the slopes of the errors (SVG).`,
		Example: `  anchorage bench truth -o results
  anchorage bench truth -o rare --items 100000 -k 20 --documents 30000,100000 --methods default,published
  anchorage bench truth -o hard --anchor-strength 0.8 --prior logistic-normal --blocks 2 --correlation 0.5`,
		Args: cobra.NoArgs,
		RunE: started(func(ctx context.Context, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if err := truth.complete(); err != nil {
				return &usageError{err}
			}
			dir, err := p.create(ctx, output)
			if err != nil {
				return err
			}
			defer dir.Abort()
			truth.options.Workers = p.workers
			truth.options.Report = func(r bench.TruthRecord) {
				p.log.Info("recovered", "documents", r.Documents, "seed", r.Seed, "method", r.Method, "error_b", r.Recovery.ErrorB,
					"error_a", r.Recovery.ErrorA, "anchors", r.Recovery.Anchors, "passes", r.Passes, "failure", r.Failure)
			}
			records, err := bench.Truth(ctx, truth.options)
			if err != nil {
				return err
			}
			if err := bench.WriteTruth(dir, records, command(cmd), p.workers); err != nil {
				return err
			}
			if err := dir.Commit(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.stdout, "Wrote tables and a chart to %s; README.md there says what they are.\n", output)
			return err
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	outputFlag(flags, &output, "the results, a directory")
	truth.add(flags)
	return cmd
}

func (f *truthFlags) add(flags *pflag.FlagSet) {
	o, m := &f.options, &f.options.Model
	flags.IntVar(&m.Items, "items", 500, "items, N")
	flags.IntVarP(&m.Topics, "topics", "k", 5, "topics, K")
	flags.IntSliceVar(&o.Documents, "documents", []int{1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000}, "numbers of documents, M")
	flags.StringSliceVar(&o.Methods, "methods", bench.TruthMethods, "methods, of these and "+strings.Join(bench.TruthFits(), ", "))
	flags.IntVar(&o.Seeds, "seeds", 3, "corpora drawn, each of another truth")
	flags.Uint64Var(&m.Seed, "seed", 1, "the first seed; the others follow it")
	flags.IntVar(&m.Tokens, "tokens", 50, "mean length of documents")
	flags.StringVar(&f.length, "length", "geometric", "distribution of lengths: geometric, fixed or log-normal")
	flags.Float64Var(&m.Exponent, "exponent", 1, "of the Zipf law: item i is in proportion to (i+offset)^-exponent")
	flags.Float64Var(&m.Offset, "offset", 10, "of the Zipf law")
	flags.Float64Var(&m.Spread, "spread", 1, "total concentration of an item's shares in the topics: the less, the fewer topics an item belongs to")
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

// command returns the command line that would do the same again.
func command(cmd *cobra.Command) string {
	line := "anchorage bench " + cmd.Name()
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		value := strings.Trim(flag.Value.String(), "[]")
		switch {
		case flag.Name == "output":
			value = "RESULTS"
		case flag.Name == "shards":
			value = "SHARDS"
		case flag.Value.Type() == "bool":
			line += " --" + flag.Name + "=" + value // a value of its own would be an argument
			return
		}
		line += " --" + flag.Name + " " + value
	})
	return line
}

// complete turns names into what they stand for and checks everything.
func (f *truthFlags) complete() error {
	o := &f.options
	lengths := []string{synth.Geometric: "geometric", synth.Fixed: "fixed", synth.LogNormal: "log-normal"}
	length := slices.Index(lengths, f.length)
	if length < 0 {
		return fmt.Errorf("--length is %q: it can be geometric, fixed or log-normal", f.length)
	}
	o.Model.Length = synth.Length(length)
	switch f.prior {
	case "dirichlet":
	case "logistic-normal":
		o.Model.Logistic = &f.logistic
	default:
		return fmt.Errorf("--prior is %q: it can be dirichlet or logistic-normal", f.prior)
	}
	if len(o.Documents) == 0 || o.Documents[0] < 2 || !slices.IsSorted(o.Documents) {
		return errors.New("--documents are increasing numbers from 2")
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
