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
func (d *dictionaryValues) add(f *schemaField, body *messageBody, rows int64) error {
	plain := *f
	plain.dictionary, plain.ordinal = false, 0
	c := newColumn(&leaf{value: &plain})
	defer c.close()
	if len(body.nodes) == 0 || body.nodes[0].length != rows {
		return errNodes
	}
	if err := c.open(body, []fieldPlace{{}}, rows); err != nil {
		return err
	}
	for {
		if err := c.Fill(); err != nil || c.N == 0 {
			return err
		}
		value := 0
		for _, level := range c.Def[:c.N] {
			var text []byte
			number := int64(0)
			switch {
			case level == 0:
				if d.null == nil {
					d.null = make(map[int]bool)
				}
				d.null[d.len()] = true
			case c.Bytes != nil:
				text = c.Bytes[value]
			default:
				number = c.Numbers[value]
			}
			value += int(level)
			if c.Bytes != nil {
				d.texts.Append(text)
			} else {
				d.numbers = append(d.numbers, number)
			}
		}
		if len(d.texts.Bytes)+4*len(d.texts.Ends)+8*len(d.numbers) > maxDictionary {
			return fmt.Errorf("a dictionary has more than %d bytes", maxDictionary)
		}
	}
}

// forward applies the dictionary messages that come before a batch.
func (d *decoder) forward(to int) error {
	if !slices.ContainsFunc(d.columns, func(c *column) bool { return c.values.field.dictionary }) {
		return nil
	}
	for ; d.applied < to; d.applied++ {
		block := d.index.dictionaries[d.applied]
		_, kind, header, err := readMessage(d.file, block)
		if err != nil {
			return err
		}
		batch, ok := header.table(1)
		if kind != headerDictionary || !ok {
			return errors.New("a message is not a dictionary")
		}
		if err := d.apply(header.int64(0), header.uint8(2) != 0, batch, block); err != nil {
			return fmt.Errorf("dictionary: %w", fault.Whole(err))
		}
	}
	return nil
}

// apply gives the columns that use the dictionary with an id its values, or further ones.
func (d *decoder) apply(id int64, delta bool, batch flatTable, block messageBlock) error {
	for _, c := range d.columns {
		v := &c.values
		if !v.field.dictionary || v.field.id != id {
			continue
		}
		body, err := parseBody(batch, d.file, block)
		if err != nil {
			return err
		}
		rows := batch.int64(0)
		if err := checkRows(rows, block.bodyLength); err != nil {
			return err
		}
		if !delta || v.dictionary == nil {
			v.dictionary = new(dictionaryValues)
		}
		if err := v.dictionary.add(v.field, body, rows); err != nil {
			return err
		}
	}
	return nil
}
