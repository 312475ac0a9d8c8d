// This file defines Map, and writes and reads it.

package itemmap

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"slices"

	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/model"
	"anchorage/shard/tablefile"
)

// File is the name of a map in the directory of its model.
const File = "places.parquet"

// NoMap is the fault of a model without a map that fits it.
const NoMap model.Fault = "no map"

// TileItems is the number of items of a tile: a row group of the file.
const TileItems = 65_536

// Map has the places of all N items of a model: Items[j], an index of the model, lies at X[j], Y[j], both from −1 to 1.
// Items in more documents come first, of equal ones that of the lower index.
type Map struct {
	Items []int32
	X, Y  []float32
}

// fields are the columns of the file. All rows have the same model: the first 8 bytes of the SHA-256 of the model's
// items.parquet, as a big-endian number.
var fields = []tablefile.Field{{Name: "item", Type: tablefile.Int32}, {Name: "x", Type: tablefile.Float32},
	{Name: "y", Type: tablefile.Float32}, {Name: "model", Type: tablefile.Int64}}

// identity returns what the file says of its model, and false if the model was not loaded.
func identity(m *model.Model) (int64, bool) {
	for _, o := range m.Manifest.Outputs {
		if sum, err := hex.DecodeString(o.SHA256); o.Name == "items.parquet" && err == nil && len(sum) >= 8 {
			return int64(binary.BigEndian.Uint64(sum)), m.Path() != ""
		}
	}
	return 0, false
}

// Save writes the map into the directory that m was loaded from, in place of one that is there. After an error, also
// that of ctx, the directory is as it was.
func (p *Map) Save(ctx context.Context, m *model.Model) error {
	id, known := identity(m)
	if !known {
		panic("itemmap: the model was not loaded")
	}
	return output.WriteFile(ctx, objects.Join(m.Path(), File), true, nil, func(to io.Writer) error {
		return tablefile.WriteTable(to, fields, len(p.Items), TileItems, func(first, last int) ([]any, error) {
			return []any{p.Items[first:last], p.X[first:last], p.Y[first:last], slices.Repeat([]int64{id}, last-first)}, nil
		})
	})
}

// Open reads the map of a model that was loaded. The error is a *model.InputError with the fault NoMap if there
// is none, which also wraps fs.ErrNotExist, or if the file is that of another model; or one of reading.
func Open(ctx context.Context, m *model.Model) (*Map, error) {
	id, known := identity(m)
	file := objects.Join(m.Path(), File)
	refused := func(reason string, err error) error {
		return &model.InputError{Path: file, Fault: NoMap, Reason: reason, Err: err}
	}
	if there, err := objects.Exists(ctx, file); !known || err == nil && !there {
		return nil, refused("is missing: the model has no map of its items", fs.ErrNotExist)
	}
	n := m.Vocabulary.Len()
	p, seen := &Map{}, make([]bool, n)
	foreign, wrong := refused("is the map of another model", nil), refused("is no map of all items of the model", nil)
	err := tablefile.Read(ctx, file, fields, func(_ int64, columns []any) error {
		items, x, y := columns[0].([]int32), columns[1].([]float32), columns[2].([]float32)
		for r, of := range columns[3].([]int64) {
			if of != id {
				return foreign
			}
			if i := items[r]; i < 0 || int(i) >= n || seen[i] || !inside(x[r]) || !inside(y[r]) {
				return wrong
			}
			seen[items[r]] = true
		}
		p.Items, p.X, p.Y = append(p.Items, items...), append(p.X, x...), append(p.Y, y...)
		return nil
	})
	if err == nil && len(p.Items) != n {
		err = wrong
	}
	if err != nil && !errors.As(err, new(*model.InputError)) && ctx.Err() == nil {
		err = refused("cannot be read: "+err.Error(), err)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// inside reports whether v is a coordinate of a map.
func inside(v float32) bool { return v >= -1 && v <= 1 }
