// This file defines the certificate: a few figures that say whether a fit can be relied on, each with the threshold
// from which a reader should worry.

package model

import (
	"math"
	"slices"

	"anchorage/bayes/refine"
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
	// Errors has for each of K topics the predicted distance, from 0 to 2, to the topic that other documents of the same
	// kind would give; see refine.Result. It is absent if it is unknown.
	Errors []float64 `json:"errors,omitempty"`
	// Lost are the topics that other documents would not give again: those with an error above 1, and pairs of topics that
	// share half of their prominent items, because nothing tells them apart.
	Lost []int `json:"lost,omitempty"`
}

// Agreement returns 1 − error/2: how much of topic k's probability would be the same by other documents of the same
// kind. It is not known of all models, nor of topics of a nil Certificate.
func (c *Certificate) Agreement(k int) (share float64, known bool) {
	if c == nil || k >= len(c.Errors) {
		return 0, false
	}
	return 1 - c.Errors[k]/2, true
}

// SetErrors sets the errors of the topics, and those that are lost given the pairs that share half of their prominent
// items.
func (c *Certificate) SetErrors(errors []float64, alike [][2]int) {
	c.Errors, c.Lost = errors, nil
	for k, e := range errors {
		if e > 1 || slices.ContainsFunc(alike, func(pair [2]int) bool { return k == pair[0] || k == pair[1] }) {
			c.Lost = append(c.Lost, k)
		}
	}
}

// Reliable reports whether the topics are good by their errors, and the mean of these: NaN if they are unknown.
func (c *Certificate) Reliable() (good bool, topicError float64) {
	if c == nil || c.Errors == nil {
		return false, math.NaN()
	}
	return metric.Define(metric.OfCertificate, "found_again").IsGood(c.foundAgain()) &&
		metric.Define(metric.OfCertificate, "topic_error").IsGood(c.topicError()), c.topicError()
}

// foundAgain returns the share of the topics that other documents would give again.
func (c *Certificate) foundAgain() float64 {
	return 1 - float64(len(c.Lost))/float64(max(len(c.Errors), 1))
}

// topicError returns the mean of the errors.
func (c *Certificate) topicError() (mean float64) {
	for _, e := range c.Errors {
		mean += e / float64(len(c.Errors))
	}
	return mean
}

// Figure is a figure of a certificate.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`           // 0 if unknown
	Error float64 `json:"error,omitempty"` // standard error of an estimate
	// Low and High are the ends of the interval that holds the value 90 times of 100; 0 if no interval is known.
	Low       float64 `json:"low,omitempty"`
	High      float64 `json:"high,omitempty"`
	Threshold float64 `json:"threshold"` // the worst value that is good
	Verdict   Verdict `json:"verdict"`
}

// certified is a figure of all certificates.
type certified struct {
	name    string
	doubt   string // what a value that worries says, after a share in percent; "" where the verdict says it
	remedy  string // what to do about it
	refined bool   // a refinement changes it
	// errors finds it by the errors of the topics; nil for a figure that the fit measures
	errors func(*Certificate) float64
}

// certifiedFigures are the figures, in their order. Package metric defines them.
var certifiedFigures = []certified{
	{"found_again", "", "", true, (*Certificate).foundAgain},
	{"topic_error", "", "", true, (*Certificate).topicError},
	{"residual", "what was counted is known only up to %.0f%%", "read the documents more often", false, nil},
	{"settled", "the topics still moved by %.2g%% when the fit ended", "leave out rare items, or " + compare, false, nil},
	{"negative", "%.2g%% of the counts contradict the topics", "leave out rare items, or " + compare, false, nil},
	{"largest_topic", "%.0f%% of all tokens", "leave out frequent items, or " + compare, true, nil},
}

// Measured is a figure that a fit measured, and its standard error.
type Measured struct{ Value, Error float64 }

// Certify judges all figures, by the errors of the topics or by what was measured, which lacks figures that are not
// known; with refined only those that a refinement changes. The others then say how far the topics that it started from
// can be relied on.
func (c *Certificate) Certify(measured map[string]Measured, refined bool) {
	figures := make([]Figure, len(certifiedFigures))
	copy(figures, c.Figures)
	for i := range certifiedFigures {
		of := &certifiedFigures[i]
		if refined && !of.refined {
			continue
		}
		m, known := measured[of.name]
		if of.errors != nil {
			m, known = Measured{Value: of.errors(c)}, c.Errors != nil
		}
		figures[i] = Figure{Name: of.name, Threshold: of.definition().Good, Verdict: Unknown}
		if known && !math.IsNaN(m.Value+m.Error) && !math.IsInf(m.Value+m.Error, 0) {
			figures[i].Value, figures[i].Error, figures[i].Verdict = m.Value, m.Error, of.judge(m.Value)
			if of.name == "topic_error" {
				figures[i].Low, figures[i].High = refine.LeastError*m.Value, min(refine.MostError*m.Value, 2)
			}
		}
	}
	c.Figures, c.Verdict = figures, Good
	for _, figure := range c.Figures {
		if c.Verdict != Worry && figure.Verdict != Good {
			c.Verdict = figure.Verdict
		}
	}
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
