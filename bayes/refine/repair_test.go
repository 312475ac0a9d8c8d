package refine

import (
	"context"
	"math"
	"slices"
	"testing"

	"anchorage/internal/synth"
	"anchorage/matrix"
)

// started returns a start from the true topics: of learned topic a, parts[a] says which share of each true topic it
// has.
func (d drawn) started(parts [][]float64) *Start {
	k := len(parts)
	s := &Start{Mixtures: matrix.NewTall(d.truth.Items, k), Frequency: make([]int64, d.truth.Items), Joint: make([]float64,
		k*k), Documents: int64(d.docs.Documents())}
	for at, item := range d.docs.Items {
		s.Frequency[item] += int64(d.docs.Counts[at])
	}
	for i := range d.truth.Items {
		topics, values := d.truth.Row(i)
		for a, to := range s.Mixtures.Row(i) {
			for j, topic := range topics {
				to += parts[a][topic] * values[j] * d.truth.Prior[topic] / d.truth.Probabilities[i]
			}
			s.Mixtures.Row(i)[a] = to
		}
	}
	for a := range k {
		for b := range k {
			for at, v := range d.truth.Correlations {
				s.Joint[a*k+b] += parts[a][at/d.truth.Topics] * v * parts[b][at%d.truth.Topics]
			}
		}
	}
	return s
}

// errorOf returns the error of topics after a refinement.
func (d drawn) errorOf(s *Start, found *Result) float64 {
	return d.truth.Recover(synth.Estimate{Row: func(dst []float64, i int) {
		for k, share := range s.Mixtures.Row(i) {
			dst[k] = share * float64(s.Frequency[i]) / float64(d.tokens) / found.Shares[k]
		}
	}, Correlations: found.Joint, Anchors: make([]int, d.truth.Topics)}).ErrorB
}

// TestRepair plants a merged topic and a duplicated one. Without repairs they remain; a repair finds the truth.
func TestRepair(t *testing.T) {
	d := draw(synth.Model{Items: 300, Topics: 5, Documents: 1200, Tokens: 50, Seed: 3})
	refined := func(o Options) (*Start, *Result, float64) {
		t.Helper()
		s := d.started([][]float64{{1, 1, 0, 0, 0}, {0, 0, 0.5, 0, 0}, {0, 0, 0.5, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}})
		found, err := Topics(context.Background(), d.pass, s, o)
		if err != nil {
			t.Fatal(err)
		}
		return s, found, d.errorOf(s, found)
	}
	_, never, before := refined(Options{For: ForPrediction, Repairs: -1})
	s, found, after := refined(Options{For: ForPrediction, Workers: 1})
	if never.Repairs != 0 || before < 0.4 {
		t.Errorf("without repairs, %d were made and the error is %.3f", never.Repairs, before)
	}
	if found.Repairs != 1 || after > 0.2 ||
		found.LogLikelihood[len(found.LogLikelihood)-1] <= never.LogLikelihood[len(never.LogLikelihood)-1] {
		t.Errorf("%d repairs; error %.3f after %.3f; log-likelihoods %v, without repairs %v", found.Repairs, after, before,
			found.LogLikelihood, never.LogLikelihood)
	}
	if len(found.LogLikelihood) != found.Epochs+found.Passes || found.Passes > MostPasses {
		t.Errorf("%d log-likelihoods of %d epochs and %d passes", len(found.LogLikelihood), found.Epochs, found.Passes)
	}
	if s2, again, _ := refined(Options{For: ForPrediction, Workers: 3}); !slices.Equal(again.LogLikelihood,
		found.LogLikelihood) ||
		!slices.EqualFunc(s.Mixtures.Values(), s2.Mixtures.Values(), slices.Equal) {
		t.Error("more workers find other topics")
	}
	for _, o := range []Options{{For: ForReading}, {For: ForPrediction, Passes: 20}} {
		if _, found, _ := refined(o); found.Repairs != 0 {
			t.Errorf("%+v: %d repairs", o, found.Repairs)
		}
	}
}

// TestRejectedRepair merges two true topics and splits a third: the likelihood falls, and the topics are put back.
func TestRejectedRepair(t *testing.T) {
	d, ctx := draw(synth.Model{Items: 300, Topics: 5, Documents: 1200, Tokens: 50, Seed: 3}), context.Background()
	s := d.started([][]float64{{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}})
	r, err := newRefiner(ctx, d.pass, s, Options{For: ForPrediction})
	if err == nil {
		err = r.survey(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	found, err := r.findSplits(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sums, alpha, shares, last := r.sums.Copy(5), slices.Clone(r.alpha), slices.Clone(r.shares), r.last
	made, err := r.try(ctx, []merger{{0, 1, 0}, {2, 3, 0}}, found)
	if err != nil || made != 0 || r.lost != 2 {
		t.Fatalf("%d repairs in %d passes, error %v", made, r.lost, err)
	}
	if fell := slices.Max(r.found.LogLikelihood[powerPasses:]); fell > last-0.01 || r.last != last {
		t.Errorf("log-likelihoods %v", r.found.LogLikelihood)
	}
	if !slices.EqualFunc(r.sums.Values(), sums.Values(), slices.Equal) || !slices.Equal(r.alpha, alpha) ||
		!slices.EqualFunc(r.shares, shares, func(a, b float64) bool { return math.Abs(a-b) < 1e-4 }) {
		t.Error("other topics than before")
	}
	if mergers, err := r.mergers(ctx); err != nil || len(mergers) > 0 {
		t.Errorf("mergers %v of true topics, error %v", mergers, err)
	}
}
