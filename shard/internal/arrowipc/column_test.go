package arrowipc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"anchorage/shard/fault"
	"anchorage/shard/internal/roles"
)

// TestInteger reads integers of every width, signed and not, at the edges of their ranges.
func TestInteger(t *testing.T) {
	for _, width := range []int{1, 2, 4, 8} {
		for _, bits := range []uint64{0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
			math.MaxInt64, 1 << 63, math.MaxUint64} {
			raw := binary.LittleEndian.AppendUint64(nil, bits)
			low := bits & (math.MaxUint64 >> (64 - 8*width))
			signed := int64(low<<(64-8*width)) >> (64 - 8*width)
			v := values{width: width}
			if got := v.integer(raw, true); got != signed {
				t.Errorf("%#x in %d bytes, signed: %d; want %d", bits, width, got, signed)
			}
			if got := v.integer(raw, false); uint64(got) != low {
				t.Errorf("%#x in %d bytes, unsigned: %d; want %d", bits, width, got, low)
			}
		}
	}
}

// packBuffer compresses a buffer as Arrow does: its size, then the data; codec codecPlain within another codec is size
// -1.
func packBuffer(t *testing.T, codec int, data []byte, stored bool) []byte {
	t.Helper()
	if codec == codecPlain || len(data) == 0 {
		return data
	}
	if stored {
		return append(binary.LittleEndian.AppendUint64(nil, math.MaxUint64), data...)
	}
	var packed bytes.Buffer
	packed.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
	if codec == codecLZ4 {
		w := lz4.NewWriter(&packed)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return packed.Bytes()
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	return encoder.EncodeAll(data, packed.Bytes())
}

// thrown returns the error that f throws.
func thrown(f func()) error { return fault.Guard(func() error { f(); return nil }) }

// bodyOf returns a body of the given buffers.
func bodyOf(codec int, buffers ...[]byte) *messageBody {
	var data []byte
	b := &messageBody{codec: codec}
	for _, buffer := range buffers {
		b.buffers = append(b.buffers, bufferExtent{int64(len(data)), int64(len(buffer))})
		data = append(data, buffer...)
	}
	b.file, b.length = bytes.NewReader(data), int64(len(data))
	return b
}

// TestCursorAgainstSlice takes and skips bytes of buffers, compressed or not, and compares with a slice.
func TestCursorAgainstSlice(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	var c bufferCursor
	defer c.close()
	for _, size := range []int{0, 1, 7, 1000, windowBytes - 1, windowBytes, windowBytes + 1, 3*windowBytes + 5} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(random.IntN(4))
		}
		for _, codec := range []int{codecPlain, codecLZ4, codecZstd} {
			for _, stored := range []bool{false, true} {
				name := fmt.Sprint(size, " bytes, codec ", codec, ", stored ", stored)
				c.open(bodyOf(codec, packBuffer(t, codec, data, stored)), 0)
				at := 0
				for at < size {
					n := min(size-at, random.IntN(2*1000))
					if random.IntN(4) == 0 {
						n = min(size-at, random.IntN(windowBytes*5/4))
						c.skip(int64(n))
					} else if !bytes.Equal(c.take(n), data[at:at+n]) {
						t.Fatalf("%s: taking %d at %d", name, n, at)
					}
					at += n
				}
				if thrown(func() { c.take(1) }) == nil {
					t.Errorf("%s: there is one more", name)
				}
				c.open(bodyOf(codec, packBuffer(t, codec, data, stored)), 0)
				if got := c.rest(int64(size)); !bytes.Equal(got, data) {
					t.Errorf("%s: the rest is %d bytes", name, len(got))
				}
				c.open(bodyOf(codec, packBuffer(t, codec, data, stored)), 0)
				if thrown(func() { c.rest(int64(size) - 1) }) == nil && size > 0 {
					t.Errorf("%s: the rest is longer than the limit", name)
				}
			}
		}
	}
	if thrown(func() { c.open(bodyOf(codecPlain), 0) }) == nil {
		t.Error("a buffer that is not there was opened")
	}
}

// TestCursorDamaged opens compressed buffers that lie.
func TestCursorDamaged(t *testing.T) {
	for name, test := range map[string]struct {
		codec int
		data  []byte
	}{
		"short":    {codecZstd, []byte{1, 2, 3}},
		"negative": {codecZstd, append(binary.LittleEndian.AppendUint64(nil, 1<<63), 1, 2, 3)},
		"no zstd":  {codecZstd, append(binary.LittleEndian.AppendUint64(nil, 100), "no zstd at all"...)},
		"no lz4":   {codecLZ4, append(binary.LittleEndian.AppendUint64(nil, 100), "no lz4 at all"...)},
		"says too much": {codecZstd, append(binary.LittleEndian.AppendUint64(nil, 100), packBuffer(t, codecZstd,
			[]byte("abc"), false)[8:]...)},
	} {
		var c bufferCursor
		if thrown(func() {
			c.open(bodyOf(test.codec, test.data), 0)
			c.take(50)
		}) == nil {
			t.Errorf("%s: no error", name)
		}
		c.close()
	}
}

