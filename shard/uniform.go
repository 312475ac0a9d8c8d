// This file finds shards that are not read like the others.

package shard

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/shard/fault"
)

// Uniform returns an *Error about the first shard that is not read like the first of all, nil if all are. mappings are
// those of shards, in their order. A shard without documents, whose columns have no names yet, is like any other of its
// format.
func Uniform(shards []Shard, mappings []Mapping) error {
	first := -1
	mappings = slices.Clone(mappings)
	for i := range mappings {
		mappings[i].ItemNames = "" // which say nothing of documents
		m := mappings[i]
		if first < 0 || mappings[first].open() && m.Format == mappings[first].Format && !m.open() {
			first = i
			continue
		}
		if m == mappings[first] || m.Format == mappings[first].Format && m.open() {
			continue
		}
		return &Error{Path: shards[i].Path, Err: fault.Because(fault.Drift, "the shard is not read like %s: it has %s",
			shards[first].Path,
			m.difference(mappings[first]))}
	}
	return nil
}

// open reports whether the columns of a format with columns are not known, because the shard is empty.
func (m Mapping) open() bool {
	entry := m.Format.entry()
	return entry != nil && entry.Columns && m.Items == "" && m.Texts == ""
}

// difference says what a mapping has instead of another.
func (m Mapping) difference(other Mapping) string {
	if m.Format != other.Format {
		return fmt.Sprintf("the format %s, not %s", m.Format, other.Format)
	}
	if m.Long != other.Long {
		if m.Long {
			return "a row per document and item, not a document per row"
		}
		return "a document per row, not a row per document and item"
	}
	var differences []string
	for _, part := range []struct{ what, is, was string }{
		{"documents", m.Documents, other.Documents}, {"items", m.Items, other.Items}, {"counts", m.Counts, other.Counts},
		{"the separator", m.Separator, other.Separator}, {"texts", m.Texts, other.Texts},
	} {
		if part.is != part.was {
			differences = append(differences, fmt.Sprintf("%s %s, not %s", part.what, columnName(part.is), columnName(part.was)))
		}
	}
	if len(differences) == 0 {
		return fmt.Sprintf("another mapping: %s, not %s", m, other)
	}
	return strings.Join(differences, " and ")
}

// columnName returns the name of a column for messages.
func columnName(name string) string {
	if name == "" {
		return "in no column"
	}
	return fmt.Sprintf("%q", name)
}

// isCompanion reports whether a file of this name accompanies data: a README, a licence, notes in Markdown.
func isCompanion(name string) bool {
	name = strings.ToLower(filepath.Base(name))
	stem, _, _ := strings.Cut(name, ".")
	return companions[stem] || strings.HasSuffix(name, ".md")
}
