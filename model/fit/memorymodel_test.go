package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/long"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/rectify"
	"anchorage/sketch"
)

// writeDocuments writes documents with the given numbers of items and topics, and returns the shard.
func writeDocuments(t *testing.T, items, topics int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.parquet")
	writeDrawn(t, path, "%d", synth.Model{Items: items, Topics: topics, Documents: 2 * items, Tokens: 15,
		Concentration: 0.1, Seed: 1})
	return path
}

// measuring is a context that measures the live memory when Err is called, if enough was allocated since it last did.
// Loops over blocks of rows and of documents call Err, and many of them allocate nothing.
type measuring struct {
	context.Context
	run       *Run
	mu        sync.Mutex
	allocated uint64 // bytes, in all, when the memory was measured
	begin     int64
	peaks     []int64 // of the stages, in their order
}

// enough is how many bytes must be allocated for another measurement. What is missed is less.
const enough = 256 << 10

// allocations returns the number of bytes that the process has allocated so far.
func allocations() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func alive() int64 {
	runtime.GC()
	runtime.GC() // pooled memory survives the first collection
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func (m *measuring) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if allocations() >= m.allocated+enough {
		stage := len(m.run.stages)
		for len(m.peaks) <= stage {
			m.peaks = append(m.peaks, 0)
		}
		m.peaks[stage] = max(m.peaks[stage], alive()-m.begin)
		m.allocated = allocations()
	}
	return m.Context.Err()
}

// The memory model agrees with the live memory, in shapes in which different parts dominate.
func TestMemoryModelAgainstHeap(t *testing.T) {
	long.Test(t, "it measures the heaps of fits")
	for _, shape := range []struct {
		items, topics int
		sketch        SketchOptions
		rectify       RectifyOptions
	}{
		{24_000, 24, SketchOptions{Passes: 6}, RectifyOptions{Iterations: 2}},
		{24_000, 24, SketchOptions{Passes: 6, Power: true}, RectifyOptions{Iterations: 2, Truncated: true}},
		{16_000, 48, SketchOptions{Passes: 4, Columns: 60}, RectifyOptions{Iterations: 1,
			Corrections: rectify.Corrections{Mode: rectify.CorrectionsRecompute}}},
		{20_000, 40, SketchOptions{Passes: 1}, RectifyOptions{Iterations: 1,
			Corrections: rectify.Corrections{Mode: rectify.CorrectionsRecompute}}},
	} {
		t.Run(fmt.Sprintf("N=%d K=%d passes=%d", shape.items, shape.topics, shape.sketch.Passes), func(t *testing.T) {
			path := writeDocuments(t, shape.items, shape.topics)
			run := &Run{Workers: 1}
			ctx := &measuring{Context: context.Background(), run: run, begin: alive()}
			docs := openCorpus(t, 2, func(s *corpus.Options) { s.Pruning.MinDF, s.Workers = 1, 1 }, path)
			opts := Options{Topics: shape.topics, Sketch: shape.sketch, Rectify: shape.rectify, Run: run}
			sketched, err := sketchCorpus(ctx, docs, &opts)
			if err != nil {
				t.Fatal(err)
			}
			memory := sketched.memory
			rectified, err := sketched.Rectify(ctx, opts)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rectified.anchor(ctx, docs, opts); err != nil {
				t.Fatal(err)
			}
			modelled := memory.alive()
			for i, stage := range run.Stages() {
				if modelled[i].Stage != stage.Name {
					t.Fatalf("stage %d is %s, and the model has %s", i, stage.Name, modelled[i].Stage)
				}
				ratio := float64(modelled[i].Bytes) / float64(ctx.peaks[i])
				t.Logf("%-8s %6.1f MiB alive, model %+.1f%%", stage.Name, float64(ctx.peaks[i])/(1<<20), 100*(ratio-1))
				tolerance := 0.12 // a run of documents grows by steps
				switch stage.Name {
				case "anchor": // how much is beside the anchors is not known before
					tolerance = 0.3
				case "rectify": // nor how many entries are corrected
					tolerance = 0.2
				}
				if math.Abs(ratio-1) > tolerance {
					t.Errorf("%s: the model says %d bytes, and %d are alive", stage.Name, modelled[i].Bytes, ctx.peaks[i])
				}
			}
		})
	}
}

func modelOf(items, topics, columns, workers int, fit *Options) *memoryModel {
	o := Options{}
	if fit != nil {
		o = *fit
	}
	o.Run = &Run{SpillDir: "x"}
	m := &memoryModel{opts: &o, items: items, topics: topics, columns: columns, weighted: true, ids: 100 * int64(items),
		blocks: sketch.DefaultBlocks(items, columns), corpus: corpus.Size{Entries: 20 * int64(items), Documents: int64(items),
			Workers: workers}}
	if fit != nil {
		m.method = fit.Method.entry()
	}
	return m
}

