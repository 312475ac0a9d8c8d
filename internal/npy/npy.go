// Package npy writes arrays as NumPy stores them, and reads the headers of such files: version 1.0 of the .npy format,
// little-endian, the last index fastest (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
package npy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// magic begins every file; two bytes of version follow, and the length of a header that describes the array.
const magic = "\x93NUMPY"

// headerLimit is more than the header of any array of numbers takes.
const headerLimit = 1 << 16

// Number is an element of an array.
type Number interface {
	int32 | int64 | float32 | float64
}

// Write writes an array of the given shape to w. fill calls write with its values, run by run. The error is fill's,
// that of w, or says that the number of values is not that of the shape.
func Write[T Number](w io.Writer, shape []int64, fill func(write func([]T) error) error) error {
	b := bufio.NewWriterSize(w, 1<<20)
	sizes, length := "", int64(1)
	for _, n := range shape {
		sizes += strconv.FormatInt(n, 10) + ", "
		length *= n
	}
	if len(shape) > 1 {
		sizes = strings.TrimSuffix(sizes, ", ")
	}
	kind := reflect.TypeFor[T]() // i4, i8, f4 or f8 to NumPy
	header := fmt.Sprintf("{'descr': '<%c%d', 'fortran_order': False, 'shape': (%s), }", kind.Name()[0], kind.Size(),
		strings.TrimSuffix(sizes, " "))
	fixed := len(magic) + 2 + 2
	header += strings.Repeat(" ", 64-(fixed+len(header)+1)%64) + "\n" // values begin at a multiple of 64 bytes
	b.WriteString(magic + "\x01\x00")
	binary.Write(b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	written := int64(0)
	err := fill(func(values []T) error {
		written += int64(len(values))
		return binary.Write(b, binary.LittleEndian, values)
	})
	if err == nil && written != length {
		err = fmt.Errorf("%d values written to an array of %d", written, length)
	}
	return errors.Join(err, b.Flush()) // a buffer keeps its first error
}

// WriteRows writes a matrix of single precision. fill sets the values of a row.
func WriteRows(w io.Writer, rows, columns int, fill func(dst []float32, row int)) error {
	return Write(w, []int64{int64(rows), int64(columns)}, func(write func([]float32) error) error {
		values := make([]float32, columns)
		for row := range rows {
			fill(values, row)
			if err := write(values); err != nil {
				return err
			}
		}
		return nil
	})
}

// The parts of a header that matter.
var (
	descrPart = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	orderPart = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	shapePart = regexp.MustCompile(`'shape'\s*:\s*\(([0-9, ]*)\)`)
)

// ReadHeader reads a header of version 1 to 3. It returns NumPy's name of the array's type, whether its columns come
// one after the other, and its shape.
func ReadHeader(r io.Reader) (descr string, fortran bool, shape []int64, err error) {
	start := make([]byte, len(magic)+2)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:len(magic)]) != magic {
		return "", false, nil, errors.New("is not a .npy file")
	}
	length := uint32(0)
	switch version := start[len(magic)]; version {
	case 1:
		var short uint16
		err = binary.Read(r, binary.LittleEndian, &short)
		length = uint32(short)
	case 2, 3:
		err = binary.Read(r, binary.LittleEndian, &length)
	default:
		return "", false, nil, fmt.Errorf("is a .npy file of version %d: only versions 1 to 3 are known", version)
	}
	if err != nil || length > headerLimit {
		return "", false, nil, errors.New("has a header that is cut off or too long")
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(r, header); err != nil {
		return "", false, nil, errors.New("is cut off in its header")
	}
	d, o, s := descrPart.FindSubmatch(header), orderPart.FindSubmatch(header), shapePart.FindSubmatch(header)
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
