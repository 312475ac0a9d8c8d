// This file takes rectifications to checkpoints and back.

package rectify

import (
	"anchorage/internal/checkpoint"
	"anchorage/matrix"
)

// checkpoint takes the state between iterations, and the schedule if p is not nil. Each computes everything else again.
func (e *enn) checkpoint(v *checkpoint.Values, p *pacer) {
	if v.Take(&e.y, &e.before, &e.x, &e.evaluations, &e.products); v.Reading() && v.Err() == nil {
		e.z = matrix.Like(e.x)
	}
	if p != nil {
		p.checkpoint(v)
	}
}

// checkpoint takes the schedule.
func (p *pacer) checkpoint(v *checkpoint.Values) {
	left := len(p.stages)
	if v.Take(&p.steps, &left, &p.size, &p.limit, &p.least, &p.settle); v.Reading() {
		p.stages = nil
	}
	for i := 0; i < left && v.Err() == nil; i++ {
		if v.Reading() {
			p.stages = append(p.stages, stage{})
		}
		v.Take(&p.stages[i].current, &p.stages[i].before, &p.stages[i].advance)
	}
}

// checkpoint takes the state between iterations.
func (p *pair) checkpoint(v *checkpoint.Values) {
	v.Take(&p.x.now, &p.x.before, &p.y.now, &p.y.before)
}

// checkpoint takes the state between iterations.
func (p *ipalm) checkpoint(v *checkpoint.Values) {
	p.pair.checkpoint(v)
	v.Take(&p.done, &p.since, &p.ahead, &p.coupling, &p.objective)
}

// keeping returns a function that takes a state, and the iterations so far.
func (r *Result) keeping(state func(*checkpoint.Values)) func(*checkpoint.Values) {
	return func(v *checkpoint.Values) {
		v.Take(&r.Iterations)
		state(v)
	}
}
