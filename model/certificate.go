// This file defines the certificate: a few figures that say whether a fit can be relied on, each with the threshold
// from which a reader should worry.

package model

import (
	"math"

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
	doubt   string // what a value that worries says, after a share in percent; "" where the verdict says it
	remedy  string // what to do about it
	refined bool   // a refinement changes it
}

// certifiedFigures are the figures, in their order. Package metric defines them.
var certifiedFigures = []certified{
	{"explained", "the topics explain only %.0f%% of which items occur together", compare, false},
	{"residual", "what was counted is known only up to %.0f%%", "read the documents more often", false},
	{"settled", "the topics still moved by %.2g%% when the fit ended", "leave out rare items, or " + compare, false},
	{"negative", "%.2g%% of the counts contradict the topics", "leave out rare items, or " + compare, false},
	{"own_mixtures", "only %.0f%% of all tokens are of items that occur often enough to know their topics",
		"leave out rare items", true},
	{"in_both_halves", "", "", true},
	{"largest_topic", "%.0f%% of all tokens", "leave out frequent items, or " + compare, true},
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
