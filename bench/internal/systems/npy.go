// This file reads and writes arrays as NumPy stores them (.npy). Other programs get documents and return topics in this
// form.

package systems

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"anchorage/internal/npy"
	"anchorage/matrix"
	"anchorage/model"
)

// writeNPY writes a one-dimensional array of the given length; fill calls write with its values, run by run.
func writeNPY[T int32 | int64](path string, length int64, fill func(write func([]T) error) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return npy.Write(file, []int64{length}, fill)
}

// ReadTopics reads p(w|k) of another program, a K×N array of float32 in rows, and returns it as N×K. Each row must sum
// to 1, or be 0 where a method has given up a topic. The error is a *model.InputError.
func ReadTopics(path string, topics, items int) (*matrix.Tall, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	refuse := func(format string, args ...any) (*matrix.Tall, error) {
		return nil, &model.InputError{Path: path, Reason: fmt.Sprintf(format, args...)}
	}
	r := bufio.NewReaderSize(file, 1<<20)
	descr, fortran, shape, err := npy.ReadHeader(r)
	switch {
	case err != nil:
		return refuse("%v", err)
	case descr != "<f4" || fortran:
		return refuse("holds %q (columns first: %v): it must hold float32 (\"<f4\") in rows", descr, fortran)
	case len(shape) != 2 || shape[0] != int64(topics) || shape[1] != int64(items):
		return refuse("has the shape %v: it must be %d topics × %d items", shape, topics, items)
	}
	b := matrix.NewTall(items, topics)
	values := make([]float32, min(items, 1<<14))
	for k := range topics {
		sum := 0.0
		for first := 0; first < items; first += len(values) {
			values = values[:min(cap(values), items-first)]
			if err := binary.Read(r, binary.LittleEndian, values); err != nil {
				return refuse("is cut off in topic %d of %d", k, topics)
			}
			for i, v := range values {
				if !(v >= 0) || math.IsInf(float64(v), 1) {
					return refuse("has %v for item %d in topic %d, which is not a probability", v, first+i, k)
				}
				b.Row(first + i)[k] = float64(v)
				sum += float64(v)
			}
		}
		values = values[:cap(values)]
		if sum != 0 && math.Abs(sum-1) > 1e-3 {
			return refuse("has a topic, %d, that sums to %v and not to 1", k, sum)
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return refuse("has more behind its %d×%d values", topics, items)
	}
	return b, nil
}
