package pages

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"anchorage/shard/fault"
	"anchorage/shard/internal/columns"
)

// thrown returns the error that f throws.
func thrown(f func()) error { return fault.Guard(func() error { f(); return nil }) }

// TestHybridAgainstTwin decodes numbers of every width, in every form and many lengths, at once and in pieces.
func TestHybridAgainstTwin(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	for width := 1; width <= 32; width++ {
		for _, n := range []int{0, 1, 7, 8, 9, 63, 64, 65, 1000} {
			values := make([]uint32, n)
			for i := range values {
				if values[i] = uint32(random.Uint64() & (1<<width - 1)); i > 0 && random.IntN(3) > 0 {
					values[i] = values[i-1]
				}
			}
			for form, encode := range map[string]func([]uint32, int) []byte{"runs": runLengths[uint32], "packed": packed[uint32],
				"mixed": mixed[uint32]} {
				data := encode(values, width)
				for _, piece := range []int{1, 3, 8, 17, n + 1} {
					h := newHybrid(data, width)
					got := make([]uint32, n)
					for at := 0; at < n; at += piece {
						decode(&h, got[at:min(at+piece, n)])
					}
					if !slices.Equal(got, values) {
						t.Fatalf("width %d, %d %s, in pieces of %d: other numbers", width, n, form, piece)
					}
				}
				if n > 0 {
					h := newHybrid(data[:len(data)-1], width)
					if thrown(func() { decode(&h, make([]uint32, n+8)) }) == nil {
						t.Errorf("width %d, %d %s: more numbers than there are", width, n, form)
					}
				}
			}
		}
	}
}

// TestDeltaAgainstTwin decodes integers whose differences take from 0 to 64 bits.
func TestDeltaAgainstTwin(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	for _, n := range []int{0, 1, 2, 32, 33, 34, 128, 129, 130, 1000} {
		for _, width := range []int{0, 1, 5, 31, 32, 33, 63, 64} {
			values := make([]int64, n)
			for i := range values {
				values[i] = int64(random.Uint64() & (1<<width - 1))
			}
			data := deltas(values)
			d, rest := newDelta(append(data, 1, 2, 3))
			if len(rest) != 3 {
				t.Fatalf("%d of %d bits: %d bytes after %d", n, width, len(rest), len(data))
			}
			for i, want := range values {
				if got := d.next(); got != want {
					t.Fatalf("%d of %d bits: number %d is %d; want %d", n, width, i, got, want)
				}
			}
			if thrown(func() { d.next() }) == nil {
				t.Errorf("%d of %d bits: there is one more", n, width)
			}
		}
	}
}

// physicalTest is a physical type: how a number is written plainly in it, and read back from a run.
type physicalTest struct {
	physical parquet.Type
	plain    func(v int) []byte
	got      func(c *ChunkReader, i int) int
}

func text(v int) string { return fmt.Sprint("value ", strings.Repeat("x", v%5), v) }

var physicalTests = []physicalTest{
	{parquet.Types.Int32, func(v int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(int32(v))) },
		func(c *ChunkReader, i int) int { return int(c.Numbers[i]) }},
	{parquet.Types.Int64, func(v int) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) },
		func(c *ChunkReader, i int) int { return int(c.Numbers[i]) }},
	{parquet.Types.Float, func(v int) []byte {
		return binary.LittleEndian.AppendUint32(nil,
			math.Float32bits(float32(v)))
	},
		func(c *ChunkReader, i int) int { return int(math.Float32frombits(uint32(c.Numbers[i]))) }},
	{parquet.Types.Double, func(v int) []byte {
		return binary.LittleEndian.AppendUint64(nil,
			math.Float64bits(float64(v)))
	},
		func(c *ChunkReader, i int) int { return int(math.Float64frombits(uint64(c.Numbers[i]))) }},
	{parquet.Types.ByteArray, func(v int) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(text(v)))), text(v)...)
	}, func(c *ChunkReader, i int) int {
		v, err := strconv.Atoi(strings.TrimLeft(strings.TrimPrefix(string(c.Bytes[i]), "value "), "x"))
		if err != nil || string(c.Bytes[i]) != text(v) {
			return -1
		}
		return v
	}},
}

