// This file measures how fast this machine does what a fit takes its time for.

package fit

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

// Rates say how fast a machine is, under the load that it had when they were measured. Times are of a processor. They vary from one
// calibration to the next, so nothing but a Plan may depend on them.
type Rates struct {
	Gather   float64 `json:"gather_seconds"`         // to add one value of a row of double precision, anywhere in a matrix, to another
	Multiply float64 `json:"multiply_seconds"`       // for a multiplication and an addition within a product of single precision
	Local    float64 `json:"local_seconds"`          // for a topic of an entry in a step of inferring a document
	Write    float64 `json:"write_bytes_per_second"` // to a file in the folder for temporary files
	Speedup  float64 `json:"processors"`             // how many seconds of processors pass in a second, of as many workers as there are
	// Cluster is how several such machines work together; the zero value is one alone. Nothing measures it.
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

// seconds returns how long a load takes, and the part of it that is latency. Ranks send equally much at the same time; half of the ranks do nothing
// in a round of a tree, which is little.
func (c Cluster) seconds(l load) (all, latency float64) {
	latency = l.rounds * cmp.Or(c.Latency, UsualLatency)
	return latency + l.bytes/float64(max(c.Ranks, 1))/cmp.Or(c.Bandwidth, UsualBandwidth), latency
}

// UsualRates are those of the machine on which the parts of plantime.go were measured, with as many processors as the run has workers.
func UsualRates(workers int) Rates {
	return Rates{Gather: 1.1e-9, Multiply: 37e-12, Local: 0.95e-9, Write: 200e6, Speedup: float64(kernel.Workers(workers))}
}

// Calibrate measures the rates for so many topics within about so much time. The file that it writes lies in dir, and is removed. The error
// is that of ctx or of the file.
func Calibrate(ctx context.Context, topics, workers int, dir string, within time.Duration) (Rates, error) {
	r := UsualRates(workers)
	each := within / 4
	begin, cpu := time.Now(), process.CPUSeconds()
	var err error
	if r.Gather, err = gatherRate(ctx, topics, workers, each); err != nil {
		return r, err
	}
	if r.Multiply, err = multiplyRate(ctx, topics, workers, each); err != nil {
		return r, err
	}
	if r.Local, err = localRate(ctx, topics, workers, each); err != nil {
		return r, err
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
	// calibrationRows is the number of rows of a document.
	calibrationRows = 64
)

// measure calls fn on all workers again and again, about as long as it is told to, and returns the processor time of one call. fn has a
// number of its own in every call.
func measure(ctx context.Context, workers int, within time.Duration, fn func(call int)) (float64, error) {
	workers = kernel.Workers(workers)
	round, calls := 16*workers, 0 // some milliseconds
	seconds, err := usualSeconds(workers, within, func() error {
		calls += round
		return kernel.Parallel(ctx, workers, round, func(i int) error {
			fn(calls + i)
			return nil
		})
	})
	return seconds / float64(round), err
}

// usualSeconds calls fn, again and again, about as long as it is told to, and returns the processor time that a quarter of the calls do not
// exceed. The others were disturbed: what else a machine does makes caches and cores slower for moments, and a run is longer than those.
func usualSeconds(workers int, within time.Duration, fn func() error) (float64, error) {
	var all []float64
	for begin := time.Now(); time.Since(begin) < within || len(all) == 0; {
		at, cpu := time.Now(), process.CPUSeconds()
		if err := fn(); err != nil {
			return 0, err
		}
		seconds := process.CPUSeconds() - cpu
		if seconds <= 0 { // the system does not tell
			seconds = time.Since(at).Seconds() * float64(workers)
		}
		all = append(all, seconds)
	}
	slices.Sort(all)
	return all[len(all)/4], nil
}

// gatherRate measures sums of rows of a tall matrix, from all over it.
func gatherRate(ctx context.Context, topics, workers int, within time.Duration) (float64, error) {
	columns := topics + 30
	n := max(calibrationBytes/(8*aligned.Columns[float64](columns)), 1)
	t := matrix.NewTall(n, columns)
	for i := range n {
		for j := range t.Row(i) {
			t.Row(i)[j] = 1
		}
	}
	const documents = 32
	per, err := measure(ctx, workers, within, func(call int) {
		sum := aligned.Make[float64](t.Stride())
		items, weights := make([]int32, calibrationRows), make([]float64, calibrationRows)
		// Steps of the golden ratio reach all rows, and never one near the last.
		at, step := call*documents*calibrationRows*7919%n, max(int(0.6180339887*float64(n)), 1)
		for range documents {
			for j := range items {
				at = (at + step) % n
				items[j], weights[j] = int32(at), 1
			}
			kernel.CombineRows(sum, t, items, weights)
		}
	})
	return per / float64(documents*calibrationRows*columns), err
}

// multiplyRate measures products of a tall matrix with a small one.
func multiplyRate(ctx context.Context, topics, workers int, within time.Duration) (float64, error) {
	const rows = 4 * matrix.BlockRows
	a, dst := matrix.NewSingle(rows, topics), matrix.NewSingle(rows, topics)
	small := make([]float64, topics*topics)
	for i := range rows {
		for j := range a.Row(i) {
			a.Row(i)[j] = float32(i + j)
		}
	}
	seconds, err := usualSeconds(kernel.Workers(workers), within, func() error {
		kernel.Multiply(ctx, dst, a, small, workers)
		return ctx.Err()
	})
	return seconds / float64(rows*topics*topics), err
}

// localRate measures steps of inferring documents.
func localRate(ctx context.Context, topics, workers int, within time.Duration) (float64, error) {
	width := aligned.Columns[float32](topics)
	const documents = 16
	per, err := measure(ctx, workers, within, func(int) {
		row := func(rows int, value float32) []float32 {
			values := make([]float32, rows*width)
			for i := range values {
				values[i] = value
			}
			return values
		}
		counts := make([]float32, calibrationRows)
		for i := range counts {
			counts[i] = 1
		}
		table, gamma := row(calibrationRows, 1), row(calibrationRows, 1/float32(width))
		a, least, scratch := row(1, 1+calibrationRows/float32(width)), row(1, 1), row(2, 0)
		for range documents {
			kernel.Collapsed(counts, table, gamma, a, least, scratch)
		}
	})
	return per / float64(documents*calibrationRows*topics), err
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
		if err != nil {
			return 0, err
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		written += n
	}
	if err := file.Sync(); err != nil {
		return 0, err
	}
	return float64(written) / max(time.Since(begin).Seconds(), 1e-6), nil
}
