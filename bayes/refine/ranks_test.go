package refine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/collective"
	"anchorage/internal/long"
	"anchorage/internal/synth"
	"anchorage/matrix"
)

// outcome is what a refinement finds on all ranks together.
type outcome struct {
	*Result
	mixtures    *matrix.Tall
	reliability []float64
}

// job is a refinement on several ranks.
type job struct {
	docs   *corpus.Documents
	start  *Start
	o      Options
	last   bool   // whether the last rank has all documents; else all have runs
	folder string // of a checkpoint, written at every point; "" for none
	fails  int    // the number of the read at which documents cannot be read; 0 for none
}

var errBroken = errors.New("broken")

// documents returns those of a rank, and how many lower ranks have.
func (j job) documents(c *collective.Comm) (own *corpus.Documents, before int64) {
	m := j.docs.Documents()
	own = &corpus.Documents{}
	first, last := c.Rank()*m/c.Size(), (c.Rank()+1)*m/c.Size()
	if j.last {
		if first, last = 0, m; c.Rank() < c.Size()-1 {
			last = 0
		}
	}
	for d := first; d < last; d++ {
		own.Append(j.docs.Row(d))
	}
	return own, int64(first)
}

// refine refines on the rank of ctx.
func (j job) refine(ctx context.Context, start *Start) (*Result, error) {
	c := collective.From(ctx)
	documents, before := j.documents(c)
	o, reads, own := j.o, 0, inPasses(documents, 300)
	start.Before, start.Here = before, int64(documents.Documents())
	o.Workers = 1 + c.Rank()%2
	if j.folder != "" {
		f, err := checkpoint.Open(ctx, j.folder, checkpoint.Options{Every: -1, Resume: checkpoint.Auto})
		if err != nil {
			return nil, err
		}
		defer f.Close()
		chain := f.Chain("fit")
		loaded, err := chain.Load()
		if err != nil {
			return nil, err
		}
		ctx = chain.Point("refine", nil, loaded).In(ctx)
	}
	return Topics(ctx, func(ctx context.Context, fn func(*corpus.Documents) error) error {
		if reads++; reads == j.fails {
			return errBroken
		}
		return own(ctx, fn)
	}, start, o)
}

// on returns what the given number of ranks finds; 0 is a fit without ranks. They must find the same.
func (j job) on(t *testing.T, ranks int) outcome {
	t.Helper()
	all, err := j.try(t, ranks)
	if err != nil {
		t.Fatalf("%d ranks: %v", ranks, err)
	}
	return all
}

func (j job) try(t *testing.T, ranks int) (outcome, error) {
	t.Helper()
	all := outcome{mixtures: matrix.NewTall(j.start.Mixtures.Rows(), j.start.Mixtures.Cols())}
	texts := make([]string, max(ranks, 1))
	one := func(ctx context.Context) error {
		c, start := collective.From(ctx), sharedStart(ctx, j.start)
		found, err := j.refine(ctx, start)
		if err != nil {
			return err
		}
		texts[c.Rank()] = fmt.Sprint(*found, start.Reliability)
		low, high := start.Mixtures.HeldRows()
		for i := low; i < high; i++ {
			copy(all.mixtures.Row(i), start.Mixtures.Row(i))
		}
		if c.First() {
			all.Result, all.reliability = found, start.Reliability
		}
		return nil
	}
	if ranks == 0 {
		return all, one(t.Context())
	}
	err := collective.Together(t.Context(), ranks, one)
	for r, text := range texts {
		if text != texts[0] && err == nil {
			t.Errorf("rank %d of %d finds other things than rank 0", r, ranks)
		}
	}
	return all, err
}

// sharedStart returns the start of a rank that shares rows.
func sharedStart(ctx context.Context, from *Start) *Start {
	s := *from
	s.Mixtures = matrix.NewShared[float64](collective.From(ctx).Layout(), from.Mixtures.Rows(), from.Mixtures.Cols())
	low, high := s.Mixtures.HeldRows()
	for i := low; i < high; i++ {
		copy(s.Mixtures.Row(i), from.Mixtures.Row(i))
	}
	s.Reliability = slices.Clone(from.Reliability)
	if from.Earlier != nil {
		s.Earlier = func(dst []float64, i int) {
			if i < low || i >= high {
				panic("asked for a row that is not held")
			}
			from.Earlier(dst, i)
		}
	}
	return &s
}

