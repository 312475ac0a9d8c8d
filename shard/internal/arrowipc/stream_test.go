package arrowipc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/columns"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// The types of fields.
func intType(bits int32, signed bool) table {
	if signed {
		return table{bits, uint8(1)}
	}
	return table{bits}
}

// fieldTable returns a field of a schema.
func fieldTable(name string, typ uint8, detail table, children ...table) table {
	return table{name, uint8(1), typ, detail, nil, tables(children)}
}

func listField(name string, element table) table {
	return fieldTable(name, typeList, table{}, element)
}

func textField(name string) table  { return fieldTable(name, typeUtf8, table{}) }
func countField(name string) table { return fieldTable(name, typeInt, intType(32, true)) }

// schemaMessage and batchMessage return the metadata of messages.
func schemaMessage(fields ...table) []byte {
	return flat(table{int16(4), uint8(headerSchema), table{nil, tables(fields)}, int64(0)})
}

func batchMessage(rows int64, nodes, buffers structs, bodyLength int, compression table) []byte {
	header := table{rows, nodes, buffers}
	if compression != nil {
		header = append(header, compression)
	}
	return flat(table{int16(4), uint8(headerBatch), header, int64(bodyLength)})
}

// streamOf joins messages: metadata, then body, for each.
func streamOf(messages ...[]byte) (data []byte) {
	for i := 0; i < len(messages); i += 2 {
		meta := messages[i]
		for len(meta)%8 != 0 {
			meta = append(meta, 0)
		}
		data = binary.LittleEndian.AppendUint32(data, continuation)
		data = append(binary.LittleEndian.AppendUint32(data, uint32(len(meta))), meta...)
		data = append(data, messages[i+1]...)
	}
	return data
}

// batchOf returns a record batch whose body is made of the given buffers; nodes are pairs of a length and a number of
// nulls.
func batchOf(rows int64, nodes []int64, buffers ...[]byte) (message, body []byte) {
	var extents []int64
	for _, buffer := range buffers {
		extents = append(extents, int64(len(body)), int64(len(buffer)))
		body = append(body, buffer...)
	}
	return batchMessage(rows, pairsOf(nodes...), pairsOf(extents...), len(body), nil), body
}

func int32s(values ...int32) (data []byte) {
	for _, value := range values {
		data = binary.LittleEndian.AppendUint32(data, uint32(value))
	}
	return data
}

// itemsAndCounts is the usual schema, and good its batch of the documents a×1 bb×2, nothing, and a×3.
var itemsAndCounts = schemaMessage(listField("items", textField("item")), listField("counts", countField("item")))

func good() (message, body []byte) {
	return batchOf(3, []int64{3, 1, 3, 0, 3, 1, 3, 0}, []byte{0b101}, int32s(0, 2, 2, 3), nil, int32s(0, 1, 3, 4),
		[]byte("abba"),
		[]byte{0b101}, int32s(0, 2, 2, 3), nil, int32s(1, 2, 3))
}

// shardOf makes a file.
func shardOf(t *testing.T, data []byte, opts reading.Options) reading.Shard {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.arrow")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	o, err := access.LookUp(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return reading.Shard{Object: o, Options: opts}
}

// readDocuments reads all parts: "a×1 b×2".
func readDocuments(t *testing.T, in reading.Shard) (result []string, err error) {
	t.Helper()
	parts, err := columns.Parts(Load)(t.Context(), in)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		r, err := part.Open(access.NewWatch(context.Background()))
		if err != nil {
			return result, err
		}
		defer r.Close()
		var batch documents.Batch
		for {
			if err := r.Next(&batch); err == io.EOF {
				break
			} else if err != nil {
				return result, err
			}
			for d := range batch.Documents() {
				var entries []string
				for i := batch.Offsets[d]; i < batch.Offsets[d+1]; i++ {
					entries = append(entries, fmt.Sprintf("%s×%d", batch.Dictionary.ID(int(batch.Items[i])), batch.Counts[i]))
				}
				result = append(result, strings.Join(entries, " "))
			}
		}
	}
	return result, nil
}

