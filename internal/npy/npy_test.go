package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// TestWrite reads back arrays of every type and several shapes, byte by byte as NumPy lays them out.
func TestWrite(t *testing.T) {
	check(t, "<i4", []int32{1, -2, 3, 4, 5, 6})
	check(t, "<i8", []int64{1, -2, 3, 4, 5, 1 << 40})
	check(t, "<f4", []float32{1, -2.5, 3, 4, 5, 6})
	check(t, "<f8", []float64{1, -2.5, 3, 4, 5, 1e300})
}

func check[T Number](t *testing.T, want string, values []T) {
	t.Helper()
	for _, shape := range [][]int64{{6}, {2, 3}, {6, 1}, {1, 2, 3}} {
		var b bytes.Buffer
		err := Write(&b, shape, func(write func([]T) error) error {
			return errors.Join(write(values[:2]), write(nil), write(values[2:]))
		})
		if err != nil {
			t.Fatal(err)
		}
		if at := b.Len() - binary.Size(values); at%64 != 0 {
			t.Errorf("%v: the values begin at byte %d", shape, at)
		}
		descr, fortran, got, err := ReadHeader(&b)
		if err != nil || descr != want || fortran || !slices.Equal(got, shape) {
			t.Errorf("%v: the header says %s, %v, %v, %v", shape, descr, fortran, got, err)
		}
		read := make([]T, len(values))
		if err := binary.Read(&b, binary.LittleEndian, read); err != nil || !slices.Equal(read, values) || b.Len() > 0 {
			t.Errorf("%v: read %v, %v, and %d bytes are left", shape, read, err, b.Len())
		}
	}
}

func TestWriteErrors(t *testing.T) {
	failed := errors.New("failed")
	if err := Write(new(bytes.Buffer), []int64{3},
		func(func([]int32) error) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("the error is %v", err)
	}
	if err := Write(new(bytes.Buffer), []int64{3}, func(write func([]int32) error) error {
		return write([]int32{1,
			2})
	}); err == nil {
		t.Error("2 values are written to an array of 3")
	}
}

// TestOneDimensionIsATuple checks the comma without which Python reads a number and no tuple.
func TestOneDimensionIsATuple(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, []int64{0}, func(func([]int32) error) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b.Bytes(), []byte("'shape': (0,), }")) {
		t.Errorf("the header is %q", b.Bytes()[10:])
	}
}

func FuzzReadHeader(f *testing.F) {
	var b bytes.Buffer
	Write(&b, []int64{2, 3}, func(write func([]int32) error) error { return write(make([]int32, 6)) })
	f.Add(b.Bytes())
	f.Add([]byte(magic + "\x02\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		descr, _, shape, err := ReadHeader(bytes.NewReader(data))
		if err != nil {
			return
		}
		if len(descr) > headerLimit || len(shape) > headerLimit {
			t.Errorf("read %q, %v", descr, shape)
		}
		for _, n := range shape {
			if n < 0 {
				t.Errorf("the shape is %v", shape)
			}
		}
	})
}
