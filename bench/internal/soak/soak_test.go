package soak

import (
	"log/slog"
	"slices"
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

// TestSoak is the short form of the soak: a little of every part that runs the program.
func TestSoak(t *testing.T) {
	w := workshop(t)
	for name, enough := range map[string]int{"kill": 2 * len(tasks), "terminate": len(tasks), "fail": 2 * len(failing), "crash": 2 * len(tasks), "writers": len(racing),
		"readers": 3 * len(readings), "disk": len(failing), "store": 2 * len(remote)} {
		t.Run(name, func(t *testing.T) {
			at := slices.IndexFunc(Parts, func(p Part) bool { return p.Name == name })
			found, err := Parts[at].run(t.Context(), w, enough)
			if err != nil {
				t.Fatal(err)
			}
			disturbed := 0
			for _, o := range found {
				for _, problem := range o.Problems {
					t.Errorf("%s, %s: %s", o.What, o.How, problem)
				}
				disturbed += o.Disturbed
				t.Logf("%+v", *o)
			}
			if disturbed < enough && name != "disk" { // which needs the right to mount one
				t.Errorf("%d were disturbed, not %d", disturbed, enough)
			}
		})
	}
}
