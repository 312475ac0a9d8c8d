// This file gives recommenders the pairs that a damaged or hostile file may hold.

package items

import (
	"encoding/binary"
	"math"
	"testing"

	"anchorage/matrix"
)

// hostile makes pairs of four items from bytes, 8 for each number: documents, then for every item its count,
// companions, weighted count and number of neighbours, then neighbours with their counts and weights. Missing numbers
// are 0.
func hostile(data []byte) *Pairs {
	next := func() uint64 {
		var word [8]byte
		data = data[copy(word[:], data):]
		return binary.LittleEndian.Uint64(word[:])
	}
	p := &Pairs{Documents: int64(next()), Offsets: []int64{0}}
	for range 4 {
		p.Counts, p.Companions = append(p.Counts, int64(next())), append(p.Companions, int64(next()))
		p.Weighted = append(p.Weighted, math.Float64frombits(next()))
		p.Offsets = append(p.Offsets, p.Offsets[len(p.Offsets)-1]+int64(next()%5)) // a table with negative sizes is not read
	}
	for len(data) > 0 {
		p.Others, p.Together = append(p.Others, int32(next())), append(p.Together, int32(next()))
		p.Weights = append(p.Weights, float32(math.Float64frombits(next())))
	}
	return p
}

// bytesOf is the inverse of hostile.
func bytesOf(numbers ...any) (data []byte) {
	for _, v := range numbers {
		switch v := v.(type) {
		case int:
			data = binary.LittleEndian.AppendUint64(data, uint64(v))
		case float64:
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
	}
	return data
}

// sound are pairs without fault: items 0 and 1 share 3 documents of 9; item 3 has no documents.
var sound = []any{9, 5, 3, 4.0, 1, 4, 3, 3.5, 1, 2, 0, 2.0, 0, 0, 0, 0.0, 0 /* pairs */, 1, 3, 2.5, 0, 3, 2.5}

// faults are changes of sound that Check must find, by the place of a number.
var faults = map[int]any{
	0: 4, 1: -5, 2: -3, 3: math.NaN(), 4: 2, 7: math.Inf(1), 9: 10, 10: 1 << 40, 11: -2.0, 14: 7, 15: 1.0,
	17: 4, 18: 6, 19: math.NaN(), 20: -1, 21: 0, 22: 4.0,
}

func TestCheckFindsFaults(t *testing.T) {
	if reason := hostile(bytesOf(sound...)).Check(); reason != "" {
		t.Fatalf("the sound pairs: %s", reason)
	}
	for at, value := range faults {
		changed := append([]any{}, sound...)
		changed[at] = value
		if hostile(bytesOf(changed...)).Check() == "" {
			t.Errorf("%v in place %d is not found", value, at)
		}
	}
	twice := append(append([]any{}, sound...), 0, 1, 1.0)
	twice[6], twice[8] = 4, 2 // companions and neighbours of item 1
	if reason := hostile(bytesOf(twice...)).Check(); reason != "has a neighbour of item 1 twice" {
		t.Errorf("an item with a neighbour twice: %q", reason)
	}
}

// FuzzPairs recommends by pairs that Check finds no fault with.
func FuzzPairs(f *testing.F) {
	f.Add(bytesOf(sound...))
	for at, value := range faults {
		changed := append([]any{}, sound...)
		changed[at] = value
		f.Add(bytesOf(changed...))
	}
	b := matrix.NewTall(4, 2)
	for i := range 4 {
		b.Row(i)[0], b.Row(i)[1] = 0.25, 0.25
	}
	topics := NewTopics(b, b, []float64{0.3, 0.2, 0.2, 0.3})
	f.Fuzz(func(t *testing.T, data []byte) {
		p := hostile(data)
		if p.Check() != "" {
			return
		}
		r := NewRecommender(p, topics, Setting{Pairs: 0.5, Topics: 0.5})
		for _, basket := range [][]int32{{0}, {3}, {2, 1}, {}} {
			for _, s := range r.Suggest(basket, nil, 4) {
				for _, v := range []float64{s.Score, s.Probability, s.Lift} {
					if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
						t.Fatalf("%+v goes with %v", s, basket)
					}
				}
			}
		}
	})
}
