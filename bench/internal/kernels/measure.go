// This file measures operations in runs, each right beside the operation that it is compared with.

package kernels

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"anchorage/bench/internal/report"
)

// span is time on the clock and of processors.
type span struct{ wall, cpu time.Duration }

// watch returns a function that tells the time since.
func watch() func() span {
	begin, cpu := time.Now(), report.CPUTime()
	return func() span { return span{time.Since(begin), report.CPUTime() - cpu} }
}

// operation does something once. It returns how much it did, and the time of the part that counts.
type operation func() (work float64, took span, err error)

// timed returns an operation all of which counts.
func timed(work float64, fn func() error) operation {
	return func() (float64, span, error) {
		stop := watch()
		err := fn()
		return work, stop(), err
	}
}

// always gives a function that cannot fail the form of one that can.
func always(fn func()) func() error {
	return func() error {
		fn()
		return nil
	}
}

// pace is work per second and per second of processor time; NaN where the latter is not known.
type pace struct{ wall, cpu float64 }

func paceOf(work float64, took span) pace {
	p := pace{work / max(took.wall.Seconds(), 1e-9), math.NaN()}
	if took.cpu > 0 {
		p.cpu = work / took.cpu.Seconds()
	}
	return p
}

// repeat repeats an operation until it has taken long enough.
func repeat(ctx context.Context, op operation, least time.Duration) (pace, error) {
	work, took := 0.0, span{}
	for {
		if err := ctx.Err(); err != nil {
			return pace{}, err
		}
		w, t, err := op()
		if err != nil {
			return pace{}, err
		}
		work, took.wall, took.cpu = work+w, took.wall+t.wall, took.cpu+t.cpu
		if took.wall >= least {
			return paceOf(work, took), nil
		}
	}
}

// paces are the figures of one kernel, one of each run.
type paces struct{ pace, share []pace }

// median returns the record of the runs.
func (r *paces) median() Record {
	none := pace{math.NaN(), math.NaN()}
	if len(r.share) == 0 {
		r.share = []pace{none}
	}
	rate, share := medianPace(r.pace), medianPace(r.share)
	return Record{Rate: rate.wall, PerCPU: rate.cpu, Share: share.wall, ShareCPU: share.cpu, Cost: math.NaN()}
}

// medianPace takes the median of both numbers; the mean of two where the number of values is even.
func medianPace(list []pace) pace {
	middle := func(of func(pace) float64) float64 {
		values := make([]float64, len(list))
		for i, p := range list {
			values[i] = of(p)
		}
		slices.Sort(values) // NaN first: then one unknown does not make all unknown
		return (values[len(values)/2] + values[(len(values)-1)/2]) / 2
	}
	return pace{middle(func(p pace) float64 { return p.wall }), middle(func(p pace) float64 { return p.cpu })}
}

// measure measures an operation in runs. The first call does not count. Unless the reference is nil, it is measured before the
// first run and after each: a run's share is relative to the mean of the two measurements around it.
func (m *measuring) measure(ctx context.Context, op, reference operation) (Record, error) {
	if _, _, err := op(); err != nil {
		return Record{}, err
	}
	var r paces
	var before pace
	var err error
	if reference != nil {
		if before, err = repeat(ctx, reference, m.Least/4); err != nil {
			return Record{}, err
		}
	}
	for range m.Runs {
		own, err := repeat(ctx, op, m.Least)
		if err != nil {
			return Record{}, err
		}
		r.pace = append(r.pace, own)
		if reference == nil {
			continue
		}
		after, err := repeat(ctx, reference, m.Least/4)
		if err != nil {
			return Record{}, err
		}
		beside := pace{(before.wall + after.wall) / 2, (before.cpu + after.cpu) / 2}
		r.share = append(r.share, pace{own.wall / beside.wall, own.cpu / beside.cpu})
		before = after
	}
	return r.median(), nil
}

// add measures and adds a record.
func (m *measuring) add(ctx context.Context, name Name, op, reference operation) error {
	record, err := m.measure(ctx, op, reference)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", name.Kernel, name.Shape, err)
	}
	m.put(name, record)
	return nil
}

// put adds a record under a name.
func (m *measuring) put(name Name, record Record) {
	record.Name = name
	m.records = append(m.records, record)
}

// last returns the record that was added last.
func (m *measuring) last() *Record { return &m.records[len(m.records)-1] }
