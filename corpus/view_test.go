package corpus

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomRows returns documents over items, some of them empty or of a single token.
func randomRows(seed uint64, documents, items int) *Documents {
	random := rand.New(rand.NewPCG(seed, 3))
	d := &Documents{Offsets: []int32{0}}
	for range documents {
		density := random.Float64() * random.Float64()
		for item := range items {
			if random.Float64() < density*20/float64(items) {
				d.Items = append(d.Items, int32(item))
				d.Counts = append(d.Counts, int32(1+random.ExpFloat64()*1.5))
			}
		}
		d.Offsets = append(d.Offsets, int32(len(d.Items)))
	}
	return d
}

// randomRemap returns a mapping that leaves out about a third of the items and shuffles the others.
func randomRemap(seed uint64, items int) []int32 {
	random := rand.New(rand.NewPCG(seed, 4))
	remap := make([]int32, items)
	for i, to := range random.Perm(items) {
		remap[i] = int32(to)
		if random.IntN(3) == 0 {
			remap[i] = -1
		}
	}
	return remap
}

// naiveView does what View.Apply does, one document at a time, on sorted pairs.
func naiveView(v View, src *Documents) (want Documents, dropped Dropped) {
	want.Offsets = []int32{0}
	for m := range src.Documents() {
		items, counts := src.Row(m)
		var row []entry32
		n := int64(0)
		for j, item := range items {
			if v.Remap != nil {
				item = v.Remap[item]
			}
			if item < 0 {
				dropped.ItemTokens += int64(counts[j])
				continue
			}
			row = append(row, entry32{item, counts[j]})
			n += int64(counts[j])
		}
		if n < 2 || len(row) < v.MinItems || n < int64(v.MinTokens) {
			dropped.DocumentTokens += n
			if n < 2 {
				dropped.NoPair++
			} else if len(row) < v.MinItems {
				dropped.FewItems++
			} else {
				dropped.FewTokens++
			}
			continue
		}
		slices.SortFunc(row, func(a, b entry32) int { return int(a.item) - int(b.item) })
		for _, e := range row {
			want.Items = append(want.Items, e.item)
			want.Counts = append(want.Counts, e.count)
		}
		want.Offsets = append(want.Offsets, int32(len(want.Items)))
	}
	return want, dropped
}

func TestViewAgainstTwin(t *testing.T) {
	var dst Documents // reused, as in a pass
	for seed := range uint64(4) {
		src := randomRows(seed, 300, 500)
		before := Documents{Offsets: slices.Clone(src.Offsets), Items: slices.Clone(src.Items),
			Counts: slices.Clone(src.Counts)}
		for _, v := range []View{
			{},
			{MinItems: 3, MinTokens: 5},
			{Remap: randomRemap(seed, 500)},
			{Remap: randomRemap(seed, 500), MinItems: 3, MinTokens: 9},
			{Remap: slices.Repeat([]int32{-1}, 500)},
		} {
			want, wantDropped := naiveView(v, src)
			dropped := v.Apply(&dst, src)
			if dropped != wantDropped || !sameDocuments(&dst, &want) {
				t.Fatalf("MinItems %d, MinTokens %d: %+v, want %+v", v.MinItems, v.MinTokens, dropped, wantDropped)
			}
			if int(dropped.Documents())+dst.Documents() != src.Documents() {
				t.Fatal("documents got lost")
			}
			if Tokens(dst.Counts)+dropped.ItemTokens+dropped.DocumentTokens != Tokens(src.Counts) {
				t.Fatal("tokens got lost")
			}
		}
		if !sameDocuments(src, &before) {
			t.Fatal("the source was modified")
		}
	}
}

func sameDocuments(a, b *Documents) bool {
	return slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Items, b.Items) && slices.Equal(a.Counts, b.Counts)
}

func BenchmarkViewApply(b *testing.B) {
	src := randomRows(1, 20000, 5000)
	view := View{Remap: randomRemap(1, 5000), MinItems: 3, MinTokens: 5}
	var dst Documents
	for b.Loop() {
		view.Apply(&dst, src)
	}
	b.ReportMetric(float64(b.N)*float64(src.Entries())/b.Elapsed().Seconds()/1e6, "Mentries/s")
}

// randomZipfRows returns documents of about length entries whose items follow a power law.
func randomZipfRows(seed uint64, documents, items, length int) *Documents {
	random := rand.New(rand.NewPCG(seed, 6))
	zipf := rand.NewZipf(random, 1.05, 20, uint64(items-1))
	d := &Documents{Offsets: []int32{0}}
	for range documents {
		count := make(map[int32]int32)
		for range length/2 + random.IntN(2*length) {
			count[int32(zipf.Uint64())]++
		}
		for _, item := range slices.Sorted(maps.Keys(count)) {
			d.Items = append(d.Items, item)
			d.Counts = append(d.Counts, count[item])
		}
		d.Offsets = append(d.Offsets, int32(len(d.Items)))
	}
	return d
}

// TestWatched wants a pass to tell how many documents it has delivered, from 0 to all that count.
func TestWatched(t *testing.T) {
	documents := make([]Document, 100)
	for i := range documents {
		documents[i] = Document{Items: []string{"a", "b", "c"}[:1+i%3]}
	}
	docs, err := FromDocuments(t.Context(), documents, Everything())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	for pass, total := range []int64{100, 66} { // at first it is not known how many count
		var told [][2]int64
		seen := int64(0)
		err := docs.Watched(func(done, total int64) { told = append(told, [2]int64{done, total}) })(t.Context(),
			func(d *Documents) error {
				seen += int64(d.Documents())
				return nil
			})
		last := len(told) - 1
		if err != nil || last < 1 || told[0] != [2]int64{0, total} || told[last] != [2]int64{66, total} || seen != 66 {
			t.Errorf("pass %d: %v, told %v, seen %d", pass+1, err, told, seen)
		}
	}
}