// TestHandMadeStream reads messages of hand-made bytes, with every batch size.
func TestHandMadeStream(t *testing.T) {
	message, body := good()
	// A list that begins behind elements of no list, and ends before others.
	later, laterBody := batchOf(2, []int64{2, 0, 5, 0, 2, 0, 4, 0}, nil, int32s(1, 2, 4), nil, int32s(3, 5, 6, 7, 7, 9),
		[]byte("...xxyzzz"),
		nil, int32s(0, 1, 3), nil, int32s(7, 8, 9, 10))
	empty, emptyBody := batchOf(0, []int64{0, 0, 0, 0, 0, 0, 0, 0}, nil, nil, nil, nil, nil, nil, nil, nil, nil)
	first := []string{"a×1 bb×2", "", "a×3"}
	for name, test := range map[string]struct {
		data []byte
		want []string
	}{
		"schema only": {streamOf(itemsAndCounts, nil), nil},
		"one batch":   {streamOf(itemsAndCounts, nil, message, body), first},
		"end mark":    {append(streamOf(itemsAndCounts, nil, message, body), 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0), first},
		"old end":     {append(streamOf(itemsAndCounts, nil, message, body), 0, 0, 0, 0), first},
		"two batches": {streamOf(itemsAndCounts, nil, message, body, empty, emptyBody, message, body),
			append(slices.Clone(first), first...)},
		"no marks": {oldStream(itemsAndCounts, nil, message, body), first},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 2, 0} {
				got, err := readDocuments(t, shardOf(t, test.data, reading.Options{BatchEntries: size}))
				if err != nil || !slices.Equal(got, test.want) {
					t.Errorf("batches of %d: %q, %v", size, got, err)
				}
			}
		})
	}
	got, err := readDocuments(t, shardOf(t, streamOf(itemsAndCounts, nil, later, laterBody), reading.Options{}))
	if err == nil || !strings.Contains(err.Error(), "an item id is empty") || len(got) != 0 {
		t.Errorf("an empty item in the middle: %q, %v", got, err)
	}
}

// TestLongTexts reads strings that are longer together than a run's arena, with lists across runs, null lists that have
// elements, and null items.
func TestLongTexts(t *testing.T) {
	var items, counts, textEnds, ends []int32
	var text []byte
	var want []string
	textEnds, ends = append(textEnds, 0), append(ends, 0)
	lists := []byte{0}
	for d := range int32(3) { // the second list is null, and has elements nevertheless
		var document []string
		for i := range int32(20 + 10*d) {
			id := strings.Repeat(string(rune('a'+i%26)), 60_000) + fmt.Sprint(i)
			text, items = append(text, id...), append(items, i)
			textEnds, counts = append(textEnds, int32(len(text))), append(counts, i+1)
			document = append(document, fmt.Sprintf("%s×%d", id, i+1))
		}
		ends = append(ends, int32(len(items)))
		if d == 1 {
			want = append(want, "")
			continue
		}
		lists[0] |= 1 << d
		want = append(want, strings.Join(document, " "))
	}
	n := int64(len(items))
	message, body := batchOf(3, []int64{3, 1, n, 0, 3, 1, n, 0}, lists, int32s(ends...), nil, int32s(textEnds...), text,
		lists, int32s(ends...), nil, int32s(counts...))
	got, err := readDocuments(t, shardOf(t, streamOf(itemsAndCounts, nil, message, body), reading.Options{}))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d documents, %v", len(got), err)
	}
}

// oldStream joins messages as before version 0.15, without marks.
func oldStream(messages ...[]byte) (data []byte) {
	for i := 0; i < len(messages); i += 2 {
		data = append(append(binary.LittleEndian.AppendUint32(data, uint32(len(messages[i]))), messages[i]...),
			messages[i+1]...)
	}
	return data
}

