// This file defines the certificate: a few figures that say whether a fit can be relied on, each with the threshold
// from which a reader should worry.

package model

import (
	"fmt"
	"math"
	"strings"

	"anchorage/metric"
)

// Verdict is what a figure of a certificate says.
type Verdict string

// The verdicts.
const (
	Good    Verdict = "good"
	Worry   Verdict = "worry"
	Unknown Verdict = "unknown" // the fit did not measure the figure
)

// Certificate says whether a fit can be relied on. docs/accuracy.md says how often it is right.
type Certificate struct {
	Verdict Verdict  `json:"verdict"` // worry if a figure worries, else unknown if one is unknown, else good
	Figures []Figure `json:"figures"`
}

// Figure is a figure of a certificate.
type Figure struct {
	Name      string  `json:"name"`
	Value     float64 `json:"value"`           // 0 if unknown
	Error     float64 `json:"error,omitempty"` // standard error of an estimate
	Threshold float64 `json:"threshold"`       // the worst value that is good
	Verdict   Verdict `json:"verdict"`
}

// certified is a figure of all certificates.
type certified struct {
	name    string
	line    int                         // the line of the certificate that has the figure
	say     func(figure *Figure) string // what a known value says
	unknown string                      // what to say instead
	refined bool                        // a refinement changes it
}

// certifiedFigures are the figures, in their order. Package metric defines them.
var certifiedFigures = []certified{
	{"explained", 0, func(f *Figure) string {
		return fmt.Sprintf("the topics explain %.1f%% ± %.1f%% of the co-occurrences that are not noise (good from %g%%)",
			100*f.Value, 100*f.Error, 100*f.Threshold)
	}, "what the topics explain was not measured", false},
	{"residual", 0, func(f *Figure) string {
		return fmt.Sprintf("eigenpairs are off by %.2g%% (good up to %g%%)", 100*f.Value, 100*f.Threshold)
	}, "there are no eigenpairs", false},
	{"settled", 1, func(f *Figure) string {
		return fmt.Sprintf("the last step of the rectification changed %.1g (good up to %g)", f.Value, f.Threshold)
	}, "nothing was rectified", false},
	{"negative", 1, func(f *Figure) string {
		return fmt.Sprintf("negative entries that are left add up to %.1g of the sum of all (good up to %g)",
			f.Value, f.Threshold)
	}, "negative entries were not looked for", false},
	{"own_mixtures", 2, func(f *Figure) string {
		return fmt.Sprintf("%.0f%% of all weight has mixtures of its own (good from %g%%)", 100*f.Value, 100*f.Threshold)
	}, "the noise of mixtures was not measured", true},
	{"in_both_halves", 2, func(f *Figure) string {
		return fmt.Sprintf("%.0f%% of the topics are found in each half of the documents (from %g%%)", 100*f.Value,
			100*f.Threshold)
	}, "halves of the documents were not compared", false},
}

// Certify judges all figures by measure, which returns the value of a figure, the standard error of that, and whether
// it is known; with refined only those that a refinement changes. The others then say how far the topics that it
// started from can be relied on. The error is that of measure.
func (c *Certificate) Certify(measure func(figure string) (value, deviation float64, known bool, err error),
	refined bool) error {
	figures := make([]Figure, len(certifiedFigures))
	copy(figures, c.Figures)
	for i := range certifiedFigures {
		of := &certifiedFigures[i]
		if refined && !of.refined {
			continue
		}
		value, deviation, known, err := measure(of.name)
		if err != nil {
			return err
		}
		figures[i] = Figure{Name: of.name, Threshold: of.definition().Good, Verdict: Unknown}
		if known && !math.IsNaN(value+deviation) && !math.IsInf(value+deviation, 0) {
			figures[i].Value, figures[i].Error, figures[i].Verdict = value, deviation, of.judge(value)
		}
	}
	c.Figures, c.Verdict = figures, Good
	for _, figure := range c.Figures {
		if c.Verdict != Worry && figure.Verdict != Good {
			c.Verdict = figure.Verdict
		}
	}
	return nil
}

// definition returns what the register says of the figure.
func (c *certified) definition() *metric.Definition {
	return metric.Define(metric.OfCertificate, c.name)
}

// judge returns what a value says.
func (c *certified) judge(value float64) Verdict {
	if c.definition().IsGood(value) {
		return Good
	}
	return Worry
}

// Lines returns the certificate for people: sentences, each after the worst verdict of its figures. Figures of other
// programs are left out.
func (c *Certificate) Lines() []string {
	var lines, clauses []string
	verdict, line := Good, 0
	end := func() {
		if len(clauses) > 0 {
			text := strings.Join(clauses, "; ")
			lines = append(lines, fmt.Sprintf("%s: %s%s", verdict, strings.ToUpper(text[:1]), text[1:]))
		}
		clauses, verdict = nil, Good
	}
	for _, of := range certifiedFigures {
		for i := range c.Figures {
			figure := &c.Figures[i]
			if figure.Name != of.name {
				continue
			}
			if of.line != line {
				end()
				line = of.line
			}
			if figure.Verdict == Unknown {
				clauses = append(clauses, of.unknown)
			} else {
				clauses = append(clauses, of.say(figure))
			}
			if verdict != Worry && figure.Verdict != Good {
				verdict = figure.Verdict
			}
		}
	}
	end()
	return lines
}
