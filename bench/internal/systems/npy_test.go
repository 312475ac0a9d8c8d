package systems

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/internal/npy"
	"anchorage/model"
)

// npyFile returns a .npy file of version 1 with the given header and values.
func npyFile(header string, values any) []byte {
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	binary.Write(&b, binary.LittleEndian, values)
	return b.Bytes()
}

const twoByThree = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"

var twoTopics = []float32{0.5, 0.25, 0.25, 0, 1, 0}

func TestReadTopics(t *testing.T) {
	later := npyFile(twoByThree, twoTopics)
	later = append([]byte("\x93NUMPY\x02\x00"), append(binary.LittleEndian.AppendUint32(nil, uint32(len(twoByThree))),
		later[10:]...)...)
	for name, file := range map[string][]byte{
		"version 1": npyFile(twoByThree, twoTopics),
		"version 2": later,
		"no blanks": npyFile("{'fortran_order':False,'descr':'<f4','shape':(2,3)}", twoTopics),
	} {
		path := filepath.Join(t.TempDir(), "topics.npy")
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		b, err := ReadTopics(path, 2, 3)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprint(b.Row(0), b.Row(1), b.Row(2)); got != "[0.5 0] [0.25 1] [0.25 0]" {
			t.Errorf("%s: B is %s", name, got)
		}
	}
}

func TestReadTopicsBroken(t *testing.T) {
	whole := npyFile(twoByThree, twoTopics)
	shaped := func(shape string) []byte { return npyFile(strings.Replace(twoByThree, "(2, 3)", shape, 1), twoTopics) }
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		name, want string
		file       []byte
	}{
		{"empty", "is not a .npy file", nil},
		{"text", "is not a .npy file", []byte("topics of another kind")},
		{"version", "version 9", []byte("\x93NUMPY\x09\x00\x10\x00")},
		{"cut in the length", "cut off", whole[:9]},
		{"cut in the header", "cut off in its header", whole[:30]},
		{"long header", "too long", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff")},
		{"no header", "does not describe an array", npyFile("{}", twoTopics)},
		{"huge shape", "has the shape", shaped("(99999999999999999999, 3)")},
		{"doubles", `holds "<f8"`, npyFile(strings.Replace(twoByThree, "<f4", "<f8", 1), twoTopics)},
		{"big-endian", `holds ">f4"`, npyFile(strings.Replace(twoByThree, "<f4", ">f4", 1), twoTopics)},
		{"columns", "columns first: true", npyFile(strings.Replace(twoByThree, "False", "True", 1), twoTopics)},
		{"transposed", "has the shape [3 2]", shaped("(3, 2)")},
		{"flat", "has the shape [6]", shaped("(6,)")},
		{"cut in the values", "is cut off in topic 1 of 2", whole[:len(whole)-1]},
		{"no values", "is cut off in topic 0 of 2", whole[:len(whole)-24]},
		{"more", "has more behind", append(bytes.Clone(whole), 0)},
		{"negative", "has -0.5 for item 1 in topic 0", npyFile(twoByThree, []float32{0.5, -0.5, 1, 0, 1, 0})},
		{"NaN", "has NaN for item 2 in topic 1", npyFile(twoByThree, []float32{1, 0, 0, 0, 1, nan})},
		{"infinite", "has +Inf for item 0 in topic 0", npyFile(twoByThree, []float32{inf, 0, 0, 0, 1, 0})},
		{"sum", "that sums to 0.75", npyFile(twoByThree, []float32{0.5, 0.25, 0, 0, 1, 0})},
	} {
		path := filepath.Join(t.TempDir(), "topics.npy")
		if err := os.WriteFile(path, test.file, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ReadTopics(path, 2, 3)
		var input *model.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	if _, err := ReadTopics(filepath.Join(t.TempDir(), "none.npy"), 2, 3); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// A topic may have been given up.
func TestReadTopicsZero(t *testing.T) {
	path := filepath.Join(t.TempDir(), "topics.npy")
	if err := os.WriteFile(path, npyFile(twoByThree, []float32{0, 0, 0, 0, 1, 0}), 0o644); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadTopics(path, 2, 3); err != nil || b.Row(1)[0] != 0 || b.Row(1)[1] != 1 {
		t.Errorf("%v", err)
	}
}

func TestWriteNPY(t *testing.T) {
	for _, n := range []int{0, 1, 5000} {
		path := filepath.Join(t.TempDir(), "values.npy")
		values := make([]int64, n)
		for i := range values {
			values[i] = int64(i) << 33
		}
		err := writeNPY(path, int64(n), func(write func([]int64) error) error {
			return errors.Join(write(values[:n/3]), write(values[n/3:]))
		})
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := bytes.NewReader(file)
		descr, fortran, shape, err := npy.ReadHeader(r)
		if err != nil || descr != "<i8" || fortran || len(shape) != 1 || shape[0] != int64(n) {
			t.Fatalf("%d values: %q, %v, %v, %v", n, descr, fortran, shape, err)
		}
		if at := len(file) - r.Len(); at%64 != 0 || file[at-1] != '\n' {
			t.Errorf("%d values: they begin at byte %d", n, at)
		}
		got := make([]int64, n)
		if err := binary.Read(r, binary.LittleEndian, got); err != nil || r.Len() != 0 ||
			fmt.Sprint(got) != fmt.Sprint(values) {
			t.Errorf("%d values come back otherwise: %v, %d bytes left", n, err, r.Len())
		}
		if err := writeNPY(path, int64(n)+1, func(write func([]int64) error) error { return write(values) }); err == nil {
			t.Errorf("%d values pass for one more", n)
		}
	}
	if err := writeNPY(filepath.Join(t.TempDir(), "no", "such.npy"), 0,
		func(func([]int32) error) error { return nil }); err == nil {
		t.Error("a file in no folder can be written")
	}
}
