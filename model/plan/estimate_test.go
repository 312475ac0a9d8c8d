package plan

import (
	"testing"
	"time"

	"anchorage/corpus"
)

// The time that is left is that of the stages to come, and longer if those before took longer than planned.
func TestEstimate(t *testing.T) {
	if left := (*Estimate)(nil).Left("reading"); left != 0 {
		t.Errorf("without a plan %v are left", left)
	}
	clock := time.Unix(0, 0)
	plan := &Plan{Stages: []Stage{{Stage: "read", Seconds: 10}, {Stage: "sketch", Seconds: 30},
		{Stage: "refine", Seconds: 60}},
		Seconds: corpus.Interval{Estimate: 100}}
	e := NewEstimate(plan, func() time.Time { return clock })
	if left := e.Left("reading"); left != 100*time.Second {
		t.Errorf("%v are left at the beginning", left)
	}
	clock = clock.Add(30 * time.Second) // three times the plan
	if left := e.Left("reading"); left != 90*time.Second {
		t.Errorf("%v are left while the first stage takes too long", left)
	}
	// The pace is (30+10)/(10+10) = 2.
	if left := e.Left("sketching"); left != 180*time.Second {
		t.Errorf("%v are left after it", left)
	}
	clock = clock.Add(20 * time.Second)
	if left := e.Left("solving"); left != 160*time.Second {
		t.Errorf("%v are left in the second stage", left)
	}
	if left := e.Left("reading"); left != 160*time.Second {
		t.Errorf("%v are left, of an earlier stage", left)
	}
}
