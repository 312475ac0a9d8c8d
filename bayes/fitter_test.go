package bayes

import (
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"testing"

	"anchorage/internal/synth"
	"anchorage/matrix"
)

// TestRoomError asks for working files in a folder that does not exist.
func TestRoomError(t *testing.T) {
	d := draw(synth.Model{Items: 30, Topics: 3, Documents: 40, Tokens: 10, Seed: 1})
	missing := filepath.Join(t.TempDir(), "missing")
	_, shuffling := Shuffle(t.Context(), d.pass, d.entries, missing, 1)
	_, fitting := NewFitter(NewState(Options{Model: LDA, Topics: 3}, d.corpus), Plan{Batch: true},
		Source{Pass: d.pass, Dir: missing})
	for name, err := range map[string]error{"shuffling": shuffling, "fitting": fitting} {
		var room *RoomError
		if !errors.As(err, &room) || room.For == "" || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %#v, want a RoomError about a path that does not exist", name, err)
		}
	}
}

// TestSourceMustFitThePlan wants a panic where the documents that a plan takes are not there.
func TestSourceMustFitThePlan(t *testing.T) {
	d := draw(synth.Model{Items: 30, Topics: 3, Documents: 40, Tokens: 10, Seed: 1})
	s := NewState(Options{Model: LDA, Topics: 3}, d.corpus)
	for name, call := range map[string]func(){
		"random":   func() { _, _ = NewFitter(s, Plan{}, Source{Pass: d.pass}) },
		"in order": func() { _, _ = NewFitter(s, Plan{InOrder: true}, Source{}) },
		"batch":    func() { _, _ = NewFitter(s, Plan{Batch: true}, Source{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// TestReportEndsTheFit wants the error of Report back, after as many steps as there were reports.
func TestReportEndsTheFit(t *testing.T) {
	d := draw(synth.Model{Items: 60, Topics: 3, Documents: 90, Tokens: 20, Seed: 1})
	enough := errors.New("enough")
	for name, plan := range map[string]Plan{"stochastic": {InOrder: true, TestEvery: 2}, "batch": {Batch: true}} {
		f := d.fitter(t, Options{Model: BNMF, Topics: 3, BatchSize: 10}, plan)
		var reports []Progress
		f.Report = func(p Progress) error {
			if reports = append(reports, p); len(reports) == 3 {
				return enough
			}
			return nil
		}
		if err := f.Run(t.Context()); err != enough || f.State.Step != 3 {
			t.Errorf("%s: error %v after %d steps", name, err, f.State.Step)
		}
		for i, p := range reports {
			if p.Step != int64(i+1) || math.IsNaN(p.Bound) == plan.Batch || (p.Tested != nil) != (!plan.Batch && i%2 == 0) {
				t.Errorf("%s: report %d is %+v", name, i, p)
			}
		}
	}
}

// TestMemory holds the forecast against the arrays of a fit that are larger than a few kilobytes.
func TestMemory(t *testing.T) {
	d := draw(synth.Model{Items: 2000, Topics: 5, Documents: 400, Tokens: 60, Seed: 5})
	for _, batch := range []bool{false, true} {
		for _, model := range []Model{LDA, BNMF} {
			o := Options{Model: model, Topics: 40, BatchSize: 200}
			f := d.fitter(t, o, Plan{Batch: batch, Iterations: 1, InOrder: true})
			if err := f.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			held := matrix.Bytes[float64](d.corpus.Items, o.Topics)
			if batch {
				held *= 2
			}
			e := f.engine
			for _, values := range [][]float64{e.table, e.a, e.t, e.resp, e.norms, e.b.Counts, f.State.joint} {
				held += 8 * int64(cap(values))
			}
			for _, numbers := range [][]int32{e.b.Rows, e.b.Items, make([]int32, d.corpus.Items), e.b.ByRow, e.b.Owner} {
				held += 4 * int64(cap(numbers))
			}
			forecast := o.Memory(d.corpus.Items, batch, float64(d.entries)/float64(d.corpus.Documents))
			if ratio := float64(forecast) / float64(held); ratio < 0.95 || ratio > 1.5 {
				t.Errorf("%s, batch %v: %d bytes are held, %d were forecast: %.2f times as many", model, batch, held,
					forecast, ratio)
			}
		}
	}
}