// The basis is put away exactly where memory has no room for it, and what memory then holds is two blocks. A run that
// does not fit even so is refused, as is one that has no folder.
func TestBasisIsPutAway(t *testing.T) {
	const items, topics, columns = 300_000, 100, 130
	away, refusals := 0, 0
	for limit := int64(100 << 20); limit < 6<<30; limit += 50 << 20 {
		for _, spills := range []bool{false, true} {
			m := modelOf(items, topics, columns, 2, nil)
			if !spills {
				m.opts.Run.SpillDir = ""
			}
			whole := m.stages()[0].Bytes
			err := m.restrict(limit, false)
			if m.away != (spills && whole > limit) {
				t.Fatalf("limit %d MiB, %d MiB in memory, a folder %v: away %v", limit>>20, whole>>20, spills, m.away)
			}
			var refused *MemoryError
			if errors.As(err, &refused) != (m.stages()[0].Bytes > limit) {
				t.Fatalf("limit %d MiB, away %v: %v", limit>>20, m.away, err)
			}
			if err != nil {
				refusals++
			} else if m.away {
				away++
			}
			if less := whole - m.stages()[0].Bytes; m.away && less < int64(m.blocks-2)*matrix.Bytes[float64](items, columns) {
				t.Fatalf("away, the basis takes only %d MiB less", less>>20)
			}
		}
	}
	if away < 5 || refusals < 5 {
		t.Errorf("%d limits put it away, %d refuse", away, refusals)
	}
	// Many workers take more memory, and may not fit.
	m := modelOf(items, topics, columns, 400, nil)
	m.opts.Run.SpillDir = ""
	if err := m.restrict(1500<<20, false); err == nil || !strings.Contains(err.Error(), "but the limit is 1500 MiB") {
		t.Errorf("with 400 workers: %v", err)
	}
}

// Corrections get what the rectification leaves of the limit, but no more than without a limit.
func TestCorrectionsWithinLimit(t *testing.T) {
	least := int64(0)
	for _, limit := range []int64{1450 << 20, 3 << 29, 2 << 30, 4 << 30, 16 << 30} {
		m := modelOf(300_000, 100, 130, 2, &Options{})
		if err := m.restrict(limit, false); err != nil {
			t.Fatal(err)
		}
		got := m.budget
		if got < least || got > rectify.DefaultCorrectionBytes {
			t.Errorf("limit %d MiB: %d bytes of corrections after %d", limit>>20, got, least)
		}
		if got > 0 && resident(m.rectifying(got, 1)) > limit {
			t.Errorf("limit %d MiB: %d bytes of corrections do not fit", limit>>20, got)
		}
		least = got
	}
	if least != rectify.DefaultCorrectionBytes {
		t.Errorf("%d bytes of corrections where there is room for all", least)
	}
	m := modelOf(30_000, 20, 50, 2, &Options{Rectify: RectifyOptions{Corrections: rectify.Corrections{Bytes: 5 << 20}}})
	if err := m.restrict(8<<30, false); err != nil || m.budget != 5<<20 {
		t.Errorf("5 MiB asked for, %d bytes given, %v", m.budget, err)
	}
}

// A vocabulary that grows during the first pass is refused as soon as it is too large, before the pass ends.
func TestGrowingVocabularyWithinLimit(t *testing.T) {
	path := writeDocuments(t, 6000, 5)
	docs := openCorpus(t, 1, func(s *corpus.Options) { s.NoPrune, s.Workers = true, 1 }, path)
	opts := Options{Topics: 5, Sketch: SketchOptions{Columns: 4000, Passes: 1}, Run: &Run{Workers: 1,
		MemoryLimit: processBytes + 60<<20}}
	_, err := Sketch(context.Background(), docs, opts)
	var refused *MemoryError
	if !errors.As(err, &refused) || refused.Items == 0 {
		t.Fatal(err)
	}
	if docs.Account.DocumentsRead != 0 {
		t.Error("all documents were read before")
	}
}

// TestSetAside fits where memory has no room for the basis: the vectors for later fits leave memory until there are
// topics, come back, and everything is as it is with much memory. No file is left, nor after an interrupt.
func TestSetAside(t *testing.T) {
	docs := drawnCorpus(t, 3000, 8, 4000)
	fit := func(ctx context.Context, limit int64, folder string) (*Fitted, error) {
		return Fit(ctx, docs, Options{Topics: 8, Seed: 1, Refine: RefineOptions{Passes: NoRefinement},
			Run: &Run{MemoryLimit: limit, SpillDir: folder}})
	}
	want, err := fit(t.Context(), 8<<30, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	limit := newMemoryModel(docs, &Options{Topics: 8, Run: &Run{}}, true, false).stages()
	sketched := slices.IndexFunc(limit, func(s StageMemory) bool { return s.Stage == "sketch" })
	folder, writes := t.TempDir(), 0
	ctx, cancel := context.WithCancel(t.Context())
	last := -1 // the write at which the run is cancelled
	defer durable.Inject(func(operation string) error {
		if operation == "write at" {
			if writes++; writes == last {
				cancel()
			}
		}
		return nil
	})()
	got, err := fit(ctx, limit[sketched].Bytes-1<<20, folder)
	if err != nil {
		t.Fatal(err)
	}
	if !got.memory.away || got.memory.aside() == 0 || got.Eigen.Leading.IsAway() || writes == 0 {
		t.Fatalf("away %v, %d writes", got.memory.away, writes)
	}
	for i := range want.Factor.Rows() {
		if !slices.Equal(got.Eigen.Leading.Row(i), want.Eigen.Leading.Row(i)) ||
			!slices.Equal(got.Factor.Row(i), want.Factor.Row(i)) {
			t.Fatalf("item %d differs", i)
		}
	}
	last, writes = writes, 0 // the vectors are the last that is written
	if _, err = fit(ctx, limit[sketched].Bytes-1<<20, folder); !errors.Is(err, context.Canceled) || writes != last {
		t.Errorf("after write %d of %d: %v", writes, last, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v, %v is left", left, err)
	}
}
