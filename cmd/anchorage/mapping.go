// This file says how shards are read before they are: their columns, and the flags that do not apply to them.

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"anchorage/shard"
	"anchorage/stream"
)

// badRows checks the flags about bad rows and sets the option of reading.
func (f *sourceFlags) badRows() error {
	if f.onBadRow == "" { // a command without the flag
		f.onBadRow = "fail"
	}
	if err := oneOf("--on-bad-row", f.onBadRow, "fail", "skip"); err != nil {
		return err
	}
	if f.trusts == nil {
		return nil
	}
	switch {
	case f.maxBadRows < 1:
		return &usageError{fmt.Errorf("--max-bad-rows is %d: it must be at least 1", f.maxBadRows)}
	case f.onBadRow == "skip":
		f.shard.MaxBadRows = f.maxBadRows
	case f.trusts.Changed("max-bad-rows"):
		return &usageError{errors.New("--max-bad-rows needs --on-bad-row skip")}
	}
	return nil
}

// layoutUse says to which formats a flag about layouts applies.
type layoutUse struct {
	flag    string
	applies func(shard.FormatInfo) bool
}

// layoutUses are the flags that apply to some formats only.
var layoutUses = []layoutUse{
	{"items-column", func(i shard.FormatInfo) bool { return i.Columns }},
	{"counts-column", func(i shard.FormatInfo) bool { return i.Columns }},
	{"document-column", func(i shard.FormatInfo) bool { return i.Columns }},
	{"docword-vocab", func(i shard.FormatInfo) bool { return i.WordList }},
	{"tokenize", func(i shard.FormatInfo) bool { return i.Tokenize }},
	{"vw-namespace", func(i shard.FormatInfo) bool { return i.Format == shard.VW }},
	{"mtx-columns", func(i shard.FormatInfo) bool { return i.Format == shard.MatrixMarket }},
	{"group", func(i shard.FormatInfo) bool { return i.Rows }},
	{"counts", func(i shard.FormatInfo) bool { return i.Counts }},
}

// applies returns an error if a flag was given that applies to none of the shards.
func (f *sourceFlags) applies(shards []shard.Shard) error {
	if f.layoutFlags == nil {
		return nil
	}
	for _, use := range layoutUses {
		if !f.layoutFlags.Changed(use.flag) {
			continue
		}
		some := slices.ContainsFunc(shards, func(s shard.Shard) bool { return s.Format == shard.Auto || use.applies(s.Format.Info()) })
		if !some {
			return &usageError{fmt.Errorf("--%s applies to %s, and the shards are %s: leave it out, or choose a --format", use.flag, formatsThat(use.applies),
				shards[0].Format)}
		}
	}
	return nil
}

// announce says how the shards are read: in the log, and on a terminal whose log does not show it. It returns an error if they are
// not all read in one way, unless --mixed allows it.
func (f *sourceFlags) announce(ctx context.Context, p *program, shards []shard.Shard) error {
	if f.trusts == nil { // inspect, which shows shards that cannot be read together too
		return nil
	}
	mappings, err := stream.Mappings(ctx, shards, p.workers)
	if err != nil {
		return err
	}
	if !f.mixed {
		if err := shard.Uniform(slices.Concat(f.earlier, shards), slices.Concat(f.earlierMappings, mappings)); err != nil {
			return err
		}
	}
	p.sayMappings(shards, mappings)
	return nil
}

// sayMappings says in a line for each mapping how many shards are read by it.
func (p *program) sayMappings(shards []shard.Shard, mappings []shard.Mapping) {
	var order []shard.Mapping
	first, number := make(map[shard.Mapping]string), make(map[shard.Mapping]int)
	for i, m := range mappings {
		if number[m]++; number[m] == 1 {
			order, first[m] = append(order, m), shards[i].Path
		}
	}
	for _, m := range order {
		p.log.Info("mapping", "shards", number[m], "first", first[m], "format", m.Format, "documents", m.Documents, "items", m.Items, "counts", m.Counts,
			"count_rule", m.CountRule, "separator", m.Separator, "words", m.Words, "read_as", m.String())
		if p.bar != nil && !p.log.Enabled(context.Background(), slog.LevelInfo) {
			p.bar.close()
			fmt.Fprint(p.stderr, cleanLines(fmt.Sprintf("Reading %s as %s\n", shardsFrom(number[m], first[m]), m)))
		}
	}
}

// shardsFrom names shards by their number and the first.
func shardsFrom(number int, first string) string {
	if number == 1 {
		return first
	}
	return fmt.Sprintf("%d shards, %s first,", number, first)
}
