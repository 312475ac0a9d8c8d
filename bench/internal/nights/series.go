// This file takes a store through its nights.

package nights

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/store"
)

// Series is the nights of one store.
type Series struct {
	Shards  []string // files or folders, whose order is that in which they come
	Nights  int      // after the first, with a shard each; what is left is there on the first
	Compare int      // after how many nights an update is held against a fit from scratch; 0 for never
	Topics  int
	Refine  model.RefineOptions
	// Store is the folder of the store and of what is compared with it. A later run goes on with the store that it has.
	Store   string
	Command string
	Workers int
	Log     *slog.Logger
}

// Check returns an error if a number is out of its range.
func (s *Series) Check() error {
	switch {
	case s.Nights < 1:
		return errors.New("--nights must be at least 1")
	case s.Compare < 0:
		return errors.New("--compare cannot be negative")
	case s.Topics < 2:
		return errors.New("-k must be at least 2")
	}
	return nil
}

// Write makes the nights that results, a folder, has no record of, and writes README.md and the chart after each.
func (s *Series) Write(ctx context.Context, results string) error {
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	shards, err := shard.Discover(ctx, s.Shards, shard.Options{})
	if err != nil {
		return err
	}
	if len(shards) <= s.Nights {
		return fmt.Errorf("%d shards are too few for a first night and %d others", len(shards), s.Nights)
	}
	if err := os.MkdirAll(s.Store, 0o755); err != nil {
		return err
	}
	for number := range s.Nights + 1 {
		night := Night{number, s.Nights, s.Topics, kernel.Workers(s.Workers)}
		records, err := runLog.Read(results)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(records, func(r Record) bool { return r.Night == night }) {
			continue
		}
		record := &Record{Night: night, Started: time.Now().UTC().Truncate(time.Second), Command: s.Command, Machine: report.Machine(night.Workers)}
		if err := s.night(ctx, record, shards[:len(shards)-s.Nights+number]); err != nil {
			return fmt.Errorf("night %d: %w", number, err)
		}
		s.Log.Info("night", "number", number, "documents", record.Documents, "seconds", record.Seconds, "cpu_seconds", record.CPU, "kept", record.Kept,
			"compared", record.Compared, "scratch_cpu_seconds", record.ScratchCPU, "equal_files", record.EqualFiles, "files", record.Files)
		if err := runLog.Put(results, record); err != nil {
			return err
		}
		if err := writeResults(results); err != nil {
			return err
		}
	}
	return writeResults(results)
}

// path returns the store's.
func (s *Series) path() string { return filepath.Join(s.Store, "store") }

// night makes the update of a night, with the shards that there are by then.
func (s *Series) night(ctx context.Context, r *Record, shards []shard.Shard) error {
	r.Shards = len(shards)
	u, err := s.update(ctx, shards, false)
	if err != nil {
		return err
	}
	if u.generated == nil {
		return errors.New("the store has the shards of this night, but the results have no record of it: begin with another folder for the store")
	}
	r.take(u)
	again, err := s.update(ctx, shards, false)
	if err != nil {
		return err
	}
	if r.Again = "nothing"; again.generated != nil {
		r.Again = "a new generation"
	}
	if s.Compare > 0 && r.Number%s.Compare == 0 && r.Number > 0 {
		return s.compare(ctx, r, u, shards)
	}
	return nil
}

// compare holds an update against a fit of the same shards from scratch, and the fit's bytes against those of an update from scratch. The
// store goes on with the update.
func (s *Series) compare(ctx context.Context, r *Record, u *update, shards []shard.Shard) error {
	path := filepath.Join(s.Store, fmt.Sprintf("fit-%d", r.Number))
	if err := durable.RemoveTemporary(path); err != nil {
		return err
	}
	fit, err := s.fit(ctx, shards, path)
	if err != nil {
		return err
	}
	r.takeScratch(fit)
	for _, id := range fit.anchors {
		if slices.Contains(u.anchors, id) {
			r.SameAnchors++
		}
	}
	scratch, err := s.update(ctx, shards, true)
	if err != nil {
		return err
	}
	if err := r.compareFiles(ctx, path, scratch.generated.Path); err != nil {
		return err
	}
	w, err := store.Begin(ctx, s.path(), store.Options{Workers: s.Workers, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := w.Rollback(ctx, u.generated.Number); err != nil {
		return err
	}
	r.Compared = true
	return durable.RemoveTemporary(path)
}

// compareFiles counts the tables of a fit, and those that a generation has with the same bytes.
func (r *Record) compareFiles(ctx context.Context, fitted, generation string) error {
	want, err := model.ReadManifest(ctx, fitted, model.KindModel)
	if err != nil {
		return err
	}
	got, err := model.ReadManifest(ctx, generation, model.KindModel)
	if err != nil {
		return err
	}
	r.Files = len(want.Outputs)
	for _, file := range want.Outputs {
		if slices.Contains(got.Outputs, file) {
			r.EqualFiles++
		}
	}
	return nil
}
