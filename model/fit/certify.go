// This file measures the figures of certificates.

package fit

import (
	"context"
	"slices"

	"anchorage/model"
)

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

// negative returns the sum of the negative entries of the rectified matrix, with the sign changed, in parts of the sum
// of all.
func negative(_ context.Context, f *Fitted) (value, deviation float64, known bool, _ error) {
	if r := f.Manifest.Rectify; r != nil && r.Negative != nil {
		return r.Negative.Mass, r.Negative.MassError, true, nil
	}
	return 0, 0, false, nil
}

// largestTopic returns the share of the topic that has most of the tokens, beyond 1/K: 0 if all have equal shares, 1 if
// it has all of them.
func largestTopic(ctx context.Context, f *Fitted) (value, _ float64, known bool, _ error) {
	largest, equal := slices.Max(f.thinning(ctx).Shares(f.Topics.Prior)), 1/float64(f.Topics.K)
	return (largest - equal) / (1 - equal), 0, f.Topics.K > 1, ctx.Err()
}

// certifying are the ways to measure the figures.
var certifying = map[string]func(ctx context.Context, f *Fitted) (value, deviation float64, known bool, err error){
	"residual": worstResidual, "settled": settled, "negative": negative, "largest_topic": largestTopic,
}

// certify sets the certificate.
func (f *Fitted) certify(ctx context.Context) error {
	f.Manifest.Certificate = new(model.Certificate)
	return f.judge(ctx, false)
}

// certifyRefined changes what a refinement changes of the certificate, given the errors of the topics.
func (f *Fitted) certifyRefined(ctx context.Context, errors []float64) error {
	c := *f.Manifest.Certificate
	c.SetErrors(errors, f.Manifest.Anchor.Findings.Duplicates)
	f.Manifest.Certificate = &c
	return f.judge(ctx, true)
}

// judge sets the figures of the certificate; with refined those that a refinement changes. The error is that of ctx.
func (f *Fitted) judge(ctx context.Context, refined bool) error {
	c := f.Manifest.Certificate
	return c.Certify(func(figure string) (value, deviation float64, known bool, err error) {
		return certifying[figure](ctx, f)
	}, refined)
}
