// This file reads which values are there, and the lengths of lists.

package arrowipc

import "anchorage/shard/fault"

// validity reads a validity bitmap: a bit is set where a value is not null. The zero value has no nulls.
type validity struct {
	bufferCursor
	given bool // there is a bitmap
	byte  uint8
	bits  int // of byte that are not taken
}

// begin begins the bitmap of a field.
func (b *validity) begin(body *messageBody, at fieldPlace) {
	if at.node >= len(body.nodes) {
		fault.Throw(errNodes)
	}
	b.bits = 0
	if b.given = body.nodes[at.node].nulls != 0; b.given {
		b.open(body, at.buffer)
		b.given = b.size > 0
	}
}

// next says whether the next value is there.
func (b *validity) next() bool {
	if !b.given {
		return true
	}
	if b.bits == 0 {
		b.byte, b.bits = b.take(1)[0], 8
	}
	there := b.byte&1 != 0
	b.byte >>= 1
	b.bits--
	return there
}

// skip passes over n bits.
func (b *validity) skip(n int64) {
	if !b.given {
		return
	}
	if step := min(n, int64(b.bits)); step > 0 {
		b.byte >>= step
		b.bits -= int(step)
		n -= step
	}
	b.bufferCursor.skip(n / 8)
	for range n % 8 {
		b.next()
	}
}

// mark sets levels to there where the next values are there, and to one less where they are missing.
func (b *validity) mark(levels []int16, there int16) {
	for i := range levels {
		levels[i] = there
	}
	b.limit(levels, there-1)
}

// limit lowers levels to most where the next values are missing.
func (b *validity) limit(levels []int16, most int16) {
	if !b.given {
		return
	}
	for i := 0; i < len(levels); i++ {
		if b.bits == 0 && len(levels)-i >= 8 { // whole bytes are fast, and most have all values
			bits := b.take(1)[0]
			for j := range 8 {
				if bits>>j&1 == 0 {
					levels[i+j] = min(levels[i+j], most)
				}
			}
			i += 7
		} else if !b.next() {
			levels[i] = min(levels[i], most)
		}
	}
}

// lists yields the lengths of the lists of a column.
type lists struct {
	*leaf
	valid   validity
	pairs   validity // of the elements, where they are structs
	offsets bufferCursor
	width   int
	at      int64 // end of the last list
	lead    int64 // elements in front of the first list
}

// open begins the lists of a batch.
func (l *lists) open(body *messageBody, places []fieldPlace) {
	at := places[l.list.ordinal]
	l.valid.begin(body, at)
	if l.pair != nil {
		l.pairs.begin(body, places[l.pair.ordinal])
	}
	l.at, l.lead = 0, 0
	if l.list.typ == typeFixedSizeList {
		return
	}
	l.offsets.open(body, at.buffer+1)
	if body.nodes[at.node].length == 0 {
		return // there may be no offset at all
	}
	l.at = l.offsets.offset(l.width, 0)
	l.lead = l.at
	l.pairs.skip(l.lead)
}

// next returns the length of the next list, and the number of elements to pass over before it: those in front of the
// first list, and those of a null list.
func (l *lists) next() (n, gap int64) {
	there := l.valid.next()
	if l.list.typ == typeFixedSizeList {
		n = int64(l.list.fixed)
	} else {
		next := l.offsets.offset(l.width, l.at)
		n, l.at = next-l.at, next
	}
	gap, l.lead = l.lead, 0
	if there {
		return n, gap
	}
	l.pairs.skip(n)
	return 0, gap + n
}
