// This file tests that maps come back as they were drawn, and that no other file is taken for the map of a model.

package itemmap_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/itemmap"
)

// shared is a model that tests only read.
var shared *fit.Fitted

// loaded returns a model of 2,000 items and 12 topics, in its own directory.
func loaded(t *testing.T) *model.Model {
	t.Helper()
	if shared == nil {
		shared = fitted(t, 2000, 12, 8000)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := shared.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// drawnMap draws the map of a model.
func drawnMap(t *testing.T, m *model.Model, o itemmap.Options) *itemmap.Map {
	t.Helper()
	p, err := itemmap.Draw(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// same reports whether two maps are equal.
func same(a, b *itemmap.Map) bool {
	return slices.Equal(a.Items, b.Items) && slices.Equal(a.X, b.X) && slices.Equal(a.Y, b.Y)
}

// TestFile saves a map, reads it again, and wants those of other models, damaged and incomplete ones refused.
func TestFile(t *testing.T) {
	m := loaded(t)
	refused := func(want string) {
		t.Helper()
		_, err := itemmap.Open(t.Context(), m)
		wrong := new(model.InputError)
		if !errors.As(err, &wrong) || wrong.Fault != itemmap.NoMap || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not an error with %q", err, want)
		}
	}
	refused("has no map")
	if _, err := itemmap.Open(t.Context(), m); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	drawn := drawnMap(t, m, itemmap.Options{Seed: 1})
	if err := drawn.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	read, err := itemmap.Open(t.Context(), m)
	if err != nil || !same(drawn, read) {
		t.Fatalf("another map came back: %v", err)
	}
	for at := range drawn.Items[1:] {
		if m.DocumentFrequency[drawn.Items[at]] < m.DocumentFrequency[drawn.Items[at+1]] {
			t.Fatalf("item %d of the map is in fewer documents than the next", at)
		}
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	if err := drawnMap(t, m, itemmap.Options{Seed: 2}).Save(interrupted, m); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if read, err = itemmap.Open(t.Context(), m); err != nil || !same(drawn, read) {
		t.Errorf("an interrupt changed the map: %v", err)
	}
	file := filepath.Join(m.Path(), itemmap.File)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	part := &itemmap.Map{Items: drawn.Items[1:], X: drawn.X[1:], Y: drawn.Y[1:]}
	if err := part.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	refused("is no map of all items")
	for _, damage := range []func(content []byte) []byte{
		func(content []byte) []byte { return content[:len(content)/2] },
		func(content []byte) []byte { content[len(content)/3] ^= 4; return content },
		func([]byte) []byte { return nil },
	} {
		if err := os.WriteFile(file, damage(slices.Clone(whole)), 0o666); err != nil {
			t.Fatal(err)
		}
		refused("cannot be read")
		var last error
		_, err := model.Verify(t.Context(), m.Path(), func(_ string, _ int64, err error) { last = err })
		if err != nil || last == nil {
			t.Errorf("verify saw nothing: %v", err)
		}
	}
	other := loaded(t)
	other.Manifest.Outputs = slices.Clone(other.Manifest.Outputs)
	for i, o := range other.Manifest.Outputs {
		if o.Name == "items.parquet" {
			other.Manifest.Outputs[i].SHA256 = strings.Repeat("ab", 32)
		}
	}
	if err := os.WriteFile(filepath.Join(other.Path(), itemmap.File), whole, 0o666); err != nil {
		t.Fatal(err)
	}
	m = other
	refused("is the map of another model")
}

// TestDeterminism wants the same map of any number of workers, and another of another seed.
func TestDeterminism(t *testing.T) {
	m := loaded(t)
	first := drawnMap(t, m, itemmap.Options{Seed: 1, Workers: 1})
	for _, v := range append(slices.Clone(first.X), first.Y...) {
		if !(v >= -1 && v <= 1) {
			t.Fatalf("a coordinate is %v", v)
		}
	}
	if !same(first, drawnMap(t, m, itemmap.Options{Seed: 1, Workers: 3})) {
		t.Error("the map depends on the number of workers")
	}
	if same(first, drawnMap(t, m, itemmap.Options{Seed: 2})) {
		t.Error("the map does not depend on the seed")
	}
}
