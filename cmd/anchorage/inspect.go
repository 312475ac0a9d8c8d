// This file holds the commands about shards: inspect, what they hold and how they would be read, and convert,
// documents of any format to Parquet shards.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/shard"
	"anchorage/stream"
)

func (p *program) inspectCommand() *cobra.Command {
	var source sourceFlags
	var full bool
	return p.command("inspect", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		source.shard.Names = true // of the documents that are shown
		shards, err := source.discover(ctx, p, args)
		if err != nil {
			return err
		}
		view, err := stream.Inspect(ctx, shards, full, p.workers)
		if err != nil {
			return err
		}
		unread, first := 0, error(nil) // what is wrong with the first that cannot be read
		for i := range view.Shards {
			if bad := view.Shards[i].Err; bad != nil {
				view.Shards[i].Problem = bad.Error() + advice(bad)
				unread, first = unread+1, cmp.Or(first, bad)
			}
		}
		if first == nil && view.Items > 0 {
			view.Command = suggestion(view, p.flags, args)
		}
		if err := p.printInspection(view); err != nil || first == nil {
			return err
		}
		if len(shards) == 1 {
			return &codedError{exitCode(first), errors.New("the shard cannot be read, as shown above")}
		}
		return &codedError{exitCode(first), fmt.Errorf("%d of %d shards cannot be read, as shown above", unread, len(shards))}
	}, []row{inputGroup.flag("full", &full, boolean, "read every value")}, source.layoutRows(), source.badRowRows())
}

// printInspection prints what was found.
func (p *program) printInspection(v *stream.Inspection) error {
	return p.print(v, func(w io.Writer) {
		for _, s := range v.Shards {
			printShard(w, s)
		}
		if v.Items == 0 { // each shard says why
			return
		}
		read := "read in full"
		if !v.Full {
			read = "in the part that was read"
		}
		printf(w, "%d documents, %d items, %d nonzeros, %d tokens, %s\n", v.Documents, v.Items, v.Nonzeros, v.Tokens, read)
		printPlaces(w, "distinct items of a document", v.Sizes)
		printPlaces(w, "tokens of a document", v.Lengths)
		printPlaces(w, "documents of an item", v.Spread)
		if len(v.Frequent) > 0 {
			var items []string
			for _, item := range v.Frequent {
				items = append(items, fmt.Sprintf("%s (%.3g %%)", item.Item, 100*float64(item.Documents)/float64(v.Documents)))
			}
			printf(w, "items in most documents: %s\nitems in one document only: %d\n", strings.Join(items, " · "), v.Rare)
		}
		if len(v.Examples) > 0 {
			fmt.Fprintln(w, "\nThe first documents:")
			printExamples(w, v.Examples, p.width())
		}
		if v.Different != "" {
			printf(w, "\nThe shards differ: %s\n", v.Different)
		}
		if v.Command != "" {
			printf(w, "\nTo learn topics, for example:\n  %s\n", v.Command)
		}
	})
}

// printPlaces prints a line about percentiles.
func printPlaces(w io.Writer, what string, views []stream.Percentile) {
	if len(views) == 0 {
		return
	}
	var list []string
	for _, view := range views {
		name := cmp.Or(placeNames[view.Percent], fmt.Sprintf("%g %%", view.Percent))
		list = append(list, fmt.Sprintf("%s %d", name, view.Value))
	}
	printf(w, "%s: %s\n", what, strings.Join(list, ", "))
}

// placeNames are the percentiles with a name.
var placeNames = map[float64]string{0: "least", 50: "median", 100: "most"}

// printShard prints a shard in a few lines.
func printShard(w io.Writer, s stream.InspectedShard) {
	printf(w, "%s\n  %s (%s), %d bytes", s.Path, s.Format, s.DecidedBy, s.Bytes)
	if s.Groups > 0 {
		printf(w, ", %d rows in %d groups", s.Rows, s.Groups)
	}
	if s.Writer != "" {
		printf(w, ", written by %q", s.Writer)
	}
	fmt.Fprintln(w)
	const most = 40
	for _, column := range s.Columns[:min(len(s.Columns), most)] {
		printf(w, "    %s\n", strings.TrimSpace(fmt.Sprintf("%q %s", column.Name, column.Type)))
	}
	if more := len(s.Columns) - most; more > 0 {
		printf(w, "    and %d more columns\n", more)
	}
	if s.Mapping != nil {
		printf(w, "  read as %s\n", s.Mapping)
	}
	if s.Problem != "" {
		printf(w, "  cannot be read: %s\n", s.Problem)
	}
	if len(s.First) > 0 {
		printf(w, "  its first rows are\n")
	}
	for _, row := range s.First {
		printf(w, "    %s\n", strings.Join(row, " | "))
	}
	if s.Documents == 0 && s.Whole {
		printf(w, "  it holds no documents\n")
	} else if s.Nonzeros == 0 && s.Whole {
		printf(w, "  it holds documents, but no items\n")
	} else if s.Documents > 0 {
		more := ""
		if !s.Whole {
			more = ", and there is more"
		}
		printf(w, "  %d documents with %d nonzeros%s\n", s.Documents, s.Nonzeros, more)
	}
	if s.LeftOut.Bad > 0 {
		printf(w, "  %d rows that cannot be read are left out; the first is %s\n", s.LeftOut.Bad, s.LeftOut.First)
	}
}

