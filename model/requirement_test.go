package model

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"anchorage/metric"
)

// Every figure of the table can be required, is met at its threshold and falls short just beyond it.
func TestRequire(t *testing.T) {
	for _, of := range certifiedFigures {
		d := metric.Define(metric.OfCertificate, of.name)
		required := []Requirement{{of.name, d.Good, d.Better == metric.Low}}
		beyond := d.Good - 1e-9
		if d.Better == metric.Low {
			beyond = d.Good + 1e-9
		}
		for value, short := range map[float64]int{d.Good: 0, beyond: 1} {
			c := &Certificate{Figures: []Figure{{Name: of.name, Value: value, Verdict: of.judge(value)}}}
			err := c.Require(required)
			if e := new(ShortError); errors.As(err, &e) != (short == 1) || short == 1 && (len(e.Short) != 1 ||
				!strings.HasSuffix(e.Short[0], fmt.Sprintf(", and is %g", value))) {
				t.Errorf("%s of %g: %v", of.name, value, err)
			}
		}
	}
}

// What was not measured falls short, whatever its value seems to be.
func TestRequireUnknown(t *testing.T) {
	required := []Requirement{{"residual", 5, true}, {"settled", 1e-3, true}}
	unknown := &Certificate{Figures: []Figure{{Name: "residual", Verdict: Unknown}, {Name: "settled", Value: 0,
		Verdict: Good}}}
	for name, test := range map[string]struct {
		c    *Certificate
		want string
	}{
		"unknown": {unknown, "residual must be at most 5, and was not measured"},
		"empty": {&Certificate{}, "residual must be at most 5, and was not measured; settled must be at most 0.001, and " +
			"was not measured"},
		"nil": {nil, "residual must be at most 5, and was not measured; settled must be at most 0.001, and was not " +
			"measured"},
	} {
		if got := test.c.Require(required).Error(); got != test.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if err := (*Certificate)(nil).Require(nil); err != nil {
		t.Errorf("nothing is required, and %v", err)
	}
}
