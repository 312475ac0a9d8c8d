package columns

import (
	"slices"
	"testing"

	"anchorage/shard/fault"
	"anchorage/shard/internal/roles"
)

// TestChoose finds the leaves of documents, items and counts.
func TestChoose(t *testing.T) {
	top := func(name string, shape roles.Shape, kind roles.Kind) Top {
		return Top{Field: roles.Field{Name: name, Shape: shape, Kind: kind}, Items: &Leaf{Name: name, Kind: kind}}
	}
	bag := Top{Field: roles.Field{Name: "bag"}}
	bag.SetPairs([]roles.Field{{Name: "key", Shape: roles.Value, Kind: roles.Bytes},
		{Name: "value", Shape: roles.Value, Kind: roles.Int}},
		[]*Leaf{{Name: "bag", Part: "key"}, {Name: "bag", Part: "value"}}, roles.Names{})
	for name, test := range map[string]struct {
		tops   []Top
		wanted roles.Names
		want   []string // document, items and counts
		long   bool
	}{
		"lists": {[]Top{top("doc_id", roles.Value, roles.Bytes), top("items", roles.List, roles.Bytes),
			top("counts", roles.List, roles.Int)}, roles.Names{}, []string{"doc_id", "items", "counts"}, false},
		"map": {[]Top{bag}, roles.Names{}, []string{"", "bag.key", "bag.value"}, false},
		"map, no counts": {[]Top{bag}, roles.Names{Counts: roles.NoCounts}, []string{"", "bag.key", ""},
			false},
		"long": {[]Top{top("order_id", roles.Value, roles.Int), top("sku", roles.Value, roles.Bytes),
			top("qty", roles.Value, roles.Int)}, roles.Names{}, []string{"order_id", "sku", "qty"}, true},
	} {
		found, err := choose(test.tops, chooserOf(test.tops, test.wanted))
		got := []string{found.document.FullName(), found.items.FullName(), found.counts.FullName()}
		if err != nil || !slices.Equal(got, test.want) || found.long != test.long {
			t.Errorf("%s: %q, long %v, %v", name, got, found.long, err)
		}
	}
	number := []Top{top("a", roles.Value, roles.Int)}
	if _, err := choose(number, chooserOf(number, roles.Names{})); fault.ReasonOf(err) != fault.ItemsMissing {
		t.Errorf("no items: %v", err)
	}
}
