// This file holds the command that makes the whole set of results, part by part.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
)

// part is a command line of the set. DATA in it stands for the folder of the data, and RESULTS for the part's own folder.
type part struct {
	folder string // in that of all results
	line   string
	quick  string // the same in seconds, on drawn data
}

// series says that a part goes on from the runs in its folder.
func (p part) series() bool {
	return slices.ContainsFunc([]string{"choose ", "refine ", "scale ", "topics ", "truth "}, func(name string) bool { return strings.HasPrefix(p.line, name) })
}

// The methods that are compared on all drawn corpora but the largest one, and on that one. What is left out there takes hours.
const (
	recovery = "floor,posterior,default,no-refine,prediction,equal-weights,published,joined,joined-batch,lda,lda-10,lda-batch," +
		"sklearn-lda,sklearn-lda-online,sklearn-nmf,gensim-lda,gensim-nmf"
	largest = "floor,posterior,default,no-refine,prediction,equal-weights,published,joined,lda,lda-10,sklearn-nmf"
)

// parts is the set, as bench/results has it.
var parts = []part{
	{"kernels", "kernels -o RESULTS",
		"kernels -o RESULTS --runs 1 --least 1ms --items 300 --chosen 100 -k 10 --table-bytes 100000 --columns 16 --sketch-items 500 --documents 100 --orders 20 --problems 100 --anchor-topics 5"},
	{"read", "read DATA/read/parquet-int32 DATA/read/parquet-strings DATA/read/arrow-int32 DATA/read/docword DATA/read/baskets DATA/read/csv DATA/read/jsonl DATA/read/libsvm DATA/read/ldac DATA/read/mtx DATA/read/vw -o RESULTS",
		"read DATA/data/wiki -o RESULTS --least 1ms"},
	{"similar", "similar DATA/data/retail DATA/data/nips/docword.nips.txt.gz DATA/data/wiki -o RESULTS",
		"similar DATA/data/wiki -o RESULTS -k 3 --items 20 --least 5"},
	{"scale", "scale -o RESULTS", "scale -o RESULTS --items 300,600 -k 5"},
	{"truth", "truth -o RESULTS --documents 1000,3000,10000,30000,100000,300000,1000000,3000000 --seeds 4",
		"truth -o RESULTS --items 100 -k 3 --documents 300,600 --seeds 1"},
	{"rare/n2000", "truth -o RESULTS --items 2000 -k 20 --documents 20000,80000 --tokens 100 --seeds 1 --methods default,no-polish,equal-weights,published,ap+aw",
		"truth -o RESULTS --items 100 -k 3 --documents 300 --seeds 1 --methods default,ap+aw"},
	{"rare/n20000", "truth -o RESULTS --items 20000 -k 20 --documents 20000,80000 --tokens 100 --seeds 1 --methods default,no-polish,no-evidence,equal-weights,published", ""},
	{"rare/n100000", "truth -o RESULTS --items 100000 -k 20 --documents 100000 --tokens 100 --seeds 1 --methods default,published", ""},
	{"recovery", "truth -o RESULTS --items 2000 -k 20 --tokens 100 --documents 2000,8000,32000 --seeds 1 --methods " + recovery + ",ap+aw",
		"truth -o RESULTS --items 100 -k 3 --documents 300 --seeds 1 --methods floor,default,joined"},
	{"recovery", "truth -o RESULTS --items 20000 -k 20 --tokens 100 --documents 20000,80000 --seeds 1 --limit 2h --methods " + recovery, ""},
	{"recovery", "truth -o RESULTS --items 100000 -k 20 --tokens 100 --documents 100000 --seeds 1 --limit 2h --methods " + recovery, ""},
	{"recovery", "truth -o RESULTS --items 100000 -k 20 --tokens 100 --documents 400000 --seeds 1 --limit 2h --methods " + largest, ""},
	{"certificate", "certificate -o RESULTS", "certificate -o RESULTS --corpora 2"},
	{"choose", "choose -o RESULTS --data DATA/data --real-to 100 --steps 6", "choose -o RESULTS -k 3 --items 200 --multiples 10 --seeds 1 --to 10"},
	{"topics", "topics --data DATA/data -o RESULTS --corpora wiki --min-df 2 -k 50",
		"topics --data DATA/data -o RESULTS --corpora wiki --min-df 1,5 -k 4 --methods default,published --seeds 1"},
	{"topics", "topics --data DATA/data -o RESULTS --corpora wiki --min-df 2 --max-items 2000,5000,20000,50000 -k 50 --methods default,published --seeds 1", ""},
	{"refine", "refine --data DATA/data -o RESULTS --corpora kos -k 50 --hold 0.5,1,2,5 --python /usr/bin/python3",
		"refine --data DATA/data -o RESULTS --corpora wiki -k 4 --hold 2"},
	{"refine", "refine --data DATA/data -o RESULTS --corpora nips,retail,wiki -k 50 --hold 0.5,1,2,5", ""},
	{"bayes", "bayes DATA/data/reddit -o RESULTS --max-df-ratio 0.1 --documents 200000 --init-topics 100",
		"bayes DATA/data/wiki -o RESULTS --topics 3,4 --batch-sizes 100 --items 100 --max-df-ratio 1"},
	{"bayes-t64", "bayes DATA/data/reddit -o RESULTS --max-df-ratio 0.1 --documents 200000 --t0 64 --models bnmf --batch-sizes 1000", ""},
	{"paper", "paper --data DATA -o RESULTS --growth-topics 10,25,50 --reduced wiki=10:25 --reduced AP+AW=5:10:15:20:25:50 --reduced PALM+LAW=5:10:15:20:25:50 --sizes 1250,2500,5000,7500,10000,20000,50000 --seeds 3 --growth-seeds 1",
		"paper --data DATA -o RESULTS --corpora wiki --topics 3 --sizes 60 --seeds 1"},
}

