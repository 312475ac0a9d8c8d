// This file makes the runs of a grid of corpora and settings. Every run is kept, so that a grid can be made in parts.

package refining

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/internal/kernel"
)

// seed is that of all fits, and of the thirds of documents.
const seed = 1

// Grid is a grid of runs: for every corpus one without refinement, one for reading with every hold, one for prediction, and one of each
// other program.
type Grid struct {
	Data    string   // folder whose folders are the corpora; the results do not name it
	Corpora []string // names of folders in Data
	Topics  int      // K
	Holds   []float64
	Python  string // the interpreter for other programs; none of them is run if empty
	Workers int
	Log     *slog.Logger
	Stderr  io.Writer // takes the messages of other programs; nil for none
}

// Check returns an error that names the flag with a wrong value.
func (g *Grid) Check() error {
	switch {
	case g.Data == "":
		return errors.New("--data must name the folder of the corpora")
	case len(g.Corpora) == 0:
		return errors.New("nothing to run: --corpora is empty")
	case g.Topics < 2:
		return fmt.Errorf("there must be at least 2 topics, not %d", g.Topics)
	}
	for _, name := range g.Corpora {
		if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
			return fmt.Errorf("--corpora has %q: a corpus is the name of a folder in --data", name)
		}
	}
	for _, hold := range g.Holds {
		if !(hold > 0) || math.IsInf(hold, 1) {
			return fmt.Errorf("--hold has %v: it must be positive", hold)
		}
	}
	return nil
}

// runs returns the runs of a corpus, in order.
func (g *Grid) runs(corpus string) []Run {
	runs := []Run{{corpus, g.Topics, none, 0}}
	for _, hold := range g.Holds {
		runs = append(runs, Run{corpus, g.Topics, reading, hold})
	}
	runs = append(runs, Run{corpus, g.Topics, prediction, 0})
	if g.Python != "" {
		runs = append(runs, Run{corpus, g.Topics, sklearn, 0}, Run{corpus, g.Topics, gensim, 0})
	}
	return runs
}

// Write makes the runs that the folder results has no record of, and adds them one by one. Then it writes README.md and the charts of
// all records there. It passes over programs that are not installed.
func (g *Grid) Write(ctx context.Context, results string) error {
	if err := g.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	for _, corpus := range g.Corpora {
		if err := g.corpus(ctx, corpus, results); err != nil {
			return fmt.Errorf("corpus %s: %w", corpus, err)
		}
	}
	records, err := runLog.Read(results)
	if err != nil {
		return err
	}
	return writeResults(results, records)
}

// corpus makes the missing runs of a corpus.
func (g *Grid) corpus(ctx context.Context, corpus, results string) (err error) {
	records, err := runLog.Read(results)
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(g.runs(corpus), func(run Run) bool {
		return slices.ContainsFunc(records, func(r Record) bool { return r.Run == run })
	})
	if len(missing) == 0 {
		return nil
	}
	of, err := divide(ctx, filepath.Join(g.Data, corpus), seed, g.Workers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, of.Learning.Close()) }()
	for _, run := range missing {
		r := &Record{Run: run, Items: of.Learning.Vocabulary.Len(), Held: of.Held.Documents(), Workers: kernel.Workers(g.Workers)}
		measure := g.fit
		if run.Setting == sklearn || run.Setting == gensim {
			measure = g.ask
		}
		err := measure(ctx, of, r)
		var absent *report.AbsentError
		if errors.As(err, &absent) {
			g.Log.Warn("run passed over", "setting", run.Setting, "reason", absent.Reason)
			continue
		}
		if err != nil {
			return err
		}
		account := of.Learning.Account
		r.MinDF, r.MaxDFRatio, r.Documents = account.MinDF, account.MaxDFRatio, account.Documents
		g.Log.Info("run made", "corpus", corpus, "setting", run.Setting, "hold", run.Hold, "npmi", r.NPMI, "diversity", r.Diversity,
			"log_likelihood", r.LogLikelihood, "impossible", r.Impossible, "burstiness", r.Burstiness, "passes", r.Passes, "seconds", r.Seconds)
		if err := runLog.Put(results, r); err != nil {
			return err
		}
	}
	return nil
}

// place is where a setting stands in the tables.
func place(setting string) int {
	for i, s := range settings {
		if s.name == setting {
			return i
		}
	}
	return len(settings)
}
