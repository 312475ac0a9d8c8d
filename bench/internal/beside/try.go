// This file makes one run of a grid: it starts a system, reads what that has left, and scores it.

package beside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anchorage/bench/internal/topics"
	"anchorage/internal/kernel"
)

// try runs a system and scores its topics. The error is that of ctx or a *fewError; what else goes wrong is in the
// record.
func (s *series) try(ctx context.Context, run Run, record *Record) error {
	if err := s.obtain(ctx, run); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.As(err, new(*fewError)) {
			return err
		}
		record.Status, record.Reason = string(failed), strings.ReplaceAll(err.Error(), s.folder(run.Corpus), "DATA/"+run.Corpus)
		return nil
	}
	m := s.material
	record.Items, record.Documents, record.Entries = m.Learning.Vocabulary.Len(), m.count, m.entries
	system, err := find(run.System)
	if err != nil {
		return err
	}
	output := filepath.Join(s.scratch, "output")
	temporary := filepath.Join(output, "tmp")
	if err := os.MkdirAll(temporary, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(output) // what is left goes with the scratch folder
	command, err := system.command(s.Programs, s.scripts(), m.folder, output, record.Items, run, record.Threads)
	if err != nil {
		return err
	}
	if err := m.warm(); err != nil {
		return err
	}
	result, err := limits{s.TimeLimit, s.MemoryLimit}.execute(ctx, command, s.environment(temporary, record.Threads), output, s.Stderr)
	if err != nil {
		return err
	}
	record.Status, record.Wall, record.WholeCPU, record.PeakBytes, record.DiskBytes =
		string(result.status), result.wall.Seconds(), result.cpu, result.peak, result.disk
	record.Reason = strings.NewReplacer(s.scratch+string(filepath.Separator), "", "\n", " ").Replace(result.reason)
	if result.status != made {
		return nil
	}
	if err := s.take(ctx, output, record); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		record.Status, record.Reason = string(failed), strings.ReplaceAll(err.Error(), output+string(filepath.Separator), "")
	}
	return nil
}

// environment has what libraries take their number of threads from.
func (s *series) environment(temporary string, threads int) []string {
	variables := []string{"TMPDIR=" + temporary, "JSMF_CODES=" + s.JSMF, "PYTHONDONTWRITEBYTECODE=1", memoryVariable + "="}
	if s.MemoryLimit > 0 {
		variables[len(variables)-1] += strconv.FormatInt(s.MemoryLimit, 10)
	}
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "GOMAXPROCS"} {
		variables = append(variables, fmt.Sprintf("%s=%d", name, threads))
	}
	return variables
}

// take reads what a system has left, and scores it.
func (s *series) take(ctx context.Context, output string, record *Record) error {
	text, err := os.ReadFile(filepath.Join(output, answerFile))
	if err != nil {
		return err
	}
	var answer topics.PeerAnswer
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("%s: %w", answerFile, err)
	}
	record.Program, record.Stages, record.PeakBytes = answer.Program, answer.Stages, max(record.PeakBytes, answer.PeakBytes)
	for _, stage := range answer.Stages {
		switch stage.Name {
		case loadStage, startStage:
			record.Load += stage.Seconds
		case writeStage:
		default:
			record.Seconds += stage.Seconds
			record.CPU += stage.CPU
		}
	}
	b, err := topics.ReadTopics(filepath.Join(output, topicsFile), record.Topics, record.Items)
	if err != nil {
		return err
	}
	lists, err := readLists(filepath.Join(output, listsFile), record.Topics, record.Items)
	if err != nil {
		return err
	}
	record.Scores, err = s.material.score(ctx, b, lists, kernel.Workers(s.Workers))
	return err
}

// readLists reads the items that a program lists for each topic; nil if it has left none.
func readLists(path string, k, items int) (lists [][]int, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &lists); err != nil {
		return nil, fmt.Errorf("%s: %w", listsFile, err)
	}
	if len(lists) != k {
		return nil, fmt.Errorf("%s has %d lists, and not %d", listsFile, len(lists), k)
	}
	for at, list := range lists {
		for _, item := range list {
			if item < 0 || item >= items {
				return nil, fmt.Errorf("%s: topic %d has item %d, of %d", listsFile, at, item, items)
			}
		}
		lists[at] = list[:min(topItems, len(list))]
	}
	return slices.DeleteFunc(lists, func(list []int) bool { return len(list) == 0 }), nil
}

// tell logs a run: loudly what did not find topics.
func (s *series) tell(r *Record) {
	of := []any{"corpus", r.Corpus, "vocabulary", r.Vocabulary, "items", r.Items, "topics", r.Topics, "system", r.System, "repeat", r.Repeat}
	if status(r.Status) != made {
		s.Log.Warn("no topics: "+r.Status, append(of, "reason", r.Reason)...)
		return
	}
	s.Log.Info("run made", append(of, "seconds", r.Seconds, "cpu_seconds", r.CPU, "peak_bytes", r.PeakBytes, "npmi", r.NPMI, "diversity", r.Diversity)...)
}
