// This file holds the plan command: what a fit will take, before it takes it.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"anchorage/internal/objects"
	"anchorage/model/fit"
	"anchorage/model/plan"
	"anchorage/stream"
)

// These are variables so that tests can measure less.
var (
	// calibrationTime is about how long the plan command measures the machine.
	calibrationTime = 2 * time.Second
	// foretoldBytes is the least size of the shards from which fit says beforehand what it will take: less is read at
	// once.
	foretoldBytes int64 = 8 << 20
)

func (p *program) planCommand() *cobra.Command {
	var f fitFlags
	var folderOf string
	var cluster clusterFlags
	cmd := &cobra.Command{
		Use:   "plan [SHARD...]",
		Short: "Say what memory, disk and time a fit will take",
		Long: `Plan reads footers and a sample of the documents, about four million entries, measures for two seconds how
fast this machine computes and writes, and says what fit with the same flags will take: documents, entries and items,
with bounds for what the sample cannot tell; memory and disk; passes over the documents, and minutes. If the run will
not fit into --memory-limit, or into the free disk of --folder, plan ends with code 12.

The minutes are those of the machine as busy as it is now. Bounds hold in about nineteen of twenty cases.

With --ranks, it forecasts what each of several such machines takes that share a fit; what they send to each other comes
on top. With --assume-items and --assume-entries in place of shards, it forecasts a fit of documents that you do not have
yet.`,
		Example: `  anchorage plan shards/ -k 100
  anchorage plan shards/ -k 100 --memory-limit 4GiB --json
  anchorage plan shards/ -k 200 --ranks 16
  anchorage plan --assume-items 1e8 --assume-entries 1e10 -k 200 --ranks 64`,
		Args: cobra.ArbitraryArgs,
		RunE: started(func(ctx context.Context, args []string) error { return f.plan(ctx, p, folderOf, &cluster, args) }),
	}
	return p.with(cmd, f.rows(cmd.Flags(), topicsRow(&f.learning.Topics)), cluster.rows(),
		[]row{{name: "folder", group: memoryGroup, effect: local, to: &folderOf,
			usual: ".", values: workFolder, help: "folder of the model and the copy, whose disk is measured"}})
}

