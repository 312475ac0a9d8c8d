package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"anchorage/corpus"
	"anchorage/model/plan"
)

// The time that is left is that of the stages to come, and longer if those before took longer than planned.
func TestEstimate(t *testing.T) {
	if left := (*estimate)(nil).left("reading"); left != 0 {
		t.Errorf("without a plan %v are left", left)
	}
	clock := time.Unix(0, 0)
	plan := &plan.Plan{Stages: []plan.Stage{{Stage: "read", Seconds: 10}, {Stage: "sketch", Seconds: 30},
		{Stage: "refine", Seconds: 60}},
		Seconds: corpus.Interval{Estimate: 100}}
	e := newEstimate(plan, func() time.Time { return clock })
	if left := e.left("reading"); left != 100*time.Second {
		t.Errorf("%v are left at the beginning", left)
	}
	clock = clock.Add(30 * time.Second) // three times the plan
	if left := e.left("reading"); left != 90*time.Second {
		t.Errorf("%v are left while the first stage takes too long", left)
	}
	// The pace is (30+10)/(10+10) = 2.
	if left := e.left("sketching"); left != 180*time.Second {
		t.Errorf("%v are left after it", left)
	}
	clock = clock.Add(20 * time.Second)
	if left := e.left("solving"); left != 160*time.Second {
		t.Errorf("%v are left in the second stage", left)
	}
	if left := e.left("reading"); left != 160*time.Second {
		t.Errorf("%v are left, of an earlier stage", left)
	}
}

// The bar says how much is left, where a plan is known.
func TestBarLeft(t *testing.T) {
	var out bytes.Buffer
	b := newBar(&out)
	b.estimate = newEstimate(&plan.Plan{Stages: []plan.Stage{{Stage: "read", Seconds: 7200}},
		Seconds: corpus.Interval{Estimate: 7200}}, time.Now)
	b.update("reading", 1, 10)
	b.close()
	if !strings.Contains(out.String(), "2h0m left in all") && !strings.Contains(out.String(), "1h59m left in all") {
		t.Errorf("%q", out.String())
	}
}