// printExamples prints a line per document.
func printExamples(w io.Writer, documents []stream.Example, width int) {
	for i, d := range documents {
		var items []string
		for _, item := range d.Items {
			text := cmp.Or(item.Name, item.Item)
			if item.Count > 1 {
				text = fmt.Sprintf("%s ×%d", text, item.Count)
			}
			items = append(items, text)
		}
		if d.More > 0 {
			items = append(items, fmt.Sprintf("and %d more", d.More))
		}
		name := cmp.Or(d.ID, fmt.Sprint(i+1))
		line := []rune(fmt.Sprintf("  document %s: %s", name, strings.Join(items, " · ")))
		if len(line) > width {
			line = append(line[:max(width-1, 20)], '…')
		}
		printf(w, "%s\n", string(line))
	}
}

// suggestion returns the fit that inspect suggests for the shards of args: with the flags that inspect was given, and
// as many topics as choose-k recommends.
func suggestion(v *stream.Inspection, flags *pflag.FlagSet, args []string) string {
	words := []string{"anchorage", "fit"}
	for _, arg := range args {
		words = append(words, quoted(arg))
	}
	var given []string
	eachRow(flags, func(v *value, flag *pflag.Flag) {
		switch {
		case !flag.Changed || !ofReading(v) && v.name != "memory-limit":
		case v.layer == setting:
			given = append(given, "--set", v.name+"="+quoted(flag.Value.String()))
		case v.values.kind == yesNo:
			given = append(given, "--"+v.name)
		default:
			given = append(given, "--"+v.name, quoted(flag.Value.String()))
		}
	})
	if v.Different != "" {
		given = append(given, "--mixed")
	}
	words = append(words, given...)
	return strings.Join(append(words, "-k", "auto", "-o", "model"), " ")
}

// quoted returns an argument as a shell takes it.
func quoted(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@,+%", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

func (p *program) convertCommand() *cobra.Command {
	var source sourceFlags
	var output string
	var o stream.ConvertOptions
	return p.command("convert", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) (err error) {
		source.shard.Names = true
		if o.Stopwords, err = source.stopWords(ctx); err != nil {
			return err
		}
		shards, err := source.discover(ctx, p, args)
		if err != nil {
			return err
		}
		o.Check, o.Replace, o.Progress, o.Warn = source.enoughDocuments, p.replace, p.advance, p.warn
		done, err := stream.Convert(ctx, shards, output, o)
		return p.finish(output, err, func() error { return p.printConverted(done, output) })
	}, []row{outputRow(&output, "the shards, a folder"), outputGroup.flag("shard-size", &o.Bytes, sizes(1),
		"a shard ends with the row group that brings it to this size").by("128MiB"),
		expert("shard-documents", &o.Documents, wholes(0, mostDocuments),
			"documents with which a shard ends; 0 for any number"),
		source.stopwordsRow()}, source.formatRows(), []row{p.replaceRow()})
}

// printConverted prints what was converted.
func (p *program) printConverted(c stream.Converted, output string) error {
	return p.print(map[string]any{"output": output, "shards": c.Shards, "documents": c.Documents, "nonzeros": c.Entries,
		"bytes": c.Bytes, "left_out": c.Left}, func(w io.Writer) {
		printf(w, "%d documents with %d nonzeros in %d shards in %s\n", c.Documents, c.Entries, c.Shards, output)
		if l := c.Left; l != (shard.LeftOut{}) {
			printf(w, "left out: %d negative, %d zero, %d empty amounts, %d rows of totals, %d bad rows", l.Negative, l.Zero,
				l.Empty, l.Totals, l.Bad)
			if l.First != "" {
				printf(w, ", of which the first is %s", l.First)
			}
			fmt.Fprintln(w)
		}
	})
}
