// This file says how the documents of a shard are read, what else is known of it before its values are read, and which
// shards are not read like the others.

package shard

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/roles"
)

// Mapping says how the documents of a shard are read. Mappings are compared by ==: shards of one kind have equal
// mappings.
type Mapping struct {
	Format Format `json:"format"`
	documents.Mapping
	// CountRule says which counts follow from the amounts.
	CountRule CountRule `json:"count_rule"`
}

// Mapping returns how the shard is read, before any value is read. An error is an *Error that says why it cannot be
// read, or that of ctx.
func (s Shard) Mapping(ctx context.Context) (Mapping, error) {
	_, mapping, err := s.describe(ctx)
	return mapping, err
}

// describe returns what the reader of the format says of the shard. An error is an *Error or that of ctx.
func (s Shard) describe(ctx context.Context) (found documents.Description, m Mapping, err error) {
	found.Rows, m.Format = -1, s.Format
	if s.damage != nil {
		return found, m, s.damage
	}
	if entry := s.Format.entry(); entry != nil && entry.describe != nil {
		err = fault.Guard(func() (err error) {
			found, m.Mapping, err = entry.describe(ctx, s.input())
			return err
		})
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return found, Mapping{Format: s.Format}, ctx.Err()
	case err != nil:
		return found, Mapping{Format: s.Format}, fault.InFile(s.Path, err)
	}
	m.Words, m.CountRule = m.Words || m.Texts != "" || s.Format == Text || s.Format == Files, s.options.Counts
	return found, m, nil
}

// String returns one line, such as: csv separated by ",", a row per document and item: documents "order", items "sku",
// counts "qty".
func (m Mapping) String() string {
	var text strings.Builder
	text.WriteString(m.Format.String())
	switch m.Separator {
	case "":
	case Blanks:
		text.WriteString(" separated by blanks")
	default:
		fmt.Fprintf(&text, " separated by %q", m.Separator)
	}
	if m.Words {
		text.WriteString(", cut into words")
	}
	if what := m.columns(); what != "" {
		text.WriteString(", " + what)
	} else if m.Separator != "" {
		text.WriteString(", a document per line")
	} else if entry := m.Format.entry(); entry != nil && !entry.Columns {
		text.WriteString(", " + entry.Help)
	}
	if m.CountRule != (CountRule{}) {
		fmt.Fprintf(&text, " (%s)", m.CountRule)
	}
	return text.String()
}

// columns says what the columns are taken for; "" where they have no names.
func (m Mapping) columns() string {
	counts := "1 for each"
	if m.Counts != "" {
		counts = fmt.Sprintf("%q", m.Counts)
	}
	names := ""
	if m.ItemNames != "" {
		names = fmt.Sprintf(" with names %q", m.ItemNames)
	}
	text := fmt.Sprintf("a document per row: items %q%s, counts %s", m.Items, names, counts)
	switch {
	case m.Texts != "":
		text = fmt.Sprintf("a document per row: texts %q", m.Texts)
	case m.Items == "":
		return ""
	case m.Long:
		return fmt.Sprintf("a row per document and item: documents %q, items %q%s, counts %s", m.Documents, m.Items, names,
			counts)
	case m.ItemSeparator != "":
		text = fmt.Sprintf("a document per row: items %q, separated by %q, counts %s", m.Items, m.ItemSeparator, counts)
	}
	if m.Documents != "" {
		text += fmt.Sprintf(", ids %q", m.Documents)
	}
	return text
}

// UnmarshalText sets the format to the one of a name that ParseFormat takes.
func (f *Format) UnmarshalText(name []byte) (err error) {
	*f, err = ParseFormat(string(name))
	return err
}

// MarshalText returns the name that ParseFormat takes.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Description says what a shard holds and how it will be read.
type Description struct {
	documents.Description
	Mapping *Mapping `json:"mapping,omitempty"` // how it is read; nil where there is a problem
	Problem string   `json:"problem,omitempty"` // why the shard cannot be read as it is
}

// ItemNames returns the columns of a table of items and their names: those that go by such names, and without them the
// first two. names is empty of what is no such table.
func (d Description) ItemNames() (items, names string) {
	for _, c := range d.Columns {
		switch name := roles.IsNameOfItem(c.Name); {
		case name && names == "" && roles.FoldName(c.Name) != "id":
			names = c.Name
		case !name && items == "" && (roles.IsItemName(c.Name) || roles.IsCodeName(c.Name)):
			items = c.Name
		}
	}
	for _, c := range d.Columns {
		if items == "" && c.Name != names {
			items = c.Name
		} else if names == "" && c.Name != items {
			names = c.Name
		}
	}
	return items, names
}

// Describe returns what is known of the shard before any value is read. What keeps it from being read is the
// description's Problem; the error is only that of ctx.
func (s Shard) Describe(ctx context.Context) (Description, error) {
	found, mapping, err := s.describe(ctx)
	d := Description{Description: found}
	switch {
	case err != nil && ctx.Err() != nil:
		return d, err
	case err != nil:
		d.Problem = err.Error()
	default:
		d.Mapping = &mapping
	}
	return d, nil
}

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
