// This file reports the progress of a pass over shards.

package stream

import "time"

// progressInterval is the shortest time between two reports.
const progressInterval = 100 * time.Millisecond

// meter reports how many bytes of the shards are done, at most once per progressInterval.
type meter struct {
	report   func(done, total int64) // nil for no reports
	total    int64
	input    int       // index of the input being delivered
	finished int64     // bytes of the inputs before it
	last     time.Time // of the last report
}

// at records the task whose documents were delivered, and reports if it is time to.
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

// finish reports that all bytes are done.
func (m *meter) finish() {
	if m.report != nil {
		m.report(m.total, m.total)
	}
}
