// This file holds the dictionaries of Arrow columns.

package arrowipc

import (
	"errors"
	"fmt"
	"io"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
)

// maxDictionary is the greatest number of bytes of the ids of a dictionary, in memory.
const maxDictionary = 1 << 30

// dictionaryValues is the values that indices refer to: texts, or numbers.
type dictionaryValues struct {
	texts   documents.Dictionary
	numbers []int64
	isText  bool
	null    map[int]bool // values that are null
}

func (d *dictionaryValues) len() int {
	if d == nil {
		return 0
	}
	return max(d.texts.Len(), len(d.numbers))
}

// id returns value i.
func (d *dictionaryValues) id(i int) (text []byte, number int64, null bool) {
	if d.isText {
		return d.texts.ID(i), 0, d.null[i]
	}
	return nil, d.numbers[i], d.null[i]
}

// code returns the item code of value i.
func (d *dictionaryValues) code(b *bag.Builder, i int) (int32, error) {
	text, number, null := d.id(i)
	switch {
	case null:
		return 0, bag.ErrNullItem
	case d.isText:
		return b.CodeOfBytes(text)
	}
	return b.CodeOfNumber(number)
}

// add appends the values of a dictionary batch, which are those of a column of the type of f's values.
func (d *dictionaryValues) add(f *schemaField, body *messageBody, rows int64) error {
	values := *f
	values.dictionary = false
	leaf := newLeaf(&values)
	defer leaf.close()
	d.isText = leaf.kind == roles.Bytes
	if len(body.nodes) == 0 || body.nodes[0].length != rows {
		return errNodes
	}
	if err := leaf.open(body, fieldPlace{}); err != nil {
		return err
	}
	for ; rows > 0; rows-- {
		text, number, null, err := leaf.ID()
		if err != nil {
			return err
		}
		if null {
			if d.null == nil {
				d.null = make(map[int]bool)
			}
			d.null[d.len()] = true
		}
		if !d.isText {
			d.numbers = append(d.numbers, number)
		} else {
			d.texts.Append(text)
		}
		if len(d.texts.Bytes)+4*len(d.texts.Ends)+8*len(d.numbers) > maxDictionary {
			return fmt.Errorf("a dictionary has more than %d bytes", maxDictionary)
		}
	}
	return nil
}

// dictionaryReader holds the dictionaries of the columns that are read, as of one record batch.
type dictionaryReader struct {
	file    io.ReaderAt
	plan    *filePlan
	leaves  []*leafReader // with a dictionary
	applied int           // dictionary messages
}

// forward applies the dictionary messages that come before a batch.
func (d *dictionaryReader) forward(to int) error {
	for ; d.applied < to && len(d.leaves) > 0; d.applied++ {
		block := d.plan.dictionaries[d.applied]
		data, err := readBytes(d.file, block.meta, block.metaLength)
		if err != nil {
			return err
		}
		_, kind, header, err := parseMessage(data)
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
func (d *dictionaryReader) apply(id int64, delta bool, batch flatTable, block messageBlock) error {
	for _, leaf := range d.leaves {
		if leaf.field.id != id {
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
		if !delta || leaf.dictionary == nil {
			leaf.dictionary = new(dictionaryValues)
		}
		if err := leaf.dictionary.add(leaf.field, body, rows); err != nil {
			return err
		}
		leaf.codes.Forget()
		leaf.codes.Grow(leaf.dictionary.len())
	}
	return nil
}
