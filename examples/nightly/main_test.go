package main

import (
	"path/filepath"
	"testing"

	"anchorage/store"
)

// Two nights of documents make two generations, and a third without news makes none.
func TestNight(t *testing.T) {
	path := filepath.Join(t.TempDir(), "topics.store")
	first, second := "../../testdata/wiki/part-00000.parquet", "../../testdata/wiki/part-00001.parquet"
	for at, shards := range [][]string{{first}, {first, second}, {first, second}} {
		if err := night(t.Context(), path, shards, 5); err != nil {
			t.Fatalf("night %d: %v", at, err)
		}
	}
	s, err := store.Open(t.Context(), path)
	if err != nil || s.State.Generation != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}
