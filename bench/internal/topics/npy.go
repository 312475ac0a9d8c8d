// This file reads and writes arrays as NumPy stores them (.npy). Other programs get documents and return topics in this form.

package topics

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"anchorage/matrix"
	"anchorage/model"
)

// npyMagic begins every file; two bytes of version follow, and the length of a header that describes the array.
const npyMagic = "\x93NUMPY"

// npyHeaderLimit is more than the header of any array of numbers takes.
const npyHeaderLimit = 1 << 16

// npyTypes are NumPy's names of the types that are written.
var npyTypes = map[int]string{4: "<i4", 8: "<i8"}

// writeNPY writes a one-dimensional array of the given length; fill calls write with its values, run by run.
func writeNPY[T int32 | int64](path string, length int64, fill func(write func([]T) error) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriterSize(file, 1<<20)
	var zero T
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", npyTypes[binary.Size(zero)], length)
	fixed := len(npyMagic) + 2 + 2
	header += strings.Repeat(" ", 64-(fixed+len(header)+1)%64) + "\n" // values begin at a multiple of 64 bytes
	w.WriteString(npyMagic + "\x01\x00")
	binary.Write(w, binary.LittleEndian, uint16(len(header)))
	w.WriteString(header)
	written := int64(0)
	err = fill(func(values []T) error {
		written += int64(len(values))
		return binary.Write(w, binary.LittleEndian, values)
	})
	if err == nil && written != length {
		err = fmt.Errorf("%d values written to an array of %d", written, length)
	}
	return errors.Join(err, w.Flush()) // a buffer keeps its first error
}

// The parts of a header that matter.
var (
	npyDescr = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	npyOrder = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape = regexp.MustCompile(`'shape'\s*:\s*\(([0-9, ]*)\)`)
)

// readNPYHeader reads a header and returns the array's type, whether its columns come one after the other, and its shape.
func readNPYHeader(r io.Reader) (descr string, fortran bool, shape []int64, err error) {
	start := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:len(npyMagic)]) != npyMagic {
		return "", false, nil, errors.New("is not a .npy file")
	}
	length := uint32(0)
	switch version := start[len(npyMagic)]; version {
	case 1:
		var short uint16
		err = binary.Read(r, binary.LittleEndian, &short)
		length = uint32(short)
	case 2, 3:
		err = binary.Read(r, binary.LittleEndian, &length)
	default:
		return "", false, nil, fmt.Errorf("is a .npy file of version %d: only versions 1 to 3 are known", version)
	}
	if err != nil || length > npyHeaderLimit {
		return "", false, nil, errors.New("has a header that is cut off or too long")
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(r, header); err != nil {
		return "", false, nil, errors.New("is cut off in its header")
	}
	d, o, s := npyDescr.FindSubmatch(header), npyOrder.FindSubmatch(header), npyShape.FindSubmatch(header)
	if d == nil || o == nil || s == nil {
		return "", false, nil, fmt.Errorf("has a header that does not describe an array: %q", header[:min(len(header), 200)])
	}
	for word := range strings.SplitSeq(string(s[1]), ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue // behind the last comma
		}
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return "", false, nil, fmt.Errorf("has the shape (%s)", s[1])
		}
		shape = append(shape, n)
	}
	return string(d[1]), string(o[1]) == "True", shape, nil
}

// readTopics reads p(w|k), a K×N array of float32 in rows, and returns it as N×K. Each row must sum to 1, or be 0 where a method
// has given up a topic. The error is a *model.InputError.
func readTopics(path string, topics, items int) (*matrix.Tall, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	refuse := func(format string, args ...any) (*matrix.Tall, error) {
		return nil, &model.InputError{Path: path, Reason: fmt.Sprintf(format, args...)}
	}
	r := bufio.NewReaderSize(file, 1<<20)
	descr, fortran, shape, err := readNPYHeader(r)
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
