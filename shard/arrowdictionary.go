// This file holds the dictionaries of Arrow columns.

package shard

import (
	"errors"
	"fmt"
	"io"
)

// maxArrowDictionary is the greatest number of bytes of the ids of a dictionary, in memory.
const maxArrowDictionary = 1 << 30

// arrowDictionary is the values that indices refer to: texts, or numbers.
type arrowDictionary struct {
	texts   Dictionary
	numbers []int64
	isText  bool
	null    map[int]bool // values that are null
}

func (d *arrowDictionary) len() int {
	if d == nil {
		return 0
	}
	return max(d.texts.Len(), len(d.numbers))
}

// id returns value i.
func (d *arrowDictionary) id(i int) (text []byte, number int64, null bool) {
	if d.isText {
		return d.texts.ID(i), 0, d.null[i]
	}
	return nil, d.numbers[i], d.null[i]
}

// code returns the item code of value i.
func (d *arrowDictionary) code(b *builder, i int) (int32, error) {
	text, number, null := d.id(i)
	switch {
	case null:
		return 0, errNullItem
	case d.isText:
		return b.codeOfBytes(text)
	}
	return b.codeOfNumber(number)
}

// add appends the values of a dictionary batch, which are those of a column of the type of f's values.
func (d *arrowDictionary) add(f *arrowField, body *arrowBody, rows int64) error {
	values := *f
	values.dictionary = false
	leaf := newArrowLeaf(&values)
	defer leaf.close()
	d.isText = leaf.kind == kindBytes
	if len(body.nodes) == 0 || body.nodes[0].length != rows {
		return errArrowNodes
	}
	if err := leaf.open(body, arrowPlace{}); err != nil {
		return err
	}
	for ; rows > 0; rows-- {
		text, number, null, err := leaf.id()
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
		if len(d.texts.bytes)+4*len(d.texts.ends)+8*len(d.numbers) > maxArrowDictionary {
			return fmt.Errorf("a dictionary has more than %d bytes", maxArrowDictionary)
		}
	}
	return nil
}

// arrowDictionaries are those of the columns that are read, as they stand at one record batch.
type arrowDictionaries struct {
	file    io.ReaderAt
	plan    *arrowPlan
	leaves  []*arrowLeaf // with a dictionary
	applied int          // dictionary messages
}

// forward applies the dictionary messages that come before a batch.
func (d *arrowDictionaries) forward(to int) error {
	for ; d.applied < to && len(d.leaves) > 0; d.applied++ {
		block := d.plan.dictionaries[d.applied]
		data, err := readBytes(d.file, block.meta, block.metaLength)
		if err != nil {
			return err
		}
		_, kind, header, err := parseArrowMessage(data)
		if err != nil {
			return err
		}
		batch, ok := header.table(1)
		if kind != arrowHeaderDictionary || !ok {
			return errors.New("a message is not a dictionary")
		}
		if err := d.apply(header.int64(0), header.uint8(2) != 0, batch, block); err != nil {
			return fmt.Errorf("dictionary: %w", err)
		}
	}
	return nil
}

// apply gives the columns that use the dictionary with an id its values, or further ones.
func (d *arrowDictionaries) apply(id int64, delta bool, batch flatTable, block arrowBlock) error {
	for _, leaf := range d.leaves {
		if leaf.field.id != id {
			continue
		}
		body, err := parseArrowBody(batch, d.file, block)
		if err != nil {
			return err
		}
		rows := batch.int64(0)
		if err := checkArrowRows(rows, block.bodyLength); err != nil {
			return err
		}
		if !delta || leaf.dictionary == nil {
			leaf.dictionary = new(arrowDictionary)
		}
		if err := leaf.dictionary.add(leaf.field, body, rows); err != nil {
			return err
		}
		leaf.codes.forget()
		leaf.codes.grow(leaf.dictionary.len())
	}
	return nil
}
