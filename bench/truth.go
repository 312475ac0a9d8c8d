// This file holds the command that measures how much of a known truth is recovered.

package main

import (
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
	grid     truth.Grid
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
middling and rare items, the error of the correlations, and the share of anchors that were found. The method floor is told the
topic of every token; errors of the others are held against its. The method posterior knows the prior and begins at the truth,
but sees the documents alone.

By default it compares the floor and four methods: from accurate eigenpairs, ENN with exact and with factor row sums, and no
rectification; and ENN from the eigenpairs that a fit takes by default. --methods takes others, of which each run is a process of
its own: the settings that bench topics compares, as whole fits; ap+aw, alternating projection and AW on a dense matrix;
variational inference, from a fit's topics and from random ones; and other programs, which bench/peers/README.md says how to
install. A method that is not installed is passed over.

The folder of -o keeps a row per run, in runs.csv. A run with a row is not made again. An interrupted command goes on where it
was, and README.md, the tables and the chart show all runs of the folder, of whatever N and K.`,
		Example: `  go run ./bench truth -o results
  go run ./bench truth -o rare --items 20000 -k 20 --tokens 100 --documents 20000,80000 --seeds 1 --methods floor,default,sklearn-nmf
  go run ./bench truth -o hard --anchor-strength 0.8 --prior logistic-normal --blocks 2 --correlation 0.5`,
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if err := f.complete(cmd.Flags()); err != nil {
				return &usageError{err}
			}
			g := &f.grid
			g.Line, g.Workers, g.Log, g.Stderr = commandLine(cmd), p.workers, p.log, p.stderr
			if err := g.Write(cmd.Context(), output); err != nil {
				return &keptError{"the same command goes on from the runs in " + output, err}
			}
			return p.wrote(output)
		}),
	}
	outputFlag(cmd.Flags(), &output, seriesFolder)
	f.add(cmd.Flags())
	return cmd
}

func (f *truthFlags) add(flags *pflag.FlagSet) {
	g, m := &f.grid, &f.grid.Model
	flags.IntVar(&m.Items, "items", 500, "items, N")
	flags.IntVarP(&m.Topics, "topics", "k", 5, "topics, K")
	flags.IntSliceVar(&g.Documents, "documents", []int{1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000}, "numbers of documents, M")
	flags.StringSliceVar(&g.Methods, "methods", append([]string{truth.Floor}, truth.StageMethods...), "methods, of "+strings.Join(truth.Methods(), ", "))
	flags.IntVar(&g.Seeds, "seeds", 3, "corpora drawn, each of another truth")
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
	flags.Float64Var(&g.Tolerance, "tolerance", 1e-3, "residual of accurate eigenpairs, in proportion to the K-th eigenvalue")
	flags.IntVar(&g.Iterations, "enn-iterations", 0, "iterations of ENN; 0 until it has stopped moving")
	flags.StringVar((*string)(&g.Again), "again", string(report.AgainNone), "runs that are made again although they have a row: none, failed or all")
	flags.DurationVar(&g.Limit, "limit", 0, "how long a run in a process of its own may take, such as 30m; 0 for any time")
	flags.StringVar(&g.Python, "python", "python3", "interpreter for the methods of other programs")
	flags.StringVar(&g.Scratch, "spill-dir", "", "folder for the drawn documents; the system's folder for temporary files if not given")
}

// truthSettings are the flags that make other corpora or other methods beside N, K, M, the length and the seed.
var truthSettings = []string{"length", "exponent", "offset", "spread", "anchors", "anchor-strength", "prior", "concentration", "deviation",
	"blocks", "correlation", "tolerance", "enn-iterations"}

// complete turns names into what they stand for, notes the settings that are no defaults, and checks everything.
func (f *truthFlags) complete(flags *pflag.FlagSet) error {
	g := &f.grid
	lengths := []string{synth.Geometric: "geometric", synth.Fixed: "fixed", synth.LogNormal: "log-normal"}
	length := slices.Index(lengths, f.length)
	if length < 0 {
		return fmt.Errorf("--length is %q: it must be geometric, fixed or log-normal", f.length)
	}
	g.Model.Length = synth.Length(length)
	switch f.prior {
	case "dirichlet":
	case "logistic-normal":
		g.Model.Logistic = &f.logistic
	default:
		return fmt.Errorf("--prior is %q: it must be dirichlet or logistic-normal", f.prior)
	}
	var words []string
	for _, name := range truthSettings {
		if flag := flags.Lookup(name); flag.Value.String() != flag.DefValue {
			words = append(words, "--"+name, flag.Value.String())
		}
	}
	g.Flags = report.ShellWords(words)
	return g.Check()
}