// TestBitsAgainstSlice takes and skips bits, and compares with a slice of booleans.
func TestBitsAgainstSlice(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{0, 1, 7, 8, 9, 100, 5000} {
		bits := make([]byte, (n+7)/8)
		want := make([]bool, n)
		for i := range want {
			if want[i] = random.IntN(3) > 0; want[i] {
				bits[i/8] |= 1 << (i % 8)
			}
		}
		for _, given := range []bool{true, false} {
			var b validity
			nulls := int64(1)
			if !given {
				nulls = 0
			}
			body := bodyOf(codecPlain, bits)
			body.nodes = []nodeLength{{length: int64(n), nulls: nulls}}
			b.begin(body, fieldPlace{})
			for at := 0; at < n; {
				switch random.IntN(3) {
				case 0:
					if got := b.next(); got != (want[at] || !given) {
						t.Fatalf("%d bits, given %v: bit %d is %v", n, given, at, got)
					}
					at++
				case 1:
					step := min(n-at, random.IntN(40))
					b.skip(int64(step))
					at += step
				default:
					step := min(n-at, random.IntN(40))
					levels := make([]int16, step)
					b.mark(levels, 2)
					for i, level := range levels {
						if (level == 2) != (want[at+i] || !given) {
							t.Fatalf("%d bits, given %v: the level of bit %d is %d", n, given, at+i, level)
						}
					}
					at += step
				}
			}
		}
	}
}

// TestKinds checks what types are read as.
func TestKinds(t *testing.T) {
	for name, test := range map[string]struct {
		field schemaField
		want  roles.Kind
	}{
		"utf8": {schemaField{typ: typeUtf8}, roles.Bytes}, "view": {schemaField{typ: typeBinaryView}, roles.Bytes},
		"int8":   {schemaField{typ: typeInt, bits: 8, signed: true}, roles.Int},
		"uint64": {schemaField{typ: typeInt, bits: 64}, roles.Uint}, "int7": {schemaField{typ: typeInt, bits: 7},
			roles.Other}, "float": {schemaField{typ: typeFloat, float: singlePrecision}, roles.Float},
		"half": {schemaField{typ: typeFloat}, roles.Other}, "list": {schemaField{typ: typeList}, roles.Other},
		"null":           {schemaField{typ: typeNull}, roles.Other},
		"dictionary":     {schemaField{typ: typeUtf8, dictionary: true, indexBits: 16}, roles.Bytes},
		"odd dictionary": {schemaField{typ: typeUtf8, dictionary: true, indexBits: 3}, roles.Other},
		"dictionary of floats": {schemaField{typ: typeFloat, float: doublePrecision, dictionary: true,
			indexBits: 8}, roles.Other},
	} {
		if got := test.field.kind(); got != test.want {
			t.Errorf("%s: kind %d, want %d", name, got, test.want)
		}
	}
}

// TestTypeNames names types with their parts.
func TestTypeNames(t *testing.T) {
	for want, f := range map[string]schemaField{
		"int16": {typ: typeInt, bits: 16, signed: true}, "uint8": {typ: typeInt, bits: 8}, "float64": {typ: typeFloat,
			float: 2}, "large_utf8": {typ: typeLargeUtf8},
		"dictionary of utf8": {typ: typeUtf8, dictionary: true},
		"list<item int32>": {typ: typeList, children: []*schemaField{{name: "item", typ: typeInt, bits: 32,
			signed: true}}},
		"map<entries struct<key utf8>>": {typ: typeMap, children: []*schemaField{{name: "entries", typ: typeStruct,
			children: []*schemaField{{name: "key", typ: typeUtf8}}}}},
	} {
		if got := f.typeName(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for typ := uint8(1); typ <= lastType; typ++ {
		if typeNames[typ] == "" {
			t.Errorf("type %d has no name", typ)
		}
	}
}

// TestPlaces finds the nodes and buffers of columns behind others of every type.
func TestPlaces(t *testing.T) {
	for name, test := range map[string]struct {
		before  schemaField
		version int16
		views   []int64
		want    fieldPlace
	}{
		"null": {schemaField{typ: typeNull}, 4, nil, fieldPlace{1, 0, 0}}, "int": {schemaField{typ: typeInt}, 4, nil,
			fieldPlace{1, 2, 0}},
		"text":       {schemaField{typ: typeUtf8}, 4, nil, fieldPlace{1, 3, 0}},
		"dictionary": {schemaField{typ: typeUtf8, dictionary: true}, 4, nil, fieldPlace{1, 2, 0}},
		"list": {schemaField{typ: typeList, children: []*schemaField{{ordinal: 1, typ: typeUtf8}}}, 4, nil,
			fieldPlace{2, 5, 0}},
		"fixed list": {schemaField{typ: typeFixedSizeList, children: []*schemaField{{ordinal: 1, typ: typeInt}}}, 4, nil,
			fieldPlace{2, 3, 0}},
		"views":       {schemaField{typ: typeUtf8View}, 4, []int64{3}, fieldPlace{1, 5, 1}},
		"union":       {schemaField{typ: typeUnion}, 4, nil, fieldPlace{1, 1, 0}},
		"old union":   {schemaField{typ: typeUnion}, 3, nil, fieldPlace{1, 2, 0}},
		"dense union": {schemaField{typ: typeUnion, dense: true}, 4, nil, fieldPlace{1, 2, 0}},
	} {
		count := 2 + len(test.before.children)
		schema := &fileSchema{fields: []*schemaField{&test.before, {ordinal: count - 1, typ: typeInt}}, count: count,
			version: test.version}
		body := &messageBody{nodes: make([]nodeLength, count), buffers: make([]bufferExtent, test.want.buffer+2),
			views: test.views}
		places := placesOf(schema, body, nil)
		if places[count-1] != test.want {
			t.Errorf("%s: %v; want %v", name, places, test.want)
		}
		body.buffers = body.buffers[1:]
		if err := thrown(func() { placesOf(schema, body, nil) }); err != errNodes {
			t.Errorf("%s: one buffer less: %v", name, err)
		}
	}
}
