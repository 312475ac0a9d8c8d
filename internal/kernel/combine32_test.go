package kernel

import (
	"math"
	"testing"
)

// TestCombineSingle holds sums of rows of single precision against the same in double precision.
func TestCombineSingle(t *testing.T) {
	for _, width := range []int{16, 48, 64, 112, 304} {
		const rows = 37
		table, out, want := make([]float32, rows*width), make([]float32, width), make([]float64, width)
		for i := range table {
			table[i] = float32(i*7919%1009) / 1009
		}
		for j := range out {
			out[j] = float32(j)
			want[j] = float64(j)
		}
		var picked []int32
		var weights []float64
		for n := range 23 {
			picked, weights = append(picked, int32(n*n%rows)), append(weights, 0.25+float64(n%5))
			for j := range want {
				want[j] += weights[n] * float64(table[n*n%rows*width+j])
			}
		}
		Combine(picked, weights, table, out)
		for j, v := range out {
			if math.Abs(float64(v)-want[j]) > 1e-5*want[j]+1e-5 {
				t.Fatalf("width %d: value %d is %v, want %v", width, j, v, want[j])
			}
		}
	}
	for name, call := range map[string]func(){
		"row beyond": func() { Combine([]int32{10}, []float64{1}, make([]float32, 160), make([]float32, 16)) },
		"not padded": func() { Combine([]int32{0}, []float64{1}, make([]float32, 160), make([]float32, 8)) },
	} {
		if !panics(call) {
			t.Errorf("%s: no panic", name)
		}
	}
}
