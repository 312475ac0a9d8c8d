package model

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"anchorage/internal/durable"
	"anchorage/internal/synth"
	"anchorage/rectify"
	"anchorage/shard"
)

// writeDocuments writes documents of the given numbers of items and topics, and returns the shard.
func writeDocuments(t *testing.T, items, topics int) string {
	t.Helper()
	docs, _ := synth.Model{Items: items, Topics: topics, Documents: 2 * items, Tokens: 15, Concentration: 0.1, Seed: 1}.Draw()
	path := filepath.Join(t.TempDir(), "a.parquet")
	err := durable.WriteFile(path, func(w io.Writer) error {
		writer, err := shard.NewDocumentWriter(w)
		if err != nil {
			return err
		}
		for d := range docs.Documents() {
			indices, counts := docs.Row(d)
			names := make([]string, len(indices))
			for i, index := range indices {
				names[i] = fmt.Sprint(index)
			}
			if err := writer.Write(fmt.Sprint(d), names, counts); err != nil {
				return err
			}
		}
		return writer.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// measuring is a context that looks, every few times it is asked whether it is done, at what is alive: loops over blocks of
// rows and of documents ask.
type measuring struct {
	context.Context
	run   *Run
	mu    sync.Mutex
	calls int
	begin int64
	peaks []int64 // of the stages of run, in their order
}

func alive() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func (m *measuring) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls++; m.calls%8 == 0 {
		stage := len(m.run.stages)
		for len(m.peaks) <= stage {
			m.peaks = append(m.peaks, 0)
		}
		m.peaks[stage] = max(m.peaks[stage], alive()-m.begin)
	}
	return m.Context.Err()
}

// What the model says is alive is what is alive, in shapes in which different things count most.
func TestMemoryModelAgainstHeap(t *testing.T) {
	if testing.Short() {
		t.Skip("fits a few models")
	}
	for _, shape := range []struct {
		items, topics int
		sketch        SketchOptions
		rectify       RectifyOptions
	}{
		{24_000, 24, SketchOptions{Passes: 6}, RectifyOptions{Iterations: 2}},
		{16_000, 48, SketchOptions{Passes: 4, Columns: 60}, RectifyOptions{Iterations: 1, Corrections: rectify.CorrectionsRecompute}},
		{12_000, 40, SketchOptions{Passes: 1}, RectifyOptions{Iterations: 1, Corrections: rectify.CorrectionsRecompute}},
	} {
		t.Run(fmt.Sprintf("N=%d K=%d passes=%d", shape.items, shape.topics, shape.sketch.Passes), func(t *testing.T) {
			path := writeDocuments(t, shape.items, shape.topics)
			run := NewRun(1)
			ctx := &measuring{Context: context.Background(), run: run, begin: alive()}
			corpus := openCorpus(t, 2, func(s *Source) { s.Pruning.MinDF, s.Workers = 1, 1 }, path)
			opts := FitOptions{Sketch: shape.sketch, Rectify: shape.rectify, Anchor: AnchorOptions{Workers: 1}}
			opts.Sketch.Topics, opts.Sketch.Workers, opts.Rectify.Workers = shape.topics, 1, 1
			s, err := Fit(ctx, corpus, opts, run, quiet)
			if err != nil {
				t.Fatal(err)
			}
			modelled := s.memory.alive()
			for i, stage := range run.Stages() {
				if modelled[i].Stage != stage.Name {
					t.Fatalf("stage %d is %s, and the model has %s", i, stage.Name, modelled[i].Stage)
				}
				ratio := float64(modelled[i].Bytes) / float64(ctx.peaks[i])
				t.Logf("%-8s %6.1f MiB alive, model %+.1f%%", stage.Name, float64(ctx.peaks[i])/(1<<20), 100*(ratio-1))
				if math.Abs(ratio-1) > 0.1 {
					t.Errorf("%s: the model says %d bytes, and %d are alive", stage.Name, modelled[i].Bytes, ctx.peaks[i])
				}
			}
		})
	}
}
