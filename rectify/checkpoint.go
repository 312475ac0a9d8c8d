// This file takes rectifications to checkpoints and back.

package rectify

import (
	"anchorage/checkpoint"
	"anchorage/matrix"
)

// checkpoint takes the state between iterations, and the schedule if p is not nil. Everything else is computed anew in each.
func (e *enn) checkpoint(v *checkpoint.Values, p *pacer) {
	checkpoint.Matrix(v, &e.y)
	checkpoint.Matrix(v, &e.before)
	checkpoint.Matrix(v, &e.x)
	if v.Int(&e.evaluations, &e.products); v.Reading() && v.Err() == nil {
		e.z = matrix.Like(e.x)
	}
	if p != nil {
		p.checkpoint(v)
	}
}

// checkpoint takes the schedule.
func (p *pacer) checkpoint(v *checkpoint.Values) {
	v.Ints(&p.steps)
	left := len(p.stages)
	if v.Int(&left, &p.size, &p.limit); v.Reading() {
		p.stages = nil
	}
	v.Float(&p.least, &p.settle)
	for i := range left {
		if v.Err() != nil {
			return
		}
		if v.Reading() {
			p.stages = append(p.stages, stage{})
		}
		v.Float(&p.stages[i].current, &p.stages[i].before, &p.stages[i].advance)
	}
}

// checkpoint takes the state between iterations.
func (p *pair) checkpoint(v *checkpoint.Values) {
	for _, m := range []**matrix.Tall{&p.x.now, &p.x.before, &p.y.now, &p.y.before} {
		checkpoint.Matrix(v, m)
	}
}

// checkpoint takes the state between iterations.
func (p *ipalm) checkpoint(v *checkpoint.Values) {
	p.pair.checkpoint(v)
	v.Int(&p.done, &p.since, &p.ahead)
	v.Float(&p.coupling, &p.objective)
}

// restore reads a state of opts.Checkpoint, and the iterations so far.
func (r *Result) restore(opts *Options, state func(*checkpoint.Values)) error {
	return opts.Checkpoint.Restore(r.keeping(state))
}

// keeping returns a function that takes a state, and the iterations so far.
func (r *Result) keeping(state func(*checkpoint.Values)) func(*checkpoint.Values) {
	return func(v *checkpoint.Values) {
		v.Gob(&r.Iterations)
		state(v)
	}
}
