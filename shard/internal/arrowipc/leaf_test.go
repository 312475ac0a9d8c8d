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

	"anchorage/shard/internal/roles"
)

// TestIntegerAt reads integers of every width, signed and not, at the edges of their ranges.
func TestIntegerAt(t *testing.T) {
	for _, width := range []int{1, 2, 4, 8} {
		for _, bits := range []uint64{0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, math.MaxInt64, 1 << 63, math.MaxUint64} {
			raw := binary.LittleEndian.AppendUint64(make([]byte, width), bits) // number 1, after another one
			low := bits & (math.MaxUint64 >> (64 - 8*width))
			signed := int64(low<<(64-8*width)) >> (64 - 8*width)
			if got, ok := integerAt(raw, 1, width, true); got != signed || !ok {
				t.Errorf("%#x in %d bytes, signed: %d, %v; want %d", bits, width, got, ok, signed)
			}
			if got, ok := integerAt(raw, 1, width, false); uint64(got) != low || ok != (low <= math.MaxInt64) {
				t.Errorf("%#x in %d bytes, unsigned: %d, %v; want %d", bits, width, got, ok, low)
			}
		}
	}
}

// packBuffer compresses a buffer as Arrow does: its size, then the data; codec arrowPlain within another codec is size -1.
func packBuffer(t *testing.T, codec int, data []byte, stored bool) []byte {
	t.Helper()
	if codec == arrowPlain || len(data) == 0 {
		return data
	}
	if stored {
		return append(binary.LittleEndian.AppendUint64(nil, math.MaxUint64), data...)
	}
	var packed bytes.Buffer
	packed.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
	if codec == arrowLZ4 {
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

// bodyOf returns a body of the given buffers.
func bodyOf(codec int, buffers ...[]byte) *arrowBody {
	var data []byte
	b := &arrowBody{codec: codec}
	for _, buffer := range buffers {
		b.buffers = append(b.buffers, arrowExtent{int64(len(data)), int64(len(buffer))})
		data = append(data, buffer...)
	}
	b.file, b.length = bytes.NewReader(data), int64(len(data))
	return b
}

// TestCursorAgainstSlice takes and skips bytes of buffers, compressed or not, and compares with a slice.
func TestCursorAgainstSlice(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	var c arrowCursor
	defer c.close()
	for _, size := range []int{0, 1, 7, 1000, windowBytes - 1, windowBytes, windowBytes + 1, 3*windowBytes + 5} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(random.IntN(4))
		}
		for _, codec := range []int{arrowPlain, arrowLZ4, arrowZstd} {
			for _, stored := range []bool{false, true} {
				name := fmt.Sprint(size, " bytes, codec ", codec, ", stored ", stored)
				if err := c.open(bodyOf(codec, packBuffer(t, codec, data, stored)), 0); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				at := 0
				for at < size {
					n := min(size-at, random.IntN(2*1000))
					if random.IntN(4) == 0 {
						n = min(size-at, random.IntN(windowBytes*5/4))
						if err := c.skip(int64(n)); err != nil {
							t.Fatalf("%s: skipping %d at %d: %v", name, n, at, err)
						}
					} else if got, err := c.take(n); err != nil || !bytes.Equal(got, data[at:at+n]) {
						t.Fatalf("%s: taking %d at %d: %v", name, n, at, err)
					}
					at += n
				}
				if _, err := c.take(1); err == nil {
					t.Errorf("%s: there is one more", name)
				}
				if err := c.open(bodyOf(codec, packBuffer(t, codec, data, stored)), 0); err != nil {
					t.Fatal(err)
				}
				if got, err := c.rest(int64(size)); err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s: the rest is %d bytes, %v", name, len(got), err)
				}
				if err := c.open(bodyOf(codec, packBuffer(t, codec, data, stored)), 0); err != nil {
					t.Fatal(err)
				}
				if _, err := c.rest(int64(size) - 1); err == nil && size > 0 {
					t.Errorf("%s: the rest is longer than the limit", name)
				}
			}
		}
	}
	if err := c.open(bodyOf(arrowPlain), 0); err == nil {
		t.Error("a buffer that is not there was opened")
	}
}

// TestCursorDamaged opens compressed buffers that lie.
func TestCursorDamaged(t *testing.T) {
	for name, test := range map[string]struct {
		codec int
		data  []byte
	}{
		"short":         {arrowZstd, []byte{1, 2, 3}},
		"negative":      {arrowZstd, append(binary.LittleEndian.AppendUint64(nil, 1<<63), 1, 2, 3)},
		"no zstd":       {arrowZstd, append(binary.LittleEndian.AppendUint64(nil, 100), "no zstd at all"...)},
		"no lz4":        {arrowLZ4, append(binary.LittleEndian.AppendUint64(nil, 100), "no lz4 at all"...)},
		"says too much": {arrowZstd, append(binary.LittleEndian.AppendUint64(nil, 100), packBuffer(t, arrowZstd, []byte("abc"), false)[8:]...)},
	} {
		var c arrowCursor
		err := c.open(bodyOf(test.codec, test.data), 0)
		if err == nil {
			_, err = c.take(50)
		}
		if err == nil {
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
			var b arrowBits
			nulls := int64(1)
			if !given {
				nulls = 0
			}
			if err := b.open(bodyOf(arrowPlain, bits), 0, nulls); err != nil {
				t.Fatal(err)
			}
			for at := 0; at < n; {
				switch random.IntN(3) {
				case 0:
					got, err := b.next()
					if err != nil || got != (want[at] || !given) {
						t.Fatalf("%d bits, given %v: bit %d is %v, %v", n, given, at, got, err)
					}
					at++
				case 1:
					step := min(n-at, random.IntN(40))
					if err := b.skip(int64(step)); err != nil {
						t.Fatal(err)
					}
					at += step
				default:
					step := min(n-at, random.IntN(3))
					all := true
					for i := at; i < at+step; i++ {
						all = all && (want[i] || !given)
					}
					if got, err := b.all(step); got != all || err != nil {
						t.Fatalf("%d bits, given %v: all of %d at %d: %v, %v", n, given, step, at, got, err)
					}
					if !all {
						at = n // the reader ends here
					}
					at += step
				}
			}
		}
	}
}