// plan prints what a fit of the documents of args takes.
func (f *fitFlags) plan(ctx context.Context, p *program, folder string, cluster *clusterFlags, args []string) error {
	if err := cluster.check(args); err != nil {
		return err
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	options.Run = p.newRun()
	options.Run.MemoryLimit = f.source.limit.chosen()
	planned, rates, err := f.planned(ctx, p, folder, cluster, options, args)
	if err != nil {
		return err
	}
	free, known := p.free(folder)
	if !known {
		free = -1
	}
	value := map[string]any{"plan": planned, "rates": rates, "free_disk_bytes": free}
	if err := p.print(value, func(w io.Writer) { printPlan(w, planned, free) }); err != nil {
		return err
	}
	if planned.Refusal != nil {
		return planned.Refusal
	}
	// The copy of the documents is gone before the model is written.
	return p.room("the fit", folder, max(planned.ScratchBytes, planned.OutputBytes), "choose a larger disk with --folder")
}

// planned returns the plan of shards, or of sizes in their place, and the rates of this machine.
func (f *fitFlags) planned(ctx context.Context, p *program, folder string, cluster *clusterFlags, options fit.Options,
	args []string) (*plan.Plan, plan.Rates, error) {
	if len(args) == 0 {
		rates, err := plan.Calibrate(ctx, options.Topics, p.workers, calibrationTime)
		if err != nil {
			return nil, rates, err
		}
		planned, err := plan.OfSizes(cluster.sizes, options, rates, cluster.ranks)
		return planned, rates, err
	}
	from, err := f.source.source(ctx, p, args, f.source.scratch(folder))
	if err != nil {
		return nil, plan.Rates{}, err
	}
	sample, err := stream.Sample(ctx, from.shards, 0, p.workers)
	if err != nil {
		return nil, plan.Rates{}, err
	}
	rates, err := plan.Calibrate(ctx, options.Topics, p.workers, calibrationTime)
	if err != nil {
		return nil, rates, err
	}
	planned, err := plan.New(sample, from.Options, options, rates, cluster.ranks)
	return planned, rates, err
}

// printPlan prints a plan for people.
func printPlan(w io.Writer, p *plan.Plan, free int64) {
	fmt.Fprintf(w, "%s\n\n%-10s %12s %12s %12s", p.Lines(), "stage", "memory MiB", "seconds", "CPU s")
	fmt.Fprintln(w)
	for _, s := range p.Stages {
		fmt.Fprintf(w, "%-10s %12d %12.1f %12.1f", s.Stage, s.MemoryBytes>>20, s.Seconds, s.CPU)
		fmt.Fprintln(w)
	}
	if p.Ranks > 1 {
		fmt.Fprintf(w, "\nMemory and time are of one of %d ranks, without what they send to each other.\n", p.Ranks)
	}
	if p.Limit > 0 {
		fmt.Fprintf(w, "\nThe run may take %d MiB of memory.", p.Limit>>20)
	}
	if free >= 0 {
		fmt.Fprintf(w, " %d MiB of disk are free.", free>>20)
	}
	fmt.Fprintln(w)
}

const (
	// foretoldSample is the number of entries from which fit says beforehand what it will take.
	foretoldSample = 1 << 20
	// foretoldCalibration is about how long it measures the machine.
	foretoldCalibration = 400 * time.Millisecond
)

// foretell says what a fit will take before it starts, in three lines, on a terminal or in the log. What cannot be told
// in a moment is not: shards of a store or of standard input, and tables that are sorted first. Errors are left to the
// fit.
func (f *sourceFlags) foretell(ctx context.Context, p *program, from documents, options fit.Options) {
	bytes := int64(0)
	for _, s := range from.shards {
		if objects.IsURL(s.Path) || s.Path == "-" {
			return
		}
		bytes += s.Size
	}
	if bytes < foretoldBytes || p.quiet || f.shard.Group {
		return
	}
	sample, err := stream.Sample(ctx, from.shards, foretoldSample, p.workers)
	if err != nil {
		return
	}
	rates, err := plan.Calibrate(ctx, options.Topics, p.workers, foretoldCalibration)
	if err != nil {
		return
	}
	if planned, err := plan.New(sample, from.Options, options, rates, 1); err == nil {
		p.tellPlan(planned)
	}
}

// tellPlan says a plan: on a terminal in three lines, else in the log.
func (p *program) tellPlan(planned *plan.Plan) {
	p.estimate = newEstimate(planned, p.now)
	if p.pace != nil {
		p.pace.estimate = p.estimate
	}
	if p.bar != nil {
		p.bar.close()
		p.bar.estimate = p.estimate
		fmt.Fprintln(p.stderr, planned.Lines())
		return
	}
	e := planned.Corpus
	p.log.Info("plan", "documents", e.Documents.Estimate, "entries", e.Entries.Estimate, "items_seen", e.Items.Estimate,
		"items_kept", e.Kept.Estimate,
		"items_kept_low", e.Kept.Low, "items_kept_high", e.Kept.High)
	p.log.Info("plan", "memory_bytes", int64(planned.MemoryBytes.Estimate), "peak", planned.Peak, "scratch_bytes",
		planned.ScratchBytes, "output_bytes", planned.OutputBytes)
	p.log.Info("plan", "seconds", planned.Seconds.Estimate, "seconds_low", planned.Seconds.Low, "seconds_high",
		planned.Seconds.High,
		"cpu_seconds", planned.CPUSeconds.Estimate, "passes", planned.Passes)
}

// clusterFlags are the ranks of a plan, and the sizes of a corpus in place of shards.
type clusterFlags struct {
	ranks int
	sizes plan.Sizes
}

func (f *clusterFlags) rows() []row {
	return []row{
		{name: "ranks", group: memoryGroup, to: &f.ranks, usual: "1", values: wholes(1, mostRanks),
			help: "processes that share the fit, one for each of such machines"},
		{name: "assume-items", group: inputGroup, to: &f.sizes.Items, values: reals(0, mostNumbered),
			help: "items that are kept, for a plan without shards"},
		{name: "assume-entries", group: inputGroup, to: &f.sizes.Entries, values: reals(0, 1e15),
			help: "distinct items of all documents together, for a plan without shards"},
	}
}

// check refuses sizes that say too little, or that are given beside shards.
func (f *clusterFlags) check(shards []string) error {
	s := &f.sizes
	sized := s.Items > 0 || s.Entries > 0
	switch {
	case sized && len(shards) > 0:
		return &usageError{errors.New("--assume-items and --assume-entries are for a plan without shards: leave them or " +
			"the shards out")}
	case !sized && len(shards) == 0:
		return &usageError{errors.New("name shards, or their sizes with --assume-items and --assume-entries")}
	case sized && (s.Items < 1 || s.Entries < s.Items):
		return &usageError{errors.New("--assume-items and --assume-entries are needed for a plan without shards, and there " +
			"are at least as many entries as items")}
	}
	if sized {
		s.Documents = max(s.Entries/100, 1)
	}
	return nil
}
