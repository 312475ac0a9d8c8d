// This file decodes the columns of Arrow record batches into runs of levels and values.

package arrowipc

import (
	"errors"
	"fmt"
	"slices"

	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/columns"
	"anchorage/shard/internal/roles"
)

const (
	// maxText is the length of the longest string, and arenaBytes that of a run's strings without the last.
	maxText    = 64 << 20
	arenaBytes = 1 << 20
	// maxViews is how many bytes the views of a batch may refer to.
	maxViews = 1 << 30
)

var errNodes = errors.New("the batch has fewer columns than the schema")

// longText is the message about a string that is too long.
const longText = "a string has %d bytes; at most %d are possible"

// column is a column that is read: lists, or values where list is nil. Its levels are those of package columns: 0 of a
// list without elements, 1 of an element that is missing, and 2 of a value; of a column without lists 0 and 1.
type column struct {
	columns.Run
	leaf   *leaf
	list   *lists
	values values

	most, slot int16 // definition level of a value, and that from which an element has a place among the values

	rows  int64 // of the batch that are not begun
	begun bool  // a list has been begun
	first bool  // nothing of it has been taken
	left  int64 // its elements that have no level yet
	gap   int64 // elements of no list to pass over
	ready int   // levels that wait for the next run, behind those of this one
}

// leaf is where a column is in the schema. pair is the struct that an element is; nil where an element is a value.
type leaf struct{ list, pair, value *schemaField }

func newColumn(l *leaf) *column {
	c := &column{leaf: l, values: newValues(l.value), most: 1}
	c.Def = make([]int16, columns.RunValues)
	if c.Indices = make([]uint32, columns.RunValues); c.values.kind == roles.Bytes || c.values.decimal {
		c.Bytes = make([][]byte, columns.RunValues)
	} else {
		c.Numbers = make([]int64, columns.RunValues)
	}
	if l.list != nil {
		c.most, c.slot = 2, 1
		c.Rep, c.list = make([]int16, columns.RunValues), &lists{leaf: l, width: 4}
		if l.list.typ == typeLargeList {
			c.list.width = 8
		}
	}
	return c
}

// open begins a batch.
func (c *column) open(body *messageBody, places []fieldPlace, rows int64) {
	c.rows, c.begun, c.gap, c.ready, c.N = rows, false, 0, 0, 0
	if c.list != nil {
		c.list.open(body, places)
	}
	c.values.open(body, places[c.leaf.value.ordinal])
}

func (c *column) Fill() (err error) {
	defer fault.Catch(&err)
	copy(c.Def, c.Def[c.N:c.N+c.ready])
	if c.Rep != nil {
		copy(c.Rep, c.Rep[c.N:c.N+c.ready])
	}
	ready := c.ready
	c.N, c.Present, c.ready = 0, 0, 0
	n := c.fillLevels(ready)
	c.N = c.fillValues(n)
	c.ready = n - c.N
	return nil
}

// fillLevels adds levels to the first n and returns their number.
func (c *column) fillLevels(n int) int {
	if c.list == nil {
		m := int(min(c.rows, int64(columns.RunValues-n)))
		c.rows -= int64(m)
		c.values.valid.mark(c.Def[n:n+m], c.most)
		return n + m
	}
	for n < columns.RunValues {
		if !c.begun {
			if c.rows == 0 {
				break
			}
			c.rows--
			length, gap := c.list.next()
			c.begun, c.first, c.left, c.gap = true, true, length, c.gap+gap
		}
		if c.gap > 0 {
			if n > 0 {
				break // the values of these levels come first
			}
			c.values.skip(c.gap)
			c.gap = 0
		}
		m := int(min(c.left, int64(columns.RunValues-n)))
		if m == 0 {
			c.Def[n], c.Rep[n] = 0, 0
			n++
		} else {
			def, rep := c.Def[n:n+m], c.Rep[n:n+m]
			c.values.valid.mark(def, c.most)
			c.list.pairs.limit(def, c.most-1)
			for i := range rep {
				rep[i] = 1
			}
			if c.first {
				rep[0] = 0
			}
			n += m
		}
		c.left -= int64(m)
		c.first, c.begun = false, c.left > 0
	}
	return n
}

