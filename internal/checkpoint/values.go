// This file writes and reads the values of a state.

package checkpoint

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"

	"anchorage/internal/collective"
	"anchorage/matrix"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Values takes the values of a state one after the other, and writes them to a checkpoint or reads them from one. The
// same calls in the same order do both, so that a reader cannot differ from the writer. After an error all further
// calls do nothing.
//
// Of several ranks, all take the same values at the same time. Rank 0 writes or reads; what it reads goes to the
// others, and the blocks of a matrix that the ranks share come from those who hold them, and go to them.
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
		if v.unwritten == nil {
			_, v.unwritten = v.to.Write(p)
		}
		if v.ranks.Size() == 1 { // the other ranks of several do not know it, and continue
			v.err = v.unwritten
		}
	}
	v.size += int64(len(p))
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

// chunk is the number of values that are converted to bytes at a time.
const chunk = 1 << 15

// numbers writes or fills the values of s.
func numbers[T collective.Value](v *Values, s []T) {
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

// length writes or reads the length of something whose elements take the given number of bytes. −1 means nil.
func (v *Values) length(n, width int) int {
	l := number(v, int64(n))
	if v.from == nil || v.err != nil {
		return n
	}
	if l < -1 || l > v.left/int64(max(width, 1)) {
		v.fail("it claims %d values of %d bytes", l, width)
		return -1
	}
	return int(l)
}

// number writes x and returns it, or returns the number that is read.
func number[T collective.Value](v *Values, x T) T {
	one := []T{x}
	numbers(v, one)
	return one[0]
}

// Stateful is a type with a state that is not in exported fields. State returns pointers to values that hold
// everything, and a function that sets the object after they were read.
type Stateful interface {
	State() (values []any, restore func())
}

// Take takes the values behind pointers: numbers, truth values, texts, matrices, structs with their exported fields in
// order, slices, arrays and pointers of these, and what is Stateful. Nil slices and nil pointers stay nil. It panics
// for another type.
func (v *Values) Take(pointers ...any) {
	for _, p := range pointers {
		switch p := p.(type) {
		case Stateful:
			values, restore := p.State()
			if v.Take(values...); v.Reading() && v.err == nil {
				restore()
			}
		case *[]float64:
			slice(v, p)
		case *[]int64:
			slice(v, p)
		case *[]int32:
			slice(v, p)
		case *[]uint32:
			slice(v, p)
		case *[]byte:
			slice(v, p)
		case **matrix.Tall:
			tall(v, p)
		case **matrix.Single:
			tall(v, p)
		default:
			v.reflected(reflect.ValueOf(p).Elem())
		}
	}
}

// reflected takes a value of a type that Take does not name.
func (v *Values) reflected(x reflect.Value) {
	switch x.Kind() {
	case reflect.Int, reflect.Int64:
		x.SetInt(number(v, x.Int()))
	case reflect.Float64:
		x.SetFloat(number(v, x.Float()))
	case reflect.Bool:
		b := uint8(0)
		if x.Bool() {
			b = 1
		}
		x.SetBool(number(v, b) == 1)
	case reflect.String:
		text := []byte(x.String())
		slice(v, &text)
		x.SetString(string(text))
	case reflect.Struct:
		for i := range x.NumField() {
			if x.Type().Field(i).IsExported() {
				v.Take(x.Field(i).Addr().Interface())
			}
		}
	case reflect.Array:
		for i := range x.Len() {
			v.Take(x.Index(i).Addr().Interface())
		}
	case reflect.Pointer:
		there := !x.IsNil()
		if v.Take(&there); v.Reading() {
			if x.SetZero(); there && v.err == nil {
				x.Set(reflect.New(x.Type().Elem()))
			}
		}
		if !x.IsNil() {
			v.Take(x.Interface())
		}
	case reflect.Slice:
		v.elements(x)
	default:
		panic("checkpoint: a value of type " + x.Type().String())
	}
}

// elements takes a slice of values that are not plain numbers. One that is read grows value by value, since its length
// may be wrong.
func (v *Values) elements(x reflect.Value) {
	n := x.Len()
	if x.IsNil() {
		n = -1
	}
	if n = v.length(n, 1); v.Reading() {
		if x.SetZero(); n >= 0 && v.err == nil {
			x.Set(reflect.MakeSlice(x.Type(), 0, 0))
		}
	}
	for i := 0; i < n && v.err == nil; i++ {
		if v.Reading() {
			x.Set(reflect.Append(x, reflect.Zero(x.Type().Elem())))
		}
		v.Take(x.Index(i).Addr().Interface())
	}
}

// slice takes a slice of numbers. A nil slice stays nil.
func slice[T collective.Value](v *Values, s *[]T) {
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

// JSON takes what x points to, in its JSON form.
func (v *Values) JSON(x any) {
	if v.err != nil {
		return
	}
	var raw []byte
	if !v.Reading() {
		if raw, v.err = json.Marshal(x); v.err != nil {
			return
		}
	}
	if slice(v, &raw); v.Reading() && v.err == nil {
		if err := json.Unmarshal(raw, x); err != nil {
			v.fail("%v", err)
		}
	}
}
