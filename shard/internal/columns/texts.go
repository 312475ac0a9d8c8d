// This file finds columns of texts.

package columns

import (
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
	"anchorage/shard/internal/text"
)

// find returns the columns that are read. Texts are those asked for; without them, the columns of items and, where none
// is found, one whose strings have many words.
func find(file *File, source access.Source, in reading.Shard) (found chosen, err error) {
	found, err = findIn(file, source, in.Options)
	if fault.ReasonOf(err) != fault.Unspecified {
		place := &fault.Error{Path: in.Path, Err: err}
		var leaves []*Leaf
		for _, top := range file.Tops {
			if top.Shape == roles.Value && top.Items != nil {
				leaves, place.Columns = append(leaves, top.Items), append(place.Columns, top.Name)
			}
		}
		_ = firstRuns(file, source, leaves, func(i int, c *Column) error {
			for row := range min(c.N, roles.FirstRows) {
				if len(place.First) == row {
					place.First = append(place.First, make([]string, len(leaves)))
				}
				if c.complete(1) {
					place.First[row][i] = roles.Shown(c.text())
				}
				c.skip(1)
			}
			return nil
		}) // what cannot be read is not shown
		return found, place
	}
	return found, err
}

// findIn is find without rows beside its error.
func findIn(file *File, source access.Source, opts reading.Options) (found chosen, err error) {
	if parts, are := chooseParts(file.Tops, opts.Columns); are && opts.Scattered {
		return parts, nil
	}
	texts, c := opts.TextColumns(), chooserOf(file.Tops, opts.Columns)
	if len(texts) == 0 {
		found, err = choose(file.Tops, c)
		doubtful := err != nil || found.long && roles.IsNameOfItem(found.items.Name)
		if asked := opts.Columns.Items != "" || opts.Columns.Counts != ""; (asked || !doubtful) && !opts.Tokenize {
			return found, err
		}
		names, looking := likelyTexts(file, source)
		if looking == nil && len(names) == 0 && opts.Tokenize {
			return found, c.NoTexts()
		}
		if looking != nil || len(names) == 0 {
			return found, err
		}
		texts = names[:1]
	}
	found = chosen{}
	places, at, err := c.ChooseTexts(texts)
	for _, place := range places {
		found.texts = append(found.texts, file.Tops[place].Items)
	}
	if at >= 0 {
		found.document = file.Tops[at].Items
	}
	return found, err
}

// likelyTexts returns the columns whose first values are texts, the likeliest first.
func likelyTexts(file *File, source access.Source) (names []string, err error) {
	var leaves []*Leaf
	for _, top := range file.Tops {
		if top.Shape == roles.Value && top.Kind == roles.Bytes && !top.Items.Decimal {
			leaves, names = append(leaves, top.Items), append(names, top.Name)
		}
	}
	values := make([][][]byte, len(leaves))
	err = firstRuns(file, source, leaves, func(i int, c *Column) error {
		values[i] = c.Bytes[:min(c.Present, text.TextRows)]
		return nil
	})
	if err != nil {
		return nil, err
	}
	var found []string
	for _, i := range text.FindTexts(names, values) {
		found = append(found, names[i])
	}
	return found, nil
}

// firstRuns calls use with the first run of each of some columns.
func firstRuns(file *File, source access.Source, leaves []*Leaf, use func(i int, c *Column) error) error {
	if len(leaves) == 0 {
		return nil
	}
	groups, err := file.Plan(leaves)
	if err != nil || len(groups) == 0 {
		return err
	}
	decoder := file.Decode(source, leaves)
	defer decoder.Close()
	return fault.Guard(func() error {
		if err := decoder.Begin(0); err != nil {
			return err
		}
		for i, filler := range decoder.Fillers {
			c := newColumn(leaves[i], filler)
			if err := c.next(); err != nil {
				return err
			}
			if err := use(i, c); err != nil {
				return err
			}
		}
		return nil
	})
}
