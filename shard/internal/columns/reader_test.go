package columns

import (
	"math"
	"strings"
	"testing"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// TestFail checks that an error says where the row under construction is.
func TestFail(t *testing.T) {
	r := &reader{walk: walk{part: groupRun{&table{in: reading.Shard{Object: access.Object{Path: "x.parquet"}},
		groups: []Group{{Number: 4, FirstRow: 10}}}, 0, 1}, inside: true, row: 2}}
	if got, want := r.fail("items", fault.Guard(func() error { panic("boom") })).Error(),
		`x.parquet, row group 4, column "items", row 13: the decoder gave up on malformed data (boom)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestColumnCount reads counts of every type as integers.
func TestColumnCount(t *testing.T) {
	c := Column{Run: &Run{Numbers: []int64{5, -1}}, Leaf: &Leaf{Kind: roles.Int}}
	for i, want := range []int32{5, 0} {
		if got, err := c.count(&bag.Counter{Rule: documents.CountRule{DropNegative: true}}, i); got != want || err != nil {
			t.Errorf("int32: %d, %v", got, err)
		}
	}
	for name, test := range map[string]struct {
		width int
		bits  uint64
		want  string
	}{
		"float":  {4, uint64(math.Float32bits(1.5)), "not a whole number"},
		"double": {8, math.Float64bits(1e300), "greater than 2147483647"},
	} {
		c := Column{Run: &Run{Numbers: []int64{int64(test.bits)}}, Leaf: &Leaf{Kind: roles.Float, Narrow: test.width == 4}}
		if got, err := c.count(new(bag.Counter), 0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %d, %v", name, got, err)
		}
	}
	whole := Column{Run: &Run{N: 3, Present: 3}}
	if !whole.complete(3) {
		t.Error("a run in which all values are there is not complete")
	}
	part := Column{Run: &Run{N: 4, Present: 3, Def: []int16{1, 1, 0, 1}}, Leaf: &Leaf{Most: 1}}
	for pos, want := range []bool{true, false, false, true} {
		part.Pos = pos
		if got := part.complete(min(2, 4-pos)); got != want {
			t.Errorf("from %d: %v", pos, got)
		}
	}
}
