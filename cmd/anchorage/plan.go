// This file holds the commands that come before a fit: plan, what it will take, and choose-k, how many topics
// documents show and what other numbers would give.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	"anchorage/model/choose"
	"anchorage/model/fit"
	"anchorage/model/plan"
	"anchorage/stream"
)

func (p *program) planCommand() *cobra.Command {
	var f fitFlags
	var folderOf string
	var cluster clusterFlags
	return p.command("plan", cobra.ArbitraryArgs, func(ctx context.Context, args []string) error {
		return f.plan(ctx, p, folderOf, &cluster, args)
	}, f.rows(fitTopicsRow(&f.learning.Topics)), cluster.rows(), []row{memoryGroup.flag("folder", &folderOf, workFolder,
		"folder of the model and the copy, whose disk is measured").by(".").does(local)})
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
	if f.learning.Topics == autoTopics {
		options.Topics = choose.DefaultTo // the most that may be chosen
	}
	options.Run = p.newRun()
	options.Run.MemoryLimit, options.Run.SpillDir = f.source.limit.chosen(), folder
	var planned *plan.Plan
	if len(args) == 0 {
		planned, err = plan.OfSizes(cluster.sizes, options, cluster.ranks)
	} else {
		var from documents
		if from, err = f.source.source(ctx, p, args, cmp.Or(f.source.spillDir, folder)); err == nil {
			planned, err = p.forecast(ctx, from, options, cluster.ranks)
		}
	}
	if err != nil {
		return err
	}
	free, known := p.free(folder)
	if !known {
		free = -1
	}
	value := map[string]any{"plan": planned, "free_disk_bytes": free}
	if err := p.print(value, func(w io.Writer) {
		printPlan(w, planned, free)
		if f.learning.Topics == autoTopics {
			printf(w, "It is the plan of %d topics, the most that -k auto may take; choose-k says how many it takes.\n",
				options.Topics)
		}
	}); err != nil {
		return err
	}
	if planned.Refusal != nil {
		return planned.Refusal
	}
	// The copy of the documents and the basis are gone before the model is written.
	most := max(planned.ScratchBytes+planned.BasisBytes, planned.OutputBytes)
	return p.room("the fit", folder, most, "choose a larger disk with --folder")
}

// forecast returns the plan of a fit from a sample of its documents.
func (p *program) forecast(ctx context.Context, from documents, options fit.Options, ranks int) (*plan.Plan, error) {
	sample, err := stream.Sample(ctx, from.shards, 0, p.workers)
	if err != nil {
		return nil, err
	}
	return plan.New(sample, from.Options, options, ranks)
}

// printPlan prints a plan for people.
func printPlan(w io.Writer, p *plan.Plan, free int64) {
	fmt.Fprintf(w, "%s\n\n%-10s %12s %12s %12s\n", planLines(p), "stage", "memory MiB", "seconds", "CPU s")
	for _, s := range p.Stages {
		fmt.Fprintf(w, "%-10s %12d %12.1f %12.1f\n", s.Stage, s.MemoryBytes>>20, s.Seconds, s.CPU)
	}
	if p.Ranks > 1 {
		fmt.Fprintf(w, "\nMemory and time are of one of %d ranks, without what they send to each other.\n", p.Ranks)
	}
	if p.Limit > 0 {
		fmt.Fprintf(w, "\nThe limit of memory here is %d MiB.", p.Limit>>20)
	}
	if free >= 0 {
		fmt.Fprintf(w, " %d MiB of disk are free.", free>>20)
	}
	fmt.Fprintln(w)
}

// planLines returns a plan in three lines: what will be learned from, memory and disk, and time.
func planLines(p *plan.Plan) string {
	e := p.Corpus
	memory := fmt.Sprintf("%s at the peak, in the stage %s", mebibytes(int64(p.MemoryBytes.Estimate)), p.Peak)
	if p.Refusal != nil {
		memory += fmt.Sprintf(", which is more than the limit of %s", mebibytes(p.Limit))
	}
	if p.Ranks > 1 {
		memory = "of a rank " + memory
	}
	basis := ""
	if p.BasisBytes > 0 {
		basis = ", " + mebibytes(p.BasisBytes) + " for a basis that memory has no room for"
	}
	return fmt.Sprintf("%s documents with %s entries and %s items, of which %s are kept\n"+
		"memory %s; disk %s for a copy of the documents%s and %s for the model\n"+
		"time   about %s (%s to %s), %s of a processor, in %d passes",
		estimate(e.Documents), estimate(e.Entries), estimate(e.Items), estimate(e.Kept), memory, mebibytes(p.ScratchBytes),
		basis, mebibytes(p.OutputBytes), spanOf(p.Seconds.Estimate), spanOf(p.Seconds.Low), spanOf(p.Seconds.High),
		spanOf(p.CPUSeconds.Estimate), p.Passes)
}

