// This file tells the log of progress, where no terminal shows it.

package main

import (
	"log/slog"
	"time"
)

// paceEvery is how long the log is silent about what is under way.
const paceEvery = time.Minute

// pace logs how far the present stage is, once in paceEvery. A run that takes less has no line. A nil pace logs nothing.
type pace struct {
	log      *slog.Logger
	now      func() time.Time
	estimate *estimate // of the whole run; nil if there is no plan
	stage    string
	begun    time.Time // when the stage began
	last     time.Time // when the last line was written, or the first stage began
	first    int64     // what was done when the stage began
	done     int64
}

// update takes note that done out of total are done in a stage. A total of 0 is unknown.
func (p *pace) update(stage string, done, total int64) {
	if p == nil {
		return
	}
	now, left := p.now(), p.estimate.left(stage)
	if p.last.IsZero() {
		p.last = now
	}
	if stage != p.stage || done < p.done { // a stage may come again, as passes do
		p.stage, p.begun, p.first = stage, now, done
	}
	p.done = done
	if now.Sub(p.last) < paceEvery {
		return
	}
	p.last = now
	took := now.Sub(p.begun).Seconds()
	figures := []any{"stage", stage, "seconds", took, "done", done}
	if total > 0 {
		figures = append(figures, "of", total)
		if gained := done - p.first; gained > 0 && done <= total {
			figures = append(figures, "seconds_left", took*float64(total-done)/float64(gained))
		}
	}
	if left > 0 {
		figures = append(figures, "run_seconds_left", left.Seconds())
	}
	p.log.Info("progress", append(figures, "unit", unitOf(stage))...)
}

// advance shows or logs that done out of total are done in a stage.
func (p *program) advance(stage string, done, total int64) {
	p.bar.update(stage, done, total)
	p.pace.update(stage, done, total)
}
