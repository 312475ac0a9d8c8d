package soak

import (
	"context"
	"os/exec"
	"testing"

	"anchorage/internal/long"
)

// workshop makes a workshop of a small corpus.
func workshop(t *testing.T) *Workshop {
	t.Helper()
	long.Test(t, "it builds the program and disturbs it for a minute")
	w, err := NewWorkshop(t.Context(), t.TempDir(), 600, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestSoak is the short form of the soak: a little of every attack that runs the program.
func TestSoak(t *testing.T) {
	w := workshop(t)
	for _, a := range attacks {
		if _, err := exec.LookPath("strace"); err != nil && a.name == "calls" {
			continue
		}
		for i, what := range a.targets {
			o := &Outcome{What: what, How: a.hows[i%len(a.hows)]}
			if err := a.run(w, t.Context(), o, 1); err != nil {
				t.Fatalf("%s, %s: %v", a.name, what, err)
			}
			for _, problem := range o.Problems {
				t.Errorf("%s, %s, %s: %s", a.name, what, o.How, problem)
			}
			if o.Disturbed == 0 {
				t.Errorf("%s, %s: nothing was disturbed", a.name, what)
			}
			t.Logf("%s: %+v", a.name, *o)
		}
	}
}

// TestNotices gives the soak references that are wrong, and expects another code: it must say so.
func TestNotices(t *testing.T) {
	w := workshop(t)
	one := tasks[1]
	r, err := w.reference(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	noticed := func(what string, do func(context.Context, task, *Outcome, int) error, how string) {
		o := &Outcome{What: one.name, How: how}
		if err := do(t.Context(), one, o, 4); err != nil || len(o.Problems) == 0 {
			t.Errorf("%s: %+v, %v", what, o, err)
		}
	}
	whole := r.new["topics.parquet"]
	r.new["topics.parquet"] = "another"
	noticed("another model after a kill", w.kill, "")
	noticed("another model after a crash", w.crash, "")
	r.new["topics.parquet"] = whole
	r.listing = append(r.listing, "something")
	noticed("another listing", w.kill, "")
	r.listing = r.listing[:len(r.listing)-1]
	code := faultKinds[1].code
	faultKinds[1].code = 1
	noticed("another code", w.fail, faultKinds[1].name)
	faultKinds[1].code = code

	unkept := kept
	defer func() { kept = unkept }()
	kept = []string{"elsewhere", "pins --replace"}
	o := &Outcome{What: "report m -o OUT"}
	if err := w.replace(t.Context(), o, 9); err != nil || len(o.Problems) != 2 {
		t.Errorf("outputs that may be: %+v, %v", o, err)
	}
	o = &Outcome{What: "convert in -o OUT --nonsense"}
	if err := w.memory(t.Context(), o, 2); err != nil || len(o.Problems) != 2 {
		t.Errorf("another code under a limit: %+v, %v", o, err)
	}
}
