// This file tells how far a pass over shards has come.

package stream

import "time"

// progressInterval is the shortest time between two reports.
const progressInterval = 100 * time.Millisecond

// Progress is how far Read has come.
type Progress struct {
	Documents  int64
	Bytes      int64 // of the shards; a part counts when the next one begins
	TotalBytes int64
}

// meter reports progress at a modest rate.
type meter struct {
	Progress
	report   func(Progress) // nil for no reports
	input    int            // the one being delivered
	finished int64          // bytes of those before it
	last     time.Time      // of the last report
}

// at takes note of the number of documents delivered and of the task they came from, the last of them.
func (m *meter) at(documents int64, inputs []input, task readTask) {
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
	m.Documents = documents
	m.Bytes = m.finished + int64(float64(in.size)*float64(task.part)/float64(len(in.parts)))
	m.report(m.Progress)
}

// finish reports the end.
func (m *meter) finish(documents int64) {
	if m.report == nil {
		return
	}
	m.Documents, m.Bytes = documents, m.TotalBytes
	m.report(m.Progress)
}
