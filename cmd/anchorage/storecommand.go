// This file holds the commands that look after what was written: verify, is it still what is there, and store.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/internal/verify"
	"anchorage/model"
	"anchorage/store"
)

// listedGeneration is a generation as it is listed.
type listedGeneration struct {
	store.Generation
	Made    string `json:"made,omitempty"`
	Current bool   `json:"current"`
	Path    string `json:"path"`
}

func (p *program) storeListCommand() *cobra.Command {
	var shards bool
	return p.command("store list", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		s, err := store.Open(ctx, args[0])
		switch {
		case err != nil:
			return err
		case shards:
			list := append([]store.Shard{}, s.State.Shards...)
			return p.print(map[string]any{"store": s.Path, "shards": list}, func(w io.Writer) {
				printf(w, "%-10s  %12s %14s  %-16s  %s\n", "date", "documents", "bytes", "sha256", "name")
				for _, shard := range list {
					printf(w, "%-10s  %12d %14d  %-16.16s  %s\n", shard.Date, shard.Documents, shard.Size, shard.SHA256, shard.Name)
				}
			})
		}
		return p.listGenerations(ctx, s)
	}, []row{outputGroup.flag("shards", &shards, boolean, "list the shards of the current generation")})
}

// listGenerations prints the generations.
func (p *program) listGenerations(ctx context.Context, s *store.Store) error {
	generations := []listedGeneration{}
	for _, g := range s.State.Generations {
		l := listedGeneration{Generation: g, Current: g.Number == s.State.Generation, Path: s.GenerationPath(g.Number)}
		switch made, err := s.Made(ctx, g); {
		case err == nil:
			l.Made = made.Format("2006-01-02 15:04")
		case errors.As(err, new(*model.InputError)): // the list is needed most where something is damaged
			p.log.Warn("it is not known when a generation was made", "generation", g.Number, "error", err)
		default:
			return err
		}
		generations = append(generations, l)
	}
	value := map[string]any{"store": s.Path, "state": s.State.Number, "current": s.State.Generation,
		"options": s.State.Options, "generations": generations}
	return p.print(value, func(w io.Writer) {
		printf(w, "%-12s %-17s %8s %12s %10s %7s  %s\n", "generation", "made (UTC)", "shards", "documents", "items",
			"topics", "dates")
		for _, g := range generations {
			number, dates := strconv.Itoa(g.Number), ""
			if g.Current {
				number += " *"
			}
			if g.From != "" {
				dates = g.From + " to " + g.To
			}
			printf(w, "%-12s %-17s %8d %12d %10d %7d  %s\n", number, g.Made, g.Shards, g.Documents, g.Items, g.Topics, dates)
		}
		if len(generations) > 0 {
			fmt.Fprintln(w, "* is the current one")
		}
		if text := s.State.Options["require"]; text != "" {
			printf(w, "Updates require %s (--require)\n", text)
		}
	})
}

func (p *program) storeCollectCommand() *cobra.Command {
	return p.command("store gc", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		w, err := p.beginStore(ctx, args[0], false)
		if err != nil {
			return err
		}
		defer w.Close()
		removed, err := w.Collect(ctx)
		if err != nil {
			return err
		}
		bytes := int64(0)
		for _, r := range removed {
			bytes += r.Bytes
		}
		value := map[string]any{"store": args[0], "removed": append([]store.Removed{}, removed...), "bytes": bytes}
		return p.print(value, func(out io.Writer) {
			for _, r := range removed {
				printf(out, "%s\n", r.Path)
			}
			printf(out, "Removed %s of %d bytes\n", count(len(removed), "file or folder", "files and folders"), bytes)
		})
	})
}

func (p *program) storeRollbackCommand() *cobra.Command {
	return p.command("store rollback", cobra.RangeArgs(1, 2), func(ctx context.Context, args []string) (err error) {
		number := 0
		if len(args) == 2 {
			if number, err = strconv.Atoi(args[1]); err != nil || number < 1 {
				return &usageError{errors.New("the generation must be a number from 1")}
			}
		}
		w, err := p.beginStore(ctx, args[0], true)
		if err != nil {
			return err
		}
		defer w.Close()
		g, err := w.Rollback(ctx, number)
		if err != nil {
			return err
		}
		value := map[string]any{"store": args[0], "generation": g.Number, "model": w.GenerationPath(g.Number),
			"state": w.State.Number}
		return p.print(value, func(out io.Writer) {
			printf(out, "Generation %d is the current one: %s, %d documents\n", g.Number, count(g.Shards, "shard",
				"shards"), g.Documents)
		})
	})
}

