// This file says how the documents of a shard are read: the mapping of its columns.

package shard

import (
	"context"
	"fmt"
	"strings"

	"anchorage/shard/fault"
	"anchorage/shard/internal/reading"
)

// Mapping says how the documents of a shard are read. Mappings are compared by ==: shards of one kind have equal
// mappings.
type Mapping struct {
	Format Format `json:"format"`
	// Long says that a row holds a document and one of its items, in the layouts of Parquet, Arrow and CSV. Otherwise a
	// row or a line is a document.
	Long bool `json:"long,omitempty"`
	// Documents, Items and Counts are columns of tables and fields of JSON; of the parts of lists, "lines.sku". Documents
	// is empty where documents have no ids, Counts where every occurrence of an item counts 1, and Items where columns
	// have no names, or where the shard is empty.
	Documents string `json:"documents,omitempty"`
	Items     string `json:"items,omitempty"`
	Counts    string `json:"counts,omitempty"`
	// Separator is between the fields of CSV, and between the items of baskets, where Blanks is any white space.
	Separator string `json:"separator,omitempty"`
	// ItemSeparator is between the items of a cell of CSV; it is empty where a cell holds one item.
	ItemSeparator string `json:"item_separator,omitempty"`
	// Texts are the columns or fields whose texts are cut into words, with commas between them.
	Texts string `json:"texts,omitempty"`
	// ItemNames is the column of names of a long table whose items are codes.
	ItemNames string `json:"item_names,omitempty"`
	// Words says that text is cut into words.
	Words bool `json:"words,omitempty"`
	// CountRule says which counts follow from the amounts.
	CountRule CountRule `json:"count_rule"`
}

// Mapping returns how the shard is read, before any value is read. An error is an *Error that says why it cannot be
// read, or that of ctx.
func (s Shard) Mapping(ctx context.Context) (Mapping, error) {
	d, err := s.describe(ctx)
	if err != nil {
		return Mapping{Format: s.Format}, err
	}
	return s.mapping(d.Mapping), nil
}

// mapping returns a mapping of a reader as one of this package.
func (s Shard) mapping(m reading.Mapping) Mapping {
	return Mapping{Format: s.Format, Long: m.Long, Documents: m.Documents, Items: m.Items, Counts: m.Counts,
		Separator:     m.Separator,
		ItemSeparator: m.ItemSeparator,
		Texts:         m.Texts, ItemNames: m.ItemNames,
		Words: m.Words || m.Texts != "" || s.Format == Text || s.Format == Files, CountRule: s.options.Counts}
}

// describe returns what the reader of the format says of the shard. An error is an *Error or that of ctx.
func (s Shard) describe(ctx context.Context) (found reading.Description, err error) {
	found.Rows = -1
	if s.damage != nil {
		return found, s.damage
	}
	entry := s.Format.entry()
	if entry == nil || entry.describe == nil {
		return found, nil
	}
	err = fault.Guard(func() (err error) {
		found, err = entry.describe(ctx, s.input())
		return err
	})
	if err != nil && ctx.Err() != nil {
		return found, ctx.Err()
	}
	return found, fault.InFile(s.Path, err)
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
