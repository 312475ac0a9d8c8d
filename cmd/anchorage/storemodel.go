// This file lets commands that take a model take a store in its place: the model is that of the current generation.

package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/store"
)

// modelFlags are the flags that take a model.
var modelFlags = []string{"init", "start", "compare"}

// resolveStores replaces the arguments of a command that its Use calls MODEL, or THEN and NOW, and the flags that take one, by the models of the current
// generations where they are stores.
func resolveStores(cmd *cobra.Command, args []string) error {
	for _, at := range modelArguments(cmd) {
		if at >= len(args) {
			continue
		}
		var err error
		if args[at], err = modelOf(cmd.Context(), args[at]); err != nil {
			return err
		}
	}
	for _, name := range modelFlags {
		flag := cmd.Flags().Lookup(name)
		if flag == nil || !flag.Changed {
			continue
		}
		path, err := modelOf(cmd.Context(), flag.Value.String())
		if err == nil {
			err = flag.Value.Set(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// modelOf returns the model of a store's current generation, and any other path unchanged.
func modelOf(ctx context.Context, path string) (string, error) {
	found, err := store.Is(ctx, path)
	if err != nil || !found {
		return path, nil // reading the model says what is wrong
	}
	s, err := store.Open(ctx, path)
	if err != nil {
		return path, &runError{err}
	}
	if path, err = s.Model(); err != nil {
		return path, &runError{err}
	}
	return path, nil
}

// modelArguments returns which arguments of a command are models. The verbs of items do not name theirs, which comes first.
func modelArguments(cmd *cobra.Command) (places []int) {
	if cmd.HasParent() && cmd.Parent().Name() == itemsName {
		return []int{0}
	}
	use, _, _ := strings.Cut(cmd.Use, "|")
	for i, word := range strings.Fields(use)[1:] {
		if slices.Contains([]string{"MODEL", "MODEL...", "THEN", "NOW"}, word) {
			places = append(places, i)
		}
	}
	return places
}
