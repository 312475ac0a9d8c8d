package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"anchorage/corpus"
	"anchorage/shard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// entry is an item of a document by its id.
type entry struct {
	id    string
	count int32
}

// document is a document of a shard, with its entries in the shard's order.
type document []entry

// randomDocuments returns documents over about the given number of items, frequent and rare. Some documents are empty.
func randomDocuments(seed uint64, documents, items int) []document {
	random := rand.New(rand.NewPCG(seed, 1))
	zipf := rand.NewZipf(random, 1.3, 3, uint64(items-1))
	all := make([]document, documents)
	for m := range all {
		length := random.IntN(40)
		if random.IntN(20) == 0 {
			length = 300
		}
		seen := make(map[string]bool)
		for range length {
			id := fmt.Sprintf("item-%d", zipf.Uint64())
			if !seen[id] {
				seen[id] = true
				all[m] = append(all[m], entry{id, int32(1 + random.ExpFloat64())})
			}
		}
	}
	return all
}

// fakeShards cuts documents into shards of parts, of the given numbers of documents, read in batches of batch
// documents. The digest of shard i is "digest i".
type fakeShards struct {
	documents []document
	shard     int // documents of a shard
	part      int // documents of a part
	batch     int // documents of a batch

	failAt  map[int]error // errors in the place of documents
	filled  atomic.Int64  // batches filled so far
	opened  atomic.Int64  // readers opened and not closed
	started func(row int) // called before a batch is filled
}

func (f *fakeShards) inputs() []input {
	var inputs []input
	for start := 0; start < len(f.documents); start += f.shard {
		end := min(start+f.shard, len(f.documents))
		name := len(inputs)
		in := input{Shard: shard.Shard{Path: fmt.Sprintf("shard %d", name), Size: 1000}}
		in.digest = func(context.Context) (string, error) { return fmt.Sprintf("digest %d", name), nil }
		for from := start; from < end; from += f.part {
			to := min(from+f.part, end)
			in.parts = append(in.parts, func(ctx context.Context) (shard.Reader, error) {
				f.opened.Add(1)
				return &fakeReader{ctx: ctx, shards: f, row: from, end: to}, nil
			})
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// fakeReader reads documents row to end.
type fakeReader struct {
	ctx      context.Context
	shards   *fakeShards
	row, end int
}

func (r *fakeReader) Taken() int64 { return 0 }

func (r *fakeReader) Next(batch *shard.Batch) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.shards.started != nil {
		r.shards.started(r.row)
	}
	if r.row == r.end {
		return io.EOF
	}
	codes := make(map[string]int32)
	*batch = shard.Batch{ // what was there belongs to the reader, and scribbled buffers must not matter
		FirstRow: int64(r.row),
		Offsets:  append(batch.Offsets[:0], 0),
		Items:    batch.Items[:0],
		Counts:   batch.Counts[:0],
	}
	for last := min(r.row+r.shards.batch, r.end); r.row < last; r.row++ {
		if err := r.shards.failAt[r.row]; err != nil {
			return err
		}
		for _, e := range r.shards.documents[r.row] {
			code, ok := codes[e.id]
			if !ok {
				code = int32(len(codes))
				codes[e.id] = code
				batch.Dictionary.Append([]byte(e.id))
			}
			batch.Items = append(batch.Items, code)
			batch.Counts = append(batch.Counts, e.count)
		}
		batch.Offsets = append(batch.Offsets, int32(len(batch.Items)))
	}
	r.shards.filled.Add(1)
	return nil
}

func (r *fakeReader) Close() error {
	r.shards.opened.Add(-1)
	return nil
}

// collected holds all documents of a pass as one run.
type collected struct{ corpus.Documents }

func (c *collected) add(d *corpus.Documents) error {
	for m := range d.Documents() {
		c.Append(d.Row(m))
	}
	return nil
}

func (c *collected) equal(other *collected) bool {
	return slices.Equal(c.Offsets, other.Offsets) && slices.Equal(c.Items, other.Items) &&
		slices.Equal(c.Counts, other.Counts)
}

// sameCounts reports whether two vocabularies number the same items alike, with the same counts.
func sameCounts(a, b *corpus.Vocabulary) bool {
	return a.Fingerprint() == b.Fingerprint() && a.Counted == b.Counted &&
		slices.Equal(a.DocumentFrequency, b.DocumentFrequency) && slices.Equal(a.TermFrequency, b.TermFrequency)
}

// naive returns what Read must deliver: documents with items numbered by v, which grows if grow is set.
func naive(documents []document, v *corpus.Vocabulary, grow bool) (want collected, unknown corpus.Unknown) {
	want.Offsets = []int32{0}
	for _, document := range documents {
		var row []entry32
		for _, e := range document {
			index, ok := v.Lookup([]byte(e.id))
			if grow && !ok {
				index, ok = v.Intern([]byte(e.id)), true
			}
			if !ok {
				unknown.Entries++
				unknown.Tokens += int64(e.count)
				continue
			}
			v.DocumentFrequency[index]++
			v.TermFrequency[index] += int64(e.count)
			row = append(row, entry32{index, e.count})
		}
		slices.SortFunc(row, func(a, b entry32) int { return int(a.item) - int(b.item) })
		for _, e := range row {
			want.Items = append(want.Items, e.item)
			want.Counts = append(want.Counts, e.count)
		}
		want.Offsets = append(want.Offsets, int32(len(want.Items)))
	}
	v.Counted = true
	return want, unknown
}

// entry32 is an item of a document by its index.
type entry32 struct{ item, count int32 }

var errTest = errors.New("test error")

// sum returns the sum of counts.
func sum(counts []int32) (n int64) {
	for _, count := range counts {
		n += int64(count)
	}
	return n
}
