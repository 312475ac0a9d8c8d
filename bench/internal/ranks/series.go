// This file runs the fits.

package ranks

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"

	"anchorage/bench/internal/report"
	"anchorage/model"
)

// Series is the fits of one corpus.
type Series struct {
	Name     string   // of the corpus
	Shards   []string // files or folders
	Topics   int
	Ranks    []int
	Program  string   // built with MPI
	Launcher []string // what starts several ranks, before -n P
	Scratch  string   // a folder for the models, which all ranks see
	Log      *slog.Logger
	Stderr   io.Writer // of the program; nil for nowhere
}

// Fit is one of the fits.
type Fit struct {
	Ranks   int  // 0 for one process that was started without the launcher
	Refined bool // topics were refined
	Path    string
	Run     model.RunRecord
	Differs Difference // from the fit of one process
}

// Fits makes all fits: those without refinement first.
func (s *Series) Fits(ctx context.Context) ([]Fit, error) {
	var fits []Fit
	for _, refined := range []bool{false, true} {
		alone := Fit{Refined: refined}
		if err := s.fit(ctx, &alone); err != nil {
			return nil, err
		}
		fits = append(fits, alone)
		for _, p := range s.Ranks {
			f := Fit{Ranks: p, Refined: refined}
			if err := s.fit(ctx, &f); err != nil {
				return nil, err
			}
			var err error
			if f.Differs, err = compare(ctx, alone.Path, f.Path); err != nil {
				return nil, err
			}
			fits = append(fits, f)
			s.Log.Info("fit", "ranks", p, "refined", refined, "seconds", f.Run.Seconds, "equal_files", f.Differs.EqualFiles, "files", f.Differs.Files,
				"same_anchors", f.Differs.SameAnchors, "topics", f.Differs.Topics, "joint", f.Differs.Joint)
			if err := os.RemoveAll(f.Path); err != nil {
				return nil, err
			}
		}
	}
	return fits, nil
}

// fit makes one fit.
func (s *Series) fit(ctx context.Context, f *Fit) error {
	f.Path = filepath.Join(s.Scratch, fmt.Sprintf("model-%d-%v", f.Ranks, f.Refined))
	command := []string{s.Program, "fit"}
	if f.Ranks > 0 {
		command = append(append(append([]string{}, s.Launcher...), "-n", strconv.Itoa(f.Ranks)), command...)
	}
	command = append(append(command, s.Shards...), "-k", strconv.Itoa(s.Topics), "--no-report", "--workers", "2", "-o", f.Path)
	if !f.Refined {
		command = append(command, "--refine", "none")
	}
	ended, err := report.RunProcess(ctx, command, nil, io.Discard, s.Stderr)
	if err != nil {
		return err
	}
	if ended.Failure != "" {
		return fmt.Errorf("%d ranks: %s", f.Ranks, ended.Failure)
	}
	text, err := os.ReadFile(filepath.Join(f.Path, "run.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &f.Run)
}
