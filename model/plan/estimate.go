// This file says while a run goes how much longer it takes.

package plan

import (
	"strings"
	"time"
)

// Estimate says how much longer a run takes. It corrects the plan by what the stages that have ended took. A nil
// Estimate says nothing.
type Estimate struct {
	plan    *Plan
	now     func() time.Time // time.Now, outside tests
	at      int              // stage of the plan that runs now
	begun   time.Time        // when it began
	took    float64          // seconds of the stages before it
	planned float64          // the same, as planned
}

// stageOfProgress are the stages of plans to which the stages that progress is reported of belong.
var stageOfProgress = map[string]string{
	"reading": "read", "sketching": "sketch", "solving": "sketch", "evidence": "evidence", "rectifying": "rectify",
	"corrections": "rectify",
	"pivots":      "anchor", "mixtures": "anchor", "rows": "anchor", "refining": "refine", "writing": "write",
}

// NewEstimate returns the estimate of a run that begins now.
func NewEstimate(plan *Plan, now func() time.Time) *Estimate {
	return &Estimate{plan: plan, now: now, begun: now()}
}

// Left returns the time that is left when progress is reported of a stage; 0 if that is unknown.
func (e *Estimate) Left(stage string) time.Duration {
	if e == nil {
		return 0
	}
	stages := e.plan.Stages
	if name, known := stageOfProgress[stage]; known {
		for i := e.at + 1; i < len(stages); i++ {
			if of, _, _ := strings.Cut(stages[i].Stage, "/"); of == name { // of any level
				now := e.now()
				e.took += now.Sub(e.begun).Seconds()
				for _, s := range stages[e.at:i] {
					e.planned += s.Seconds
				}
				e.at, e.begun = i, now
				break
			}
		}
	}
	pace := e.pace()
	rest := max(stages[e.at].Seconds*pace-e.now().Sub(e.begun).Seconds(), 0)
	for _, s := range stages[e.at+1:] {
		rest += s.Seconds * pace
	}
	return time.Duration(rest * float64(time.Second))
}

// pace returns how many times as long as planned the run takes. The plan counts as much as a tenth of the run.
func (e *Estimate) pace() float64 {
	prior := e.plan.Seconds.Estimate / 10
	if e.planned+prior <= 0 {
		return 1
	}
	return (e.took + prior) / (e.planned + prior)
}
