package kernel

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"anchorage/matrix"
)

// TestEachScoreAgainstGo holds the products of rows with a vector against sums in double precision, around the borders
// of runs of four rows, of calls and of blocks, and checks that fn sees every row once.
func TestEachScoreAgainstGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, rows := range []int{0, 1, 3, 4, 7, pieceRows + 1, matrix.BlockRows - 1, matrix.BlockRows + 5} {
		for _, cols := range []int{0, 1, 15, 16, 17, 33, 100, 130} {
			m, x := matrix.NewSingle(rows, cols), make([]float32, cols)
			for j := range x {
				x[j] = float32(rng.NormFloat64())
			}
			for i := range rows {
				for j := range cols {
					m.Row(i)[j] = float32(rng.NormFloat64())
				}
			}
			for _, workers := range []int{1, 2} {
				var mutex sync.Mutex
				seen := make([]int, rows)
				EachScore(m, x, workers, func(_, first int, scores []float32) {
					mutex.Lock()
					defer mutex.Unlock()
					for r, score := range scores {
						seen[first+r]++
						want, size := 0.0, 0.0
						for j, v := range m.Row(first + r) {
							want += float64(v) * float64(x[j])
							size += math.Abs(float64(v) * float64(x[j]))
						}
						if math.Abs(float64(score)-want) > 1e-6*size {
							t.Fatalf("%d×%d: row %d has %v, want %v", rows, cols, first+r, score, want)
						}
					}
				})
				for i, times := range seen {
					if times != 1 {
						t.Fatalf("%d×%d: row %d was seen %d times", rows, cols, i, times)
					}
				}
			}
		}
	}
}

func TestEachScoreChecks(t *testing.T) {
	if !panics(func() { EachScore(matrix.NewSingle(3, 4), make([]float32, 5), 1, nil) }) {
		t.Error("no panic")
	}
}
