// This file holds the command that computes the tables and figures of the papers.

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bench"
)

func (p *program) benchPaperCommand() *cobra.Command {
	var (
		paper   bench.Paper
		reduced map[string]string
		output  string
	)
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Compute the tables and figures of the papers",
		Long: `Paper runs the pipelines of Lee, Cho, Bindel & Mimno (ICML 2021) and of Dong's thesis (Cornell, 2019) on the corpora of
the data folder and writes tables (Parquet, CSV, Markdown), charts (SVG) and a README.md that says how they were made.

  3        four pipelines (AP+AW, PALM+LAW, ENN+LAW, LR-JSMF) and a growing number of topics
  4        LR-JSMF and a growing vocabulary
  table1   topics of the text corpora, by prominent and characteristic words
  4.3      words that topics gain and lose as the vocabulary grows

The folder holds data/nips, data/retail, data/wiki and reference/, the vocabularies of the reference results. The full grid
takes hours, most of them for AP, PALM and the full vocabulary of wiki: --reduced takes topics away from a corpus or a
pipeline, and --earlier goes on from results that are there.`,
		Example: `  anchorage bench paper --data DATA -o results --figures 3 --corpora nips --topics 5,10,25
  anchorage bench paper --data DATA -o more --earlier results --reduced AP+AW=5:10:25`,
		Args: cobra.NoArgs,
		RunE: started(func(ctx context.Context, _ []string) (err error) {
			if err := needOutput(output); err != nil {
				return err
			}
			if paper.Data == "" {
				return &usageError{errors.New("where is the data? say so with --data")}
			}
			if paper.Reduced, err = parseReduced(reduced); err != nil {
				return &usageError{err}
			}
			if err := paper.Check(); err != nil {
				return &usageError{err}
			}
			dir, err := p.create(ctx, output)
			if err != nil {
				return err
			}
			defer dir.Abort()
			paper.Workers, paper.Log = p.workers, p.log
			if err := paper.Write(ctx, dir); err != nil {
				return err
			}
			fmt.Fprintf(p.stdout, "Wrote tables and charts to %s; README.md there says what they are.\n", output)
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	outputFlag(flags, &output, "the results, a directory")
	addPaperFlags(flags, &paper)
	flags.StringToStringVar(&reduced, "reduced", nil, "a corpus or a pipeline with the only numbers of topics that it is run with, such as AP+AW=5:10:25")
	return cmd
}

func addPaperFlags(flags *pflag.FlagSet, paper *bench.Paper) {
	flags.StringVar(&paper.Data, "data", "", "folder that holds data/ and reference/ (required)")
	flags.StringSliceVar(&paper.Corpora, "corpora", bench.PaperCorpora, "corpora")
	flags.StringSliceVar(&paper.Figures, "figures", bench.PaperFigures, "tables and figures")
	flags.StringSliceVar(&paper.Pipelines, "pipelines", bench.PaperPipelines, "pipelines of Figure 3")
	flags.IntSliceVar(&paper.Topics, "topics", bench.PaperTopics, "numbers of topics")
	flags.IntSliceVar(&paper.GrowthTopics, "growth-topics", nil, "numbers of topics of Figure 4; those of --topics if not given")
	flags.IntSliceVar(&paper.Sizes, "sizes", bench.PaperSizes, "vocabulary sizes of Figure 4; the full vocabulary comes on top")
	flags.IntVar(&paper.MaxItems, "max-items", 0, "leave larger vocabularies out of Figure 4, the full one too; 0 for no limit")
	flags.IntVar(&paper.Seeds, "seeds", bench.PaperSeeds, "seeds that the randomised pipeline is run with")
	flags.IntVar(&paper.GrowthSeeds, "growth-seeds", 0, "seeds of Figure 4; as many as --seeds if not given")
	flags.StringSliceVar(&paper.Earlier, "earlier", nil, "folders of earlier results, whose runs are taken over rather than made again")
}

// parseReduced reads numbers of topics with colons between them.
func parseReduced(flags map[string]string) (map[string][]int, error) {
	reduced := make(map[string][]int)
	for name, list := range flags {
		reduced[name] = []int{}
		for word := range strings.SplitSeq(list, ":") {
			k, err := strconv.Atoi(word)
			if err != nil {
				return nil, fmt.Errorf("--reduced %s=%s: %q is no number of topics", name, list, word)
			}
			reduced[name] = append(reduced[name], k)
		}
	}
	return reduced, nil
}
