// This file fits power laws.

package report

import "math"

// PowerLaw is log(y) = intercept + slope·log(x).
type PowerLaw struct{ Slope, Intercept float64 }

// FitPowerLaw returns the line of least squares through the logarithms of points, whose coordinates must be positive. Without two
// different x, slope and intercept are NaN.
func FitPowerLaw(points []Point) PowerLaw {
	if len(points) == 0 {
		return PowerLaw{math.NaN(), math.NaN()}
	}
	n := float64(len(points))
	x, y := 0.0, 0.0
	for _, p := range points {
		x, y = x+math.Log(p.X)/n, y+math.Log(p.Y)/n
	}
	xx, xy, same := 0.0, 0.0, true
	for _, p := range points {
		dx := math.Log(p.X) - x
		xx, xy = xx+dx*dx, xy+dx*(math.Log(p.Y)-y)
		same = same && p.X == points[0].X
	}
	if same {
		return PowerLaw{math.NaN(), math.NaN()}
	}
	slope := xy / xx
	return PowerLaw{slope, y - slope*x}
}

// At returns the y that the line gives at x.
func (l PowerLaw) At(x float64) float64 { return math.Exp(l.Intercept + l.Slope*math.Log(x)) }
