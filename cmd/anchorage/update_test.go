package main

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// TestUpdateFlags wants every flag of update to be one that decides on reading, one that decides on the model, or one of a single update.
func TestUpdateFlags(t *testing.T) {
	tables := [][]string{readingFlags, learningFlags, onceFlags}
	flags := (&program{}).updateCommand().Flags()
	flags.VisitAll(func(flag *pflag.Flag) {
		found := 0
		for _, table := range tables {
			if slices.Contains(table, flag.Name) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("--%s is in %d of the tables of updateoptions.go: say in one of them whether stores remember it", flag.Name, found)
		}
	})
	for _, name := range slices.Concat(tables...) {
		if flags.Lookup(name) == nil {
			t.Errorf("updateoptions.go has --%s, which update lacks", name)
		}
	}
	fit := (&program{}).fitCommand().Flags()
	for name := range notOfStores {
		if fit.Lookup(name) == nil {
			t.Errorf("updateoptions.go has --%s, which fit lacks", name)
		}
	}
}
