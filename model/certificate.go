// This file defines the certificate: a few figures that say whether a fit can be relied on, each with the threshold from which a reader
// should worry.

package model

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"anchorage/metric"
	"anchorage/sketch"
)

// gauge is what the norm of C is estimated from, once the eigenpairs are known.
type gauge struct {
	norms    *sketch.PairNorms
	sketched *sketch.Sketch
	squares  []float64 // ‖C·Ω_j‖²
}

// measureNorm records how much of C the eigenpairs hold.
func (s *Sketched) measureNorm(ctx context.Context, g gauge) error {
	rest, deviation := g.sketched.Rest(ctx, &s.Eigen, g.squares, s.run.Workers)
	square := rest
	for _, value := range s.Eigen.Values {
		square += value * value
	}
	s.Manifest.Sketch.Norm = &NormRecord{Square: square, Rest: rest, RestError: deviation, Noise: min(g.norms.Noise(square), square)}
	return ctx.Err()
}

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
	line    int // the line of the certificate that has the figure
	value   func(ctx context.Context, f *Fitted) (value, deviation float64, known bool, err error)
	say     func(figure *Figure) string // what a known value says
	unknown string                      // what to say instead
	refined bool                        // a refinement changes it
}

// certifiedFigures are the figures, in their order. Package metric defines them.
var certifiedFigures = []certified{
	{"explained", 0, explained, func(f *Figure) string {
		return fmt.Sprintf("the topics explain %.1f%% ± %.1f%% of the co-occurrences that are not noise (good from %g%%)", 100*f.Value, 100*f.Error, 100*f.Threshold)
	}, "what the topics explain was not measured", false},
	{"residual", 0, worstResidual, func(f *Figure) string {
		return fmt.Sprintf("eigenpairs are off by %.2g%% (good up to %g%%)", 100*f.Value, 100*f.Threshold)
	}, "there are no eigenpairs", false},
	{"settled", 1, settled, func(f *Figure) string {
		return fmt.Sprintf("the last step of the rectification changed %.1g (good up to %g)", f.Value, f.Threshold)
	}, "nothing was rectified", false},
	{"negative", 1, negative, func(f *Figure) string {
		return fmt.Sprintf("negative entries that are left add up to %.1g of the sum of all (good up to %g)", f.Value, f.Threshold)
	}, "negative entries were not looked for", false},
	{"own_mixtures", 2, ownMixtures, func(f *Figure) string {
		return fmt.Sprintf("%.0f%% of all weight has mixtures of its own (good from %g%%)", 100*f.Value, 100*f.Threshold)
	}, "the noise of mixtures was not measured", true},
	{"in_both_halves", 2, inBothHalves, func(f *Figure) string {
		return fmt.Sprintf("%.0f%% of the topics are found in each half of the documents (from %g%%)", 100*f.Value, 100*f.Threshold)
	}, "halves of the documents were not compared", false},
}

// explained returns the share of ‖C‖_F², without the noise of the sample, that B·A·Bᵀ explains: 1 less what the eigenpairs leave and what
// the topics leave of the rectified co-occurrences.
func explained(ctx context.Context, f *Fitted) (value, deviation float64, known bool, err error) {
	n := f.Manifest.Sketch.Norm
	if n == nil || f.Factor == nil {
		return 0, 0, false, nil
	}
	left, _, err := f.Topics.Misfit(ctx)
	signal := n.Square - n.Noise
	if err != nil || !(signal > 0) {
		return 0, 0, true, err
	}
	return max(1-(max(n.Rest-n.Noise, 0)+left)/signal, 0), n.RestError / signal, true, nil
}

// worstResidual returns the greatest residual of an eigenpair, relative to its eigenvalue.
func worstResidual(_ context.Context, f *Fitted) (value, _ float64, known bool, _ error) {
	for k, residual := range f.Residuals {
		value = max(value, residual*f.Eigenvalues[0]/f.Eigenvalues[k])
	}
	return value, 0, len(f.Residuals) > 0, nil
}

// settled returns the last change of the rectification.
func settled(_ context.Context, f *Fitted) (value, _ float64, known bool, _ error) {
	r := f.Manifest.Rectify
	if r == nil || r.Iterations == 0 {
		return 0, 0, false, nil
	}
	return r.Change, 0, true, nil
}

// negative returns the sum of the negative entries of the rectified matrix, with the sign changed, in parts of the sum of all.
func negative(_ context.Context, f *Fitted) (value, deviation float64, known bool, _ error) {
	if r := f.Manifest.Rectify; r != nil && r.Negative != nil {
		return r.Negative.Mass, r.Negative.MassError, true, nil
	}
	return 0, 0, false, nil
}

// ownMixtures returns the share of p(item) of items whose mixtures are more their own than the prior.
func ownMixtures(_ context.Context, f *Fitted) (value, _ float64, known bool, _ error) {
	if f.Topics.Reliability == nil {
		return 0, 0, false, nil
	}
	return 1 - f.Manifest.Anchor.Findings.NoisyMass, 0, true, nil
}

// inBothHalves returns the share of topics that each half of the documents finds alone, without those that rest on thin evidence.
func inBothHalves(_ context.Context, f *Fitted) (value, _ float64, known bool, _ error) {
	found := 0
	for k, halves := range f.Topics.InHalves {
		if halves == 2 && !slices.Contains(f.Manifest.Anchor.Findings.ThinAnchors, k) {
			found++
		}
	}
	return float64(found) / float64(f.Topics.K), 0, f.Topics.InHalves != nil, nil
}

// certify sets the certificate. The error is that of ctx.
func (f *Fitted) certify(ctx context.Context) error {
	c := new(Certificate)
	for i := range certifiedFigures {
		figure, err := certifiedFigures[i].figure(ctx, f)
		if err != nil {
			return err
		}
		c.Figures = append(c.Figures, figure)
	}
	c.judge()
	f.Manifest.Certificate = c
	return nil
}

// certifyRefined changes the figures that a refinement changes. The others say how far the topics that it started from can be relied on.
func (f *Fitted) certifyRefined(ctx context.Context) error {
	c := f.Manifest.Certificate
	for i := range certifiedFigures {
		if !certifiedFigures[i].refined {
			continue
		}
		figure, err := certifiedFigures[i].figure(ctx, f)
		if err != nil {
			return err
		}
		c.Figures[i] = figure
	}
	c.judge()
	return nil
}

// figure measures and judges a figure.
func (c *certified) figure(ctx context.Context, f *Fitted) (Figure, error) {
	value, deviation, known, err := c.value(ctx, f)
	figure := Figure{Name: c.name, Threshold: c.definition().Good, Verdict: Unknown}
	if known && !math.IsNaN(value+deviation) && !math.IsInf(value+deviation, 0) {
		figure.Value, figure.Error, figure.Verdict = value, deviation, c.judge(value)
	}
	return figure, err
}

// judge sets the verdict: the worst of all figures.
func (c *Certificate) judge() {
	c.Verdict = Good
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

// Lines returns the certificate for people: sentences, each after the worst verdict of its figures. Figures of other programs are left
// out.
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
