// This file measures the kernels, one after the other, each beside what limits it in the same moments.

package kernels

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"anchorage/internal/aligned"
	"anchorage/internal/random"
	"anchorage/matrix"
)

// Options says what to measure. All numbers must be positive.
type Options struct {
	Parts   []string      // of AllParts; nil for all
	Workers []int         // numbers of workers to measure with
	Runs    int           // of which a figure is the median
	Least   time.Duration // how long a run is measured at least

	Items  int   // N, the rows of tall matrices
	Chosen int   // |I|, the rows that corrections are sought in
	Topics []int // K

	TableBytes  int64 // of the matrix whose rows are read and changed
	Columns     []int // L of sketches
	SketchItems int   // N of sketches
	Documents   int   // of which sketches are made, in memory
	Tokens      int   // mean length of a document

	Orders []int // n of eigenproblems

	Problems     int   // N of what anchors and mixtures are found for
	AnchorTopics []int // K of that

	Log *slog.Logger // of every group of figures; nil for none
}

// Name says what was measured.
type Name struct {
	Group, Kernel, Shape string
	Workers              int
}

// Record is what was measured of one kernel in one shape with one number of workers: medians over the runs. Figures that do not
// apply, or that the system does not tell, are NaN.
type Record struct {
	Name
	Rate, PerCPU    float64 // in the unit of the group, per second and per second of processor time
	Share, ShareCPU float64 // of the rate of what the group compares with, and of that by processor time
	Cost            float64 // as the group defines it
}

// The groups of figures.
const (
	groupPeak        = "Multiply-adds in registers"
	groupMemory      = "Memory"
	groupProducts    = "Dense products"
	groupCorrections = "Corrections"
	groupSketch      = "Passes over documents"
	groupEigen       = "Small symmetric eigenproblems"
	groupAnchors     = "Anchors and mixtures"
)

// AllParts are what can be measured by itself. The peaks that they are compared with always come first.
var AllParts = []string{"products", "corrections", "passes", "eigenproblems", "anchors"}

// parts returns the functions that measure the AllParts.
func (m *measuring) parts() []func(context.Context) error {
	return []func(context.Context) error{m.products, m.corrections, m.sketches, m.eigenproblems, m.anchors}
}

// Check returns an error that names the flag with a wrong value.
func (k *Options) Check() error {
	for _, part := range k.Parts {
		if !slices.Contains(AllParts, part) {
			return fmt.Errorf("--only has %q: it must be of %s", part, strings.Join(AllParts, ", "))
		}
	}
	for _, list := range []struct {
		flag   string
		values []int
	}{
		{"workers", k.Workers}, {"topics", k.Topics}, {"columns", k.Columns}, {"orders", k.Orders},
		{"anchor-topics", k.AnchorTopics},
	} {
		if len(list.values) == 0 {
			return fmt.Errorf("nothing to measure: --%s is empty", list.flag)
		}
		if least := slices.Min(list.values); least < 1 {
			return fmt.Errorf("--%s has %d: all must be positive", list.flag, least)
		}
	}
	for _, number := range []struct {
		flag  string
		value int64
	}{{"runs", int64(k.Runs)}, {"items", int64(k.Items)}, {"chosen", int64(k.Chosen)}, {"table-bytes", k.TableBytes}} {
		if number.value < 1 {
			return fmt.Errorf("--%s is %d: it must be positive", number.flag, number.value)
		}
	}
	if k.Chosen > k.Items {
		return fmt.Errorf("--chosen is %d: there are no more rows than --items, %d", k.Chosen, k.Items)
	}
	model := k.documentModel()
	if err := model.Check(); err != nil {
		return fmt.Errorf("--sketch-items, --documents, --tokens: %w", err)
	}
	for _, topics := range k.Topics {
		if topics > k.Items {
			return fmt.Errorf("--topics has %d: there are no more columns than --items, %d", topics, k.Items)
		}
	}
	for _, topics := range k.AnchorTopics {
		m := k.factorModel(topics)
		if err := m.Check(); err != nil {
			return fmt.Errorf("--problems, --anchor-topics: %w", err)
		}
	}
	return nil
}

// Run measures the parts that are asked for.
func (k Options) Run(ctx context.Context) ([]Record, error) {
	if k.Log == nil {
		k.Log = slog.New(slog.DiscardHandler)
	}
	m := &measuring{Options: k}
	if err := m.floors(ctx); err != nil {
		return nil, err
	}
	for i, measure := range m.parts() {
		if len(m.Parts) > 0 && !slices.Contains(m.Parts, AllParts[i]) {
			continue
		}
		begin := time.Now()
		if err := measure(ctx); err != nil {
			return nil, err
		}
		m.Log.Info("measured", "kernels", AllParts[i], "seconds", time.Since(begin).Seconds())
	}
	return m.records, nil
}

// measuring is Options at work.
type measuring struct {
	Options
	records []Record
}

// noise returns a standard normal number that is a function of the seed and the key.
func noise(seed, key uint64) float64 {
	return random.Normal(seed, random.Benchmark, key, 0)
}

// noisy returns an n×columns matrix of noise.
func noisy[T aligned.Real](n, columns int) *matrix.TallOf[T] {
	t := newTall[T](n, columns)
	for i := range n {
		row := t.Row(i)
		for j := range row {
			row[j] = T(noise(uint64(columns), uint64(i*columns+j)))
		}
	}
	return t
}

func newTall[T aligned.Real](n, columns int) *matrix.TallOf[T] {
	var t any = matrix.NewTall
	var value T
	if _, single := any(value).(float32); single {
		t = matrix.NewSingle
	}
	return t.(func(int, int) *matrix.TallOf[T])(n, columns)
}
