// This file says what a shard holds and how it will be read, without reading its values.

package shard

import (
	"context"

	"anchorage/shard/internal/roles"
)

// Description says what a shard holds and how it will be read.
type Description struct {
	Columns []Column `json:"columns,omitempty"` // of Parquet, Arrow and CSV; of JSONL the fields of the first line
	Rows    int64    `json:"rows"`              // -1 if only reading finds it out
	Groups  int      `json:"groups,omitempty"`  // row groups of Parquet, record batches of Arrow
	Writer  string   `json:"writer,omitempty"`  // what a Parquet file says of the program that wrote it
	Mapping *Mapping `json:"mapping,omitempty"` // how it is read; nil where there is a problem
	Problem string   `json:"problem,omitempty"` // why the shard cannot be read as it is
	// First are the first rows of a table, where a choice among its columns is missing.
	First [][]string `json:"first,omitempty"`
}

// Column is a column of a table.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
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
	found, err := s.describe(ctx)
	d := Description{Rows: found.Rows, Groups: found.Groups, Writer: found.Writer, First: found.First}
	for _, c := range found.Columns {
		d.Columns = append(d.Columns, Column(c))
	}
	if err != nil {
		if ctx.Err() != nil {
			return d, err
		}
		d.Problem = err.Error()
		return d, nil
	}
	mapping := s.mapping(found.Mapping)
	d.Mapping = &mapping
	return d, nil
}
