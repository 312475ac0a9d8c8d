package columns

import (
	"fmt"
	"testing"
)

// TestParts divides groups of several sizes: every group is in one part, in order, and no part could end earlier.
func TestParts(t *testing.T) {
	for name, test := range map[string]struct {
		sizes []int64
		long  bool
		want  string
	}{
		"none":        {nil, false, "[]"},
		"one":         {[]int64{3}, false, "[3/30]"},
		"small":       {[]int64{1, 2, 3}, false, "[6/60]"},
		"large":       {[]int64{10, 20, 10}, false, "[10/100 20/200 10/100]"},
		"mixed":       {[]int64{9, 1, 5, 6, 2}, false, "[10/100 11/110 2/20]"},
		"empty":       {[]int64{0, 0, 10, 0}, false, "[10/100 0/0]"},
		"long":        {[]int64{10, 20, 10}, true, "[40/-1]"},
		"long, empty": {nil, true, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			divided := &table{chosen: chosen{long: test.long}, file: &File{Enough: 10}}
			for _, size := range test.sizes {
				divided.groups = append(divided.groups, Group{Bytes: size, Rows: 10 * size})
			}
			var got []string
			for _, p := range divided.parts() {
				got = append(got, fmt.Sprintf("%d/%d", p.Bytes, p.Rows))
			}
			if fmt.Sprint(got) != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
}
