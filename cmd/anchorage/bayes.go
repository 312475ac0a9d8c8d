// This file holds the bayes command and its fit: variational inference.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/svi"
)

func (p *program) bayesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bayes",
		Short: "Topics by variational inference: Bayesian NMF, correlated NMF and online LDA",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.bayesFitCommand(), p.bayesPlanCommand(), p.bayesEvalCommand(), p.bayesSearchCommand())
	return cmd
}

// bayesFlags say what is learned by variational inference, and how.
type bayesFlags struct {
	source  sourceFlags
	options model.BayesOptions
	model   string
	init    string
	test    int
}

func (f *bayesFlags) add(flags *pflag.FlagSet) {
	o := &f.options
	flags.StringVar(&f.model, "model", "", "bnmf, cnmf or lda (required)")
	flags.IntVarP(&o.Topics, "topics", "k", 0, "number of topics (required)")
	flags.BoolVar(&o.Plan.Batch, "batch", false, "the batch algorithm: every iteration sees all documents, and a bound is computed that never falls")
	flags.IntVar(&o.BatchSize, "batch-size", 1000, "documents of a mini-batch")
	flags.IntVar(&o.Plan.Epochs, "epochs", 1, "how often every document is seen")
	flags.IntVar(&o.Plan.Iterations, "iterations", 100, "iterations of the batch algorithm, at most")
	flags.Float64Var(&o.Plan.Tolerance, "tolerance", 1e-5, "relative growth of the bound below which the batch algorithm ends")
	flags.Float64Var(&o.Delay, "t0", 1, "of the step size (t0+t)^-kappa, with t from 1")
	flags.Float64Var(&o.Forgetting, "kappa", 0.5, "of the step size, from 0.5 to 1")
	flags.Float64Var(&o.C0, "c0", 0, "prior of the topics: Gamma(c0/V, c0), or Dirichlet(c0/V); 0 for V/20")
	flags.Float64Var(&o.A0, "a0", 0, "prior of a document's topics: Gamma(a0, b0), or Dirichlet(a0); 0 for 1/K")
	flags.Float64Var(&o.B0, "b0", 0, "see --a0; 0 for 1/K")
	flags.IntVar(&o.Latent, "latent", 0, "dimension of the locations of cnmf; 0 for 50, or K where that is less")
	flags.Float64Var(&o.Variance, "variance", 0, "prior of the topics' locations: N(0, variance); 0 for 1/latent")
	flags.IntVar(&o.LocalIterations, "local-iterations", 100, "iterations over a document's variables, at most")
	flags.Float64Var(&o.LocalTolerance, "local-tolerance", 1e-3, "relative change below which they end")
	flags.StringVar(&f.init, "init", "", "model to begin with: its topics, in place of random ones")
	flags.IntVar(&f.test, "test-every", 10, "test every this many batches before they are learned from; 0 for none")
	flags.BoolVar(&o.Plan.InOrder, "in-order", false, "take documents as they come, not at random")
	flags.Uint64Var(&o.Seed, "seed", 1, "of all random numbers")
}

// complete turns the flags into options.
func (f *bayesFlags) complete(ctx context.Context) error {
	o := &f.options
	o.Model = svi.Model(f.model)
	switch {
	case f.model == "":
		return &usageError{errors.New("which model? say so with --model bnmf, cnmf or lda")}
	case o.Topics == 0:
		return &usageError{errors.New("how many topics? say so with -k")}
	case o.BatchSize < 1 || o.Plan.Epochs < 1 || o.Plan.Iterations < 1 || o.LocalIterations < 1:
		return &usageError{errors.New("--batch-size, --epochs, --iterations and --local-iterations are numbers from 1")}
	case !(o.Plan.Tolerance >= 0) || f.test < 0 || !(o.Delay > 0) || !(o.LocalTolerance > 0):
		return &usageError{errors.New("--t0 and --local-tolerance must be positive, --tolerance and --test-every not negative")}
	case o.CheckpointEvery < 0:
		return &usageError{errors.New("--checkpoint-every cannot be negative")}
	}
	if o.Plan.TestEvery = f.test; f.test == 0 {
		o.Plan.TestEvery = svi.NoTests
	}
	if o.Plan.Tolerance == 0 {
		o.Plan.Tolerance = 1e-300 // to the last iteration, unless nothing changes any more
	}
	if err := o.Check(); err != nil {
		return &usageError{err}
	}
	if f.init == "" {
		return nil
	}
	var err error
	o.Init, err = model.Load(ctx, f.init)
	return err
}

