package items

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
)

// passOf is a pass over documents in runs of a few.
func passOf(docs *corpus.Documents, run int) corpus.Pass {
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		for first := 0; first < docs.Documents(); first += run {
			var part corpus.Documents
			for m := first; m < min(first+run, docs.Documents()); m++ {
				part.Append(docs.Row(m))
			}
			if err := fn(&part); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
}

// drawn returns documents of a small known model.
func drawn(documents int) *corpus.Documents {
	docs, _ := synth.Model{Items: 300, Topics: 6, Documents: documents, Seed: 3, Tokens: 12}.Draw()
	return docs
}

// plain counts pairs as the definition says.
func plain(docs *corpus.Documents, n, longest int) (c [][]int64, sums [][]float64, single, companions []int64) {
	c, sums, single, companions = make([][]int64, n), make([][]float64, n), make([]int64, n), make([]int64, n)
	for i := range c {
		c[i], sums[i] = make([]int64, n), make([]float64, n)
	}
	for m := range docs.Documents() {
		row, _ := docs.Row(m)
		if len(row) > longest {
			continue
		}
		for _, i := range row {
			single[i]++
			for _, j := range row {
				if i != j {
					c[i][j]++
					sums[i][j] += 1 / math.Sqrt(float64(len(row)-1))
					companions[i]++
				}
			}
		}
	}
	return c, sums, single, companions
}

func TestCountIsExact(t *testing.T) {
	docs := drawn(700)
	for _, longest := range []int{1000, 11} {
		for _, bytes := range []int64{1, 9_000, 1 << 30} {
			p, err := Count(t.Context(), passOf(docs, 90), 300, Options{Neighbours: All, MaxItems: longest, Bytes: bytes,
				Workers: 3})
			if err != nil {
				t.Fatal(err)
			}
			c, sums, single, companions := plain(docs, 300, longest)
			if !slices.Equal(p.Counts, single) || !slices.Equal(p.Companions, companions) {
				t.Fatalf("longest %d, %d bytes: counts of single items differ", longest, bytes)
			}
			for i := range 300 {
				others, together, weights := p.Row(i)
				left := slices.Clone(c[i])
				for x, j := range others {
					if int64(together[x]) != left[j] || left[j] == 0 {
						t.Fatalf("longest %d, %d bytes: c of %d and %d is %d, want %d", longest, bytes, i, j, together[x], left[j])
					}
					if math.Abs(float64(weights[x])-sums[i][j]) > 1e-6*sums[i][j] {
						t.Fatalf("longest %d, %d bytes: weight of %d and %d is %v, want %v", longest, bytes, i, j, weights[x], sums[i][j])
					}
					left[j] = 0
				}
				if slices.Max(left) > 0 {
					t.Fatalf("longest %d, %d bytes: row %d lacks neighbours", longest, bytes, i)
				}
			}
			if (p.Long.Documents > 0) != (longest == 11) || p.Documents+p.Long.Documents != int64(docs.Documents()) {
				t.Errorf("longest %d: %d documents counted and %+v left out", longest, p.Documents, p.Long)
			}
		}
	}
}

func TestStrongestAreKept(t *testing.T) {
	docs := drawn(700)
	all, err := Count(t.Context(), passOf(docs, 700), 300, Options{Neighbours: All})
	if err != nil {
		t.Fatal(err)
	}
	few, err := Count(t.Context(), passOf(docs, 700), 300, Options{Neighbours: 7})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		others, together, _ := all.Row(i)
		few, kept, _ := few.Row(i)
		if k := min(7, len(others)); !slices.Equal(others[:k], few) || !slices.Equal(together[:k], kept) {
			t.Fatalf("row %d keeps %v, want %v", i, few, others[:k])
		}
		for x := 1; x < len(others); x++ {
			a := Strength(int64(together[x-1]), all.Counts[others[x-1]])
			if b := Strength(int64(together[x]), all.Counts[others[x]]); b > a {
				t.Fatalf("row %d is not sorted by strength", i)
			}
		}
	}
}

func TestCountDoesNotDependOnTheMachine(t *testing.T) {
	docs := drawn(500)
	var want *Pairs
	for _, o := range []Options{{Workers: 1}, {Workers: 2}, {Workers: 5, Bytes: 5_000}} {
		for _, run := range []int{1, 64, 1000} {
			o.Neighbours = 9
			p, err := Count(t.Context(), passOf(docs, run), 300, o)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = p
			}
			if !reflect.DeepEqual(p, want) {
				t.Fatalf("%+v with runs of %d: other pairs", o, run)
			}
		}
	}
}

func TestBothDirections(t *testing.T) {
	p, err := Count(t.Context(), passOf(drawn(500), 100), 300, Options{Neighbours: 3})
	if err != nil {
		t.Fatal(err)
	}
	b := p.both()
	for i := range int32(300) {
		row, _, _ := b.Row(int(i))
		if !slices.IsSorted(row) || len(slices.Compact(slices.Clone(row))) < len(row) {
			t.Fatalf("row %d is %v", i, row)
		}
		others, together, _ := p.Row(int(i))
		for x, j := range others {
			if there, back := b.Together[b.place(i, j)], b.Together[b.place(j, i)]; there != together[x] || back != together[x] {
				t.Fatalf("%d and %d: %d and %d, want %d", i, j, there, back, together[x])
			}
		}
	}
}

// Blocks of rows take no more than the limit, unless a single row does, and together they are all rows. A limit half as
// large needs at most about twice as many.
func TestBlocksFollowTheLimit(t *testing.T) {
	p := &Pairs{Counts: make([]int64, 1000), Companions: make([]int64, 1000)}
	whole, largest := int64(0), int64(0)
	for i := range p.Counts {
		p.Counts[i], p.Companions[i] = int64(2000/(i+1)), int64(20000/(i+1)) // the first rows are arrays of 12 bytes per item
		size, list := p.bytes(i)
		if want := min(4*(p.Counts[i]+p.Companions[i]), 12*1000); size != want || list != (want < 12*1000) {
			t.Fatalf("row %d: %d bytes, a list: %v", i, size, list)
		}
		whole, largest = whole+size, max(largest, size)
	}
	for _, limit := range []int64{1, 5_000, 20_000, 100_000, whole - 1, whole, 1 << 40} {
		blocks := int64(0)
		for first := 0; first < 1000; blocks++ {
			b := p.block(first, limit)
			taken := int64(0)
			for _, r := range b.rows {
				taken += 4*int64(cap(r.list)+len(r.counts)) + 8*int64(len(r.sums))
			}
			if taken > limit && len(b.rows) > 1 || b.last != first+len(b.rows) || taken != b.ends[len(b.ends)-1] {
				t.Fatalf("limit %d: rows %d to %d take %d bytes", limit, first, b.last-1, taken)
			}
			first = b.last
		}
		if limit >= largest && blocks > 2*whole/limit+1 || limit >= whole && blocks != 1 {
			t.Errorf("limit %d: %d blocks for %d bytes", limit, blocks, whole)
		}
	}
}