// encodeValues writes numbers in an encoding; dictionaries hold 0 to 99, in front of everything.
func (p physicalTest) encodeValues(encoding parquet.Encoding, values []int) (data []byte) {
	switch encoding {
	case parquet.Encodings.RLEDict:
		var indices []uint32
		for _, v := range values {
			indices = append(indices, uint32(v))
		}
		return append([]byte{7}, mixed(indices, 7)...)
	case parquet.Encodings.DeltaBinaryPacked:
		var numbers []int64
		for _, v := range values {
			numbers = append(numbers, int64(v))
		}
		return deltas(numbers)
	case parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray:
		var prefixes, lengths []int64
		var rest []byte
		before := ""
		for _, v := range values {
			prefix := 0
			for encoding == parquet.Encodings.DeltaByteArray && prefix < min(len(before), len(text(v))) &&
				before[prefix] == text(v)[prefix] {
				prefix++
			}
			before = text(v)
			prefixes, lengths = append(prefixes, int64(prefix)), append(lengths, int64(len(before)-prefix))
			rest = append(rest, before[prefix:]...)
		}
		if encoding == parquet.Encodings.DeltaByteArray {
			data = deltas(prefixes)
		}
		return append(append(data, deltas(lengths)...), rest...)
	}
	for _, v := range values {
		data = append(data, p.plain(v)...)
	}
	return data
}

// encodings returns those that a type has.
func (p physicalTest) encodings() []parquet.Encoding {
	all := []parquet.Encoding{parquet.Encodings.Plain, parquet.Encodings.RLEDict}
	switch p.physical {
	case parquet.Types.Int32, parquet.Types.Int64:
		all = append(all, parquet.Encodings.DeltaBinaryPacked)
	case parquet.Types.ByteArray:
		all = append(all, parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray)
	}
	return all
}

// drawnLevels returns the levels of n entries of a column: of lists some null, some empty, some with null elements.
func drawnLevels(random *rand.Rand, n int, optional, list bool) (defs, reps []int16, values int) {
	for range n {
		def, rep := int16(0), int16(0)
		switch {
		case list:
			if def = int16(random.IntN(4)); def >= 2 && len(defs) > 0 && defs[len(defs)-1] >= 2 {
				rep = int16(random.IntN(2))
			}
		case optional:
			def = int16(min(random.IntN(3), 1))
		}
		defs, reps = append(defs, def), append(reps, rep)
		if list && def == 3 || !list && (!optional || def == 1) {
			values++
		}
	}
	if !list {
		reps = nil
	}
	if !list && !optional {
		defs = nil
	}
	return defs, reps, values
}

// TestChunksAgainstTwin decodes chunks of two pages in every type, encoding, nesting and page version.
func TestChunksAgainstTwin(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	for _, p := range physicalTests {
		for _, encoding := range p.encodings() {
			for _, nesting := range []string{"required", "optional", "list"} {
				for _, n := range []int{1, 8, 9, columns.RunValues - 1, columns.RunValues, columns.RunValues + 1, 10_000} {
					for version := 1; version <= 2; version++ {
						optional, list := nesting == "optional", nesting == "list"
						leaf := leafOf(p.physical, optional, list)
						data := []byte("PAR1")
						if encoding == parquet.Encodings.RLEDict {
							var body []byte
							for v := range 100 {
								body = append(body, p.plain(v)...)
							}
							data = append(data, dictionaryPage(100, body)...)
						}
						var allDefs, allReps []int16
						var all []int
						for range 2 {
							defs, reps, count := drawnLevels(random, n, optional, list)
							values := make([]int, count)
							for i := range values {
								values[i] = random.IntN(100)
							}
							data = append(data, page{version, encoding, defs, reps, n, leaf.MaxDefinitionLevel(), p.encodeValues(encoding,
								values)}.bytes()...)
							allDefs, allReps, all = append(allDefs, defs...), append(allReps, reps...), append(all, values...)
						}
						name := fmt.Sprint(p.physical, " ", encoding, " ", nesting, " ", n, " version ", version)
						checkChunk(t, name, p, NewChunkReader(leaf, new(Decompressor)), data, 2*n, allDefs, allReps, all)
					}
				}
			}
		}
	}
}

