package soak

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"anchorage/internal/long"
)

// TestDamage is the short form of the soak: some flipped bits and cuts of every artefact. None is read wrongly without an error.
func TestDamage(t *testing.T) {
	flips := 15
	if long.Tier() {
		flips = 150
	}
	for _, a := range artefacts {
		t.Run(a.Name, func(t *testing.T) {
			r, err := Harm(t.Context(), a, t.TempDir(), Damage{Flips: flips, Step: 701 * 150 / flips, Seed: 7, Random: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Silent) > 0 {
				t.Errorf("read without an error: %q", r.Silent)
			}
			if r.Refused < (r.Flips+r.Cuts)/4 {
				t.Errorf("only %d of %d damages were refused: %+v", r.Refused, r.Flips+r.Cuts, r)
			}
		})
	}
}

// TestDamageIsNoticed damages a file that does not check itself: the soak must say so.
func TestDamageIsNoticed(t *testing.T) {
	plain := Artefact{"plain", func(_ context.Context, folder string) (string, error) {
		path := filepath.Join(folder, "plain")
		return path, os.WriteFile(path, []byte("plain text"), 0o666)
	}, func(_ context.Context, path string) (any, error) {
		content, err := os.ReadFile(path)
		return content, err
	}}
	r, err := Harm(t.Context(), plain, t.TempDir(), Damage{Flips: 30, Step: 1})
	if err != nil || len(r.Silent) != 40 || r.Cuts != 10 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A digest sees what is behind pointers and in fields that are not exported.
func TestDigest(t *testing.T) {
	type inner struct{ values []float64 }
	type outer struct {
		name string
		deep *inner
		by   map[string]int
		fn   func()
	}
	of := func(value float64, count int) string {
		return digest(&outer{"a", &inner{[]float64{1, value}}, map[string]int{"x": 1, "y": count}, nil})
	}
	if of(2, 3) != of(2, 3) || of(2, 3) == of(2.5, 3) || of(2, 3) == of(2, 4) {
		t.Error("digests do not follow what they are of")
	}
}
