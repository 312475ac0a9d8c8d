package metric

import "context"

// VolumeWithin is LogRelativeVolume with other limits for the random numbers and for the values that are held.
func VolumeWithin(ctx context.Context, rows *AnchorRows, opts Options, numbers, values int) (float64, error) {
	return logRelativeVolume(ctx, rows, opts, hullLimits{numbers, values})
}