// checkChunk reads a chunk run by run and compares levels and values.
func checkChunk(t *testing.T, name string, p physicalTest, c *ChunkReader, data []byte, levels int, defs, reps []int16,
	values []int) {
	t.Helper()
	for _, keep := range []bool{false, true} {
		c.KeepIndices = keep
		c.Open(bytes.NewReader(data), Chunk{Start: 4, End: int64(len(data)), Values: int64(levels),
			codec: compress.Codecs.Uncompressed})
		at, value := 0, 0
		for {
			if err := c.Fill(); err != nil {
				t.Fatalf("%s: level %d: %v", name, at, err)
			}
			if c.N == 0 {
				break
			}
			if c.N > columns.RunValues || defs != nil && !slices.Equal(c.Def[:c.N], defs[at:at+c.N]) || reps != nil &&
				!slices.Equal(c.Rep[:c.N], reps[at:at+c.N]) {
				t.Fatalf("%s: the levels from %d to %d differ", name, at, at+c.N)
			}
			for i := range c.Present {
				got := 0
				if c.Coded {
					got = int(c.Indices[i])
				} else {
					got = p.got(c, i)
				}
				if got != values[value+i] {
					t.Fatalf("%s: value %d is %d, want %d", name, value+i, got, values[value+i])
				}
			}
			at, value = at+c.N, value+c.Present
		}
		if at != levels || value != len(values) {
			t.Fatalf("%s: %d levels and %d values, want %d and %d", name, at, value, levels, len(values))
		}
	}
}

