package reading

import (
	"fmt"
	"testing"
)

// TestDivide divides groups of several sizes: every group is in one part, in order, and no part could end earlier.
func TestDivide(t *testing.T) {
	for name, test := range map[string]struct {
		sizes []int64
		long  bool
		want  string
	}{
		"none":        {nil, false, "[]"},
		"one":         {[]int64{3}, false, "[0-1:3/30]"},
		"small":       {[]int64{1, 2, 3}, false, "[0-3:6/60]"},
		"large":       {[]int64{10, 20, 10}, false, "[0-1:10/100 1-2:20/200 2-3:10/100]"},
		"mixed":       {[]int64{9, 1, 5, 5, 1}, false, "[0-2:10/100 2-4:10/100 4-5:1/10]"},
		"empty":       {[]int64{0, 0, 10, 0}, false, "[0-3:10/100 3-4:0/0]"},
		"long":        {[]int64{10, 20, 10}, true, "[0-3:40/-1]"},
		"long, empty": {nil, true, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			var from, to []int
			parts := Divide(len(test.sizes), 10, test.long, func(i int) (bytes, rows int64) {
				return test.sizes[i],
					10 * test.sizes[i]
			},
				func(a, b int) Part { from, to = append(from, a), append(to, b); return Part{} })
			for i, p := range parts {
				got = append(got, fmt.Sprintf("%d-%d:%d/%d", from[i], to[i], p.Bytes, p.Rows))
			}
			if fmt.Sprint(got) != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
}
