// This file says how the documents of a shard are read: the mapping of its columns.

package shard

import (
	"context"
	"fmt"
	"strings"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
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
	if m.Texts != "" {
		text := fmt.Sprintf("a document per row: texts %q", m.Texts)
		if m.Documents != "" {
			text += fmt.Sprintf(", ids %q", m.Documents)
		}
		return text
	}
	if m.Items == "" {
		return ""
	}
	counts := "1 for each"
	if m.Counts != "" {
		counts = fmt.Sprintf("%q", m.Counts)
	}
	if m.Long {
		names := ""
		if m.ItemNames != "" {
			names = fmt.Sprintf(" with names %q", m.ItemNames)
		}
		return fmt.Sprintf("a row per document and item: documents %q, items %q%s, counts %s", m.Documents, m.Items, names,
			counts)
	}
	text := fmt.Sprintf("a document per row: items %q, counts %s", m.Items, counts)
	if m.ItemSeparator != "" {
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
