// This file tells how far a pass over shards has come.

package stream

import "time"

// progressInterval is the shortest time between two reports.
const progressInterval = 100 * time.Millisecond

// meter reports the bytes of shards that are done, at a modest rate.
type meter struct {
	report   func(done, total int64) // nil for no reports
	total    int64
	input    int       // the one being delivered
	finished int64     // bytes of those before it
	last     time.Time // of the last report
}

// at notes the task that documents were delivered from.
func (m *meter) at(inputs []input, task readTask) {
	if m.report == nil {
		return
	}
	for ; m.input < task.input; m.input++ {
		m.finished += inputs[m.input].size
	}
	now := time.Now()
	if now.Sub(m.last) < progressInterval {
		return
	}
	m.last = now
	in := &inputs[task.input]
	m.report(m.finished+int64(float64(in.size)*float64(task.part)/float64(len(in.parts))), m.total)
}

// finish reports the end.
func (m *meter) finish() {
	if m.report != nil {
		m.report(m.total, m.total)
	}
}
