package shard

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// TestColumnsOfTimes reads dates and timestamps as the names of documents, and as the items of a table with several
// rows per document.
func TestColumnsOfTimes(t *testing.T) {
	required := parquet.Repetitions.Required
	day := physical(parquet.Types.Int32, schema.DateLogicalType{})
	at := physical(parquet.Types.Int64, schema.NewTimestampLogicalType(true, schema.TimeUnitMicros))
	bags := listColumnOf("items", threeLevels, stringValue, []string{"a", "b", "c"}, 2, 1)
	perRow := writeParquet(t, filepath.Join(t.TempDir(), "rows.parquet"), []testColumn{bags,
		{day("day", required), []testChunk{{[]int32{19874, 19875}, nil, nil}}},
		{at("at", required), []testChunk{{[]int64{1717113600000000, 1717200000000000}, nil, nil}}}})
	long := writeParquet(t, filepath.Join(t.TempDir(), "long.parquet"), []testColumn{
		{stringValue("order_id", required), []testChunk{{[]string{"x", "x", "y"}, nil, nil}}},
		{stringValue("item_id", required), []testChunk{{[]string{"a", "b", "c"}, nil, nil}}},
		{day("day", required), []testChunk{{[]int32{19874, 19876, 19875}, nil, nil}}}})
	for _, test := range []struct {
		path string
		with func(Shard) Shard
		want string
	}{
		{perRow, func(s Shard) Shard { return s.WithNames("day") }, "19874: a b, 19875: c"},
		{perRow, func(s Shard) Shard { return s.WithNames("at") }, "1717113600000000: a b, 1717200000000000: c"},
		{long, func(s Shard) Shard { return s.WithNames("") }, "x: a b, y: c"},
		{long, func(s Shard) Shard { return s.WithNames("").WithItems("day") }, "x: 19874 19876, y: 19875"},
	} {
		shards, err := Discover(t.Context(), []string{test.path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		parts, err := test.with(shards[0]).Parts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, part := range parts {
			reader, err := Open(t.Context(), part)
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			var batch Batch
			if err := reader.Next(&batch); err != nil {
				t.Fatal(err)
			}
			for d := range batch.Documents() {
				text := string(batch.Names.ID(d)) + ":"
				for _, code := range batch.Items[batch.Offsets[d]:batch.Offsets[d+1]] {
					text += " " + string(batch.Dictionary.ID(int(code)))
				}
				found = append(found, text)
			}
		}
		if got := strings.Join(found, ", "); got != test.want {
			t.Errorf("%s: %q, want %q", filepath.Base(test.path), got, test.want)
		}
	}
}