// fillValues takes the values of the first n levels. It returns the number of levels whose values it took.
func (c *column) fillValues(n int) (taken int) {
	v := &c.values
	if v.isText() && !v.field.isView() {
		return c.fillTexts(n)
	}
	slots, present := c.count(n)
	raw := v.fixed.take(slots * v.width)
	v.arena = v.arena[:0]
	c.Coded = v.field.dictionary && c.KeepIndices
	if simple := c.Numbers != nil && !v.field.dictionary; simple && slots == present { // the usual case
		for i := range c.Numbers[:present] {
			c.Numbers[i] = v.integer(raw[i*v.width:], v.field.signed)
		}
		c.Present = present
		return n
	}
	for i, level := range c.Def[:n] {
		if level < c.slot {
			continue
		}
		value := raw[:v.width]
		if raw = raw[v.width:]; level < c.most {
			continue
		}
		at := c.Present
		switch {
		case v.field.dictionary:
			index := v.integer(value, v.field.indexSign)
			if index < 0 || index >= int64(v.dictionary.len()) {
				fault.Throw(fmt.Errorf("an index into the dictionary, %d, is not among its %d values", index,
					v.dictionary.len()))
			}
			if v.dictionary.null[int(index)] {
				c.Def[i] = c.most - 1
				continue
			}
			if c.Indices[at] = uint32(index); !c.Coded && c.Bytes != nil {
				c.Bytes[at] = c.Text(uint32(index))
			} else if !c.Coded {
				c.Numbers[at] = c.Number(uint32(index))
			}
		case v.decimal:
			c.Bytes[at] = v.bigEndian(value)
		case v.field.isView():
			c.Bytes[at] = v.view(value)
		default:
			c.Numbers[at] = v.integer(value, v.field.signed)
		}
		c.Present++
	}
	return n
}

// count returns how many of the first n levels have a place among the values, and how many have a value.
func (c *column) count(n int) (slots, present int) {
	for _, level := range c.Def[:n] {
		if level >= c.slot {
			slots++
		}
		if level == c.most {
			present++
		}
	}
	return slots, present
}

// fillTexts takes the strings of the first n levels, or of as many as the arena holds, at least one. It returns the
// number of levels.
func (c *column) fillTexts(n int) int {
	v := &c.values
	var raw []byte // offsets
	first, last := v.at, v.at
	for ; n > 0; n /= 2 {
		slots, _ := c.count(n)
		raw, last = v.fixed.take(slots*v.width), v.at
		if len(raw) > 0 {
			last = bag.Signed(raw[len(raw)-v.width:])
		}
		if last-first <= arenaBytes || n == 1 {
			break
		}
		v.fixed.lo -= len(raw) // they are taken again
	}
	if last < first {
		fault.Throw(errOffsets)
	}
	if last-first > max(arenaBytes, maxText) {
		fault.Throw(fmt.Errorf(longText, last-first, maxText))
	}
	v.arena = v.data.appendTo(v.arena[:0], int(last-first))
	for _, level := range c.Def[:n] {
		if level < c.slot {
			continue
		}
		next := v.integer(raw, true)
		raw = raw[v.width:]
		if next < v.at || next > last {
			fault.Throw(errOffsets)
		}
		if level == c.most {
			c.Bytes[c.Present] = v.arena[v.at-first : next-first]
			c.Present++
		}
		v.at = next
	}
	return n
}

func (c *column) Levels() *columns.Run { return &c.Run }

func (c *column) Entries() int { return c.values.dictionary.len() }

func (c *column) Text(i uint32) []byte { return c.values.dictionary.texts.ID(int(i)) }

func (c *column) Number(i uint32) int64 { return c.values.dictionary.numbers[i] }

func (c *column) close() {
	if c.list != nil {
		c.list.valid.close()
		c.list.pairs.close()
		c.list.offsets.close()
	}
	c.values.valid.close()
	c.values.fixed.close()
	c.values.data.close()
}

