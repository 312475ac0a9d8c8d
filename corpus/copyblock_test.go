package corpus

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"
)

// encodeBlock returns the block of some documents, with room for slack.
func encodeBlock(d *Documents, number uint32) []byte {
	var encoder blockEncoder
	for m := range d.Documents() {
		encoder.add(d.Row(m))
	}
	b := bytes.Join(encoder.sections(number), nil)
	return append(b, make([]byte, slack)...)[:len(b)]
}

// seal sets the checksum of a block.
func seal(block []byte) {
	sum := crc32.Checksum(block[:blockHeaderSize-4], castagnoli)
	sum = crc32.Update(sum, castagnoli, block[blockHeaderSize:])
	binary.LittleEndian.PutUint32(block[blockHeaderSize-4:], sum)
}

func TestBlockRoundTrip(t *testing.T) {
	var d Documents // reused
	for seed := range uint64(50) {
		want := randomRows(seed, int(seed), 10+int(seed*seed*seed))
		block := encodeBlock(want, uint32(seed))
		if err := decodeBlock(&d, block, uint32(seed), 10+int64(seed*seed*seed)); err != nil {
			t.Fatal(err)
		}
		if !sameDocuments(&d, want) {
			t.Fatalf("seed %d: other documents", seed)
		}
		if len(want.Items) > 0 && decodeBlock(&d, block, uint32(seed), 5) == nil {
			t.Fatal("items that the corpus does not have are not seen")
		}
		if decodeBlock(&d, block, uint32(seed)+1, math.MaxInt32) == nil {
			t.Fatal("a block in another's place is not seen")
		}
	}
}

// TestBlockLies gives a block headers that claim far more than it holds, with a valid checksum.
func TestBlockLies(t *testing.T) {
	d := randomRows(1, 20, 100)
	for field := range 6 {
		for _, lie := range []uint32{0, 1, 1 << 16, math.MaxInt32, math.MaxUint32} {
			block := encodeBlock(d, 7)
			if binary.LittleEndian.Uint32(block[4*field:]) == lie {
				continue
			}
			binary.LittleEndian.PutUint32(block[4*field:], lie)
			seal(block)
			var got Documents
			if decodeBlock(&got, block, 7, 100) == nil {
				t.Errorf("field %d as %d is not seen", field, lie)
			}
			if cap(got.Items) > 2*len(block) || cap(got.Offsets) > 2*len(block) {
				t.Errorf("field %d as %d: room for %d entries from %d bytes", field, lie, cap(got.Items), len(block))
			}
		}
	}
}

// FuzzCopyBlock decodes arbitrary bytes with a valid checksum. Documents that are accepted must be valid, and must
// survive encoding and decoding.
func FuzzCopyBlock(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(encodeBlock(randomRows(seed, 5, 50), 0))
	}
	f.Add(encodeBlock(&Documents{Offsets: []int32{0, 1, 1, 3}, Items: []int32{1 << 30, 0, math.MaxInt32},
		Counts: []int32{9, math.MaxInt32, 1}}, 0))
	f.Fuzz(func(t *testing.T, block []byte) {
		block = append(bytes.Clone(block), make([]byte, slack)...)[:len(block)]
		if len(block) >= blockHeaderSize {
			seal(block)
		}
		const items = math.MaxInt32 + 1
		var d, again Documents
		if decodeBlock(&d, block, 0, items) != nil {
			return
		}
		if err := decodeBlock(&again, encodeBlock(&d, 3), 3, items); err != nil { // panics if documents are not in order
			t.Fatal(err)
		}
		if !sameDocuments(&d, &again) {
			t.Fatal("other documents")
		}
		if d.Entries() > len(block) || d.Documents() > len(block) {
			t.Fatal("more documents than bytes")
		}
	})
}

// benchmarkRows is a block of documents like those of text: about 100 distinct words of 200,000, a third of them more
// than once.
func benchmarkRows() *Documents { return randomZipfRows(1, 1300, 200000, 100) }

func BenchmarkDecodeBlock(b *testing.B) {
	d := benchmarkRows()
	block := encodeBlock(d, 0)
	var to Documents
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		if err := decodeBlock(&to, block, 0, 1<<31); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(d.Entries())/b.Elapsed().Seconds()/1e6, "Mentries/s")
	b.ReportMetric(float64(len(block))/float64(d.Entries()), "bytes/entry")
}

func BenchmarkEncodeBlock(b *testing.B) {
	d := benchmarkRows()
	var encoder blockEncoder
	for b.Loop() {
		encoder.reset()
		for m := range d.Documents() {
			encoder.add(d.Row(m))
		}
		encoder.sections(0)
	}
	b.ReportMetric(float64(b.N)*float64(d.Entries())/b.Elapsed().Seconds()/1e6, "Mentries/s")
}

func BenchmarkPass(b *testing.B) {
	rows := benchmarkRows()
	var all Documents
	all.reset(0)
	for range 20 {
		for m := range rows.Documents() {
			all.Append(rows.Row(m))
		}
	}
	c := openCopy(b, writeCopy(b, &all, all.Documents()))
	remap := randomRemap(1, 200000)
	for _, test := range []struct {
		name string
		view *View
	}{{"plain", nil}, {"view", &View{MinItems: 3, MinTokens: 5}}, {"remap", &View{Remap: remap, MinItems: 3,
		MinTokens: 5}}} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Pass(context.Background(), 0, test.view, func(*Documents) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(all.Entries())/b.Elapsed().Seconds()/1e6, "Mentries/s")
		})
	}
}
