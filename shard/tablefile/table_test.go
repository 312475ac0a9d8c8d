package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/fault"
	"anchorage/shard/internal/pages"
)

// panics reports whether fn panics with a message of this package.
func panics(fn func()) (yes bool) {
	defer func() {
		message, _ := recover().(string)
		yes = strings.HasPrefix(message, "shard: ")
	}()
	fn()
	return false
}

// TestMisuse checks that wrong shapes, which are bugs of the caller, panic before anything is written.
func TestMisuse(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, []Field{{Name: "a", Type: Int32}, {Name: "b", Type: Float32List, Width: 2}})
	if err != nil {
		t.Fatal(err)
	}
	before := out.Len()
	for name, fn := range map[string]func(){
		"no columns":        func() { NewWriter(&out, nil) },
		"no name":           func() { NewWriter(&out, []Field{{Type: Int32}}) },
		"unknown type":      func() { NewWriter(&out, []Field{{Name: "a", Type: StringList + 1}}) },
		"width of a value":  func() { NewWriter(&out, []Field{{Name: "a", Type: Int32, Width: 1}}) },
		"list of no width":  func() { NewWriter(&out, []Field{{Name: "a", Type: Float32List}}) },
		"number of columns": func() { w.Write([]int32{1}) },
		"type of a column":  func() { w.Write([]int64{1}, []float32{1, 2}) },
		"type of a list":    func() { w.Write([]int32{1}, []float64{1, 2}) },
		"no slice":          func() { w.Write(1, 2) },
		"rows":              func() { w.Write([]int32{1}, []float32{1, 2, 3, 4}) },
		"half a list":       func() { w.Write([]int32{1}, []float32{1, 2, 3}) },
		"read, no name":     func() { Read(t.Context(), "nowhere", []Field{{Type: Int32}}, nil) },
	} {
		if !panics(fn) {
			t.Errorf("%s: no panic", name)
		}
	}
	if out.Len() != before {
		t.Errorf("%d bytes were written", out.Len()-before)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("closed twice")
	}
	if !panics(func() { w.Write([]int32{1}, []float32{1, 2}) }) {
		t.Error("wrote to a closed table")
	}
}

// TestSchema checks what a table's columns are in Parquet and in Arrow.
func TestSchema(t *testing.T) {
	for typ := Int32; typ <= StringList; typ++ {
		f := Field{Name: "x", Type: typ}
		if f.isList() {
			f.Width = 3
		}
		f.check()
		root := schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{f.node()}, -1))
		leaf := schema.NewSchema(root).Column(0)
		if !fits(leaf) || leaf.PhysicalType() != physicalTypes[typ] || (leaf.MaxRepetitionLevel() == 1) != f.isList() ||
			leaf.MaxDefinitionLevel() != leaf.MaxRepetitionLevel() {
			t.Errorf("type %d is %v in Parquet", typ, leaf)
		}
		described := f.arrowField()
		if list, ok := described.Type.(*arrow.FixedSizeListType); ok != f.isList() || ok && list.Len() != 3 ||
			described.Nullable {
			t.Errorf("type %d is %v in Arrow", typ, described)
		}
	}
	first, err := schemaKey([]arrow.Field{Field{Name: "x", Type: Int32}.arrowField()})
	again, errAgain := schemaKey([]arrow.Field{Field{Name: "x", Type: Int32}.arrowField()})
	other, errOther := schemaKey([]arrow.Field{Field{Name: "y", Type: Int32}.arrowField()})
	if errors.Join(err, errAgain, errOther) != nil || first != again || first == other {
		t.Errorf("the schema's key: %v", errors.Join(err, errAgain, errOther))
	}
}

// TestListLevels compares with the definition of levels.
func TestListLevels(t *testing.T) {
	var l listLevels
	for _, rows := range []int{0, 1, 5} {
		for _, width := range []int{1, 2, 7} {
			def, rep := l.fixed(rows, width)
			if len(def) != rows*width || len(rep) != rows*width {
				t.Fatalf("%d lists of %d: %d and %d levels", rows, width, len(def), len(rep))
			}
			for i := range def {
				if def[i] != 1 || (rep[i] == 0) != (i%width == 0) {
					t.Errorf("%d lists of %d: level %d is %d, %d", rows, width, i, def[i], rep[i])
				}
			}
		}
	}
	l.def, l.rep = nil, nil
	for _, n := range []int{0, 2, 0, 1} {
		l.add(n)
	}
	if !slices.Equal(l.def, []int16{0, 1, 1, 0, 1}) || !slices.Equal(l.rep, []int16{0, 0, 1, 0, 0}) {
		t.Errorf("levels %v, %v", l.def, l.rep)
	}
}