// near fails the test unless what was found is what was found without ranks, except for the order of sums. The limits
// are ten times what was seen in forty refinements. Rounding moves mixtures by about 1e-6; where it lets the local step
// of a document end an iteration sooner or later, those of a few rare items move by up to 1e-4.
func (o outcome) near(t *testing.T, want outcome, name string) {
	t.Helper()
	far := func(a, b []float64) (most float64) {
		for i, v := range a {
			most = max(most, math.Abs(v-b[i]))
		}
		return most
	}
	n, k := o.mixtures.Dims()
	most, mean := 0.0, 0.0
	for i := range n {
		for a, p := range o.mixtures.Row(i) {
			difference := math.Abs(p - want.mixtures.At(i, a))
			most, mean = max(most, difference), mean+difference/float64(n*k)
		}
	}
	joint, shares, likelihood, reliability := far(o.Joint, want.Joint), far(o.Shares, want.Shares), far(o.LogLikelihood,
		want.LogLikelihood), far(o.reliability, want.reliability)
	if most > 1e-3 || mean > 1e-6 || joint > 1e-5 || shares > 2e-6 || likelihood > 1e-6 || reliability > 1e-6 {
		t.Errorf("%s: mixtures differ by %.2g, on average %.2g, A by %.2g, shares by %.2g, likelihoods by %.2g, "+
			"reliabilities by %.2g", name, most, mean, joint, shares, likelihood, reliability)
	}
	if o.For != want.For || o.Epochs != want.Epochs || o.Passes != want.Passes ||
		o.Settled != want.Settled || len(o.Errors) != len(want.Errors) || far(o.Errors, want.Errors) > 1e-3 ||
		math.Abs(o.Moved-want.Moved) > 1e-6 || math.Abs(o.Burstiness-want.Burstiness) > 1e-9 ||
		len(o.LogLikelihood) != len(want.LogLikelihood) {
		t.Errorf("%s: found %+v, not %+v", name, o.Result, want.Result)
	}
}

// top returns the items of each topic with the highest p(topic | item)·n_i, the first ones.
func (o outcome) top(from *Start, k, count int) []int {
	items := make([]int, o.mixtures.Rows())
	for i := range items {
		items[i] = i
	}
	value := func(i int) float64 { return o.mixtures.At(i, k) * float64(from.Frequency[i]) }
	slices.SortStableFunc(items, func(a, b int) int { return cmp.Compare(value(b), value(a)) })
	return items[:count]
}

// TestRefineRanks refines the same documents on one rank, which finds the same bits as without ranks, and on several,
// some of them without rows.
func TestRefineRanks(t *testing.T) {
	const items = matrix.BlockRows + 300
	docs, truth := synth.Model{Items: items, Topics: 4, Documents: 1000, Tokens: 30, Seed: 5}.Draw()
	start := func(sharp float64) *Start {
		s := blurred(truth, docs, sharp)
		s.Reliability = slices.Repeat([]float64{0.5}, items)
		return s
	}
	omega := start(0.5)
	omega.Weights = make([]float64, items)
	for i := range omega.Weights {
		omega.Weights[i] = 1 + float64(i%3)
	}
	earlier := start(0.4)
	better := blurred(truth, docs, 0.8)
	earlier.EarlierFor, earlier.Earlier = ForPrediction, func(dst []float64, i int) { copy(dst, better.Mixtures.Row(i)) }
	for name, test := range map[string]struct {
		job
		ranks []int
		bytes int // of a row of a batch, for small batches; 0 for what it takes
	}{
		"prediction": {job{docs: docs, start: start(0.5), o: Options{For: ForPrediction, Seed: 9}},
			[]int{1, 2, 5}, 0},
		"reading":                {job{docs: docs, start: omega, o: Options{For: ForReading}}, []int{1, 3}, 0},
		"purpose found":          {job{docs: docs, start: start(0.5), o: Options{Passes: 2}}, []int{3}, 0},
		"earlier mixtures":       {job{docs: docs, start: earlier, o: Options{For: ForPrediction}}, []int{2}, 0},
		"earlier, other purpose": {job{docs: docs, start: earlier, o: Options{For: ForReading}}, []int{2}, 0},
		"documents on the last": {job{docs: docs, last: true, start: start(0.5),
			o: Options{For: ForPrediction}}, []int{3}, 0},
		"few items at a time": {job{docs: docs, start: start(0.5), o: Options{For: ForPrediction}}, []int{2}, 1 << 21},
	} {
		usual := visitBytes
		if test.bytes > 0 {
			visitBytes = func(int) int { return test.bytes }
		}
		if !long.Tier() {
			test.ranks = test.ranks[len(test.ranks)-1:]
		}
		test.o.Errors = true
		want := test.on(t, 0)
		for _, ranks := range test.ranks {
			got := test.on(t, ranks)
			label := fmt.Sprintf("%s, %d ranks", name, ranks)
			if got.near(t, want, label); ranks == 1 {
				if !slices.EqualFunc(got.mixtures.Values(), want.mixtures.Values(), slices.Equal) ||
					fmt.Sprint(*got.Result) != fmt.Sprint(*want.Result) {
					t.Errorf("%s: one rank finds other bits", name)
				}
			}
			for k := range 4 {
				if a, b := got.top(test.start, k, 10), want.top(test.start, k, 10); !slices.Equal(a, b) {
					t.Errorf("%s: topic %d has the items %v, not %v", label, k, a, b)
				}
			}
		}
		visitBytes = usual
	}
}

