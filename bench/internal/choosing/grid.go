// This file chooses the number of topics of a grid of drawn corpora. Every run is kept, so that a grid can be made in parts.

package choosing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"time"

	"anchorage/bench/internal/documents"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/model/choose"
)

// Grid is a grid of drawn corpora: all combinations.
type Grid struct {
	Topics        []int
	Strengths     []float64
	Items         []int
	Multiples     []int // documents per item
	Tokens        []int
	Concentration float64
	Seeds         int // of every corpus, from First
	First         uint64
	To            int // end of the range; it begins with 2
	Workers       int
	Log           *slog.Logger
}

// Check returns an error that names the flag with a wrong value.
func (g *Grid) Check() error {
	switch {
	case g.Seeds < 0:
		return errors.New("--seeds must not be negative")
	case g.To < 2 || g.To > model.MostTopics:
		return fmt.Errorf("--to is %d: it must be from 2 to %d", g.To, model.MostTopics)
	case !(g.Concentration > 0) || math.IsInf(g.Concentration, 1):
		return fmt.Errorf("--concentration is %v: it must be positive", g.Concentration)
	}
	for _, run := range g.runs() {
		if err := g.model(run).Check(); err != nil {
			return err
		}
	}
	return nil
}

// runs returns the runs of the grid, in order.
func (g *Grid) runs() []Run {
	var runs []Run
	for _, items := range g.Items {
		for _, multiple := range g.Multiples {
			for _, tokens := range g.Tokens {
				for _, topics := range g.Topics {
					for _, strength := range g.Strengths {
						for seed := range uint64(g.Seeds) {
							runs = append(runs, Run{topics, strength, items, multiple, tokens, g.First + seed, g.Concentration})
						}
					}
				}
			}
		}
	}
	return runs
}

// model returns what the corpus of a run is drawn from.
func (g *Grid) model(of Run) synth.Model {
	return synth.Model{Items: of.Items, Topics: of.Topics, Documents: of.Items * of.Multiple, Tokens: of.Tokens, AnchorStrength: of.Strength,
		Concentration: of.Concentration, Seed: of.Seed, Workers: g.Workers}
}

// Write makes the runs that the folder results has no record of, and adds them one by one.
func (g *Grid) Write(ctx context.Context, results string) error {
	if err := g.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	records, err := runLog.Read(results)
	if err != nil {
		return err
	}
	for _, run := range g.runs() {
		if slices.ContainsFunc(records, func(r Record) bool { return r.Run == run }) {
			continue
		}
		r := Record{Run: run}
		if err := g.draw(ctx, &r); err != nil {
			return fmt.Errorf("%+v: %w", run, err)
		}
		g.Log.Info("chosen", "topics", r.Topics, "chosen", r.Chosen, "low", r.Low, "high", r.High, "basis", r.Basis, "strength", r.Strength,
			"items", r.Items, "documents_per_item", r.Multiple, "tokens", r.Tokens, "seed", r.Seed)
		if err := runLog.Put(results, &r); err != nil {
			return err
		}
	}
	return nil
}

// draw draws a corpus and chooses the number of its topics.
func (g *Grid) draw(ctx context.Context, r *Record) (err error) {
	drawn := g.model(r.Run).Plant()
	docs, err := corpus.FromSeq(ctx, documents.Named(ctx, drawn.Pass, drawn.Vocabulary()), corpus.Options{Pruning: corpus.Pruning{MinDF: 1}, Workers: g.Workers})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	run := &model.Run{Workers: g.Workers}
	begin := time.Now()
	count, err := choose.Spectrum(ctx, docs, choose.Options{From: 2, To: g.To, Model: model.Options{Seed: 1, Run: run}})
	if err != nil {
		return err
	}
	r.Seconds, r.Stages = time.Since(begin).Seconds(), run.Stages()
	r.note(count)
	return nil
}
