// This file makes the fit of a run, as `anchorage fit` does it, in the process that a series starts.

package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// Order is what a series asks a child process to do, as JSON on its standard input.
type Order struct {
	Shards  []string `json:"shards"`
	Output  string   `json:"output"` // the model, a directory that does not exist
	Topics  int      `json:"topics"`
	Flags   []string `json:"flags"`
	Workers int      `json:"workers"`
}

// Settings are the flags of the fits. They mean what they mean for `anchorage fit`.
type Settings struct {
	MinDF      int64
	Passes     int // 0 for as many as accuracy asks for
	Iterations int // of ENN; 0 for the default
	Weights    string
	Paper      bool
	Refine     string // auto or none
}

// The values of --refine.
const (
	refineAuto = "auto"
	refineNone = "none"
)

// flags returns the flags of s, with the defaults of a series: items are not pruned.
func (s *Settings) flags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("fit", pflag.ContinueOnError)
	flags.Usage = func() {}
	flags.Int64Var(&s.MinDF, "min-df", 1, "")
	flags.IntVar(&s.Passes, "passes", 0, "")
	flags.IntVar(&s.Iterations, "enn-iterations", 0, "")
	flags.StringVar(&s.Weights, "item-weights", string(model.WeightsAuto), "")
	flags.BoolVar(&s.Paper, "paper", false, "")
	flags.StringVar(&s.Refine, "refine", refineAuto, "")
	return flags
}

// ParseSettings reads the flags of fits.
func ParseSettings(args []string) (Settings, error) {
	var s Settings
	flags := s.flags()
	if err := flags.Parse(args); err != nil {
		return s, fmt.Errorf("after --: %w", err)
	}
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("after --: %q is not a flag of a fit", flags.Arg(0))
	case s.MinDF < 0 || s.Passes < 0 || s.Iterations < 0:
		return s, errors.New("after --: numbers cannot be negative")
	case s.Weights != string(model.WeightsAuto) && s.Weights != string(model.WeightsIDF) && s.Weights != string(model.WeightsNone):
		return s, fmt.Errorf("after --: --item-weights is %q: it must be auto, idf or none", s.Weights)
	case s.Refine != refineAuto && s.Refine != refineNone:
		return s, fmt.Errorf("after --: --refine is %q: it must be auto or none", s.Refine)
	}
	return s, nil
}

// withDefaults adds the default that differs from that of `anchorage fit`, so that records name it.
func withDefaults(args []string) []string {
	var s Settings
	flags := s.flags()
	if err := flags.Parse(args); err != nil || flags.Changed("min-df") {
		return args
	}
	return append([]string{"--min-df", "1"}, args...)
}

// options returns the options of model.Fit.
func (s *Settings) options(topics int, run *model.Run) model.Options {
	var o model.Options
	o.Sketch.ItemWeights = model.ItemWeights(s.Weights)
	if s.Paper {
		o = model.Published(model.LRJSMF)
	}
	o.Topics, o.Seed, o.Run = topics, 1, run
	if s.Passes > 0 || !s.Paper {
		o.Sketch.Passes = s.Passes
	}
	if s.Refine == refineNone {
		o.Refine.Passes = model.NoRefinement
	}
	if s.Iterations > 0 {
		o.Rectify.Iterations = s.Iterations
	}
	return o
}

// Fit reads an Order and fits the model that it asks for. The process is there for this alone.
func Fit(ctx context.Context, in io.Reader) (err error) {
	var order Order
	if err := json.NewDecoder(in).Decode(&order); err != nil {
		return fmt.Errorf("only `bench scale` runs this command: %w", err)
	}
	settings, err := ParseSettings(order.Flags)
	if err != nil {
		return err
	}
	_, tuned := os.LookupEnv("GOGC")
	run := &model.Run{Workers: order.Workers, OwnsProcess: true, TunesCollector: !tuned}
	out, err := model.Create(ctx, order.Output, run)
	if err != nil {
		return err
	}
	defer out.Abort()
	if run.SpillDir, err = out.Scratch(); err != nil {
		return err
	}
	end := run.Stage("read")
	defer end()
	shards, err := shard.Discover(ctx, order.Shards, shard.Options{})
	if err != nil {
		return err
	}
	source := corpus.Options{MinItems: 3, MinTokens: 5, Dir: run.SpillDir, Workers: order.Workers, Passes: settings.Passes,
		Pruning: corpus.Pruning{MinDF: settings.MinDF, MaxDFRatio: 0.5}}
	docs, err := stream.Open(ctx, shards, source)
	if err != nil {
		return err
	}
	end()
	defer func() { err = errors.Join(err, docs.Close()) }()
	fitted, err := model.Fit(ctx, docs, settings.options(order.Topics, run))
	if err != nil {
		return err
	}
	return fitted.SaveTo(out)
}