// TestResumeRanks kills a run in two epochs and in the passes after them; each time another number of ranks continues.
func TestResumeRanks(t *testing.T) {
	docs, truth := synth.Model{Items: matrix.BlockRows + 100, Topics: 5, Documents: 1500, Tokens: 50,
		Concentration: 0.05, Seed: 3}.Draw()
	j := job{docs: docs, start: blurred(truth, docs, 0.5), o: Options{For: ForPrediction}}
	want := j.on(t, 0)
	for _, ranks := range long.Grid(1, 3, 1) {
		j.on(t, ranks).near(t, want, fmt.Sprintf("%d ranks", ranks))
	}
	j.folder = filepath.Join(t.TempDir(), "checkpoint")
	for _, part := range []struct{ ranks, fails int }{{2, 12}, {3, 23}, {0, 4}, {4, 2}} {
		j.fails = part.fails
		if _, err := j.try(t, part.ranks); !errors.Is(err, errBroken) {
			t.Fatalf("%d ranks: %v", part.ranks, err)
		}
	}
	j.fails = 0
	j.on(t, 2).near(t, want, "gone on from checkpoints")
}

// TestRefineRanksFail: where the documents of one rank cannot be read, no rank waits for it, and the mixtures remain.
func TestRefineRanksFail(t *testing.T) {
	docs, truth := synth.Model{Items: 60, Topics: 3, Documents: 600, Tokens: 20, Seed: 6}.Draw()
	whole := blurred(truth, docs, 0.5)
	for _, fails := range []int{1, 2, 15, 25} {
		err := collective.Together(t.Context(), 3, func(ctx context.Context) error {
			c, s := collective.From(ctx), sharedStart(ctx, whole)
			j := job{docs: docs, o: Options{Passes: 10}}
			if c.Rank() == 1 {
				j.fails = fails
			}
			_, err := j.refine(ctx, s)
			if lost := new(collective.LostError); c.Rank() != 1 && (!errors.As(err, &lost) || lost.Rank != 1) {
				return fmt.Errorf("rank %d ends with %v", c.Rank(), err)
			}
			for b := range s.Mixtures.Held() {
				if !slices.Equal(s.Mixtures.Values()[b], whole.Mixtures.Values()[b]) {
					return fmt.Errorf("a failed refinement has changed the mixtures")
				}
			}
			return err
		})
		if !errors.Is(err, errBroken) {
			t.Errorf("read %d fails: %v", fails, err)
		}
	}
}

// TestRefineTraffic counts what ranks send against the formula in docs/distributed.md.
func TestRefineTraffic(t *testing.T) {
	const items, topics, ranks, passes = 6*matrix.BlockRows + 5, 30, 3, 2
	docs, truth := synth.Model{Items: items, Topics: topics, Documents: 2000, Tokens: 50, Seed: 5}.Draw()
	whole := blurred(truth, docs, 0.5)
	foreign := make([]int, ranks)
	sent := make([]int64, ranks)
	err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
		c, s := collective.From(ctx), sharedStart(ctx, whole)
		low, high := s.Mixtures.HeldRows()
		j := job{docs: docs, o: Options{For: ForPrediction, Passes: passes, Epochs: -1, Parts: 1}}
		seen := make(map[int32]bool)
		documents, _ := j.documents(c)
		for _, item := range documents.Items {
			if !seen[item] && (int(item) < low || int(item) >= high) {
				foreign[c.Rank()]++
			}
			seen[item] = true
		}
		_, err := j.refine(ctx, s)
		_, moved := c.Moved()
		for _, stage := range moved {
			sent[c.Rank()] += stage.Bytes
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	u, total := 0, int64(0)
	for r := range ranks {
		u += foreign[r]
		total += sent[r]
	}
	survey, pass := u*(4+4*topics), u*(4+8*topics)+8*ranks*(ranks-1)*topics*topics
	renewal := 8 * (ranks - 1) * items
	want := float64(survey + passes*pass + (passes+1)*renewal + renewal) // the last for the reliabilities
	if got := float64(total); math.Abs(got-want) > 0.01*want {
		t.Errorf("%.0f bytes were sent, not %.0f", got, want)
	}
}