// mebibytes formats a size for people.
func mebibytes(bytes int64) string { return fmt.Sprintf("%d MiB", (bytes+1<<19)>>20) }

// estimate formats an interval for people.
func estimate(i corpus.Interval) string {
	if i.Known() {
		return fmt.Sprintf("%.0f", i.Estimate)
	}
	return fmt.Sprintf("about %.3g (%.3g to %.3g)", i.Estimate, i.Low, i.High)
}

// spanOf formats seconds for people.
func spanOf(seconds float64) string {
	switch {
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// clusterFlags are the ranks of a plan, and the sizes of a corpus in place of shards.
type clusterFlags struct {
	ranks int
	sizes plan.Sizes
}

func (f *clusterFlags) rows() []row {
	return []row{
		memoryGroup.flag("ranks", &f.ranks, wholes(1, mostRanks),
			"processes that share the fit, one for each of such machines").by("1"),
		expert("assume-items", &f.sizes.Items, reals(0, mostNumbered), "items that are kept, for a plan without shards"),
		expert("assume-entries", &f.sizes.Entries, reals(0, 1e15),
			"pairs of a document and an item in it, for a plan without shards"),
	}
}

// check refuses sizes that say too little, or that are given beside shards.
func (f *clusterFlags) check(shards []string) error {
	s := &f.sizes
	sized := s.Items > 0 || s.Entries > 0
	switch {
	case sized && len(shards) > 0:
		return &usageError{errors.New("--set assume-items and assume-entries are for a plan without shards: leave " +
			"them or the shards out")}
	case !sized && len(shards) == 0:
		return &usageError{errors.New("name shards, or their sizes with --set assume-items=N --set assume-entries=N")}
	case sized && (s.Items < 1 || s.Entries < s.Items):
		return &usageError{errors.New("--set assume-items and assume-entries are needed for a plan without shards, " +
			"and there are at least as many entries as items")}
	}
	if sized {
		s.Documents = max(s.Entries/100, 1)
	}
	return nil
}

func (p *program) chooseCommand() *cobra.Command {
	var source sourceFlags
	var o choose.Options
	var output string
	return p.command("choose-k", cobra.MinimumNArgs(1), stage(p, choose.Kind, &output, func(ctx context.Context,
		w work) (*choose.Choice, error) {
		if o.From > o.To {
			return nil, &usageError{fmt.Errorf("--from is %d, which is more than --to, %d", o.From, o.To)}
		}
		o.Model.Topics, o.Model.Run = o.To, w.run
		if err := o.Check(); err != nil {
			return nil, err
		}
		docs, err := source.read(ctx, p, w, 0)
		if err != nil {
			return nil, err
		}
		defer p.closeDocuments(docs)
		return choose.Topics(ctx, docs, o)
	}, p.printChoice), []row{outputRow(&output, "the choice, a folder"), p.replaceRow(),
		topicsGroup.flag("from", &o.From, wholes(leastTopics, fit.MostTopics),
			"the least number of topics").by(strconv.Itoa(choose.DefaultFrom)),
		topicsGroup.flag("to", &o.To, wholes(leastTopics, fit.MostTopics),
			"the greatest number of topics").by(strconv.Itoa(choose.DefaultTo)), expert("steps", &o.Steps, wholes(1, 1000),
			"how many numbers to try from --from to --to, besides the recommended one").by(strconv.Itoa(choose.DefaultSteps)),
		weightsRow(&o.Model.Sketch.ItemWeights), seedRow(&o.Model.Seed)}, source.corpusRows(), []row{source.diskRow()})
}

// shownFigures are the columns that stdout has room for; the others are in the files.
var shownFigures = []string{"topics", "above_noise", "log_likelihood", "npmi", "diversity", "thin", "duplicates"}

// printChoice prints the recommendation and a table, in which a star marks the recommended number.
func (p *program) printChoice(c *choose.Choice, output string) error {
	return p.print(map[string]any{"output": output, "choice": c}, func(w io.Writer) {
		printAccount(w, c.Manifest.Corpus, c.Manifest.Skipped)
		header, rows := c.Table()
		for r, cells := range append([][]string{header}, rows...) {
			line := ""
			for i, column := range header {
				if slices.Contains(shownFigures, column) {
					line += fmt.Sprintf("%*s", max(len(column), 9)+2, cells[i])
				}
			}
			if r > 0 && c.Candidates[r-1].Topics == c.Topics {
				line += "  *"
			}
			printf(w, "%s\n", strings.TrimRight(line, " "))
		}
		printf(w, "\n%s\n", c.Sentence())
		printf(w, "%s\nAll figures are in %s\n", c.Learned(), output)
		p.printNext(w, fmt.Sprintf("fit SHARD... -k %d -o model", c.Topics))
	})
}
