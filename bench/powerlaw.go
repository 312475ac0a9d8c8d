// This file fits power laws.

package bench

import "math"

// powerLaw is log(y) = intercept + slope·log(x).
type powerLaw struct{ slope, intercept float64 }

// fitPowerLaw returns the line of least squares through the logarithms of points, whose coordinates are positive. Of
// points that have all the same x there is none, and slope and intercept are NaN.
func fitPowerLaw(points []point) powerLaw {
	if len(points) == 0 {
		return powerLaw{math.NaN(), math.NaN()}
	}
	n := float64(len(points))
	x, y := 0.0, 0.0
	for _, p := range points {
		x, y = x+math.Log(p.x)/n, y+math.Log(p.y)/n
	}
	xx, xy, same := 0.0, 0.0, true
	for _, p := range points {
		dx := math.Log(p.x) - x
		xx, xy = xx+dx*dx, xy+dx*(math.Log(p.y)-y)
		same = same && p.x == points[0].x
	}
	if same {
		return powerLaw{math.NaN(), math.NaN()}
	}
	slope := xy / xx
	return powerLaw{slope, y - slope*x}
}

// at returns the y that the line gives at x.
func (l powerLaw) at(x float64) float64 { return math.Exp(l.intercept + l.slope*math.Log(x)) }
