// This file reads validity bitmaps.

package arrowipc

// validity reads a validity bitmap: a bit is set where a value is not null. The zero value has no nulls.
type validity struct {
	cursor bufferCursor
	given  bool // there is a bitmap
	byte   uint8
	left   int // bits of byte that are not taken
}

// open begins the bitmap in buffer i, of a column of the given number of nulls.
func (b *validity) open(body *messageBody, i int, nulls int64) error {
	b.left = 0
	if b.given = nulls != 0; !b.given {
		return nil
	}
	if err := b.cursor.open(body, i); err != nil {
		return err
	}
	b.given = b.cursor.size > 0
	return nil
}

// next says whether the next value is there.
func (b *validity) next() (bool, error) {
	if !b.given {
		return true, nil
	}
	if b.left == 0 {
		bits, err := b.cursor.take(1)
		if err != nil {
			return false, err
		}
		b.byte, b.left = bits[0], 8
	}
	there := b.byte&1 != 0
	b.byte >>= 1
	b.left--
	return there, nil
}

// skip passes over n bits.
func (b *validity) skip(n int64) error {
	if !b.given {
		return nil
	}
	if step := min(n, int64(b.left)); step > 0 {
		b.byte >>= step
		b.left -= int(step)
		n -= step
	}
	if err := b.cursor.skip(n / 8); err != nil {
		return err
	}
	for n %= 8; n > 0; n-- {
		if _, err := b.next(); err != nil {
			return err
		}
	}
	return nil
}

// read fills nulls with which of the next values are missing, and returns their number.
func (b *validity) read(nulls []bool) (missing int, err error) {
	if !b.given {
		clear(nulls)
		return 0, nil
	}
	for i := range nulls {
		there, err := b.next()
		if err != nil {
			return 0, err
		}
		if nulls[i] = !there; !there {
			missing++
		}
	}
	return missing, nil
}

// all says whether the next n values are there.
func (b *validity) all(n int) (bool, error) {
	all := true
	for ; b.given && n > 0; n-- {
		there, err := b.next()
		if err != nil {
			return false, err
		}
		all = all && there
	}
	return all, nil
}
