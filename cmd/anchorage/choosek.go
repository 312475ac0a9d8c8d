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

	"anchorage/model/choose"
	"anchorage/model/fit"
)

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
var shownFigures = []string{"topics", "above_noise", "log_likelihood", "npmi", "diversity",
	"thin", "duplicates"}

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