// TestPageErrors holds chunks of hand-made bytes and what is said of them.
func TestPageErrors(t *testing.T) {
	ints := physicalTests[0]
	plain := func(n int) []byte {
		return page{1, parquet.Encodings.Plain, nil, nil, n, 0, ints.encodeValues(parquet.Encodings.Plain,
			make([]int, n))}.bytes()
	}
	coded := func(indices ...int) []byte {
		return page{1, parquet.Encodings.RLEDict, nil, nil, len(indices), 0, ints.encodeValues(parquet.Encodings.RLEDict,
			indices)}.bytes()
	}
	entries := dictionaryPage(2, append(ints.plain(5), ints.plain(6)...))
	header := func(kind, size, compressed int, inner ...int) []byte {
		w := newThrift().i32(1, kind).i32(2, size).i32(3, compressed)
		if inner != nil {
			w.begin(int16(inner[0]))
			for i, value := range inner[1:] {
				w.i32(int16(i+1), value)
			}
			w.end()
		}
		return append(w.data, 0)
	}
	for name, test := range map[string]struct {
		data   []byte
		levels int
		want   string
	}{
		"nothing":       {nil, 3, "the pages hold 0 values, the row group says 3"},
		"fewer":         {plain(2), 3, "the pages hold 2 values, the row group says 3"},
		"more":          {plain(4), 3, "more than the 3 values of the row group"},
		"one more page": {append(plain(3), plain(1)...), 3, "more than the 3 values of the row group"},
		"garbage":       {[]byte{0xff, 0xff, 0xff}, 3, "page header: the metadata"},
		"not described": {append(header(pageData, 4, 4), 1, 2, 3, 4), 3, "page header: the metadata are malformed"},
		"beyond the chunk": {header(pageData, 1000, 1000, 5, 3, 0, 3, 3), 3,
			"a page of 1000 bytes does not fit into the 0 bytes left"},
		"negative size": {header(pageData, -1, 0, 5, 3, 0, 3, 3), 3, "page header: the metadata are malformed"},
		"large": {header(pageData, maxPageBytes+1, 0, 5, 3, 0, 3, 3), 3,
			"after decompression; at most 268435456 are possible"},
		"many":               {header(pageData, 8, 0, 5, maxPageValues+1, 0, 3, 3), 1 << 30, "at most 16777216 are possible"},
		"large dictionary":   {header(pageDictionary, maxDictionaryPage+1, 0, 7, 3, 0), 3, "at most 67108864 are possible"},
		"crowded dictionary": {header(pageDictionary, 8, 0, 7, 3, 0), 3, "does not have the size"},
		"two dictionaries":   {append(bytes.Clone(entries), entries...), 3, "more than one dictionary"},
		"late dictionary":    {append(plain(1), entries...), 3, "one that does not come first"},
		"encoded dictionary": {append(header(pageDictionary, 8, 8, 7, 1, 5), make([]byte, 8)...), 3,
			"a dictionary has the encoding"},
		"no dictionary": {coded(0, 1), 2, "a dictionary that is not there"},
		"index": {append(bytes.Clone(entries), coded(0, 2)...), 2,
			"a page refers to value 2 of a dictionary that has 2"},
		"wide indices": {append(bytes.Clone(entries), page{1, parquet.Encodings.RLEDict, nil, nil, 2, 0, []byte{33, 4,
			0}}.bytes()...), 2, "the runs of a page are malformed"},
		"no indices": {append(bytes.Clone(entries), page{1, parquet.Encodings.RLEDict, nil, nil, 2, 0,
			nil}.bytes()...), 2, "malformed or end too early"},
		"short values": {page{1, parquet.Encodings.Plain, nil, nil, 3, 0, make([]byte, 11)}.bytes(), 3,
			"the values of a page end before its levels"},
		"unknown encoding": {page{1, parquet.Encoding(9), nil, nil, 3, 0, make([]byte, 12)}.bytes(), 3, "is not supported"},
		"strings as numbers": {page{1, parquet.Encodings.DeltaLengthByteArray, nil, nil, 1, 0, deltas([]int64{1})}.bytes(), 1,
			"does not apply to values of the type"},
		"size that lies": {append(header(pageData, 8, 4, 5, 2, 0, 3, 3), 1, 2, 3, 4), 2, errPageSize.Error()},
		"levels that lie": {append(append(newThrift().i32(1, pageDataV2).i32(2, 4).i32(3, 4).begin(8).i32(1, 1).i32(5,
			9).i32(6, 0).end().data, 0), 1, 2, 3, 4), 1,
			"the levels do not fit into their page"},
		"checksum": {append(append(newThrift().i32(1, pageData).i32(2, 4).i32(3, 4).i32(4, 77).begin(5).i32(1, 1).i32(2,
			0).i32(3, 3).i32(4, 3).end().data, 0), 1, 2, 3, 4), 1,
			"the checksum of a page is wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewChunkReader(leafOf(parquet.Types.Int32, false, false), new(Decompressor))
			data := append([]byte("PAR1"), test.data...)
			c.Open(bytes.NewReader(data), Chunk{Start: 4, End: int64(len(data)), Values: int64(test.levels),
				codec: compress.Codecs.Uncompressed})
			var err error
			for err == nil {
				if err = c.Fill(); err == nil && c.N == 0 {
					t.Fatal("no error")
				}
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestLevelErrors holds pages of lists whose levels are wrong.
func TestLevelErrors(t *testing.T) {
	leaf := leafOf(parquet.Types.Int32, true, true)
	v1 := func(encoding parquet.Encoding, body ...byte) []byte {
		w := newThrift().i32(1, pageData).i32(2, len(body)).i32(3, len(body)).begin(5).i32(1, 2).i32(2, 0).i32(3,
			int(encoding)).i32(4, int(encoding)).end()
		return append(append(w.data, 0), body...)
	}
	rle := parquet.Encodings.RLE
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"none":              {v1(rle), errLevels.Error()},
		"length":            {v1(rle, 9, 0, 0, 0, 4, 0), errLevels.Error()},
		"no run":            {v1(rle, 0, 0, 0, 0), errLevels.Error()},
		"empty run":         {v1(rle, 2, 0, 0, 0, 0, 0), errLevels.Error()},
		"short run":         {v1(rle, 2, 0, 0, 0, 2, 0), errLevels.Error()},
		"too large a level": {v1(rle, 2, 0, 0, 0, 4, 2, 2, 0, 0, 0, 4, 3), "malformed or end too early"},
		"no values":         {v1(rle, 2, 0, 0, 0, 4, 0, 2, 0, 0, 0, 4, 3), "the values of a page end before its levels"},
		"encoding":          {v1(parquet.Encodings.Plain, 0, 0), "of levels is not supported"},
		"old encoding":      {v1(parquet.Encodings.BitPacked), "of levels is not supported"},
	} {
		c := NewChunkReader(leaf, new(Decompressor))
		c.Open(bytes.NewReader(test.data), Chunk{End: int64(len(test.data)), Values: 2})
		if err := c.Fill(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
