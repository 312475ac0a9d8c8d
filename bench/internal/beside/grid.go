// This file makes the runs of a grid of corpora, vocabularies, numbers of topics, systems and repeats. Every run is kept, so that a grid can be
// made in parts and can grow.

package beside

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/bench/internal/report"
)

// Grid is a grid of runs.
type Grid struct {
	Data         []string // folders whose folders are the corpora; the results do not name them
	Corpora      []string // names of folders in Data, and Drawn
	Vocabularies []int    // numbers of items, 0 for all
	MinDF        int64
	Topics       []int    // K
	Systems      []string // of Systems
	Repeats      int
	Budget       time.Duration // of all runs together; 0 for any. The run that it ends is not kept.
	TimeLimit    time.Duration // of a run; 0 for none
	MemoryLimit  int64         // of a run, in bytes; 0 for none
	Again        report.Again  // report.AgainNone if empty; systems that were not available are looked for in any case
	Programs     Programs
	JSMF         string // folder of the codes of the authors' program; empty for none
	Scratch      string // folder for temporary files; empty for the system's
	Threads      int    // of each system; 2 if it is 0
	Workers      int    // of what scores
	Log          *slog.Logger
	Stderr       io.Writer // takes the messages of the processes; nil for none
}

// Check returns an error that names the flag with a wrong value.
func (g *Grid) Check() error {
	for _, list := range []struct {
		flag  string
		empty bool
	}{{"corpora", len(g.Corpora) == 0}, {"vocabulary", len(g.Vocabularies) == 0}, {"topics", len(g.Topics) == 0}, {"peers", len(g.Systems) == 0}} {
		if list.empty {
			return fmt.Errorf("nothing to run: --%s is empty", list.flag)
		}
	}
	for _, name := range g.Corpora {
		if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
			return fmt.Errorf("--corpora has %q: a corpus is the name of a folder in --data, or %s", name, Drawn)
		}
		if name != Drawn && len(g.Data) == 0 {
			return errors.New("--data must name the folder of the corpora")
		}
	}
	for _, name := range g.Systems {
		if _, err := find(name); err != nil {
			return fmt.Errorf("--peers: %w", err)
		}
	}
	if slices.Min(g.Topics) < 2 || slices.Min(g.Vocabularies) < 0 || g.Repeats < 1 {
		return errors.New("--topics must be at least 2, --vocabulary cannot be negative, and --repeats must be positive")
	}
	if g.Budget < 0 || g.TimeLimit < 0 || g.MemoryLimit < 0 || g.Threads < 0 || g.MinDF < 0 {
		return errors.New("--budget, --time-limit, --memory-limit, --threads and --min-df cannot be negative")
	}
	return g.Again.Check()
}

// folder returns the folder of a corpus: in the first folder of Data that has it, and in the last one if none has.
func (g *Grid) folder(name string) string {
	folder := name
	for _, data := range g.Data {
		folder = filepath.Join(data, name)
		if _, err := os.Stat(folder); err == nil {
			break
		}
	}
	return folder
}

// defaultThreads are those of each system.
const defaultThreads = 2

// runs returns the runs of the grid, in order: those with fewer items first, so that it is known where a system fails, and then the first
// repeat of all systems, so that an early end leaves a whole.
func (g *Grid) runs() []Run {
	vocabularies, numbers := slices.Clone(g.Vocabularies), slices.Clone(g.Topics)
	slices.SortFunc(vocabularies, func(a, b int) int { return cmp.Compare(uint(a-1), uint(b-1)) }) // 0, for all, comes last
	slices.Sort(numbers)
	var runs []Run
	for _, corpus := range g.Corpora {
		for _, vocabulary := range vocabularies {
			if corpus == Drawn && vocabulary == 0 {
				continue // there is no number of all drawn items
			}
			for _, k := range numbers {
				for repeat := 1; repeat <= g.Repeats; repeat++ {
					for _, name := range g.Systems {
						runs = append(runs, Run{corpus, vocabulary, k, name, repeat})
					}
				}
			}
		}
	}
	return runs
}

