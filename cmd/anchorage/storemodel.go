// This file lets commands that take a model take a store in its place: the model is that of the current generation.

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/store"
)

// resolveStores replaces the arguments of a command that its Use calls MODEL, and that are stores, by the models of their current
// generations.
func resolveStores(cmd *cobra.Command, args []string) error {
	for _, at := range modelArguments(cmd) {
		if at >= len(args) {
			continue
		}
		found, err := store.Is(cmd.Context(), args[at])
		if err != nil || !found {
			continue // reading the model says what is wrong
		}
		s, err := store.Open(cmd.Context(), args[at])
		if err == nil {
			args[at], err = s.Model()
		}
		if err != nil {
			return &runError{err}
		}
	}
	return nil
}

// modelArguments returns which arguments of a command are models. The verbs of items do not name theirs, which comes first.
func modelArguments(cmd *cobra.Command) (places []int) {
	if cmd.HasParent() && cmd.Parent().Name() == itemsName {
		return []int{0}
	}
	use, _, _ := strings.Cut(cmd.Use, "|")
	for i, word := range strings.Fields(use)[1:] {
		if slices.Contains([]string{"MODEL", "MODEL..."}, word) {
			places = append(places, i)
		}
	}
	return places
}
