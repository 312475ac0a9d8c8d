package shard

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/internal/long"
)

var (
	stringValue  = physical(parquet.Types.ByteArray, schema.StringLogicalType{})
	int32Value   = physical(parquet.Types.Int32, schema.NoLogicalType{})
	int64Value   = physical(parquet.Types.Int64, schema.NoLogicalType{})
	float32Value = physical(parquet.Types.Float, schema.NoLogicalType{})
	float64Value = physical(parquet.Types.Double, schema.NoLogicalType{})
)

// listColumnOf returns a column of required lists, or of optional3 if a length or element is missing.
func listColumnOf(name string, how layout, value func(string, parquet.Repetition) schema.Node, values any,
	lengths ...int) testColumn {
	node, empty, element := listOf(name, how, value)
	def, rep := levelsOf(lengths, empty, element)
	return testColumn{node, []testChunk{{values, def, rep}}}
}

func TestParquetValueErrors(t *testing.T) {
	items := listColumnOf("items", threeLevels, stringValue, []string{"a", "b", "c"}, 1, 0, 2)
	floats := func(last float64) testColumn {
		return listColumnOf("counts", threeLevels, float64Value, []float64{1, 2, last}, 1, 0, 2)
	}
	nulled := listColumnOf("items", optional3, stringValue, []string{"a", "b"}, 1, 0, 2)
	nulled.groups[0].def[3] = 2
	nullCount := listColumnOf("counts", optional3, int32Value, []int32{1, 2}, 1, 0, 2)
	nullCount.groups[0].def[3] = 2
	for name, test := range map[string]struct {
		columns []testColumn
		want    []string
	}{
		"negative": {[]testColumn{items, listColumnOf("counts", threeLevels, int32Value, []int32{1, 2, -3}, 1, 0, 2)},
			[]string{"row 3", `"counts"`, "-3 is negative"}},
		"zero": {[]testColumn{items, listColumnOf("counts", threeLevels, int64Value, []int64{1, 0, 3}, 1, 0, 2)},
			[]string{"row 3", "count 0"}},
		"large": {[]testColumn{items, listColumnOf("counts", threeLevels, int64Value, []int64{1, 2, 1 << 31}, 1, 0,
			2)}, []string{"row 3", "2147483648"}},
		"fractional": {[]testColumn{items, floats(2.5)}, []string{"row 3", "2.5 is not a whole number"}},
		"nan":        {[]testColumn{items, floats(math.NaN())}, []string{"row 3", "null or missing"}},
		"infinite":   {[]testColumn{items, floats(math.Inf(1))}, []string{"row 3", "Inf"}},
		"float zero": {[]testColumn{items, floats(0)}, []string{"row 3", "count 0"}},
		"huge float": {[]testColumn{items, floats(1e300)}, []string{"row 3", "greater than 2147483647"}},
		"shorter": {[]testColumn{items, listColumnOf("counts", threeLevels, int32Value, []int32{1, 2}, 1, 0, 1)},
			[]string{"row 3", "differ in length"}},
		"longer": {[]testColumn{items, listColumnOf("counts", threeLevels, int32Value, []int32{1, 2, 3, 4}, 2, 0, 2)},
			[]string{"row 1", "differ in length"}},
		"empty/one": {[]testColumn{items, listColumnOf("counts", threeLevels, int32Value, []int32{1, 2, 3, 4}, 1, 1, 2)},
			[]string{"row 2", "differ in length"}},
		"null item":  {[]testColumn{nulled}, []string{"row 3", `"items"`, "row group 1", "an item is null"}},
		"null count": {[]testColumn{items, nullCount}, []string{"row 3", `"counts"`, "a count is null"}},
		"empty item": {[]testColumn{listColumnOf("items", threeLevels, stringValue, []string{"a", ""}, 1, 1)},
			[]string{"row 2", "empty"}},
		"binary item": {[]testColumn{listColumnOf("items", threeLevels, stringValue, []string{"a", "\xff"}, 1, 1)},
			[]string{"row 2", "UTF-8"}},
		"overflow": {[]testColumn{listColumnOf("items", threeLevels, stringValue, []string{"a", "a"}, 0, 2),
			listColumnOf("counts", threeLevels, int32Value, []int32{math.MaxInt32, 1}, 0, 2)}, []string{"row 2",
			`"a"`, "add up"}},
		"large uint64": {[]testColumn{listColumnOf("items", threeLevels, physical(parquet.Types.Int64,
			schema.NewIntLogicalType(64, false)), []int64{1, -1}, 1, 1)}, []string{"row 2", "18446744073709551615"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), test.columns)
			_, err := collect(t, Options{}, path)
			wantError(t, err, path, test.want...)
		})
	}
}

