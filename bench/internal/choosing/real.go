// This file chooses the number of topics of real corpora, of which nobody knows it, and keeps what other numbers would give.

package choosing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/model"
	"anchorage/model/choose"
	"anchorage/shard"
	"anchorage/stream"
)

// Real are real corpora.
type Real struct {
	Data            string   // folder whose folders are the corpora; none is read if it is empty
	Corpora         []string // names of folders in Data
	From, To, Steps int
	Workers         int
	Log             *slog.Logger
}

// Check returns an error that names the flag with a wrong value.
func (g *Real) Check() error {
	for _, name := range g.Corpora {
		if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
			return fmt.Errorf("--corpora has %q: a corpus is the name of a folder in --data", name)
		}
	}
	if g.From < 2 || g.To < g.From || g.Steps < 1 {
		return errors.New("--real-from must be at least 2, --real-to at least as great, and --steps positive")
	}
	return nil
}

// realTable has a row per real corpus: what was chosen.
func realTable() *report.Table {
	return report.NewTable("real", report.Texts("corpus"), report.Ints("documents", "items", "from", "to", "topics", "low", "high", "open"), report.Texts("basis", "reason"))
}

// readReal reads the table of a folder, which may have none yet.
func readReal(results string) (*report.Table, error) {
	t := realTable()
	if err := t.Read(filepath.Join(results, "real.csv")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return t, nil
}

// Write chooses for the corpora that the folder results has no row of.
func (g *Real) Write(ctx context.Context, results string) error {
	if g.Data == "" {
		return nil
	}
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	for _, name := range g.Corpora {
		table, err := readReal(results)
		if err != nil {
			return err
		}
		if len(table.Where("corpus", name)) > 0 {
			continue
		}
		c, err := g.choose(ctx, name)
		if err != nil {
			return fmt.Errorf("corpus %s: %w", name, err)
		}
		g.Log.Info("chosen", "corpus", name, "topics", c.Topics, "low", c.Low, "high", c.High, "basis", c.Basis)
		open := int64(0)
		if c.Open {
			open = 1
		}
		table.Add(name, c.Manifest.Corpus.Documents, int64(c.Manifest.Corpus.Items), int64(c.From), int64(c.To), int64(c.Topics), int64(c.Low), int64(c.High), open, c.Basis, c.Reason)
		for _, file := range []struct {
			name  string
			write func(io.Writer) error
		}{{"real-" + name + ".csv", c.WriteCSV}, {"real.csv", table.WriteCSV}} {
			if err := durable.WriteFile(filepath.Join(results, file.name), file.write); err != nil {
				return err
			}
		}
	}
	return nil
}

// choose opens a corpus with the default limits of its kind, and chooses.
func (g *Real) choose(ctx context.Context, name string) (_ *choose.Choice, err error) {
	shards, err := shard.Discover(ctx, []string{filepath.Join(g.Data, name)}, shard.Options{})
	if err != nil {
		return nil, err
	}
	docs, err := stream.Open(ctx, shards, corpus.Options{Pruning: corpus.Pruning{MinDF: corpus.ByKind, MaxDFRatio: corpus.ByKind}, MinItems: corpus.ByKind,
		MinTokens: corpus.ByKind, Workers: g.Workers, Log: g.Log})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	return choose.Topics(ctx, docs, choose.Options{From: g.From, To: g.To, Steps: g.Steps, Model: model.Options{Seed: 1, Run: &model.Run{Workers: g.Workers, Log: g.Log}}})
}
