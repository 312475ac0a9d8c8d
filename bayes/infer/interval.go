// This file turns means and deviations of shares into intervals.

package infer

import "gonum.org/v1/gonum/mathext"

// Interval returns bounds within which a share lies with the given probability, of the Beta distribution with the given
// mean and standard deviation. If the density of that distribution has no bound at 0, at 1, or at both, the interval
// extends to there: the share may well be none, or all. Otherwise it leaves out as much on either side.
func Interval(mean, deviation, probability float64) (low, high float64) {
	if !(mean > 0 && mean < 1) || !(deviation > 0) {
		return mean, mean
	}
	c := mean*(1-mean)/(deviation*deviation) - 1
	if !(c > 1e-6) { // all or nothing
		return 0, 1
	}
	a, b := mean*c, (1-mean)*c
	quantile := func(p float64) float64 { return mathext.InvRegIncBeta(a, b, p) }
	out := 1 - probability
	switch {
	case a < 1 && b < 1:
		return 0, 1
	case a < 1:
		return 0, quantile(1 - out)
	case b < 1:
		return quantile(out), 1
	}
	return quantile(out / 2), quantile(1 - out/2)
}