// values reads the values of a column, one after the other.
type values struct {
	field   *schemaField
	kind    roles.Kind
	decimal bool
	valid   validity
	fixed   bufferCursor // numbers, indices, views or the offsets of strings
	data    bufferCursor // of strings
	width   int          // bytes of a value in fixed
	at      int64        // end of the last string
	views   [][]byte
	arena   []byte // of a run

	dictionary *dictionaryValues
}

func newValues(f *schemaField) values {
	v := values{field: f, kind: f.kind(), decimal: f.typ == typeDecimal && !f.dictionary}
	switch {
	case f.dictionary:
		v.width = f.indexBits / 8
	case f.typ == typeInt, f.typ == typeDecimal:
		v.width = f.bits / 8
	case f.typ == typeUtf8, f.typ == typeBinary, f.typ == typeFloat && f.float == singlePrecision:
		v.width = 4
	case f.isView():
		v.width = 16
	default:
		v.width = 8
	}
	return v
}

// isText reports whether the values are strings, and in the batch itself.
func (v *values) isText() bool { return v.kind == roles.Bytes && !v.field.dictionary }

// open begins the values of a batch.
func (v *values) open(body *messageBody, at fieldPlace) {
	v.valid.begin(body, at)
	v.fixed.open(body, at.buffer+1)
	switch {
	case !v.isText():
	case v.field.isView():
		v.openViews(body, at)
	default:
		v.data.open(body, at.buffer+2)
		if v.at = 0; body.nodes[at.node].length > 0 { // otherwise there may be no offset at all
			v.at = v.fixed.offset(v.width, 0)
			v.data.skip(v.at)
		}
	}
}

// openViews loads the data that views refer to, in any order.
func (v *values) openViews(body *messageBody, at fieldPlace) {
	v.views = v.views[:0]
	if at.view >= len(body.views) {
		fault.Throw(errors.New("the batch does not say how many data buffers its views have"))
	}
	left := int64(maxViews)
	for i := range body.views[at.view] {
		v.data.open(body, at.buffer+2+int(i))
		data := v.data.rest(left)
		left -= int64(len(data))
		v.views = append(v.views, data)
	}
}

// skip passes over n values.
func (v *values) skip(n int64) {
	v.valid.skip(n)
	if !v.isText() || v.field.isView() {
		v.fixed.skip(n * int64(v.width))
		return
	}
	for range n {
		next := v.fixed.offset(v.width, v.at)
		v.data.skip(next - v.at)
		v.at = next
	}
}

// view returns the string of a view: a length, and either up to 12 bytes or a prefix, a buffer and an offset.
func (v *values) view(view []byte) []byte {
	number := func(at int) int64 { return bag.Signed(view[at : at+4]) }
	n, buffer, offset := number(0), number(8), number(12)
	switch {
	case n < 0 || n > maxText:
		fault.Throw(fmt.Errorf(longText, n, maxText))
	case n <= 12:
		return view[4 : 4+n]
	case buffer < 0 || buffer >= int64(len(v.views)) || offset < 0 || offset+n > int64(len(v.views[buffer])):
		fault.Throw(errors.New("a string view points outside its buffers"))
	}
	return v.views[buffer][offset : offset+n]
}

// integer returns the number at the beginning of raw, of v.width bytes; one of 8 bytes without a sign may come out
// negative. Of floats it returns the bits.
func (v *values) integer(raw []byte, signed bool) int64 {
	if signed {
		return bag.Signed(raw[:v.width])
	}
	return int64(bag.Unsigned(raw[:v.width]))
}

// bigEndian returns the bytes of a decimal with the highest first, which it keeps in the arena.
func (v *values) bigEndian(value []byte) []byte {
	if v.arena == nil {
		v.arena = make([]byte, 0, columns.RunValues*bag.MaxDecimalBytes)
	}
	at := len(v.arena)
	v.arena = append(v.arena, value...)
	slices.Reverse(v.arena[at:])
	return v.arena[at:]
}