func (p *program) allCommand() *cobra.Command {
	var data, output string
	var quick bool
	cmd := &cobra.Command{
		Use:   "all",
		Short: "Make the whole set of results",
		Long: `All makes every part of bench/results with its settings, one after the other, each in a folder of its own. It logs the command
line of each part.

DATA holds data/nips, data/retail, data/wiki, data/reddit, reference/, and read/, which go run ./testdata/make read makes.
Without --data the parts that need it are left out. With --quick every part is made in a small size, on drawn data, within a
minute or two; its figures say nothing.

A part that fails does not stop the others. The same command goes on where it was: parts that are there are left as they are,
and refine, scale, topics and truth go on from their runs. The full set takes more than a day.`,
		Example: `  go run ./bench all -o results --data DATA
  go run ./bench all -o smoke --quick`,
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if err := os.MkdirAll(output, 0o755); err != nil {
				return err
			}
			if quick {
				folder, remove, err := report.Scratch(output)
				if err != nil {
					return err
				}
				defer remove()
				if data, err = drawData(cmd.Context(), folder); err != nil {
					return err
				}
			}
			if err := p.all(cmd.Context(), data, output, quick); err != nil {
				return &keptError{"the same command goes on from the parts in " + output, err}
			}
			_, err := fmt.Fprintf(p.stdout, "The results are in %s, a folder for each part.\n", output)
			return err
		}),
	}
	outputFlag(cmd.Flags(), &output, "folder for the results; a command goes on from what is there")
	cmd.Flags().StringVar(&data, "data", "", "folder of the data")
	cmd.Flags().BoolVar(&quick, "quick", false, "small sizes on drawn data")
	return cmd
}

// all makes the parts. It returns the errors of all that failed.
func (p *program) all(ctx context.Context, data, output string, quick bool) error {
	var failed []error
	for _, part := range parts {
		line := part.line
		if quick {
			line = part.quick
		}
		folder := filepath.Join(output, filepath.FromSlash(part.folder))
		_, err := os.Stat(filepath.Join(folder, "README.md"))
		switch {
		case line == "":
			continue
		case data == "" && strings.Contains(line, "DATA"):
			p.log.Warn("part left out: it needs --data", "part", part.folder)
			continue
		case err == nil && !part.series():
			p.log.Info("part is there", "part", part.folder)
			continue
		}
		if err := p.make(ctx, line, data, folder); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", part.folder, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(failed...)
}

// make runs a command line of this program.
func (p *program) make(ctx context.Context, line, data, folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	p.log.Info("making part", "command", line)
	words := strings.Fields(line)
	for i, word := range words {
		words[i] = strings.Replace(strings.Replace(word, "RESULTS", folder, 1), "DATA", data, 1)
	}
	words = append(words, "--log-level", p.logLevel)
	if p.workers > 0 && words[0] != "kernels" {
		words = append(words, "--workers", fmt.Sprint(p.workers))
	}
	if code := run(ctx, words, nil, io.Discard, p.stderr); code != exitDone {
		return fmt.Errorf("the part ended with code %d", code)
	}
	return nil
}

// drawData draws a small corpus that stands for all data.
func drawData(ctx context.Context, folder string) (string, error) {
	wiki := filepath.Join(folder, "data", "wiki")
	if err := os.MkdirAll(wiki, 0o755); err != nil {
		return "", err
	}
	corpus := synth.Model{Items: 300, Topics: 6, Documents: 1500, Tokens: 40, Concentration: 0.1, Seed: 1}.Plant()
	_, err := corpus.WriteShards(ctx, wiki, 2)
	return folder, err
}
