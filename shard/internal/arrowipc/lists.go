// This file reads which values are there, and the lengths of lists.

package arrowipc

// validity reads a validity bitmap: a bit is set where a value is not null. The zero value has no nulls.
type validity struct {
	bufferCursor
	given bool // there is a bitmap
	byte  uint8
	bits  int // of byte that are not taken
}

// begin begins the bitmap of a field.
func (b *validity) begin(body *messageBody, at fieldPlace) error {
	if at.node >= len(body.nodes) {
		return errNodes
	}
	b.bits = 0
	if b.given = body.nodes[at.node].nulls != 0; !b.given {
		return nil
	}
	if err := b.open(body, at.buffer); err != nil {
		return err
	}
	b.given = b.size > 0
	return nil
}

// next says whether the next value is there.
func (b *validity) next() (bool, error) {
	if !b.given {
		return true, nil
	}
	if b.bits == 0 {
		bits, err := b.take(1)
		if err != nil {
			return false, err
		}
		b.byte, b.bits = bits[0], 8
	}
	there := b.byte&1 != 0
	b.byte >>= 1
	b.bits--
	return there, nil
}

// skip passes over n bits.
func (b *validity) skip(n int64) error {
	if !b.given {
		return nil
	}
	if step := min(n, int64(b.bits)); step > 0 {
		b.byte >>= step
		b.bits -= int(step)
		n -= step
	}
	if err := b.bufferCursor.skip(n / 8); err != nil {
		return err
	}
	for n %= 8; n > 0; n-- {
		if _, err := b.next(); err != nil {
			return err
		}
	}
	return nil
}

// mark sets levels to there where the next values are there, and to one less where they are missing.
func (b *validity) mark(levels []int16, there int16) error {
	for i := range levels {
		levels[i] = there
	}
	return b.limit(levels, there-1)
}

// limit lowers levels to most where the next values are missing.
func (b *validity) limit(levels []int16, most int16) error {
	if !b.given {
		return nil
	}
	for i := 0; i < len(levels); i++ {
		if b.bits == 0 && len(levels)-i >= 8 { // whole bytes are fast, and most have all values
			bits, err := b.take(1)
			if err != nil {
				return err
			}
			for j := range 8 {
				if bits[0]>>j&1 == 0 {
					levels[i+j] = min(levels[i+j], most)
				}
			}
			i += 7
			continue
		}
		there, err := b.next()
		if err != nil {
			return err
		}
		if !there {
			levels[i] = min(levels[i], most)
		}
	}
	return nil
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

func newLists(of *leaf) *lists {
	l := &lists{leaf: of, width: 4}
	if of.list.typ == typeLargeList {
		l.width = 8
	}
	return l
}

// open begins the lists of a batch.
func (l *lists) open(body *messageBody, places []fieldPlace) error {
	at := places[l.list.ordinal]
	if err := l.valid.begin(body, at); err != nil {
		return err
	}
	if l.pair != nil {
		if err := l.pairs.begin(body, places[l.pair.ordinal]); err != nil {
			return err
		}
	}
	l.at, l.lead = 0, 0
	if l.list.typ == typeFixedSizeList {
		return nil
	}
	if err := l.offsets.open(body, at.buffer+1); err != nil {
		return err
	}
	if body.nodes[at.node].length == 0 {
		return nil // there may be no offset at all
	}
	first, err := l.offsets.offset(l.width, l.at)
	if err != nil {
		return err
	}
	l.at, l.lead = first, first
	return l.pairs.skip(first)
}

// next returns the length of the next list, and the number of elements to pass over before it: those in front of the
// first list, and those of a null list.
func (l *lists) next() (n, gap int64, err error) {
	there, err := l.valid.next()
	if err != nil {
		return 0, 0, err
	}
	if l.list.typ == typeFixedSizeList {
		n = int64(l.list.fixed)
	} else {
		next, err := l.offsets.offset(l.width, l.at)
		if err != nil {
			return 0, 0, err
		}
		n = next - l.at
		l.at = next
	}
	gap, l.lead = l.lead, 0
	if there {
		return n, gap, nil
	}
	return 0, gap + n, l.pairs.skip(n)
}
