// This file measures the figures of certificates.

package fit

import (
	"context"
	"slices"

	"anchorage/model"
)

// certify sets the figures of the certificate; with refined those that a refinement changes. The error is that of ctx.
func (f *Fitted) certify(ctx context.Context, refined bool) error {
	measured := make(map[string]model.Measured)
	if len(f.Eigen.Residuals) > 0 { // the greatest of an eigenpair, relative to its eigenvalue
		worst := 0.0
		for k, residual := range f.Eigen.Residuals {
			worst = max(worst, residual*f.Eigen.Values[0]/f.Eigen.Values[k])
		}
		measured["residual"] = model.Measured{Value: worst}
	}
	if r := f.Manifest.Rectify; r != nil && r.Iterations > 0 { // the last change of the rectification
		measured["settled"] = model.Measured{Value: r.Change}
	}
	if r := f.Manifest.Rectify; r != nil && r.Negative != nil {
		// the sum of the negative entries of the rectified matrix, with the sign changed, in parts of the sum of all
		measured["negative"] = model.Measured{Value: r.Negative.Mass, Error: r.Negative.MassError}
	}
	if f.Topics.K > 1 { // of the tokens, beyond 1/K: 0 if all topics have equal shares, 1 if one has all of them
		largest, equal := slices.Max(f.thinning(ctx).Shares(f.Topics.Prior)), 1/float64(f.Topics.K)
		measured["largest_topic"] = model.Measured{Value: (largest - equal) / (1 - equal)}
	}
	f.Manifest.Certificate.Certify(measured, refined)
	return ctx.Err()
}
