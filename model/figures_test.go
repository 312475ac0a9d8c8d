package model

import (
	"math"
	"testing"

	"anchorage/metric"
)

// Every figure of the table can be good, can worry and can be told, and NaN worries.
func TestCertifiedFigures(t *testing.T) {
	names, lines := map[string]bool{}, 0
	for _, of := range certifiedFigures {
		if of.name == "" || names[of.name] || of.say == nil || of.unknown == "" || of.line < lines {
			t.Errorf("%q is not complete", of.name)
		}
		names[of.name], lines = true, of.line
		good, bad := of.definition().Good, of.definition().Good*(1-1e-9)
		if of.definition().Better == metric.Low {
			bad = of.definition().Good * (1 + 1e-9)
		}
		if of.judge(good) != Good || of.judge(bad) != Worry || of.judge(math.NaN()) != Worry {
			t.Errorf("%s judges %v, %v, %v", of.name, of.judge(good), of.judge(bad), of.judge(math.NaN()))
		}
	}
	c := &Certificate{Figures: []Figure{{Name: "explained", Verdict: Unknown}, {Name: "residual", Value: 0.5,
		Threshold: 0.2, Verdict: Worry}, {Name: "later"}}}
	want := "worry: What the topics explain was not measured; eigenpairs are off by 50% (good up to 20%)"
	if lines := c.Lines(); len(lines) != 1 || lines[0] != want {
		t.Errorf("%q, want %q", lines, want)
	}
}
