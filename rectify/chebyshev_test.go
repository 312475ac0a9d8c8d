package rectify

import (
	"context"
	"math"
	"testing"
)

// TestStepsFollowTheFlow runs the stages on y' = −λ·y, one value for every rate λ between 0 and 1: a step must be
// stable for all of them, leave what has no rate where it is, and for slow ones be as long as it says, to first order.
func TestStepsFollowTheFlow(t *testing.T) {
	for _, s := range []int{1, 2, 3, 4, 8, 20} {
		after := func(rate float64) float64 {
			now, before := 1.0, 0.0
			for _, stage := range chebyshevStages(s) {
				now, before = stage.current*now+stage.before*before-stage.advance*rate*now, now
			}
			return now
		}
		if v := after(0); math.Abs(v-1) > 1e-12 {
			t.Errorf("%d stages: what is at rest comes to %v", s, v)
		}
		const slow = 1e-6
		length := (1 - after(slow)) / slow
		least := 0.9 * float64(s*s) // s² iterations is what the stages are for
		if s == 1 {
			least = 0.999
		}
		if length < least {
			t.Errorf("%d stages go as far as %.2f iterations", s, length)
		}
		for rate := 0.0; rate <= 1; rate += 1e-3 {
			if v := after(rate); math.Abs(v) > 1+1e-12 {
				t.Errorf("%d stages: rate %.3f grows to %v", s, rate, v)
			}
		}
	}
}

// TestStepsComeNearerThanIterations compares steps with many more of the published iterations: they must come to what
// those come to, and further than as many iterations with as many products do.
func TestStepsComeNearerThanIterations(t *testing.T) {
	run := func(opts Options) Iteration {
		opts.Seed, opts.Tolerance = 1, 1e-12 // nothing ends early
		result, err := ENN(context.Background(), planted(t, 2, 200, 8, 1), opts)
		if err != nil {
			t.Fatal(err)
		}
		return result.Iterations[len(result.Iterations)-1]
	}
	stages := []int{1, 1, 1, 2, 2, 4, 8}
	steps, few, many := run(Options{Stages: stages}), run(Options{Iterations: 19}), run(Options{Iterations: 150})
	if steps.CorrectionsSum > few.CorrectionsSum/3 || steps.CorrectionsSum > 4*many.CorrectionsSum {
		t.Errorf("ΣE is %.3g after %d stages, %.3g after as many iterations and %.3g after 150", steps.CorrectionsSum,
			steps.Number, few.CorrectionsSum, many.CorrectionsSum)
	}
}

// TestPacerSettles runs stages on y' = −λ·y with a rate above 1, which long steps make grow: they must be broken off,
// the growth undone, and as many stages made as asked for. With rates up to 1 nothing may be broken off.
func TestPacerSettles(t *testing.T) {
	for _, c := range []struct {
		rate   float64
		breaks bool
	}{{0.05, false}, {0.7, false}, {1, false}, {1.35, true}, {1.6, true}} {
		p := newPacer(nil)
		rates := []float64{0.001, c.rate}
		now, before := []float64{1, 1e-3}, []float64{0, 0}
		stages, greatest, last := 0, 0.0, 0.0
		for want := p.left(); stages < want; stages++ {
			s := p.next()
			last = 0
			for i, rate := range rates {
				last += math.Abs(rate * now[i])
				now[i], before[i] = s.current*now[i]+s.before*before[i]-s.advance*rate*now[i], now[i]
			}
			p.note(last)
			greatest = max(greatest, last)
		}
		if p.left() != 0 {
			t.Errorf("rate %v: %d stages are left", c.rate, p.left())
		}
		if broken := p.limit > 0; broken != c.breaks {
			t.Errorf("rate %v: broken off %v", c.rate, broken)
		}
		if greatest > 0.1 || last > 0.02 {
			t.Errorf("rate %v: F grows to %.3g and ends at %.3g", c.rate, greatest, last)
		}
	}
}