// broken is a writer that fails at once.
type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// TestSink keeps the first error, whatever comes after it.
func TestSink(t *testing.T) {
	s := &sink{writer: broken{}}
	for range 2 {
		if n, err := s.Write([]byte("x")); n != 0 || err != errBroken {
			t.Errorf("%d, %v", n, err)
		}
	}
	if _, err := NewWriter(broken{}, []Field{{Name: "a", Type: Int32}}); !errors.Is(err, errBroken) {
		t.Errorf("a table: %v", err)
	}
	if _, err := NewDocumentWriter(broken{}); !errors.Is(err, errBroken) {
		t.Errorf("a shard: %v", err)
	}
}

// TestDocumentWriterErrors holds documents that cannot be written.
func TestDocumentWriterErrors(t *testing.T) {
	w, err := NewDocumentWriter(new(bytes.Buffer))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		item  string
		count int32
		want  string
	}{{"", 1, `document "d": an item id is empty`}, {"\xff", 1, "UTF-8"}, {"a", 0, "count 0"}, {"a", -1, "negative"},
		{strings.Repeat("x", 70_000), 1, "70000 bytes"}} {
		if err := w.Write("d", []string{test.item}, []int32{test.count}); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%.10q×%d: %v", test.item, test.count, err)
		}
	}
	if !panics(func() { w.Write("d", []string{"a"}, nil) }) {
		t.Error("items without counts")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("closed twice")
	}
	if !panics(func() { w.Write("d", nil, nil) }) {
		t.Error("wrote to a closed shard")
	}
}

// TestRowGroups checks where row groups of documents end: by documents, by items and by bytes.
func TestRowGroups(t *testing.T) {
	for name, test := range map[string]struct{ documents, items, length, groups int }{
		"documents": {groupDocuments + 1, 0, 0, 2}, "fewer": {groupDocuments - 1, 0, 0, 1}, "items": {12, groupItems / 10, 3,
			2}, "bytes": {9, 100, groupBytes / 800, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w, err := NewDocumentWriter(&out)
			if err != nil {
				t.Fatal(err)
			}
			items, counts := make([]string, test.items), slices.Repeat([]int32{1}, test.items)
			for i := range items {
				items[i] = fmt.Sprint(strings.Repeat("x", test.length), i)
			}
			for range test.documents {
				if err := w.Write("d", items, counts); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			source, footer, err := pages.OpenFooter(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer source.Close()
			if len(footer.RowGroups) != test.groups || footer.NumRows != int64(test.documents) {
				t.Errorf("%d rows in %d groups, want %d in %d", footer.NumRows, len(footer.RowGroups), test.documents, test.groups)
			}
		})
	}
}

// TestReadErrors places errors in path, column and row group.
func TestReadErrors(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, []Field{{Name: "a", Type: Int32}})
	if err == nil {
		err = errors.Join(w.Write([]int32{1, 2, 3}), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, field := range map[string]Field{
		`column "b": the column is missing; the columns are "a"`: {Name: "b", Type: Int32},
		`column "a": the column is of another type`:              {Name: "a", Type: Float32},
	} {
		var place *fault.Error
		if err := Read(t.Context(), path, []Field{field}, nil); !errors.As(err, &place) || place.Path != path ||
			place.Column != field.Name || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	stop := errors.New("stop")
	if err := Read(t.Context(), path, []Field{{Name: "a", Type: Int32}}, func(int64,
		[]any) error {
		return stop
	}); err != stop {
		t.Errorf("got %v", err)
	}
}

// TestZstdCodec compresses as Arrow's own codec can read, and always in the same way.
func TestZstdCodec(t *testing.T) {
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		t.Fatal(err)
	}
	if _, ours := codec.(sharedZstd); !ours {
		t.Fatal("the codec is not registered")
	}
	text := []byte(strings.Repeat("some words ", 10_000))
	first := codec.EncodeLevel(nil, text, compress.DefaultCompressionLevel)
	if again := codec.EncodeLevel(make([]byte, 0, 5), text, compress.DefaultCompressionLevel); !bytes.Equal(first, again) {
		t.Error("the same text gives other bytes")
	}
	if got := codec.Decode(nil, first); !bytes.Equal(got, text) {
		t.Error("the text does not come back")
	}
	if got := codec.Decode(nil, codec.EncodeLevel(nil, text, 1)); !bytes.Equal(got, text) {
		t.Error("the text does not come back at another level")
	}
}