// beginStore opens a store for writing, which must be there.
func (p *program) beginStore(ctx context.Context, path string, passDamaged bool) (*store.Writer, error) {
	var kept *store.Error
	if _, err := store.Open(ctx, path); err != nil && !(passDamaged && errors.As(err, &kept) &&
		kept.Fault == store.Damaged) {
		return nil, err
	}
	return store.Begin(ctx, path, store.Options{Workers: p.workers, Warn: p.warn, Log: p.log, PassDamaged: passDamaged})
}

// modelFlags are the flags that take a model.
var modelFlags = []string{"start", "compare"}

// resolveStores replaces the arguments of a command that its Use calls MODEL, or THEN and NOW, and the flags that take
// one, by the models of the current generations where they are stores. No update removes these before the program ends.
// The verbs of items do not name their model, which comes first.
func (p *program) resolveStores(cmd *cobra.Command, args []string) (err error) {
	use, _, _ := strings.Cut(cmd.Use, "|")
	for i, word := range strings.Fields(use)[1:] {
		if i < len(args) && slices.Contains([]string{"MODEL", "MODEL...", "THEN", "NOW"}, word) || i == 0 && len(args) > 0 &&
			cmd.HasParent() && cmd.Parent().Name() == itemsName {
			if args[i], err = p.modelOf(cmd.Context(), args[i]); err == nil && i == 0 {
				err = p.recall(cmd.Context(), args[i])
			}
			if err != nil {
				return err
			}
		}
	}
	for _, name := range modelFlags {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed {
			path, err := p.modelOf(cmd.Context(), flag.Value.String())
			if err == nil {
				err = flag.Value.Set(path)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// modelOf returns the model of a store's current generation, and any other path unchanged.
func (p *program) modelOf(ctx context.Context, path string) (string, error) {
	found, err := store.Is(ctx, path)
	if err != nil || !found {
		return path, nil // reading the model says what is wrong
	}
	model, release, err := store.UseModel(ctx, path)
	if err != nil {
		return path, &runError{err}
	}
	p.held = append(p.held, release)
	return model, nil
}

// verify compares the artefacts at paths with their checksums, and prints what it finds.
func (p *program) verify(ctx context.Context, paths []string) error {
	var all []*verify.Found
	damaged, first := 0, error(nil) // what is wrong with the first that is damaged
	for i, path := range paths {
		p.advance("verifying", int64(i), int64(len(paths)))
		found, err := verify.Path(ctx, path)
		if err != nil {
			return err
		}
		if found.First != nil {
			damaged, first = damaged+1, cmp.Or(first, found.First)
		}
		all = append(all, found)
	}
	if err := p.print(all, func(w io.Writer) { printVerified(w, all) }); err != nil || first == nil {
		return err
	}
	if len(paths) == 1 {
		return fmt.Errorf("damaged: %w", first)
	}
	return fmt.Errorf("%d of %d are damaged: %w", damaged, len(paths), first)
}

// printVerified prints a line for each artefact, and one for each damaged file.
func printVerified(w io.Writer, all []*verify.Found) {
	for _, v := range all {
		bytes, size, state := int64(0), "", "whole"
		for _, file := range v.Files {
			bytes += file.Size
		}
		if v.Damaged > 0 {
			state = fmt.Sprintf("DAMAGED: %d", v.Damaged)
		}
		if v.Whole == 0 { // the sizes are known
			size = fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
		}
		fmt.Fprintf(w, "%-12s %4d files %13s  %-12s %s", v.Kind, v.Whole+len(v.Files), size, state, v.Path)
		if v.Note != "" {
			fmt.Fprintf(w, " (%s)", v.Note)
		}
		fmt.Fprintln(w)
		for _, file := range v.Files {
			if file.Error != "" {
				fmt.Fprintf(w, "  %s\n", file.Error)
			}
		}
	}
}
