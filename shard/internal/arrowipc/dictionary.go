// This file holds the dictionaries of Arrow columns.

package arrowipc

import (
	"errors"
	"fmt"
	"slices"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
)

// maxDictionary is the greatest number of bytes of the ids of a dictionary, in memory.
const maxDictionary = 1 << 30

// dictionaryValues is the values that indices refer to: texts, or numbers.
type dictionaryValues struct {
	texts   documents.Dictionary
	numbers []int64
	null    map[int]bool // values that are null
}

func (d *dictionaryValues) len() int {
	if d == nil {
		return 0
	}
	return max(d.texts.Len(), len(d.numbers))
}

// add appends the values of a dictionary batch, which are those of a column of the type of f's values.
func (d *dictionaryValues) add(f *schemaField, body *messageBody, rows int64) {
	plain := *f
	plain.dictionary, plain.ordinal = false, 0
	c := newColumn(&leaf{value: &plain})
	defer c.close()
	if len(body.nodes) == 0 || body.nodes[0].length != rows {
		fault.Throw(errNodes)
	}
	c.open(body, []fieldPlace{{}}, rows)
	for fault.Throw(c.Fill()); c.N > 0; fault.Throw(c.Fill()) {
		value := 0
		for _, level := range c.Def[:c.N] {
			if level == 0 {
				d.null[d.len()] = true
			}
			switch {
			case c.Bytes != nil && level == 0:
				d.texts.Append(nil)
			case c.Bytes != nil:
				d.texts.Append(c.Bytes[value])
			case level == 0:
				d.numbers = append(d.numbers, 0)
			default:
				d.numbers = append(d.numbers, c.Numbers[value])
			}
			value += int(level)
		}
		if len(d.texts.Bytes)+4*len(d.texts.Ends)+8*len(d.numbers) > maxDictionary {
			fault.Throw(fmt.Errorf("a dictionary has more than %d bytes", maxDictionary))
		}
	}
}

// forward applies the dictionary messages that come before a batch.
func (d *decoder) forward(to int) {
	if !slices.ContainsFunc(d.columns, func(c *column) bool { return c.values.field.dictionary }) {
		return
	}
	for ; d.applied < to; d.applied++ {
		block := d.index.dictionaries[d.applied]
		_, kind, header := readMessage(d.file, block)
		batch, ok := header.table(1)
		if kind != headerDictionary || !ok {
			fault.Throw(errors.New("a message is not a dictionary"))
		}
		err := fault.Guard(func() error { d.apply(header.int64(0), header.uint8(2) != 0, batch, block); return nil })
		if err != nil {
			fault.Throw(fmt.Errorf("dictionary: %w", fault.Whole(err)))
		}
	}
}

// apply gives the columns that use the dictionary with an id its values, or further ones.
func (d *decoder) apply(id int64, delta bool, batch flatTable, block messageBlock) {
	for _, c := range d.columns {
		v := &c.values
		if !v.field.dictionary || v.field.id != id {
			continue
		}
		rows := batch.int64(0)
		checkRows(rows, block.bodyLength)
		if !delta || v.dictionary == nil {
			v.dictionary = &dictionaryValues{null: make(map[int]bool)}
		}
		v.dictionary.add(v.field, parseBody(batch, d.file, block), rows)
	}
}