// Write makes the runs that the folder results has no record of, and adds them one by one. Then it writes README.md and the charts of all
// records there, also after the end of ctx. It returns how many runs of the grid were not begun, or not ended, because the budget was spent.
func (g *Grid) Write(ctx context.Context, results string) (left int, err error) {
	if err := g.Check(); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(results, 0o755); err != nil {
		return 0, err
	}
	scratch, remove, err := report.Scratch(g.Scratch)
	if err != nil {
		return 0, fmt.Errorf("--spill-dir: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	s := &series{Grid: g, results: results, scratch: scratch}
	if err := writeScripts(s.scripts()); err != nil {
		return 0, err
	}
	left, err = s.makeAll(ctx)
	return left, errors.Join(err, s.release(), Rewrite(results))
}

// Rewrite writes README.md and the charts of a folder anew from its records. A folder without records stays as it is.
func Rewrite(results string) error {
	records, err := runLog.Read(results)
	if err != nil || len(records) == 0 {
		return err
	}
	return writeResults(results, records)
}

// errBudget ends the runs of a grid.
var errBudget = errors.New("the budget is spent")

// makeAll makes the runs, and returns how many are left when the budget is spent.
func (s *series) makeAll(ctx context.Context) (left int, err error) {
	limited := ctx
	if s.Budget > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeoutCause(ctx, s.Budget, errBudget)
		defer cancel()
	}
	runs := s.runs()
	for i, run := range runs {
		err := s.make(limited, run)
		if err != nil && ctx.Err() == nil && errors.Is(context.Cause(limited), errBudget) {
			return len(runs) - i, nil
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// series is a grid that is being made.
type series struct {
	*Grid
	results, scratch string
	at               key
	material         *material // of at; nil if there is none
	unusable         error     // why there is none
}

func (s *series) scripts() string  { return filepath.Join(s.scratch, "beside") }
func (s *series) prepared() string { return filepath.Join(s.scratch, "prepared") }

// release lets go of the material.
func (s *series) release() error {
	if s.material == nil {
		return nil
	}
	err := s.material.Learning.Close()
	s.material, s.at = nil, key{}
	return errors.Join(err, os.RemoveAll(s.prepared()))
}

// obtain prepares the material of a run, unless it is there.
func (s *series) obtain(ctx context.Context, run Run) error {
	if s.at == run.key() {
		return s.unusable
	}
	if err := s.release(); err != nil {
		return err
	}
	if err := os.MkdirAll(s.prepared(), 0o755); err != nil {
		return err
	}
	s.at = run.key()
	s.material, s.unusable = s.prepare(ctx, s.at, s.prepared())
	if s.unusable != nil {
		s.Log.Warn("no documents", "corpus", run.Corpus, "vocabulary", run.Vocabulary, "reason", s.unusable)
		return s.unusable
	}
	m := s.material
	s.Log.Info("documents prepared", "corpus", run.Corpus, "items", m.Learning.Vocabulary.Len(), "documents", m.count, "entries", m.entries, "kind", m.Learning.Account.Kind)
	return nil
}

// make makes a run, unless it has a record or need not be made.
func (s *series) make(ctx context.Context, run Run) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	records, err := runLog.Read(s.results) // again, since another process may have added to them
	if err != nil {
		return err
	}
	at := slices.IndexFunc(records, func(r Record) bool { return r.Run == run })
	if at >= 0 && status(records[at].Status) != absent && !s.Again.Wants(status(records[at].Status) != made) {
		return nil
	}
	record := s.begin(run)
	if before := s.hopeless(records, run); before != nil {
		record.Status, record.Reason = string(beyond), fmt.Sprintf("%s with %d items, K = %d", before.Status, before.Items, before.Topics)
		if status(before.Status) == absent {
			record.Status, record.Reason = before.Status, before.Reason
		}
	} else if err := s.try(ctx, run, record); errors.As(err, new(*fewError)) {
		return nil // the corpus has no such vocabulary; obtain has said so
	} else if err != nil {
		return err
	}
	s.tell(record)
	return runLog.Put(s.results, record)
}

// begin returns the record of a run before it is made.
func (s *series) begin(run Run) *Record {
	threads := cmp.Or(s.Threads, defaultThreads)
	machine := report.Machine(threads)
	return &Record{Run: run, Scores: noScores(), Threads: threads, TimeLimit: s.TimeLimit.Seconds(), MemoryLimit: s.MemoryLimit,
		Commit: report.Commit(), Machine: machine[0], Started: time.Now()}
}

// hopeless returns a run by which this one need not be made: one of the same system on the same corpus, within the same limits, with no more
// items and topics, that was out of memory or time; or an earlier repeat of it that did not find topics.
func (s *series) hopeless(records []Record, run Run) *Record {
	for i := range records {
		r := &records[i]
		if r.System != run.System || r.Corpus != run.Corpus || r.TimeLimit != s.TimeLimit.Seconds() || r.MemoryLimit != s.MemoryLimit {
			continue
		}
		ended := status(r.Status)
		repeated := r.Vocabulary == run.Vocabulary && r.Topics == run.Topics && r.Repeat < run.Repeat && ended != made
		smaller := (ended == memory || ended == late) && uint(r.Vocabulary-1) <= uint(run.Vocabulary-1) && r.Topics <= run.Topics &&
			(r.Vocabulary != run.Vocabulary || r.Topics != run.Topics)
		if repeated || smaller {
			return r
		}
	}
	return nil
}