func TestParquetColumns(t *testing.T) {
	strings := func(name string) testColumn { return listColumnOf(name, threeLevels, stringValue, []string{"a"}, 1) }
	numbers := func(name string) testColumn { return listColumnOf(name, threeLevels, int32Value, []int32{3}, 1) }
	floats := func(name string) testColumn {
		return listColumnOf(name, threeLevels, float32Value, []float32{0.5}, 1)
	}
	scalar := testColumn{int64Value("n", parquet.Repetitions.Required), []testChunk{{[]int64{1}, nil, nil}}}
	for name, test := range map[string]struct {
		columns []testColumn
		options Options
		want    string // the document, or what the error says
	}{
		"by name":        {[]testColumn{strings("tags2"), strings("items"), numbers("counts")}, Options{}, "a×3"},
		"any case":       {[]testColumn{strings("other"), strings("Words"), numbers("Count")}, Options{}, "a×3"},
		"lone strings":   {[]testColumn{strings("x")}, Options{}, "a×1"},
		"lone integers":  {[]testColumn{numbers("x")}, Options{}, "3×1"},
		"scalars beside": {[]testColumn{scalar, strings("x")}, Options{}, "a×1"},
		"floats beside":  {[]testColumn{strings("x"), floats("embedding")}, Options{}, "a×1"},
		"two integers":   {[]testColumn{numbers("item_ids"), numbers("quantities")}, Options{}, "3×3"},
		"given": {[]testColumn{strings("x"), strings("y"), numbers("z")}, Options{ItemsColumn: "y",
			CountsColumn: "z"}, "a×3"},
		"no counts":       {[]testColumn{strings("items"), numbers("counts")}, Options{CountsColumn: NoCounts}, "a×1"},
		"ambiguous items": {[]testColumn{strings("x"), strings("y")}, Options{}, `"x", "y"`},
		"ambiguous names": {[]testColumn{strings("items"), strings("words")}, Options{}, `"items", "words"`},
		"ambiguous counts": {[]testColumn{strings("items"), numbers("counts"), numbers("qty")}, Options{},
			`"counts", "qty"`},
		"counts or not":  {[]testColumn{strings("items"), numbers("z")}, Options{}, `"z" may be counts or not`},
		"none":           {[]testColumn{scalar}, Options{}, `no column holds items`},
		"missing items":  {[]testColumn{strings("x")}, Options{ItemsColumn: "y"}, `no column "y"; the columns are "x"`},
		"missing counts": {[]testColumn{strings("x")}, Options{CountsColumn: "y"}, `no column "y"`},
		"items of type":  {[]testColumn{scalar, strings("x")}, Options{ItemsColumn: "n"}, `"n" is not a list`},
		"counts of type": {[]testColumn{strings("x"), strings("y")}, Options{ItemsColumn: "x", CountsColumn: "y"},
			"is not a list of numbers"},
		"counts are strings": {[]testColumn{strings("items"), strings("counts")}, Options{},
			"looks like counts but is not a list of numbers"},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), test.columns)
			got, err := collect(t, test.options, path)
			if err != nil {
				wantError(t, err, path, test.want)
			} else if len(got) != 1 || len(got[0]) != 1 || got[0][0] != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
}

// TestParquetDamaged cuts and flips bytes of a shard: whatever happens, it must be an *Error or a success.
func TestParquetDamaged(t *testing.T) {
	long.Unwatched(t)
	items, counts := chunksOf(sample()[:300], 2, 0, 1, func(s []string) any { return s }, func(n []int32) any { return n })
	itemNode, _, _ := listOf("items", threeLevels, stringValue)
	countNode, _, _ := listOf("counts", threeLevels, int32Value)
	for name, codec := range map[string]compress.Compression{"none": compress.Codecs.Uncompressed,
		"zstd":   compress.Codecs.Zstd,
		"snappy": compress.Codecs.Snappy} {
		t.Run(name, func(t *testing.T) {
			path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), []testColumn{{itemNode, items},
				{countNode, counts}},
				parquet.WithCompression(codec))
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			failed := 0
			try := func(data []byte) {
				if err := os.WriteFile(path, data, 0o666); err != nil {
					t.Fatal(err)
				}
				if _, err := collect(t, Options{Format: Parquet}, path); err != nil {
					wantError(t, err, path)
					failed++
				}
			}
			for keep := 0; keep < len(whole); keep += 1 + len(whole)/50 {
				try(whole[:keep])
			}
			if failed < 50 {
				t.Error("a truncated file was read without an error")
			}
			for at := range whole {
				if at%31 != 0 && (at < len(whole)-600 || at%3 != 0) || !long.Tier() && at%5 > 0 {
					continue
				}
				data := append([]byte(nil), whole...)
				data[at] ^= byte(1 << (at % 8))
				try(data)
			}
		})
	}
}
