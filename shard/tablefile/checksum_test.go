package tablefile

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChecksums reads a table of every type with flipped bits, all columns at once: nothing but what was written is
// read without an error, and Verify agrees.
func TestChecksums(t *testing.T) {
	fields := []Field{{Name: "a", Type: Int32}, {Name: "b", Type: Int64}, {Name: "c", Type: Float32}, {Name: "d",
		Type: Float64},
		{Name: "e", Type: String}, {Name: "f", Type: Float32List, Width: 3}, {Name: "g", Type: Float64List, Width: 2},
		{Name: "h", Type: StringList, Width: 2}}
	columns := []any{[]int32{1, 2, 3}, []int64{4, 5, 6}, []float32{7, 8, 9}, []float64{10, 11, 12},
		[]string{"x", "", "größe"},
		make([]float32, 9), make([]float64, 6), []string{"a", "b", "", "c", "d", "e"}}
	var file bytes.Buffer
	w, err := NewWriter(&file, fields)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Write(columns...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "table.parquet")
	type read struct {
		sums string
		err  error
	}
	look := func(content []byte) (r read, verified error) {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		sums := make([]checksum, len(fields))
		r.err = Read(t.Context(), path, fields, func(_ int64, columns []any) error {
			for i := range sums {
				sums[i].add(columns[i])
			}
			return nil
		})
		for i := range sums {
			r.sums += sums[i].entry(fields[i].Name) + " "
		}
		_, verified = Verify(t.Context(), path)
		return r, verified
	}
	whole, verified := look(file.Bytes())
	if summed, err := Verify(t.Context(), path); whole.err != nil || verified != nil || err != nil ||
		summed != len(fields) {
		t.Fatalf("%+v, %v, %d columns, %v", whole, verified, summed, err)
	}
	draw, refused := rand.New(rand.NewPCG(1, 2)), 0
	for range 600 {
		at, bit := draw.IntN(file.Len()), draw.IntN(8)
		damaged := bytes.Clone(file.Bytes())
		damaged[at] ^= 1 << bit
		got, verified := look(damaged)
		if got.err == nil && got.sums != whole.sums {
			t.Fatalf("bit %d of byte %d: other values without an error", bit, at)
		}
		if got.err != nil {
			refused++
			if verified == nil && strings.Contains(got.err.Error(), "checksum") {
				t.Errorf("bit %d of byte %d: %v, but Verify finds nothing", bit, at, got.err)
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d were refused", refused)
	}
}
