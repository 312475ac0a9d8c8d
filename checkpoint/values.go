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
	"math"

	"anchorage/internal/aligned"
	"anchorage/matrix"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Values takes the values of a state one after the other, and writes them to a checkpoint or reads them from one. The same calls in the
// same order do both, so that what is read cannot differ from what was written. After an error all further calls do nothing.
type Values struct {
	to     io.Writer // nil unless values are written
	from   io.Reader // nil unless values are read
	left   int64     // bytes that are left to be read
	size   int64     // bytes that were written or, where there is neither writer nor reader, would be
	sum    uint32    // checksum of the bytes so far
	buffer []byte
	err    error
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
		_, err := io.ReadFull(v.from, p)
		switch {
		case errors.Is(err, context.Canceled):
			v.Fail(err)
		case err != nil:
			v.fail("%v", err)
		}
	case v.to != nil:
		v.sum = crc32.Update(v.sum, castagnoli, p)
		_, v.err = v.to.Write(p)
	}
	v.size += int64(len(p))
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

// Matrix takes a matrix, with its stride. A nil matrix stays nil.
func Matrix[T float32 | float64](v *Values, m **matrix.TallOf[T]) {
	shape := []int64{-1, 0, 0}
	if *m != nil {
		shape = []int64{int64((*m).Rows()), int64((*m).Cols()), int64((*m).Stride())}
	}
	if numbers(v, shape); v.err != nil {
		return
	}
	if v.Reading() {
		rows, cols, stride := shape[0], shape[1], shape[2]
		if *m = nil; rows < 0 {
			return
		}
		width := int64(aligned.Size[T]())
		switch {
		case rows > math.MaxInt32 || cols < 0 || cols > stride || stride > math.MaxInt32, aligned.Columns[T](int(stride)) != int(stride),
			rows > 0 && stride > v.left/width/rows:
			v.fail("it claims a matrix of %d×%d with a stride of %d", rows, cols, stride)
			return
		}
		*m = matrix.New[T](int(rows), int(stride))
		(*m).Narrow(int(cols))
	}
	if *m == nil {
		return
	}
	for b := range (*m).Blocks() {
		values, _, _ := (*m).Block(b)
		numbers(v, values)
	}
}
