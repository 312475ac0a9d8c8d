// This file holds the verify command: is what was written still what is there?

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"anchorage/internal/verify"
)

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
