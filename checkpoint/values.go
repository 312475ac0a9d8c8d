// This file writes and reads the values of a state.

package checkpoint

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"anchorage/internal/collective"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Values takes the values of a state one after the other, and writes them to a checkpoint or reads them from one. The same calls in the
// same order do both, so that what is read cannot differ from what was written. After an error all further calls do nothing.
//
// Of several ranks, all take the same values at the same time. Rank 0 writes or reads; what it reads goes to the others, and the blocks of a
// matrix that the ranks share come from those who hold them, and go to them.
type Values struct {
	ctx    context.Context
	ranks  *collective.Comm // nil if there is one rank
	to     io.Writer        // nil unless values are written
	from   io.Reader        // nil unless values are read
	left   int64            // bytes that are left to be read
	size   int64            // bytes that were written or, where there is neither writer nor reader, would be
	sum    uint32           // checksum of the bytes so far
	buffer []byte
	err    error
	// unwritten is the first error of to.
	unwritten error
}

// Reading reports whether values are read.
func (v *Values) Reading() bool { return v.from != nil }

// Writing reports whether values are written. If they are neither read nor written, they are counted.
func (v *Values) Writing() bool { return v.to != nil }

// Err returns the first error. Where values are read, it wraps ErrDamaged, or is that of the folder's context.
func (v *Values) Err() error { return v.err }

// Fail makes err the first error, unless there is one: the state cannot be taken.
func (v *Values) Fail(err error) {
	if v.err == nil {
		v.err = err
	}
}

// fail notes damage.
func (v *Values) fail(format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
	}
}

// transfer writes p, or fills it.
func (v *Values) transfer(p []byte) {
	if v.err != nil {
		return
	}
	switch {
	case v.from != nil:
		if int64(len(p)) > v.left {
			v.fail("it ends too early")
			return
		}
		v.left -= int64(len(p))
		v.Fail(v.shared(v.read(p), p))
	case v.to != nil:
		v.sum = crc32.Update(v.sum, castagnoli, p)
		v.write(p)
	}
	v.size += int64(len(p))
}

// write writes p. That rank 0 of several cannot is not an error of the values, since the others do not know it, and go on.
func (v *Values) write(p []byte) {
	if v.unwritten == nil {
		_, v.unwritten = v.to.Write(p)
	}
	if v.ranks.Size() == 1 {
		v.err = v.unwritten
	}
}

// read fills p, if this rank reads.
func (v *Values) read(p []byte) error {
	if !v.ranks.First() {
		return nil
	}
	_, err := io.ReadFull(v.from, p)
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return err
}

// Number is a number of fixed size.
type Number interface {
	~uint8 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// chunk is the number of values that are converted to bytes at a time.
const chunk = 1 << 15

// numbers writes or fills the values of s.
func numbers[T Number](v *Values, s []T) {
	width := binary.Size(*new(T))
	for len(s) > 0 && v.err == nil {
		part := s[:min(chunk, len(s))]
		s = s[len(part):]
		switch {
		case v.from != nil:
			if cap(v.buffer) < chunk*width {
				v.buffer = make([]byte, chunk*width)
			}
			raw := v.buffer[:len(part)*width]
			if v.transfer(raw); v.err == nil {
				binary.Decode(raw, binary.LittleEndian, part) // the lengths fit
			}
		case v.to != nil:
			v.buffer, _ = binary.Append(v.buffer[:0], binary.LittleEndian, part)
			v.transfer(v.buffer)
		default:
			v.size += int64(len(part)) * int64(width)
		}
	}
}

// length writes or reads the length of something whose elements take the given number of bytes. −1 stands for nil.
func (v *Values) length(n, width int) int {
	l := []int64{int64(n)}
	numbers(v, l)
	if v.from == nil || v.err != nil {
		return n
	}
	if l[0] < -1 || l[0] > v.left/int64(max(width, 1)) {
		v.fail("it claims %d values of %d bytes", l[0], width)
		return -1
	}
	return int(l[0])
}

// Slice takes a slice of numbers. A nil slice stays nil.
func Slice[T Number](v *Values, s *[]T) {
	n := len(*s)
	if *s == nil {
		n = -1
	}
	if n = v.length(n, binary.Size(*new(T))); v.Reading() {
		if *s = nil; n >= 0 && v.err == nil {
			*s = make([]T, n)
		}
	}
	numbers(v, *s)
}

// Ints takes a slice of integers. A nil slice stays nil.
func (v *Values) Ints(s *[]int) {
	var wide []int64
	if *s != nil {
		wide = make([]int64, len(*s))
	}
	for i, n := range *s {
		wide[i] = int64(n)
	}
	if Slice(v, &wide); v.Reading() {
		if *s = nil; wide != nil {
			*s = make([]int, len(wide))
		}
		for i, n := range wide {
			(*s)[i] = int(n)
		}
	}
}

// Int takes integers.
func (v *Values) Int(to ...*int) {
	for _, n := range to {
		one := []int64{int64(*n)}
		numbers(v, one)
		*n = int(one[0])
	}
}

// Int64 takes integers.
func (v *Values) Int64(to ...*int64) {
	for _, n := range to {
		one := []int64{*n}
		numbers(v, one)
		*n = one[0]
	}
}

// Float takes floating-point numbers.
func (v *Values) Float(to ...*float64) {
	for _, x := range to {
		one := []float64{*x}
		numbers(v, one)
		*x = one[0]
	}
}

// Bool takes truth values.
func (v *Values) Bool(to ...*bool) {
	for _, b := range to {
		one := []uint8{0}
		if *b {
			one[0] = 1
		}
		numbers(v, one)
		*b = one[0] == 1
	}
}

// JSON takes what x points to, in its JSON form.
func (v *Values) JSON(x any) {
	v.encoded(x, json.Marshal, json.Unmarshal)
}

// Gob takes what x points to, in the form of encoding/gob: it keeps NaN and infinity, but makes empty slices nil.
func (v *Values) Gob(x any) {
	v.encoded(x, func(x any) ([]byte, error) {
		var b bytes.Buffer
		err := gob.NewEncoder(&b).Encode(x)
		return b.Bytes(), err
	}, func(raw []byte, x any) error { return gob.NewDecoder(bytes.NewReader(raw)).Decode(x) })
}

func (v *Values) encoded(x any, marshal func(any) ([]byte, error), unmarshal func([]byte, any) error) {
	if v.err != nil {
		return
	}
	var raw []byte
	if !v.Reading() {
		if raw, v.err = marshal(x); v.err != nil {
			return
		}
	}
	if Slice(v, &raw); v.Reading() && v.err == nil {
		if err := unmarshal(raw, x); err != nil {
			v.fail("%v", err)
		}
	}
}
