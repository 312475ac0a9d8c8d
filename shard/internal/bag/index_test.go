package bag

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"anchorage/shard/documents"
)

// TestIndexAgainstMap enters and finds ids over several batches of very different sizes.
func TestIndexAgainstMap(t *testing.T) {
	var x Index
	for _, size := range []int{0, 1, 5, minIndexSlots/2 - 1, minIndexSlots / 2, minIndexSlots/2 + 1, 20_000, 3, 3, 3, 3,
		3, 3, 3, 700} {
		x.reset()
		var ids documents.Dictionary
		known := make(map[string]int32)
		random := rand.New(rand.NewPCG(uint64(size), 1))
		for range 2 * size {
			id := strconv.Itoa(random.IntN(size + 1))
			place, code := x.Find([]byte(id), &ids)
			want, there := known[id]
			if there != (code >= 0) || there && code != want {
				t.Fatalf("size %d: id %s has code %d, want %d, %v", size, id, code, want, there)
			}
			if !there {
				known[id] = int32(ids.Len())
				x.Insert(place, int32(ids.Len()))
				ids.Append([]byte(id))
			}
		}
		if x.used != len(known) || 2*x.used > len(x.slots) && size > 0 {
			t.Fatalf("size %d: %d used of %d slots for %d ids", size, x.used, len(x.slots), len(known))
		}
	}
	if len(x.slots) > 4*minIndexSlots {
		t.Errorf("the table still has %d slots long after a large batch", len(x.slots))
	}
}

// TestNumberIndexAgainstMap does the same with numbers, small and large, negative and extreme.
func TestNumberIndexAgainstMap(t *testing.T) {
	special := []int64{0, 1, minIndexSlots - 1, minIndexSlots, smallNumbers - 1, smallNumbers, smallNumbers + 1,
		-1, math.MinInt64,
		math.MaxInt64, 1 << 40, -1 << 40}
	var x numberIndex
	for _, size := range []int{0, 10, 3000, 20, 20, 20} {
		x.reset()
		known := make(map[int64]int32)
		random := rand.New(rand.NewPCG(uint64(size), 2))
		for i := range 2*size + len(special) {
			number := int64(random.IntN(size+1)) * 1009
			if random.IntN(3) == 0 {
				number += smallNumbers
			}
			if i < len(special) {
				number = special[i]
			}
			code := x.find(number)
			want, there := known[number]
			if there != (code >= 0) || there && code != want {
				t.Fatalf("size %d: number %d has code %d, want %d, %v", size, number, code, want, there)
			}
			if !there {
				known[number] = int32(len(known))
				x.insert(number, known[number])
			}
		}
		for number, want := range known {
			if code := x.find(number); code != want {
				t.Fatalf("size %d: number %d has code %d at the end, want %d", size, number, code, want)
			}
		}
	}
}

// TestCodes checks that codes are forgotten at once, and remembered until then.
func TestCodes(t *testing.T) {
	var c Codes
	c.Forget()
	known := func(index uint32) bool { return c.Known[index] >= c.Base }
	for round := range 5 {
		c.Grow(10 * (round + 1))
		for index := range uint32(10 * (round + 1)) {
			if known(index) {
				t.Fatalf("round %d: index %d has a code already", round, index)
			}
		}
		for index := range uint32(10) {
			c.Set(index, int32(100-index))
		}
		for index := range uint32(10) {
			if got := int32(c.Known[index] - c.Base); !known(index) || got != int32(100-index) {
				t.Fatalf("round %d: index %d has code %d", round, index, got)
			}
		}
		c.Grow(3)
		if len(c.Known) != 10*(round+1) {
			t.Fatalf("the table shrank to %d", len(c.Known))
		}
		c.Forget()
	}
	c.used = math.MaxUint32 - MaxDictionaryBytes
	c.Forget()
	if c.Base != 1 || known(0) {
		t.Errorf("base %d after wrapping around; index 0 known: %v", c.Base, known(0))
	}
}

func TestShrunk(t *testing.T) {
	for _, test := range []struct{ slots, used, want int }{
		{minIndexSlots, 0, minIndexSlots}, {2 * minIndexSlots, 0, minIndexSlots}, {1 << 20, 1 << 16, 1 << 20}, {1 << 20,
			1<<16 - 1, 1 << 19},
	} {
		t.Run(fmt.Sprint(test.slots, " ", test.used), func(t *testing.T) {
			if got := shrunk(test.slots, test.used); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}
