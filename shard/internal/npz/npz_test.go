package npz

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/internal/npy"
	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
)

// member returns a .npy file of numbers.
func member[T npy.Number](values ...T) []byte {
	var b bytes.Buffer
	if err := npy.Write(&b, []int64{int64(len(values))}, func(write func([]T) error) error { return write(values) }); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// raw returns a .npy file of one dimension with another type.
func raw(descr string, count int, values any) []byte {
	return shaped(descr, fmt.Sprintf("(%d,)", count), values)
}

// shaped returns a .npy file of a shape.
func shaped(descr, shape string, values any) []byte {
	var b bytes.Buffer
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	binary.Write(&b, binary.LittleEndian, values)
	return b.Bytes()
}

// form is the member that names the form of a matrix, as SciPy writes it.
func form(name string) []byte { return shaped("|S3", "()", []byte(name)) }

// matrix is [[2, 0, 1], [0, 0, 0], [0, 3, 0]] with an explicit zero, changed by members that take the place of its own;
// nil removes one.
func matrix(t testing.TB, method uint16, changed map[string][]byte) []byte {
	t.Helper()
	members := map[string][]byte{"format": form("csr"), "shape": member[int64](3, 3), "indptr": member[int32](0, 3, 3, 4),
		"indices": member[int32](0, 1, 2, 1), "data": member[int64](2, 0, 1, 3)}
	for name, content := range changed {
		members[name] = content
	}
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for _, name := range []string{"indices", "indptr", "format", "shape", "data"} {
		if members[name] == nil {
			continue
		}
		w, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
		if err == nil {
			_, err = w.Write(members[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read returns the documents of a file, as "item×count ..." each.
func read(t testing.TB, content []byte, o reading.Options) ([]string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(access.NewWatch(context.Background()), reading.Shard{Object: access.FileObject(path, info), Options: o})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var all []string
	for batch := new(documents.Batch); ; {
		if err := r.Next(batch); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		for d := range batch.Documents() {
			var entries []string
			for at := batch.Offsets[d]; at < batch.Offsets[d+1]; at++ {
				entries = append(entries, fmt.Sprintf("%s×%d", batch.Dictionary.ID(int(batch.Items[at])), batch.Counts[at]))
			}
			all = append(all, strings.Join(entries, " "))
		}
	}
}

func TestTypes(t *testing.T) {
	want := []string{"0×2 2×1", "", "1×3"}
	for name, changed := range map[string]map[string][]byte{
		"int64":          nil,
		"int64 places":   {"indices": member[int64](0, 1, 2, 1), "indptr": member[int64](0, 3, 3, 4)},
		"float64":        {"data": member(2.0, 0, 1, 3)},
		"float32":        {"data": member[float32](2, 0, 1, 3)},
		"int8":           {"data": raw("|i1", 4, []int8{2, 0, 1, 3})},
		"uint16":         {"data": raw("<u2", 4, []uint16{2, 0, 1, 3})},
		"uint64":         {"data": raw("<u8", 4, []uint64{2, 0, 1, 3})},
		"unsigned place": {"indices": raw("<u4", 4, []uint32{0, 1, 2, 1})},
		"wide letters":   {"format": shaped("<U3", "()", []int32{'c', 's', 'r'})},
	} {
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			if got, err := read(t, matrix(t, method, changed), reading.Options{}); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, method %d: %q, %v", name, method, got, err)
			}
		}
	}
	columns := map[string][]byte{"format": form("csc")}
	got, err := read(t, matrix(t, zip.Store, columns), reading.Options{DocumentColumns: true})
	if err != nil || !slices.Equal(got, want) { // the matrix of the columns is the transposed one
		t.Errorf("columns: %q, %v", got, err)
	}
}

// TestWordList checks that a list names the columns, and that the batches' size does not matter.
func TestWordList(t *testing.T) {
	list := filepath.Join(t.TempDir(), "words.txt")
	if err := os.WriteFile(list, []byte("zero\none\ntwo\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, entries := range []int{0, 1} {
		got, err := read(t, matrix(t, zip.Store, nil), reading.Options{WordList: list, BatchEntries: entries})
		if want := []string{"zero×2 two×1", "", "one×3"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestFaults(t *testing.T) {
	for name, test := range map[string]struct {
		changed map[string][]byte
		want    string
		row     int64
	}{
		"no member":     {map[string][]byte{"indptr": nil}, "no member indptr.npy", 0},
		"column form":   {map[string][]byte{"format": form("csc")}, "tocsr()", 0},
		"coordinates":   {map[string][]byte{"format": form("coo")}, "tocsr()", 0},
		"no .npy":       {map[string][]byte{"data": []byte("hello, this is no array")}, "data is not a .npy file", 0},
		"objects":       {map[string][]byte{"data": raw("|O8", 4, [4]int64{})}, "a list of numbers", 0},
		"big-endian":    {map[string][]byte{"data": raw(">i8", 4, [4]int64{})}, "a list of numbers", 0},
		"shape":         {map[string][]byte{"shape": member[int64](3)}, "shape has 1 numbers", 0},
		"negative":      {map[string][]byte{"shape": member[int64](-3, 3)}, "shape says", 0},
		"rows":          {map[string][]byte{"shape": member[int64](4, 3)}, "indptr has 4 numbers", 0},
		"promised":      {map[string][]byte{"shape": member[int64](1<<40, 3)}, "indptr has 4 numbers", 0},
		"lengths":       {map[string][]byte{"data": member[int64](1, 1)}, "4 indices and 2 values", 0},
		"begin":         {map[string][]byte{"indptr": member[int32](1, 3, 3, 4)}, "begins with 1", 0},
		"backwards":     {map[string][]byte{"indptr": member[int32](0, 3, 2, 4)}, "from 3 to 2", 2},
		"beyond":        {map[string][]byte{"indptr": member[int32](0, 3, 3, 5)}, "with 1 entries left", 3},
		"left":          {map[string][]byte{"indptr": member[int32](0, 3, 3, 3)}, "leaves 1 entries", 4},
		"column":        {map[string][]byte{"indices": member[int32](0, 1, 3, 1)}, "column 3 of 3", 1},
		"before":        {map[string][]byte{"indices": member[int32](-1, 1, 2, 1)}, "column -1 of 3", 1},
		"fraction":      {map[string][]byte{"data": member(2.0, 0, 0.5, 3)}, "not a whole number", 1},
		"minus":         {map[string][]byte{"data": member[int64](2, 0, 1, -3)}, "negative", 3},
		"places":        {map[string][]byte{"indices": member(0.0, 1, 2, 1)}, "whole numbers", 1},
		"cut":           {map[string][]byte{"indices": member[int64](0, 1, 2, 1)[:128+9]}, "damaged or cut off", 1},
		"header of one": {map[string][]byte{"data": []byte("\x93NUMPY\x01\x00\xff\xff{")}, "data", 0},
	} {
		_, err := read(t, matrix(t, zip.Store, test.changed), reading.Options{})
		var at *fault.Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), test.want) || at.Row != test.row {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := read(t, []byte("PK\x03\x04 and no more"), reading.Options{}); err == nil {
		t.Error("what is no archive was read")
	}
}

// TestRandom compares random matrices of several batches with what they were made of.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var want []string
	var indices []int32
	var data []int64
	ends := []int64{0}
	const columns = 40
	for range 3000 {
		var entries []string
		for _, i := range rng.Perm(columns)[:rng.IntN(12)] {
			indices, data = append(indices, int32(i)), append(data, rng.Int64N(9)+1)
			entries = append(entries, fmt.Sprintf("%d×%d", i, data[len(data)-1]))
		}
		ends, want = append(ends, int64(len(indices))), append(want, strings.Join(entries, " "))
	}
	content := matrix(t, zip.Deflate, map[string][]byte{"shape": member[int64](3000, columns), "indptr": member(ends...),
		"indices": member(indices...), "data": member(data...)})
	got, err := read(t, content, reading.Options{BatchEntries: 1000})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d documents, %v", len(got), err)
	}
}

// FuzzOpen reads what may be a matrix: it must end with documents or an error of the file.
func FuzzOpen(f *testing.F) {
	f.Add(matrix(f, zip.Store, nil))
	f.Add(matrix(f, zip.Deflate, nil))
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := read(t, content, reading.Options{}); err != nil && !errors.As(err, new(*fault.Error)) {
			t.Errorf("%T: %v", err, err)
		}
	})
}
