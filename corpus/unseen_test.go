package corpus

import (
	"math"
	"testing"
)

// power returns the spectrum of items whose rates in a sample have density c·λ^(−1−α)·e^(−bλ), as it is expected.
func power(c, alpha, b float64) []int64 {
	f, frequency := spectrumFit{c, alpha, b}, make([]int64, 200)
	for r := 1; r < len(frequency); r++ {
		frequency[r] = int64(math.Round(math.Exp(f.logSeen(r))))
	}
	return frequency
}

// A spectrum of the family is fitted by its own parameters, and extrapolated by its own law.
func TestFitSpectrum(t *testing.T) {
	for _, want := range []spectrumFit{{1e5, 0.5, 0.01}, {1e5, 0.7, 0.001}, {3e4, 0.2, 0.3}, {1e4, -0.5, 0.5}} {
		fit, enough := fitSpectrum(power(want.c, want.alpha, want.b))
		if !enough {
			t.Fatalf("%+v: nothing was fitted", want)
		}
		for _, more := range []float64{1, 3, 10} {
			if got, of := fit.allUnseen(more), want.allUnseen(more); math.Abs(got/of-1) > 0.05 {
				t.Errorf("%+v, %g times as many documents: %g new items, want %g (fitted %+v)", want, more, got, of, fit)
			}
		}
	}
	for _, few := range [][]int64{nil, {0, 5}, {0, 0, 100, 50}, {0, 3, 2, 1}} {
		if fit, enough := fitSpectrum(few); enough {
			t.Errorf("%v was fitted by %+v", few, fit)
		}
	}
}

// What is unseen adds up, and items of every frequency go somewhere.
func TestUnseen(t *testing.T) {
	for _, f := range []spectrumFit{{1e4, 0.5, 0.01}, {1e4, -0.5, 0.2}, {1e4, 1e-9, 0.1}} {
		const more = 4
		sum := 0.0
		for s := 1; s < 20000; s++ {
			sum += f.unseen(s, more)
		}
		if all := f.allUnseen(more); math.Abs(sum/all-1) > 0.01 {
			t.Errorf("%+v: the parts add up to %g of %g", f, sum, all)
		}
		if p := f.fewer(2, 400, more); math.Abs(p-1) > 1e-6 {
			t.Errorf("%+v: the probabilities add up to %g", f, p)
		}
		// The spectrum of five times as many documents is the same family's.
		frequency, seen := power(f.c, f.alpha, f.b), 0.0
		for s := 3; s < 5000; s++ {
			seen += math.Exp(math.Log(f.c) + logGamma(float64(s)-f.alpha) - logGamma(float64(s)+1) +
				float64(s)*math.Log(1+more) - (float64(s)-f.alpha)*math.Log(1+more+f.b))
		}
		if got := f.atLeast(frequency, 3, more); math.Abs(got/seen-1) > 0.02 {
			t.Errorf("%+v: %g items of frequency 3 or more, want %g", f, got, seen)
		}
	}
}
