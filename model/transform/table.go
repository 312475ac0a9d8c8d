// This file writes the table of a shard's documents.

package transform

import (
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anchorage/shard"
	"anchorage/shard/tablefile"
)

// The columns of a table of documents.
const (
	columnID            = "doc_id"
	columnMixture       = "mixture"
	columnTop           = "top_topic"
	columnDeviation     = "deviation"
	columnKnown         = "known_tokens"
	columnUnknown       = "unknown_tokens"
	columnLogLikelihood = "log_likelihood"
	columnTime          = "time"
)

// table is a table that is being written, with the columns of one row group.
type table struct {
	writer *tablefile.Writer
	base   string // name of the shard
	k      int
	timed  bool

	mixtures       []float32
	tops           []int32
	deviations     []float32
	known, unknown []int64
	logs           []float64

	names []byte
	ends  []int
	ids   []string
}

// newTable begins the table of a shard.
func newTable(w io.Writer, path string, k int, timed bool) (*table, error) {
	fields := []tablefile.Field{
		{Name: columnID, Type: tablefile.String}, {Name: columnMixture, Type: tablefile.Float32List, Width: k},
		{Name: columnTop, Type: tablefile.Int32},
		{Name: columnDeviation, Type: tablefile.Float32}, {Name: columnKnown, Type: tablefile.Int64},
		{Name: columnUnknown, Type: tablefile.Int64},
		{Name: columnLogLikelihood, Type: tablefile.Float64},
	}
	if timed {
		fields = append(fields, tablefile.Field{Name: columnTime, Type: tablefile.Int64})
	}
	writer, err := tablefile.NewWriter(w, fields)
	return &table{writer: writer, base: filepath.Base(path), k: k, timed: timed}, err
}

// write writes the row group of a batch.
func (t *table) write(b *batch) error {
	t.name(&b.Batch)
	columns := []any{t.ids, t.mixtures, t.tops, t.deviations, t.known, t.unknown, t.logs}
	if t.timed {
		columns = append(columns, b.times)
	}
	return t.writer.Write(columns...)
}

// name sets ids to the documents' own ids, and to the shard's name and the number of the row where there are none. All
// are parts of one string.
func (t *table) name(b *shard.Batch) {
	t.names, t.ends = t.names[:0], t.ends[:0]
	for d := range b.Documents() {
		before := len(t.names)
		if d < b.Names.Len() {
			t.names = append(t.names, b.Names.ID(d)...)
		}
		if len(t.names) == before {
			t.names = append(append(t.names, t.base...), ':')
			t.names = strconv.AppendInt(t.names, b.FirstRow+int64(d)+1, 10)
		}
		t.ends = append(t.ends, len(t.names))
	}
	all, start := string(t.names), 0
	t.ids = t.ids[:0]
	for _, end := range t.ends {
		t.ids = append(t.ids, strings.ToValidUTF8(all[start:end], "\uFFFD"))
		start = end
	}
}

// resize returns s with length n and undefined content, in new memory if its capacity is too small.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
