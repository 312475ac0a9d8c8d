package pages

import (
	"encoding/binary"
	"slices"
	"testing"
)

// FuzzHybrid decodes data as levels and as indices, at once and in pieces, which must agree.
func FuzzHybrid(f *testing.F) {
	f.Add([]byte{0x10, 0x01, 0x03, 0xaa}, uint8(1), uint16(16))
	f.Add([]byte{0x03, 0x88, 0xc6, 0xfa}, uint8(3), uint16(8))
	f.Add([]byte{0x03, 0x88}, uint8(2), uint16(4))
	f.Add([]byte{0x02, 0xff, 0xff, 0xff, 0xff}, uint8(32), uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, width uint8, count uint16) {
		w := int(width) % 33
		whole := make([]uint32, count)
		h := newHybrid(data, w)
		errWhole := thrown(func() { decode(&h, whole) })
		pieces := make([]uint32, count)
		h = newHybrid(data, w)
		var errPieces error
		for at := 0; at < len(pieces) && errPieces == nil; at += 7 {
			errPieces = thrown(func() { decode(&h, pieces[at:min(at+7, len(pieces))]) })
		}
		if (errWhole == nil) != (errPieces == nil) || errWhole == nil && !slices.Equal(whole, pieces) {
			t.Fatalf("at once %v, %v; in pieces %v, %v", whole, errWhole, pieces, errPieces)
		}
		for _, value := range whole {
			if uint64(value) >= 1<<w {
				t.Fatalf("%d has more than %d bits", value, w)
			}
		}
		if w > 8 {
			return
		}
		levels := make([]int16, count)
		h = newHybrid(data, w)
		if err := thrown(func() { decode(&h, levels) }); (err == nil) != (errWhole == nil) {
			t.Fatalf("as levels %v, as indices %v", err, errWhole)
		}
	})
}

// FuzzDelta decodes data as a sequence of packed differences and compares with a decoder that takes bit by bit.
func FuzzDelta(f *testing.F) {
	f.Add([]byte{128, 1, 4, 5, 14, 2, 0, 0, 0, 0})
	f.Add([]byte{8, 1, 9, 2, 1, 3, 0x88, 0xc6, 0xfa})
	f.Add([]byte{8, 1, 3, 2, 1, 64, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
		11, 12, 13, 14, 15,
		16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	f.Fuzz(func(t *testing.T, data []byte) {
		var d delta
		if thrown(func() { d, _ = newDelta(data) }) != nil || d.left > 1<<16 {
			return
		}
		want := naiveDelta(data)
		for i := range want {
			if got := d.next(); got != want[i] {
				t.Fatalf("value %d is %d; want %d", i, got, want[i])
			}
		}
		if thrown(func() { d.next() }) == nil {
			t.Fatal("there are values after the last")
		}
	})
}

// naiveDelta decodes a sequence that has been checked.
func naiveDelta(data []byte) (values []int64) {
	next := func() uint64 {
		value, n := binary.Uvarint(data)
		data = data[n:]
		return value
	}
	signed := func() int64 {
		value := next()
		return int64(value>>1) ^ -int64(value&1)
	}
	block, minis, total, value := int(next()), int(next()), int(next()), signed()
	for len(values) < total {
		if len(values) == 0 {
			values = append(values, value)
			continue
		}
		least := signed()
		widths := data[:minis]
		data = data[minis:]
		for _, width := range widths {
			for i := 0; i < block/minis && len(values) < total; i++ {
				difference := uint64(0)
				for bit := range int(width) {
					at := i*int(width) + bit
					difference |= uint64(data[at/8]>>(at%8)&1) << bit
				}
				value += least + int64(difference)
				values = append(values, value)
			}
			if len(values) == total {
				return values
			}
			data = data[block/minis*int(width)/8:]
		}
	}
	return values
}