// TestKinds tells what types are read as.
func TestKinds(t *testing.T) {
	for name, test := range map[string]struct {
		field arrowField
		want  roles.Kind
	}{
		"utf8": {arrowField{typ: arrowUtf8}, roles.Bytes}, "view": {arrowField{typ: arrowBinaryView}, roles.Bytes}, "int8": {arrowField{typ: arrowInt, bits: 8, signed: true}, roles.Int},
		"uint64": {arrowField{typ: arrowInt, bits: 64}, roles.Uint}, "int7": {arrowField{typ: arrowInt, bits: 7}, roles.Other}, "float": {arrowField{typ: arrowFloat, float: arrowSinglePrecision}, roles.Float},
		"half": {arrowField{typ: arrowFloat}, roles.Other}, "list": {arrowField{typ: arrowList}, roles.Other}, "null": {arrowField{typ: arrowNull}, roles.Other},
		"dictionary": {arrowField{typ: arrowUtf8, dictionary: true, indexBits: 16}, roles.Bytes}, "odd dictionary": {arrowField{typ: arrowUtf8, dictionary: true, indexBits: 3}, roles.Other},
		"dictionary of floats": {arrowField{typ: arrowFloat, float: arrowDoublePrecision, dictionary: true, indexBits: 8}, roles.Other},
	} {
		if got := test.field.kind(); got != test.want {
			t.Errorf("%s: kind %d, want %d", name, got, test.want)
		}
	}
}

// TestTypeNames names types with their parts.
func TestTypeNames(t *testing.T) {
	for want, f := range map[string]arrowField{
		"int16": {typ: arrowInt, bits: 16, signed: true}, "uint8": {typ: arrowInt, bits: 8}, "float64": {typ: arrowFloat, float: 2}, "large_utf8": {typ: arrowLargeUtf8},
		"dictionary of utf8":            {typ: arrowUtf8, dictionary: true},
		"list<item int32>":              {typ: arrowList, children: []*arrowField{{name: "item", typ: arrowInt, bits: 32, signed: true}}},
		"map<entries struct<key utf8>>": {typ: arrowMap, children: []*arrowField{{name: "entries", typ: arrowStruct, children: []*arrowField{{name: "key", typ: arrowUtf8}}}}},
	} {
		if got := f.typeName(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for typ := uint8(1); typ <= arrowLastType; typ++ {
		if typeNames[typ] == "" {
			t.Errorf("type %d has no name", typ)
		}
	}
}

// TestPlaces finds the nodes and buffers of columns behind others of every type.
func TestPlaces(t *testing.T) {
	for name, test := range map[string]struct {
		before  arrowField
		version int16
		views   []int64
		want    arrowPlace
	}{
		"null": {arrowField{typ: arrowNull}, 4, nil, arrowPlace{1, 0, 0}}, "int": {arrowField{typ: arrowInt}, 4, nil, arrowPlace{1, 2, 0}},
		"text": {arrowField{typ: arrowUtf8}, 4, nil, arrowPlace{1, 3, 0}}, "dictionary": {arrowField{typ: arrowUtf8, dictionary: true}, 4, nil, arrowPlace{1, 2, 0}},
		"list":        {arrowField{typ: arrowList, children: []*arrowField{{ordinal: 1, typ: arrowUtf8}}}, 4, nil, arrowPlace{2, 5, 0}},
		"fixed list":  {arrowField{typ: arrowFixedSizeList, children: []*arrowField{{ordinal: 1, typ: arrowInt}}}, 4, nil, arrowPlace{2, 3, 0}},
		"views":       {arrowField{typ: arrowUtf8View}, 4, []int64{3}, arrowPlace{1, 5, 1}},
		"union":       {arrowField{typ: arrowUnion}, 4, nil, arrowPlace{1, 1, 0}},
		"old union":   {arrowField{typ: arrowUnion}, 3, nil, arrowPlace{1, 2, 0}},
		"dense union": {arrowField{typ: arrowUnion, dense: true}, 4, nil, arrowPlace{1, 2, 0}},
	} {
		count := 2 + len(test.before.children)
		schema := &ipcSchema{fields: []*arrowField{&test.before, {ordinal: count - 1, typ: arrowInt}}, count: count, version: test.version}
		body := &arrowBody{nodes: make([]arrowNode, count), buffers: make([]arrowExtent, test.want.buffer+2), views: test.views}
		places, err := placesOf(schema, body, nil)
		if err != nil || places[count-1] != test.want {
			t.Errorf("%s: %v, %v; want %v", name, places, err, test.want)
		}
		body.buffers = body.buffers[1:]
		if _, err := placesOf(schema, body, nil); err != errNodes {
			t.Errorf("%s: one buffer less: %v", name, err)
		}
	}
}
