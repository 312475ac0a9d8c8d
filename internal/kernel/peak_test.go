package kernel

import (
	"math"
	"testing"

	"anchorage/internal/aligned"
)

// TestMultiplyAdds holds the total against the number of operations: all sums are whole numbers, so it is exact.
func TestMultiplyAdds(t *testing.T) {
	for _, rounds := range []int{-1, 0, 1, 2, 7, 1000} {
		total64, operations64 := MultiplyAdds(rounds, 3.0, -2.0)
		if want := -3 * float64(operations64); total64 != want || operations64 < 2*int64(max(rounds, 0)) {
			t.Errorf("%d rounds of float64: total %v of %d operations, want %v", rounds, total64, operations64, want)
		}
		total32, operations32 := MultiplyAdds[float32](rounds, 3, 2)
		if want := 3 * float32(operations32); total32 != want || operations32 < 2*int64(max(rounds, 0)) {
			t.Errorf("%d rounds of float32: total %v of %d operations, want %v", rounds, total32, operations32, want)
		}
		if _, again := MultiplyAdds(2*rounds, 1.0, 1.0); again != 2*operations64 {
			t.Errorf("%d rounds have %d operations, twice as many have %d", rounds, operations64, again)
		}
	}
	if total, _ := MultiplyAdds(3, math.NaN(), 1); !math.IsNaN(total) {
		t.Errorf("NaN is lost: %v", total)
	}
}

// BenchmarkMultiplyAdds is the peak that other benchmarks of this package may be held against.
func BenchmarkMultiplyAdds(b *testing.B) {
	b.Run("float32", benchmarkMultiplyAdds[float32])
	b.Run("float64", benchmarkMultiplyAdds[float64])
}

func benchmarkMultiplyAdds[T aligned.Real](b *testing.B) {
	done := int64(0)
	for b.Loop() {
		_, operations := MultiplyAdds[T](10_000, 1, 1)
		done += operations
	}
	b.ReportMetric(float64(done)/1e9/b.Elapsed().Seconds(), "GFLOP/s")
}
