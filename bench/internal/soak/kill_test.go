package soak

import (
	"log/slog"
	"testing"
)

// workshop makes a workshop of a small corpus.
func workshop(t *testing.T) *Workshop {
	t.Helper()
	w, err := NewWorkshop(t.Context(), t.TempDir(), 600, 1, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// check fails the test for every problem.
func check(t *testing.T, found []*Outcome, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range found {
		for _, problem := range o.Problems {
			t.Errorf("%s, %s: %s", o.What, o.How, problem)
		}
		t.Logf("%+v", *o)
	}
}

// TestSignals is the short form of the soak by signals.
func TestSignals(t *testing.T) {
	w := workshop(t)
	found, err := w.each(t.Context(), tasks, 4*len(tasks), w.kill)
	check(t, found, err)
	found, err = w.each(t.Context(), tasks, len(tasks), w.terminate)
	check(t, found, err)
}

// TestFailing is the short form of the soak by operations that fail.
func TestFailing(t *testing.T) {
	w := workshop(t)
	found, err := failAll(t.Context(), w, 2*len(faultKinds)*len(failing))
	check(t, found, err)
}

// TestCrash is the short form of the soak by power cuts.
func TestCrash(t *testing.T) {
	w := workshop(t)
	found, err := w.each(t.Context(), tasks, 5*len(tasks), w.crash)
	check(t, found, err)
}
