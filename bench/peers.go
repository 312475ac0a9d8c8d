// This file holds the command that runs other programs beside ours.

package main

import (
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bench/internal/beside"
	"anchorage/bench/internal/report"
)

func (p *program) peersCommand() *cobra.Command {
	var grid beside.Grid
	var output, limit, readme string
	var rewrite bool
	cmd := &cobra.Command{
		Use:   "peers",
		Short: "Run other programs on the same documents until each fails",
		Long: `Peers runs our program and others on the same documents and items, over vocabularies and numbers of topics:
scikit-learn, gensim, SciPy, NumPy, irlba, RcppML and NMF of R, and the authors' program under Octave. It measures
seconds and processor time by stage, memory, disk, and the quality of topics: NPMI and diversity as eval has them,
document completion, the error on drawn corpora, agreement with labels, and baskets' held-out items.

bash bench/peers/install installs the other programs, as far as the system has them. A system that is not available is
recorded as such, with a warning, and is looked for again by the next command. A system that was out of memory or time
is not tried with more items or topics.

The corpora are folders of --data, and drawn: drawn corpora have as many items as the vocabulary says, and a known
truth. A folder may hold labels.csv, with the columns item and label.

The folder of -o keeps a row per run, in runs.csv. A run with a row is not made again. A command that is interrupted, or
whose --budget is spent, goes on where it was. README.md and the charts show all runs of the folder.

--readme FILE writes a table and two charts of wiki into FILE, between the lines <!-- peers … --> and <!-- /peers -->.`,
		Example: `  go run ./bench peers --data DATA -o results --corpora kos --vocabulary 2000,0 -k 25 --time-limit 5m --memory-limit 4GB
  go run ./bench peers -o results --corpora drawn --vocabulary 5000 --peers anchorage,sklearn-nmf
  go run ./bench peers -o bench/results/peers --rewrite --readme docs/peers.md`,
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			bytes, err := humanize.ParseBytes(limit)
			if err != nil || bytes > math.MaxInt64 {
				return &usageError{fmt.Errorf("--memory-limit is %q: it must be a size, such as 8GB", limit)}
			}
			grid.MemoryLimit = int64(bytes)
			if err := grid.Check(); err != nil && !rewrite {
				return &usageError{err}
			}
			grid.Workers, grid.Log, grid.Stderr = p.workers, p.log, p.stderr
			left, err := 0, error(nil)
			if rewrite {
				err = beside.Rewrite(output)
			} else {
				left, err = grid.Write(cmd.Context(), output)
			}
			if err != nil {
				return &keptError{"the same command goes on from the runs in " + output, err}
			}
			if left > 0 {
				p.log.Warn("the budget is spent; the same command goes on", "left", left)
			}
			if readme != "" {
				if err := beside.WriteSummary(readme, output); err != nil {
					return err
				}
			}
			return p.wrote(output)
		}),
	}
	outputFlag(cmd.Flags(), &output, seriesFolder)
	cmd.Flags().StringVar(&limit, "memory-limit", "0", "memory that a run may take, such as 8GB; 0 for any. anchorage gets it as its own --memory-limit")
	cmd.Flags().StringVar(&readme, "readme", "", "file whose marked part shows the table and charts of the folder of -o")
	cmd.Flags().BoolVar(&rewrite, "rewrite", false, "make no runs: write README.md and charts of the folder of -o anew")
	addPeersFlags(cmd.Flags(), &grid)
	return cmd
}

func addPeersFlags(flags *pflag.FlagSet, g *beside.Grid) {
	flags.DurationVar(&g.Budget, "budget", 0, "how long all runs together may take; 0 for any time")
	flags.DurationVar(&g.TimeLimit, "time-limit", time.Hour, "how long a run may take; 0 for any time")
	flags.StringSliceVar(&g.Data, "data", nil, "folders with a folder of shards per corpus")
	flags.StringSliceVar(&g.Corpora, "corpora", []string{"nips", "kos", "retail", "wiki", "reddit", beside.Drawn}, "names of folders in it, and "+beside.Drawn)
	flags.IntSliceVar(&g.Vocabularies, "vocabulary", []int{5000, 20000, 100000, 0}, "vocabularies: at most so many items, those of greatest tf·idf; 0 for all")
	flags.Int64Var(&g.MinDF, "min-df", 1, "of items in at least so many documents")
	flags.IntSliceVarP(&g.Topics, "topics", "k", []int{50, 100, 200}, "numbers of topics")
	flags.StringSliceVar(&g.Systems, "peers", beside.Systems(), "systems, each a program with one setting")
	flags.IntVar(&g.Repeats, "repeats", 3, "runs of each, with the seeds 1, 2, …")
	flags.IntVar(&g.Threads, "threads", 2, "threads of each system")
	flags.StringVar((*string)(&g.Again), "again", string(report.AgainNone), "runs that are made again although they have a row: none, failed or all")
	flags.StringVar(&g.Programs.Python, "python", "/usr/bin/python3", "interpreter of Python")
	flags.StringVar(&g.Programs.R, "rscript", "Rscript", "interpreter of R")
	flags.StringVar(&g.Programs.Octave, "octave", "octave-cli", "interpreter of Octave")
	flags.StringVar(&g.JSMF, "jsmf", "", "folder codes of the authors' program, a clone of github.com/moontae/JSMF")
	flags.StringVar(&g.Scratch, "spill-dir", "", "folder for temporary files; the system's if not given")
}
