// This file tells of formats: in help texts and in the log.

package main

import (
	"fmt"
	"strings"

	"anchorage/shard"
)

// formatsThat lists the names of the formats that have a property.
func formatsThat(have func(shard.FormatInfo) bool) string {
	var names []string
	for _, known := range shard.Formats() {
		if have(known) {
			names = append(names, known.Name)
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// formatTable describes all formats, one per line.
func formatTable() string {
	var table strings.Builder
	for _, known := range shard.Formats() {
		fmt.Fprintf(&table, "  %-8s %s\n", known.Name, known.Help)
	}
	return table.String()
}

// logFormats logs which formats were found, and what decided it.
func (p *program) logFormats(shards []shard.Shard) {
	for _, found := range shardKinds(shards) {
		p.log.Info("format", "format", found.format, "shards", found.shards, "first", found.first, "decided_by", found.reason)
	}
}

// shardKind is a format, and what decided on it, of one or more shards.
type shardKind struct {
	format, reason, first string
	shards                int
}

// shardKinds returns the kinds of shards, in the order in which they first occur.
func shardKinds(shards []shard.Shard) (kinds []shardKind) {
	places := make(map[[2]string]int)
	for _, s := range shards {
		key := [2]string{s.Format.String(), s.Reason}
		at, known := places[key]
		if !known {
			at = len(kinds)
			places[key] = at
			kinds = append(kinds, shardKind{format: key[0], reason: key[1], first: s.Path})
		}
		kinds[at].shards++
	}
	return kinds
}
