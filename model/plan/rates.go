// This file measures how fast this machine does what a fit takes its time for.

package plan

import (
	"cmp"
	"context"
	"os"
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
	Local    float64 `json:"local_seconds"`          // for a topic of an entry in a step of inferring a document
	Write    float64 `json:"write_bytes_per_second"` // to a file in the folder for temporary files
	Speedup  float64 `json:"processors"`             // seconds of processors in a second, of as many workers as there are
	// Cluster is how several such machines work together; the zero value is one machine. Nothing measures it.
	Cluster Cluster `json:"cluster,omitzero"`
}

// Cluster says how ranks reach each other.
type Cluster struct {
	Ranks     int     `json:"ranks"`
	Bandwidth float64 `json:"bytes_per_second"` // that a rank sends, at most; 0 for UsualBandwidth
	Latency   float64 `json:"latency_seconds"`  // of a message; 0 for UsualLatency
}

// The network that plans assume: 10 Gbit/s, and 0.1 ms for a message.
const (
	UsualBandwidth = 10e9 / 8
	UsualLatency   = 1e-4
)

// several reports whether there are several ranks.
func (c Cluster) several() bool { return c.Ranks > 1 }

// seconds returns how long a load takes, and the part of it that is latency. Ranks send equally much at the same time;
// half of the ranks do nothing in a round of a tree, which is little.
func (c Cluster) seconds(l load) (all, latency float64) {
	latency = l.rounds * cmp.Or(c.Latency, UsualLatency)
	return latency + l.bytes/float64(max(c.Ranks, 1))/cmp.Or(c.Bandwidth, UsualBandwidth), latency
}

// UsualRates are those of the machine on which the parts of work.go were measured, with as many processors as the run
// has workers.
func UsualRates(workers int) Rates {
	return Rates{Gather: 1.1e-9, Multiply: 37e-12, Local: 0.95e-9, Write: 200e6, Speedup: float64(kernel.Workers(workers))}
}

// Calibrate measures the rates for the given number of topics in about the given time. The file that it writes is in
// dir, and is removed. The error is that of ctx or of the file.
func Calibrate(ctx context.Context, topics, workers int, dir string, within time.Duration) (r Rates, err error) {
	r = UsualRates(workers)
	each := within / 4
	begin, cpu := time.Now(), process.CPUSeconds()
	for _, measured := range []struct {
		rate *float64
		task func(ctx context.Context, topics, workers int) (operations int, run func() error)
	}{{&r.Gather, gathering}, {&r.Multiply, multiplying}, {&r.Local, inferring}} {
		operations, run := measured.task(ctx, topics, kernel.Workers(workers))
		seconds, err := usualSeconds(workers, each, run)
		if err != nil {
			return r, err
		}
		*measured.rate = seconds / float64(operations)
	}
	if used := process.CPUSeconds() - cpu; used > 0 {
		r.Speedup = min(used/time.Since(begin).Seconds(), r.Speedup)
	}
	r.Write, err = writeRate(ctx, dir, each)
	return r, err
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

// inferring makes steps of inferring documents.
func inferring(ctx context.Context, topics, workers int) (int, func() error) {
	width := aligned.Columns[float32](topics)
	row := func(rows int, value float32) []float32 { return slices.Repeat([]float32{value}, rows*width) }
	return workers * rounds * calibrationRows * topics, func() error {
		return kernel.Parallel(ctx, workers, workers, func(int) error {
			counts := slices.Repeat([]float32{1}, calibrationRows)
			a, least, scratch := row(1, 1+calibrationRows/float32(width)), row(1, 1), row(2, 0)
			for range rounds / 16 { // documents begin again from equal shares
				table, gamma := row(calibrationRows, 1), row(calibrationRows, 1/float32(width))
				for range 16 {
					kernel.Collapsed(counts, table, gamma, a, least, scratch)
				}
			}
			return nil
		})
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

// writeRate measures a file that is written to disk, in bytes per second.
func writeRate(ctx context.Context, dir string, within time.Duration) (rate float64, err error) {
	file, err := os.CreateTemp(dir, ".anchorage-calibration-")
	if err != nil {
		return 0, err
	}
	defer func() {
		file.Close() // what was written does not matter
		if removing := os.Remove(file.Name()); err == nil {
			err = removing
		}
	}()
	const most = 64 << 20
	chunk, written, begin := make([]byte, 1<<20), 0, time.Now()
	for i := range chunk {
		chunk[i] = byte(i * i >> 3)
	}
	for written < most && (written == 0 || time.Since(begin) < within/2) {
		n, err := file.Write(chunk)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, err
		}
		written += n
	}
	if err := file.Sync(); err != nil {
		return 0, err
	}
	return float64(written) / max(time.Since(begin).Seconds(), 1e-6), nil
}
