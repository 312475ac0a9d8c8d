// This file holds the command that computes the tables and figures of the papers.

package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bench/internal/paper"
)

func (p *program) paperCommand() *cobra.Command {
	var (
		grid    paper.Grid
		reduced map[string]string
		output  string
	)
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Compute the tables and figures of the papers",
		Long: `Paper runs the pipelines of Lee, Cho, Dong, Mimno & Bindel (ICML 2021) and of Dong's thesis (Cornell, 2019) on the corpora of
the data folder.

  2        words and the anchors' hulls in the plane, before and after rectification, of the first corpus
  3        five pipelines (AP+AW, PALM+LAW, ENN+LAW, LR-JSMF, iPALM+LAW) and a growing number of topics; if asked for, a sixth,
           PALM-converged+LAW, which takes hours
  4        LR-JSMF and a growing vocabulary, with the panels of the thesis's Figure 4.2
  table1   topics of the text corpora, by prominent and characteristic words
  4.3      words that topics gain and lose as the vocabulary grows

The folder holds data/nips, data/retail, data/wiki and reference/, the vocabularies of the reference results. It may hold the
papers' other data sets: data/nytimes/docword.nytimes.txt.gz, data/movies/ratings.dat, data/songs/train.txt. A drawn corpus of
the same shape stands for each that it does not hold, and tables mark it. See docs/papers.md.

The full grid takes hours, most of them for AP, PALM and the full vocabulary of wiki. --reduced takes topics away from a corpus
or a pipeline, and --earlier goes on from the runs of other results.`,
		Example: `  go run ./bench paper --data DATA -o results --figures 3 --corpora nips --topics 5,10,25
  go run ./bench paper --data DATA -o more --earlier results --reduced AP+AW=5:10:25`,
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) (err error) {
			if err := needOutput(output); err != nil {
				return err
			}
			if grid.Data == "" {
				return &usageError{errors.New("--data must name the folder of the data")}
			}
			if grid.Reduced, err = parseReduced(reduced); err != nil {
				return &usageError{err}
			}
			if err := grid.Check(); err != nil {
				return &usageError{err}
			}
			grid.Workers, grid.Log = p.workers, p.log
			if err := grid.Write(cmd.Context(), output); err != nil {
				return err
			}
			return p.wrote(output)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &output, newFolder)
	addPaperFlags(flags, &grid)
	flags.StringToStringVar(&reduced, "reduced", nil, "a corpus or a pipeline with the only numbers of topics that it is run with, such as AP+AW=5:10:25")
	return cmd
}

func addPaperFlags(flags *pflag.FlagSet, grid *paper.Grid) {
	flags.StringVar(&grid.Data, "data", "", "folder that holds data/ and reference/ (required)")
	flags.StringSliceVar(&grid.Corpora, "corpora", paper.AllCorpora, "corpora")
	flags.StringSliceVar(&grid.Figures, "figures", paper.AllFigures, "tables and figures")
	flags.StringSliceVar(&grid.Pipelines, "pipelines", paper.AllPipelines, "pipelines of Figure 3")
	flags.IntSliceVar(&grid.Topics, "topics", paper.AllTopics, "numbers of topics")
	flags.IntSliceVar(&grid.GrowthTopics, "growth-topics", nil, "numbers of topics of Figure 4; those of --topics if not given")
	flags.IntSliceVar(&grid.Sizes, "sizes", paper.AllSizes, "vocabulary sizes of Figure 4; the full vocabulary comes on top")
	flags.IntVar(&grid.MaxItems, "max-items", 0, "leave larger vocabularies out of Figure 4, the full one too; 0 for no limit")
	flags.IntVar(&grid.Seeds, "seeds", paper.AllSeeds, "seeds that the randomised pipeline is run with")
	flags.IntVar(&grid.GrowthSeeds, "growth-seeds", 0, "seeds of Figure 4; as many as --seeds if not given")
	flags.StringVar(&grid.Stopwords, "stop-words", "", "file of words that the tables of words leave out, one a line, such as the authors' own")
	flags.Float64Var(&grid.Share, "share", 0, "share of the documents and items of drawn stand-ins; 0 for all")
	flags.StringSliceVar(&grid.Earlier, "earlier", nil, "folders of earlier results, whose runs are taken over rather than made again")
}

// parseReduced reads numbers of topics with colons between them.
func parseReduced(flags map[string]string) (map[string][]int, error) {
	reduced := make(map[string][]int)
	for name, list := range flags {
		reduced[name] = []int{}
		for word := range strings.SplitSeq(list, ":") {
			k, err := strconv.Atoi(word)
			if err != nil {
				return nil, fmt.Errorf("--reduced %s=%s: %q is not a number of topics", name, list, word)
			}
			reduced[name] = append(reduced[name], k)
		}
	}
	return reduced, nil
}
