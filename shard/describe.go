// This file says what a shard holds and how it will be read, without reading its values.

package shard

import (
	"context"

	"anchorage/shard/documents"
	"anchorage/shard/internal/roles"
)

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
