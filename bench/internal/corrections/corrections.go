// This file makes the runs: one iteration of ENN with a truncated eigendecomposition, for every place of the corrections.

package corrections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"anchorage/bench/internal/report"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/rectify"
)

// Options say what is measured.
type Options struct {
	Items     int       // N
	Topics    []int     // K
	Densities []float64 // shares of the candidates of E that are not 0
	Runs      int       // of which a figure is the median
	Workers   int
	Dir       string // of the spill file
	Log       *slog.Logger
}

// Check returns an error that names the flag with a wrong value.
func (o *Options) Check() error {
	switch {
	case o.Runs < 1:
		return fmt.Errorf("--runs is %d: it must be positive", o.Runs)
	case len(o.Topics) == 0 || slices.Min(o.Topics) < 2:
		return errors.New("--topics must be numbers from 2")
	case o.Items < slices.Max(o.Topics):
		return fmt.Errorf("--items is %d: it must be at least as great as --topics", o.Items)
	}
	for _, d := range o.Densities {
		if !(d > 0 && d < 0.5) {
			return fmt.Errorf("--densities has %v: they must be above 0 and below 0.5", d)
		}
	}
	return nil
}

// place is a place of the corrections.
type place struct {
	name        string
	corrections rectify.Corrections
}

// places are those that are compared, memory first. Without memory, auto has only the file and computing again to choose from.
func (o *Options) places() []place {
	return []place{
		{"memory", rectify.Corrections{Mode: rectify.CorrectionsMemory, Bytes: math.MaxInt64}},
		{"spill", rectify.Corrections{Mode: rectify.CorrectionsSpill, SpillDir: o.Dir}},
		{"recompute", rectify.Corrections{Mode: rectify.CorrectionsRecompute}},
		{"auto without memory", rectify.Corrections{NoMemory: true, SpillDir: o.Dir}},
	}
}

// Record is what was measured of one place.
type Record struct {
	Topics, Rows int     // K and |I|
	Density      float64 // as it came out
	Place        string
	Chosen       rectify.CorrectionsMode
	Applications int   // of E in the iteration, with that while it is built
	Bytes        int64 // that were kept
	CPU, Seconds float64
	// Further is the processor time that an application after the first takes more than one from memory.
	Further float64
}

// Run makes all runs. Those of a shape take turns, so that what else the machine does meets all places alike.
func (o *Options) Run(ctx context.Context) (records []Record, err error) {
	for _, topics := range o.Topics {
		for _, density := range o.Densities {
			y := negativeFactor(o.Items, topics, density)
			places := o.places()
			begin, cpu, seconds := len(records), make([][]float64, len(places)), make([][]float64, len(places))
			for run := range o.Runs {
				for at, p := range places {
					r, err := o.measure(ctx, y, p)
					if err != nil {
						return nil, err
					}
					cpu[at], seconds[at] = append(cpu[at], r.CPU), append(seconds[at], r.Seconds)
					if run == 0 {
						records = append(records, r)
					}
				}
			}
			for at := range places {
				r := &records[begin+at]
				r.CPU, r.Seconds = median(cpu[at]), median(seconds[at])
				r.Further = (r.CPU - records[begin].CPU) / float64(max(r.Applications-1, 1))
			}
			o.Log.Info("measured", "topics", topics, "density", records[begin].Density)
		}
	}
	return records, nil
}

// measure makes one iteration.
func (o *Options) measure(ctx context.Context, y *matrix.Tall, p place) (Record, error) {
	copied := y.Copy(y.Cols())
	begin, cpu := time.Now(), report.CPUTime()
	result, err := rectify.ENN(ctx, copied, rectify.Options{Iterations: 1, Truncated: true, Seed: 1, Workers: o.Workers, Corrections: p.corrections})
	if err != nil {
		return Record{}, err
	}
	done := result.Iterations[0]
	return Record{Topics: y.Cols(), Rows: rectify.Corrected(y.Rows(), y.Cols(), 0), Density: done.Density, Place: p.name, Chosen: done.Corrections,
		Applications: done.Applications, Bytes: done.CorrectionBytes, CPU: (report.CPUTime() - cpu).Seconds(), Seconds: time.Since(begin).Seconds()}, nil
}

// negativeFactor returns an N×K factor of which about the given share of products of rows is negative: a coordinate that is the same in all
// rows, and K−1 normal ones, the later the shorter, which are scaled to one length so that the rows of I are like all others.
func negativeFactor(n, k int, share float64) *matrix.Tall {
	y := matrix.NewTall(n, k)
	length, squares := 0.0, 0.0
	for j := 1; j < k; j++ {
		length += 1 / float64(j)
		squares += math.Pow(float64(j), -2) // the variance of a product of two rows
	}
	mean := math.Sqrt(-distuv.UnitNormal.Quantile(share) * math.Sqrt(squares))
	for i := range n {
		row := y.Row(i)
		square := 0.0
		for j := 1; j < k; j++ {
			row[j] = random.Normal(1, random.NegativeFactor, uint64(i), uint64(j)) / math.Sqrt(float64(j))
			square += row[j] * row[j]
		}
		for j := 1; j < k; j++ {
			row[j] *= math.Sqrt(length / square)
		}
		row[0] = mean
	}
	return y
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// workers returns the number of goroutines.
func (o *Options) workers() int { return kernel.Workers(o.Workers) }
