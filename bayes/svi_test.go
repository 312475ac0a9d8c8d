package bayes

import (
	"context"
	"fmt"
	"math"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/random"
	"anchorage/internal/synth"
)

// drawn is a corpus with what a fit must know of it.
type drawn struct {
	docs    *corpus.Documents
	truth   *synth.Truth
	corpus  Totals
	entries int64
}

// draw makes documents of a known model.
func draw(m synth.Model) drawn {
	docs, truth := m.Draw()
	d := drawn{docs: docs, truth: truth, entries: int64(len(docs.Items))}
	d.corpus = Totals{Items: m.Items, Documents: int64(docs.Documents()),
		Key: func(item int) uint64 { return random.At(0, random.Test, uint64(item), 0) }}
	for _, c := range docs.Counts {
		d.corpus.Tokens += int64(c)
	}
	return d
}

// pass yields the documents in runs of 70.
func (d drawn) pass(ctx context.Context, fn func(*corpus.Documents) error) error {
	n := d.docs.Documents()
	for first := 0; first < n; first += 70 {
		if err := ctx.Err(); err != nil {
			return err
		}
		last := min(first+70, n)
		part := &corpus.Documents{Items: d.docs.Items[d.docs.Offsets[first]:d.docs.Offsets[last]],
			Counts: d.docs.Counts[d.docs.Offsets[first]:d.docs.Offsets[last]]}
		for _, o := range d.docs.Offsets[first : last+1] {
			part.Offsets = append(part.Offsets, o-d.docs.Offsets[first])
		}
		if err := fn(part); err != nil {
			return err
		}
	}
	return nil
}

func (d drawn) fitter(t testing.TB, o Options, plan Plan) *Fitter {
	t.Helper()
	from := Source{Pass: d.pass, Dir: t.TempDir()}
	if plan.Random() {
		var err error
		if from.Shuffled, err = Shuffle(context.Background(), d.pass, d.entries, from.Dir, o.Seed); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(from.Shuffled.Close)
	}
	f, err := NewFitter(NewState(o, d.corpus), plan, from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// TestBoundNeverFalls holds the bound of every batch algorithm against its last value, by a relative tolerance of 1e-9.
func TestBoundNeverFalls(t *testing.T) {
	d := draw(synth.Model{Items: 120, Topics: 4, Documents: 150, Tokens: 30, Seed: 3})
	// Documents of which only the prior says anything, and one with a great count.
	d.docs.Offsets = append(d.docs.Offsets, d.docs.Offsets[len(d.docs.Offsets)-1])
	d.docs.Items, d.docs.Counts = append(d.docs.Items, 5), append(d.docs.Counts, 4000)
	d.docs.Offsets = append(d.docs.Offsets, int32(len(d.docs.Items)))
	d.corpus.Documents += 2
	d.corpus.Tokens += 4000
	for _, model := range Models {
		for _, c0 := range []float64{0, 0.012} { // c₀/V of 0.05, and of 1e-4
			t.Run(fmt.Sprint(model, c0), func(t *testing.T) {
				f := d.fitter(t, Options{Model: model, Topics: 5, C0: c0, BatchSize: 64, Seed: 2}, Plan{Batch: true, Iterations: 40,
					Tolerance: 1e-12})
				if err := f.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				for i, bound := range f.Bounds {
					if math.IsNaN(bound) || math.IsInf(bound, 0) {
						t.Fatalf("bound %d is %v", i, bound)
					}
					if i > 0 && bound < f.Bounds[i-1]-1e-9*math.Abs(bound) {
						t.Errorf("bound %d is %v, less than %v before", i, bound, f.Bounds[i-1])
					}
				}
				first, last := f.Bounds[0], f.Bounds[len(f.Bounds)-1]
				if last < first+100 {
					t.Errorf("the bound has grown from %v to %v only", first, last)
				}
			})
		}
	}
}
