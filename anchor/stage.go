// This file names the stages of the inference, so that a caller can see where its time goes.

package anchor

import "sync"

// Stage is a part of LAW and AW. The work before the first stage prepares it.
type Stage string

// The stages in their order. With Polish, the corrections and mixtures come twice.
const (
	StagePivots      Stage = "pivots"      // the selection of the anchors
	StageCorrections Stage = "corrections" // of negative entries; only of LAW
	StageMixtures    Stage = "mixtures"    // the N problems on the simplex
)

// progress counts what is done of a stage, by several goroutines, and reports it to Options.Progress.
type progress struct {
	mu          sync.Mutex
	stage       Stage
	done, total int
	tell        func(stage Stage, done, total int)
}

func (o *Options) progress(stage Stage, total int) *progress {
	p := &progress{stage: stage, total: total, tell: o.Progress}
	p.add(0)
	return p
}

// add adds to what is done.
func (p *progress) add(done int) {
	if p.tell == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += done
	p.tell(p.stage, p.done, p.total)
}