// TestStreamErrors holds streams that cannot be read, or hold what no document may hold.
func TestStreamErrors(t *testing.T) {
	message, body := good()
	nodes := []int64{1, 0, 1, 0, 1, 0, 1, 0}
	one := func(change func(buffers [][]byte)) []byte {
		buffers := [][]byte{nil, int32s(0, 1), nil, int32s(0, 1), []byte("a"), nil, int32s(0, 1), nil, int32s(5)}
		change(buffers)
		message, body := batchOf(1, nodes, buffers...)
		return streamOf(itemsAndCounts, nil, message, body)
	}
	nulls := func(nodes []int64, at int) []byte {
		buffers := [][]byte{nil, int32s(0, 1), nil, int32s(0, 1), []byte("a"), nil, int32s(0, 1), nil, int32s(5)}
		buffers[at] = []byte{0}
		message, body := batchOf(1, nodes, buffers...)
		return streamOf(itemsAndCounts, nil, message, body)
	}
	raw := func(message []byte) []byte { return streamOf(itemsAndCounts, nil, message, nil) }
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":         {nil, "the Arrow stream has no schema"},
		"cut in a head":   {streamOf(itemsAndCounts, nil)[:6], "ends in the middle of a message"},
		"cut in metadata": {streamOf(itemsAndCounts, nil)[:40], "ends in the middle of a message"},
		"cut in a body":   {streamOf(itemsAndCounts, nil, message, body[:10]), "ends in the middle of a message"},
		"no schema first": {streamOf(message, body), "does not begin with a schema"},
		"second schema":   {streamOf(itemsAndCounts, nil, itemsAndCounts, nil), "has a second schema"},
		"big-endian": {streamOf(flat(table{int16(4), uint8(1), table{int16(1), tables{textField("a")}}, int64(0)}),
			nil), "big-endian"},
		"unknown type": {streamOf(schemaMessage(fieldTable("a", 99, table{})), nil),
			`column "a" has a type that is not known`},
		"no items":      {streamOf(schemaMessage(textField("a")), nil), "no column holds items"},
		"negative rows": {raw(batchMessage(-1, pairsOf(), pairsOf(), 0, nil)), "record batch 1: -1 rows"},
		"absurd rows":   {raw(batchMessage(1<<40, pairsOf(), pairsOf(), 0, nil)), "record batch 1: 1099511627776 rows"},
		"no nodes": {raw(batchMessage(1, pairsOf(), pairsOf(), 0, nil)),
			"record batch 1: the batch has fewer columns"},
		"long node": {raw(batchMessage(1, pairsOf(1<<50, 0), pairsOf(), 0, nil)),
			"rows or values cannot be in 0 bytes"},
		"no buffers": {raw(batchMessage(1, pairsOf(nodes...), pairsOf(), 0, nil)),
			"record batch 1: the batch has fewer columns than the schema"},
		"buffer outside": {raw(batchMessage(1, pairsOf(nodes...), pairsOf(0, 9), 0, nil)),
			"a buffer of 9 bytes at 0 is not within its body of 0 bytes"},
		"negative buffer": {raw(batchMessage(1, pairsOf(nodes...), pairsOf(-8, 8), 0, nil)), "is not within its body"},
		"compression": {raw(batchMessage(1, pairsOf(nodes...), pairsOf(), 0, table{uint8(7)})),
			"the compression is not known"},
		"short offsets":   {one(func(b [][]byte) { b[1] = int32s(0) }), "a buffer is shorter than its values"},
		"falling offsets": {one(func(b [][]byte) { b[1] = int32s(4, 0) }), "the offsets of lists or strings decrease"},
		"short text":      {one(func(b [][]byte) { b[3] = int32s(0, 2) }), "a buffer is shorter than its values"},
		"long id":         {one(func(b [][]byte) { b[3] = int32s(0, bag.MaxItemBytes+1) }), "a buffer is shorter than its values"},
		"two lengths": {one(func(b [][]byte) { b[6] = int32s(0, 0) }),
			"row 1: the lists of items and of counts differ in length"},
		"count 0":  {one(func(b [][]byte) { b[8] = int32s(0) }), `column "counts", row 1: count 0`},
		"count -1": {one(func(b [][]byte) { b[8] = int32s(-1) }), `count -1 is negative`},
		"binary": {one(func(b [][]byte) { b[4] = []byte{0xff} }),
			`column "items", row 1: item id "\xff" is not valid UTF-8`},
		"null item":   {nulls([]int64{1, 0, 1, 1, 1, 0, 1, 0}, 2), `column "items", row 1: an item is null`},
		"null count":  {nulls([]int64{1, 0, 1, 0, 1, 0, 1, 1}, 7), `column "counts", row 1: a count is null`},
		"null counts": {nulls([]int64{1, 0, 1, 0, 1, 1, 1, 0}, 5), `differ in length`},
	} {
		t.Run(name, func(t *testing.T) {
			in := shardOf(t, test.data, reading.Options{})
			_, err := readDocuments(t, in)
			var place *fault.Error
			if !errors.As(err, &place) || place.Path != in.Path || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestFileErrors holds files that are no Arrow files although they begin like one.
func TestFileErrors(t *testing.T) {
	file := func(footer []byte, length int) []byte {
		data := append([]byte("ARROW1\x00\x00"), footer...)
		return append(binary.LittleEndian.AppendUint32(data, uint32(length)), "ARROW1"...)
	}
	block := func(offset int64, meta int32, body int64) structs {
		s := structs{size: 24}
		s.data = binary.LittleEndian.AppendUint64(s.data, uint64(offset))
		s.data = binary.LittleEndian.AppendUint64(s.data, uint64(meta))
		s.data = binary.LittleEndian.AppendUint64(s.data, uint64(body))
		return s
	}
	schema := table{nil, tables{listField("items", textField("item"))}}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"short":       {[]byte("ARROW1"), "too short for Arrow"},
		"cut":         {append([]byte("ARROW1\x00\x00"), make([]byte, 40)...), "does not end like an Arrow file"},
		"long footer": {file(make([]byte, 8), 1000), "the footer cannot be read"},
		"negative":    {file(make([]byte, 8), -1), "the footer cannot be read"},
		"no schema":   {file(flat(table{int16(4)}), len(flat(table{int16(4)}))), "it has no schema"},
		"block outside": {file(flat(table{int16(4), schema, nil, block(1<<40, 8, 0)}),
			len(flat(table{int16(4), schema, nil, block(0, 0, 0)}))), "record batch 1: a message of 8 and 0 bytes"},
		"dictionary": {file(flat(table{int16(4), schema, block(8, -8, 0)}),
			len(flat(table{int16(4), schema, block(0, 0, 0)}))), "a message of -8 and 0 bytes"},
		"feather 1": {[]byte("FEA1...."), "Feather version 1"},
	} {
		t.Run(name, func(t *testing.T) {
			in := shardOf(t, test.data, reading.Options{})
			_, _, err := columns.Describe(Load)(t.Context(), in)
			for _, err := range []error{second(columns.Parts(Load)(t.Context(), in)), err} {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %q", err, test.want)
				}
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// TestBegins recognises Arrow by its first bytes.
func TestBegins(t *testing.T) {
	stream := streamOf(itemsAndCounts, nil)
	for head, want := range map[string]bool{"": false, "ARROW1": true, "ARROW": false, "FEA1xxxx": true,
		string(stream[:8]): true, string(stream[:7]): false,
		"\xff\xff\xff\xff\x00\x00\x00\x00": false, "\xff\xff\xff\xff\xff\xff\xff\xff": false,
		"\xff\xff\xff\xff\x00\x00\x00\x7f": false} {
		if got := Begins([]byte(head), int64(len(stream))); (got != "") != want {
			t.Errorf("%q: %q", head, got)
		}
	}
}

// TestDescribe checks columns, rows and what is read.
func TestDescribe(t *testing.T) {
	message, body := good()
	d, m, err := columns.Describe(Load)(t.Context(), shardOf(t, streamOf(itemsAndCounts, nil, message, body), reading.Options{}))
	if err != nil || d.Rows != 3 || d.Groups != 1 || m != (documents.Mapping{Items: "items", Counts: "counts"}) ||
		len(d.Columns) != 2 ||
		d.Columns[0] != (documents.Column{Name: "items", Type: "list<item utf8>"}) {
		t.Errorf("%+v, %v", d, err)
	}
	d, _, err = columns.Describe(Load)(t.Context(), shardOf(t, streamOf(itemsAndCounts, nil),
		reading.Options{Columns: roles.Names{Items: "x"}}))
	if fault.ReasonOf(err) != fault.ItemsUnfit || len(d.Columns) != 2 {
		t.Errorf("%+v, %v", d, err)
	}
}
