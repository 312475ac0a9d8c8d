// This file estimates how many items all documents have, from how often items occur in a sample of them.

package corpus

import "math"

// spectrumFit is the extended negative binomial of Engen ("On species frequency models", Biometrika 61(2), 1974),
// fitted to the rare items of a sample: an item occurs in a Poisson-distributed number of its documents with mean λ,
// and λ has the density
//
//	c·λ^(−1−α)·e^(−bλ)
//
// whose integral need not be finite: with α > 0 the items grow like the α-th power of the documents (Heaps' law), with
// α < 0 there are finitely many. So the sample has c·Γ(r−α)/(r!·(1+b)^(r−α)) items of document frequency r.
type spectrumFit struct{ c, alpha, b float64 }

// fitted is the greatest document frequency in the sample that is fitted: what is more frequent says little of what is
// rare.
const fitted = 10

// fitSpectrum fits the numbers of items of document frequency 1, 2, … by maximum likelihood, given their sum. It
// returns false if hardly any item is rare.
func fitSpectrum(frequency []int64) (spectrumFit, bool) {
	total := 0.0
	for r := 1; r <= fitted && r < len(frequency); r++ {
		total += float64(frequency[r])
	}
	if total < 20 || len(frequency) < 3 || frequency[1] == 0 {
		return spectrumFit{}, false
	}
	best, at := math.Inf(-1), spectrumFit{c: 1}
	try := func(f spectrumFit) {
		likelihood, sum := 0.0, 0.0
		var logs [fitted + 1]float64
		for r := 1; r <= fitted; r++ {
			logs[r] = f.logSeen(r)
			sum += math.Exp(logs[r])
		}
		for r := 1; r <= fitted && r < len(frequency); r++ {
			likelihood += float64(frequency[r]) * (logs[r] - math.Log(sum))
		}
		if likelihood > best {
			best, at = likelihood, f
			at.c = total / sum
		}
	}
	alphaStep, lowest, highest := 0.1, -1.5, 0.95
	bStep, least, most := 0.7, -9.0, 2.0 // of ln b
	for range 4 {
		for alpha := lowest; alpha <= highest; alpha += alphaStep {
			for b := least; b <= most; b += bStep {
				try(spectrumFit{1, alpha, math.Exp(b)})
			}
		}
		lowest, highest = max(at.alpha-alphaStep, -1.5), min(at.alpha+alphaStep, 0.95)
		least, most = math.Log(at.b)-bStep, math.Log(at.b)+bStep
		alphaStep, bStep = alphaStep/5, bStep/5
	}
	return at, true
}

// logGamma returns ln |Γ(x)|.
func logGamma(x float64) float64 {
	value, _ := math.Lgamma(x)
	return value
}

// logSeen returns the logarithm of the expected number of items of document frequency r in the sample.
func (f spectrumFit) logSeen(r int) float64 {
	return math.Log(f.c) + logGamma(float64(r)-f.alpha) - logGamma(float64(r)+1) - (float64(r)-f.alpha)*math.Log1p(f.b)
}

// unseen returns the expected number of items that the sample lacks and that occur s times in the other documents, t
// times as many as those of the sample.
func (f spectrumFit) unseen(s int, t float64) float64 {
	return math.Exp(math.Log(f.c) + logGamma(float64(s)-f.alpha) - logGamma(float64(s)+1) +
		float64(s)*math.Log(t) - (float64(s)-f.alpha)*math.Log(1+f.b+t))
}

// allUnseen returns the sum of unseen over all s from 1: the expected number of items that only the other documents
// have.
func (f spectrumFit) allUnseen(t float64) float64 {
	if math.Abs(f.alpha) < 1e-6 {
		return f.c * math.Log((1+f.b+t)/(1+f.b))
	}
	// Γ(−α) = −Γ(1−α)/α
	return f.c * math.Gamma(1-f.alpha) / f.alpha * (math.Pow(1+f.b+t, f.alpha) - math.Pow(1+f.b, f.alpha))
}

// fewer returns the probability that an item that occurs r times in the sample occurs fewer than s times in the other
// documents: λ then has a gamma distribution of shape r−α, and the number a negative binomial one.
func (f spectrumFit) fewer(r, s int, t float64) float64 {
	shape, sum := float64(r)-f.alpha, 0.0
	share := t / (1 + f.b + t)
	for n := range s {
		sum += math.Exp(logGamma(shape+float64(n)) - logGamma(shape) - logGamma(float64(n)+1) + float64(n)*math.Log(share) +
			shape*math.Log1p(-share))
	}
	return min(sum, 1)
}

// atLeast returns the expected number of items of document frequency least or more in all documents, given the sample's
// spectrum: those of its items that will have it, and those that it lacks.
func (f spectrumFit) atLeast(frequency []int64, least int, t float64) float64 {
	least = max(least, 1)
	total := f.allUnseen(t)
	for s := 1; s < least; s++ {
		total -= f.unseen(s, t)
	}
	for r, items := range frequency {
		switch {
		case r == 0 || items == 0:
		case r >= least:
			total += float64(items)
		default:
			total += float64(items) * (1 - f.fewer(r, least-r, t))
		}
	}
	return max(total, 0)
}

// Interval is an estimate with bounds within which the true value lies in about nineteen of twenty cases. Low and High
// equal Estimate if it is known.
type Interval struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Known reports whether the value is known.
func (i Interval) Known() bool { return i.Low == i.High }

// known returns the interval of a value that is known.
func known(value float64) Interval { return Interval{value, value, value} }

// within returns an interval around an estimate whose logarithm is uncertain by spread; nothing is below least.
func within(estimate, spread, least float64) Interval {
	return Interval{max(estimate, least), max(estimate*math.Exp(-spread), least), max(estimate*math.Exp(spread), least)}
}
