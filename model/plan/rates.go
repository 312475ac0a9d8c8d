// This file measures how fast this machine does what a fit takes its time for.

package plan

import (
	"context"
	"slices"
	"time"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/matrix"
)

// Rates say how fast a machine is, under the load that it had when they were measured. Times are of a processor. They
// vary from one calibration to the next, so nothing but a Plan may depend on them.
type Rates struct {
	// Gather is the time to add one value of a row of double precision, anywhere in a matrix, to another.
	Gather float64 `json:"gather_seconds"`
	// Multiply is the time of a multiplication and an addition within a product of single precision.
	Multiply float64 `json:"multiply_seconds"`
	Local    float64 `json:"local_seconds"` // for a topic of an entry in a step of inferring a document
	Speedup  float64 `json:"processors"`    // seconds of processors in a second, of as many workers as there are
}

// usualRates are those of the machine on which the parts of work.go were measured, with as many processors as the run
// has workers.
func usualRates(workers int) Rates {
	return Rates{Gather: 1.1e-9, Multiply: 37e-12, Local: 0.95e-9, Speedup: float64(kernel.Workers(workers))}
}

// written is how many bytes a second go to a disk. Only stages that take long otherwise write much.
const written = 200e6

// Calibrate measures the rates for the given number of topics in about the given time. Inferring is as much slower than
// usual as multiplying. The error is that of ctx.
func Calibrate(ctx context.Context, topics, workers int, within time.Duration) (r Rates, err error) {
	usual := usualRates(workers)
	r = usual
	begin, cpu := time.Now(), process.CPUSeconds()
	for _, measured := range []struct {
		rate *float64
		task func(ctx context.Context, topics, workers int) (operations int, run func() error)
	}{{&r.Gather, gathering}, {&r.Multiply, multiplying}} {
		operations, run := measured.task(ctx, topics, kernel.Workers(workers))
		seconds, err := usualSeconds(workers, within/2, run)
		if err != nil {
			return r, err
		}
		*measured.rate = seconds / float64(operations)
	}
	r.Local = usual.Local * r.Multiply / usual.Multiply
	if used := process.CPUSeconds() - cpu; used > 0 {
		r.Speedup = min(used/time.Since(begin).Seconds(), r.Speedup)
	}
	return r, nil
}

const (
	// calibrationBytes is the size of a matrix whose rows are read from anywhere: more than caches hold.
	calibrationBytes = 48 << 20
	// calibrationRows is the number of rows of a document, and rounds how many documents, or more, each worker has in a
	// run.
	calibrationRows = 64
	rounds          = 16 * 32
)

// usualSeconds calls run again and again for about the given time, and returns the processor time that a quarter of the
// calls do not exceed. The others were disturbed: what else a machine does makes caches and cores slower for moments,
// and a fit is longer.
func usualSeconds(workers int, within time.Duration, run func() error) (float64, error) {
	var all []float64
	for begin := time.Now(); time.Since(begin) < within || len(all) == 0; {
		at, cpu := time.Now(), process.CPUSeconds()
		if err := run(); err != nil {
			return 0, err
		}
		seconds := process.CPUSeconds() - cpu
		if seconds <= 0 { // the system does not report it
			seconds = time.Since(at).Seconds() * float64(kernel.Workers(workers))
		}
		all = append(all, seconds)
	}
	slices.Sort(all)
	return all[len(all)/4], nil
}

// gathering sums rows of a tall matrix, from all over it.
func gathering(ctx context.Context, topics, workers int) (int, func() error) {
	columns := topics + 30
	n := max(calibrationBytes/(8*aligned.Columns[float64](columns)), 1)
	t := filled(matrix.NewTall(n, columns))
	step := max(int(0.6180339887*float64(n)), 1) // of the golden ratio: reaches all rows, and never one near the last
	return workers * rounds * calibrationRows * columns, func() error {
		return kernel.Parallel(ctx, workers, workers, func(worker int) error {
			sum := aligned.Make[float64](t.Stride())
			items, weights := make([]int32, calibrationRows), slices.Repeat([]float64{1}, calibrationRows)
			at := worker * rounds * calibrationRows * 7919 % n
			for range rounds {
				for j := range items {
					at = (at + step) % n
					items[j] = int32(at)
				}
				kernel.CombineRows(sum, t, items, weights)
			}
			return nil
		})
	}
}

// multiplying multiplies a tall matrix with a small one.
func multiplying(ctx context.Context, topics, workers int) (int, func() error) {
	const rows = 4 * matrix.BlockRows
	a, dst, small := filled(matrix.NewSingle(rows, topics)), matrix.NewSingle(rows, topics), make([]float64, topics*topics)
	return rows * topics * topics, func() error {
		kernel.Multiply(ctx, dst, a, small, workers)
		return ctx.Err()
	}
}

// filled sets all values of a matrix to 1.
func filled[T float32 | float64](t *matrix.TallOf[T]) *matrix.TallOf[T] {
	for i := range t.Rows() {
		for j := range t.Row(i) {
			t.Row(i)[j] = 1
		}
	}
	return t
}
