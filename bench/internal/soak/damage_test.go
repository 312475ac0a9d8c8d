package soak

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"anchorage/internal/long"
)

// TestDamage is the short form of the soak: some flipped bits and cuts of every artefact. None is read wrongly without
// an error.
func TestDamage(t *testing.T) {
	enough := 15
	if long.Tier() {
		enough = 150
	}
	for _, a := range artefacts {
		for _, how := range []string{"flipped bits", cuts} {
			t.Run(a.name+"/"+how, func(t *testing.T) {
				w, o := &Workshop{folder: t.TempDir(), seed: 7}, &Outcome{What: a.name, How: how}
				if err := w.damage(t.Context(), o, enough); err != nil {
					t.Fatal(err)
				}
				if len(o.Problems) > 0 {
					t.Errorf("read without an error: %q", o.Problems)
				}
				if o.Refused < o.Disturbed/4 || o.Disturbed < enough/2 {
					t.Errorf("only %d of %d damages were refused", o.Refused, o.Disturbed)
				}
			})
		}
	}
}

// TestDamageIsNoticed damages a file that does not check itself: the soak must say so.
func TestDamageIsNoticed(t *testing.T) {
	plain := artefact{"plain", func(_ context.Context, folder string) (string, error) {
		path := filepath.Join(folder, "plain")
		return path, os.WriteFile(path, []byte("plain text"), 0o666)
	}, func(_ context.Context, path string) (any, error) {
		content, err := os.ReadFile(path)
		return content, err
	}}
	artefacts = append(artefacts, plain)
	defer func() { artefacts = artefacts[:len(artefacts)-1] }()
	for how, want := range map[string]int{"flipped bits": 30, cuts: 10} {
		o := &Outcome{What: "plain", How: how}
		if err := (&Workshop{folder: t.TempDir()}).damage(t.Context(), o, 30); err != nil || len(o.Problems) != want ||
			o.Disturbed != want {
			t.Errorf("%+v, %v", o, err)
		}
	}
}
