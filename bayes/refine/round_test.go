package refine

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/polls"
	"anchorage/internal/synth"
	"anchorage/matrix"
)

// byTasks makes a survey and some passes, each by tasks of the given numbers of documents.
func byTasks(t *testing.T, docs *corpus.Documents, start *Start, o *Round, passes int, tasks ...int) (found *Result) {
	t.Helper()
	held := start.Mixtures.Copy(start.Mixtures.Cols())
	for range passes + 1 {
		from := *start
		from.Mixtures = held.Copy(held.Cols())
		all, first := (*Sums)(nil), 0
		for number, count := range tasks {
			part := &corpus.Documents{Offsets: []int32{0}}
			for d := first; d < first+count; d++ {
				part.Append(docs.Row(d))
			}
			first += count
			sums, err := o.Sum(t.Context(), inPasses(part, 70), &from, 1+number%2)
			if err != nil {
				t.Fatal(err)
			}
			if all == nil {
				all = sums
				continue
			}
			add(all.Totals, sums.Totals)
			if all.Tokens != nil {
				add(all.Tokens, sums.Tokens)
			}
		}
		var err error
		if found, err = o.Step(t.Context(), &from, all, 2); err != nil {
			t.Fatal(err)
		}
		if found != nil {
			start.Mixtures = from.Mixtures
		}
	}
	return found
}

func add(to, from *matrix.Tall) {
	for i := range to.Rows() {
		for k, v := range from.Row(i) {
			to.Row(i)[k] += v
		}
	}
}

// TestRound makes passes by tasks, divided in several ways, which must not show in any bit. The mixtures must be those
// of one process in which documents begin at their prior too, within 1e-6 of their norm, and within 0.02 if they begin
// where the pass before has left them. The likelihood must rise.
func TestRound(t *testing.T) {
	docs, truth := synth.Model{Items: 300, Topics: 5, Documents: 1500, Tokens: 60, Concentration: 0.2, Seed: 3}.Draw()
	for _, purpose := range []Purpose{ForReading, ForPrediction} {
		const passes = 4
		one := blurred(truth, docs, 0.3)
		one.Reliability, one.Weights = slices.Repeat([]float64{0.5}, truth.Items), slices.Repeat([]float64{1}, truth.Items)
		for i := range one.Weights {
			one.Weights[i] = 0.5 + float64(i%7)/10
		}
		fresh := func() *Start {
			s := *one
			s.Mixtures, s.Reliability = one.Mixtures.Copy(5), slices.Clone(one.Reliability)
			return &s
		}
		how := Options{For: purpose, Passes: passes, Epochs: -1, Parts: 1}
		prior, carried, rounds := fresh(), fresh(), []*Round{{For: purpose}, {For: purpose}, {For: purpose}}
		prior.Before = mostCarried // so that no document is carried
		process, err := Topics(t.Context(), inPasses(docs, 90), prior, how)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Topics(t.Context(), inPasses(docs, 90), carried, how); err != nil {
			t.Fatal(err)
		}
		var got []*Start
		var found *Result
		for at, tasks := range [][]int{{1500}, {400, 0, 1100}, {1, 2, 997, 300, 200}} {
			s := fresh()
			found = byTasks(t, docs, s, rounds[at], passes, tasks...)
			got = append(got, s)
			if !slices.EqualFunc(s.Mixtures.Values(), got[0].Mixtures.Values(), slices.Equal) ||
				!slices.Equal(s.Reliability, got[0].Reliability) || rounds[at].LogLikelihood != rounds[0].LogLikelihood {
				t.Errorf("%s: tasks of %v documents give other bits", purpose, tasks)
			}
		}
		far, farther := distance(got[0], prior), distance(got[0], carried)
		if far > 1e-6 || farther > 0.02 || math.Abs(rounds[0].LogLikelihood-process.LogLikelihood[passes-1]) > 1e-6 {
			t.Errorf("%s: mixtures are %.2g and %.2g from those of one process, the log-likelihood is %v, there %v", purpose, far,
				farther, rounds[0].LogLikelihood, process.LogLikelihood)
		}
		if before := process.LogLikelihood[0]; rounds[0].LogLikelihood < before+1e-3 || found.Passes != passes {
			t.Errorf("%s: the likelihood is %v after %d passes, %v before", purpose, rounds[0].LogLikelihood, found.Passes, before)
		}
		killed := polls.After(t.Context(), 2)
		if _, err := rounds[0].Sum(killed, inPasses(docs, 90), fresh(), 2); !errors.Is(err, context.Canceled) {
			t.Errorf("an interrupted task: %v", err)
		}
	}
}

// distance returns that of the mixtures of two starts, relative to the norm of the second.
func distance(a, b *Start) float64 {
	far, norm := 0.0, 0.0
	for i := range a.Mixtures.Rows() {
		for k, p := range b.Mixtures.Row(i) {
			d := p - a.Mixtures.Row(i)[k]
			far, norm = far+d*d, norm+p*p
		}
	}
	return math.Sqrt(far / norm)
}
