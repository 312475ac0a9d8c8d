// This file holds the choose-k command: how many topics documents show, and what other numbers would give.

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/model"
	"anchorage/model/choose"
	"anchorage/model/fit"
)

// chooseFlags say among which numbers to choose.
type chooseFlags struct {
	source          sourceFlags
	from, to, steps int
	seed            uint64
	weights         fit.ItemWeights
}

func (f *chooseFlags) rows(flags *pflag.FlagSet) []row {
	return slices.Concat([]row{
		{name: "from", group: topicsGroup, to: &f.from, usual: strconv.Itoa(choose.DefaultFrom),
			values: wholes(leastTopics, fit.MostTopics), help: "the least number of topics"},
		{name: "to", group: topicsGroup, to: &f.to, usual: strconv.Itoa(choose.DefaultTo),
			values: wholes(leastTopics, fit.MostTopics), help: "the greatest number of topics"},
		{name: "steps", layer: setting, to: &f.steps, usual: strconv.Itoa(choose.DefaultSteps), values: wholes(1, 1000),
			help: "numbers that are solved between the two, besides the recommended one"},
		weightsRow(&f.weights), seedRow(&f.seed),
	}, f.source.of(flags).corpusRows(), []row{f.source.diskRow()})
}

// options returns the options of the choice.
func (f *chooseFlags) options(run *fit.Run) (choose.Options, error) {
	o := choose.Options{From: f.from, To: f.to, Steps: f.steps}
	if f.from > f.to {
		return o, &usageError{fmt.Errorf("--from is %d, which is more than --to, %d", f.from, f.to)}
	}
	o.Model = fit.Options{Topics: f.to, Seed: f.seed, Run: run}
	o.Model.Sketch.ItemWeights = f.weights
	return o, o.Check()
}

func (p *program) chooseCommand() *cobra.Command {
	var f chooseFlags
	var output string
	cmd := &cobra.Command{
		Use:   "choose-k SHARD...",
		Short: "Say how many topics documents show",
		Long: `Choose-k recommends a number of topics: as many as the co-occurrences of items have eigenvalues above
the noise of the sample. It gives an interval and the reason. To let you judge, it also solves several numbers
of topics from one sketch, without refining them, and measures for each how likely held-out documents are, how
coherent, diverse and stable topics are, how many rest on little, and how well the method did.

The directory of -o has the figures as choose.csv, choose.parquet and choose.json, and index.html with charts
for readers. fit -k auto takes the recommended number.`,
		Example: `  anchorage choose-k shards/ -o choice
  anchorage choose-k shards/ --from 20 --to 100 -o choice`,
		Args: cobra.MinimumNArgs(1),
		RunE: stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output,
			args []string) (*choose.Choice, error) {
			options, err := f.options(run)
			if err != nil {
				return nil, err
			}
			docs, err := f.source.read(ctx, p, run, out, args, 0, nil)
			if err != nil {
				return nil, err
			}
			defer p.closeDocuments(docs)
			return choose.Topics(ctx, docs, options)
		}, p.printChoice),
	}
	return p.with(cmd, []row{outputRow(&output, "the choice, a folder"), p.replaceRow()}, f.rows(cmd.Flags()))
}

// shownFigures are the columns that stdout has room for; the others are in the files.
var shownFigures = []string{"topics", "above_noise", "explained", "log_likelihood", "npmi", "diversity", "stable",
	"thin", "duplicates"}

// printChoice prints the recommendation and a table.
func (p *program) printChoice(c *choose.Choice, output string) error {
	return p.print(map[string]any{"output": output, "choice": c}, func(w io.Writer) {
		printAccount(w, c.Manifest.Corpus, c.Manifest.Skipped)
		header, rows := c.Table()
		var at []int
		for _, name := range shownFigures {
			for i, column := range header {
				if column == name {
					at = append(at, i)
				}
			}
		}
		line := func(cells []string, mark string) {
			var b strings.Builder
			for _, i := range at {
				fmt.Fprintf(&b, "%*s", max(len(header[i]), 6)+2, cells[i])
			}
			printf(w, "%s%s\n", b.String(), mark)
		}
		line(header, "")
		for i, row := range rows {
			mark := ""
			if c.Candidates[i].Topics == c.Topics {
				mark = "  *"
			}
			line(row, mark)
		}
		printf(w, "\n%s\n%s\nAll figures are in %s\n", c.Sentence(), c.Learned(), output)
	})
}