func (p *program) bayesFitCommand() *cobra.Command {
	var f bayesFlags
	var output string
	cmd := &cobra.Command{
		Use:   "fit --model bnmf|cnmf|lda SHARD...",
		Short: "Learn a model by variational inference",
		Long: `Fit learns Bayesian NMF or correlated NMF (Paisley, Blei & Jordan 2014) or online LDA (Hoffman, Blei & Bach 2010) from
shards of documents, in mini-batches and in one pass, or more with --epochs; with --batch, by their batch algorithms. Every
tenth mini-batch is tested before it is learned from: each document's tokens are dealt into thirds, its variables found from
two and the third predicted, and the mean of the logarithm per token is logged.

It holds V×K numbers of 8 bytes, twice with --batch, and what a mini-batch takes; bayes plan says how much that is. A run
that is interrupted leaves OUTPUT.checkpoint, from which the same command with --resume goes on to the same end; so does
one that is killed, from the last checkpoint that --checkpoint-every has made.`,
		Example: `  anchorage bayes fit --model bnmf shards/ -k 100 -o model
  anchorage bayes fit --model cnmf shards/ -k 100 --max-items 8000 --epochs 3 -o model
  anchorage bayes fit --model lda --batch docword.nips.txt.gz -k 25 -o nips
  anchorage fit shards/ -k 100 -o anchors && anchorage bayes fit --model lda shards/ -k 100 --init anchors --t0 64 -o model`,
		Args: cobra.MinimumNArgs(1),
		RunE: p.writing(&output, func(ctx context.Context, run *model.Run, out *model.Output, args []string) error {
			if err := f.complete(ctx); err != nil {
				return err
			}
			var err error
			if f.options.Checkpoint, err = checkpointPath(output, f.source.spillDir); err != nil {
				return err
			}
			run.SpillDir = f.source.scratch(out.Scratch())
			f.options.Run = run
			var fitted *model.Fitted
			err = p.overCorpus(ctx, run, &f.source, args, 0, func(docs *corpus.Corpus) error {
				fitted, err = model.Bayes(ctx, docs, f.options)
				return err
			})
			if err != nil {
				return err
			}
			if err := fitted.SaveTo(out); err != nil {
				return err
			}
			if err := durable.Remove(f.options.Checkpoint); err != nil {
				return err
			}
			return p.printBayes(fitted, output)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	outputFlag(flags, &output, "the model, a directory")
	f.add(flags)
	flags.Int64Var(&f.options.CheckpointEvery, "checkpoint-every", 500, "steps between checkpoints")
	flags.BoolVar(&f.options.Resume, "resume", false, "go on from OUTPUT.checkpoint")
	f.source.addFormat(flags)
	f.source.addDocuments(flags)
	f.source.addPruning(flags)
	p.addJSON(flags)
	return cmd
}

// bayesTopic is a topic as it is printed.
type bayesTopic struct {
	Topic     int      `json:"topic"`
	Share     float64  `json:"share"` // p(topic)
	Prominent []string `json:"prominent"`
}

// printBayes prints the topics, the most probable first, and where the model lies.
func (p *program) printBayes(s *model.Fitted, output string) error {
	p.bar.close()
	views := make([]bayesTopic, s.Topics.K)
	for k, list := range s.Topics.Prominent(s.Topics.RowSums, 1, 15) {
		views[k] = bayesTopic{Topic: k, Share: s.Topics.Prior[k]}
		for _, scored := range list {
			views[k].Prominent = append(views[k].Prominent, s.Vocabulary.ID(scored.Item))
		}
	}
	slices.SortStableFunc(views, func(a, b bayesTopic) int { return cmp.Compare(b.Share, a.Share) })
	if p.json {
		return p.printJSON(map[string]any{"output": output, "manifest": s.Manifest, "topics": views})
	}
	r := s.Manifest.Bayes
	fmt.Fprintf(p.stdout, "%d topics of %d items in %d documents, by %s.", s.Topics.K, s.Vocabulary.Len(), s.Manifest.Corpus.Documents, r.Model)
	if r.HeldOut != nil {
		fmt.Fprintf(p.stdout, " Held-out log-likelihood per token %.4f, after %d documents.", r.HeldOut.LogLikelihood, r.HeldOut.Documents)
	}
	if r.Bound != nil {
		fmt.Fprintf(p.stdout, " Bound %.8g after %d iterations.", *r.Bound, r.Steps)
	}
	fmt.Fprintf(p.stdout, "\n\n")
	printBayesTable(p.stdout, views, p.width())
	_, err := fmt.Fprintf(p.stdout, "\nThe model is in %s\n", output)
	return err
}

func printBayesTable(w io.Writer, views []bayesTopic, width int) {
	fmt.Fprintf(w, "%5s  %5s  %s\n", "topic", "share", "prominent")
	for _, v := range views {
		fmt.Fprintf(w, "%5d  %4.1f%%  %s\n", v.Topic, 100*v.Share, fitting(v.Prominent, max(width-16, 20)))
	}
}

// checkpointPath returns where the checkpoint of a run lies: beside the output or, where that is in an object store, in the
// folder for what is spilled, which must then be given, to be found again.
func checkpointPath(output, spillDir string) (string, error) {
	const ending = ".checkpoint"
	switch {
	case !objects.IsURL(output):
		return output + ending, nil
	case spillDir == "":
		return "", &usageError{errors.New("a checkpoint cannot lie in an object store: say with --spill-dir where it is to be kept")}
	}
	name := strings.Trim(output[strings.LastIndexByte(strings.TrimRight(output, "/"), '/')+1:], "/")
	name, _, _ = strings.Cut(name, "?")
	return filepath.Join(spillDir, name+ending), nil
}
