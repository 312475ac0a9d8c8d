//go:build amd64 && !noasm

package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/cpu"

	"anchorage/internal/aligned"
	"anchorage/internal/long"
)

// useGo switches the assembly off.
func useGo() { assembly = functions{instructions: "go"} }

// sets are the instruction sets that this processor has, each with what switches it on.
func sets() map[string]func() {
	all := map[string]func(){}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all["avx2"] = useAVX2
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ {
		all["avx512"] = useAVX512
	}
	return all
}

// restore puts back what init chose.
func restore() {
	useGo()
	for _, name := range []string{"avx2", "avx512"} {
		if use, ok := sets()[name]; ok {
			use()
		}
	}
}

// TestTilesAgainstGo runs every tile of every instruction set over odd shapes, strides and special values.
func TestTilesAgainstGo(t *testing.T) {
	long.Unwatched(t)
	defer restore()
	for name, use := range sets() {
		use()
		for _, in := range []layout{byRows, byColumns} {
			checkTiles(t, name, tilesOf[float64](in), in, 1e-13)
			checkTiles(t, name, tilesOf[float32](in), in, 1e-4)
		}
	}
}

func checkTiles[T aligned.Real](t *testing.T, name string, table *tiles[T], in layout, tolerance float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 1))
	for _, m := range []int{1, 3, 4, 7, 8, 9, 17} {
		for vectors := 1; vectors <= 7; vectors++ {
			for _, k := range []int{0, 1, 3, 4, 5, 31, innerBlockColumns + 1, innerBlock, innerBlock + 3, 2*innerBlock + 1} {
				n := vectors * table.width
				lda, ldb, ldc := k+3, n+table.width, n+1
				if in == byColumns {
					lda = m + 2
				}
				draw := func(n int) []T {
					s := make([]T, n+1)
					for i := range s {
						s[i] = T(rng.NormFloat64())
					}
					return s[1:] // not aligned
				}
				a, b, c := draw((m+k+1)*lda), draw((k+1)*ldb), draw((m+1)*ldc)
				for _, how := range []store{add, set, positive} {
					want, got := append([]T(nil), c...), append([]T(nil), c...)
					goProduct(in, how, operand[T]{want, ldc}, operand[T]{a, lda}, operand[T]{b, ldb}, m, n, k)
					blockProduct(table, in, how, operand[T]{got, ldc}, operand[T]{a, lda}, operand[T]{b, ldb}, m, n, k)
					for i := range got {
						if off := math.Abs(float64(got[i] - want[i])); off > tolerance*float64(k+1) {
							t.Fatalf("%s: m %d n %d k %d layout %d store %d: value %d is %v, want %v", name, m, n, k, in, how, i,
								got[i], want[i])
						}
					}
				}
			}
		}
	}
}

// TestTilesKeepSpecialValues checks that NaN, infinities and denormals come through a product as they do in Go.
func TestTilesKeepSpecialValues(t *testing.T) {
	defer restore()
	for name, use := range sets() {
		use()
		for _, special := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, math.Copysign(0, -1)} {
			a, b := []float64{1, special, 2}, make([]float64, 3*8)
			for i := range b {
				b[i] = 1
			}
			want, got := make([]float64, 8), make([]float64, 8)
			goProduct(byRows, set, operand[float64]{want, 8}, operand[float64]{a, 3}, operand[float64]{b, 8}, 1, 8, 3)
			blockProduct(&assembly.rows64, byRows, set, operand[float64]{got, 8}, operand[float64]{a, 3},
				operand[float64]{b, 8}, 1, 8, 3)
			for j := range got {
				if got[j] != want[j] && !(math.IsNaN(got[j]) && math.IsNaN(want[j])) {
					t.Errorf("%s: %v gives %v, want %v", name, special, got[j], want[j])
				}
			}
		}
	}
}

// TestInstructionSetsAgree repeats the tests of the package's functions on every instruction set.
func TestInstructionSetsAgree(t *testing.T) {
	long.Test(t, "it repeats the tests of the package with every instruction set")
	defer restore()
	all := sets()
	all["go"] = useGo
	for name, use := range all {
		use()
		if Instructions() != name {
			t.Fatalf("set %q calls itself %q", name, Instructions())
		}
		t.Run(name, func(t *testing.T) {
			t.Run("gram", TestGramAgainstNaive)
			t.Run("single", TestSingleAgainstDouble)
			t.Run("multiply", TestMultiplyAndTransformAgainstNaive)
			t.Run("negative", TestNegativePartAgainstNaive)
			t.Run("compact", TestCompactAgainstNaive)
			t.Run("sparseProduct", TestSparseProductAgainstNaive)
			t.Run("axpy", TestAxpyAgainstNaive)
			t.Run("rows", TestRowProducts)
			t.Run("secular", TestSecularRoots)
			t.Run("eigen", TestSymmetricEigenAgainstGonum)
			t.Run("exp", TestExpAgainstMath)
			t.Run("digamma", TestDigammaAgainstGonum)
			t.Run("mixture", TestMixtureAgainstNaive)
			t.Run("combine", TestCombineAgainstNaive)
			t.Run("combineRounded", TestCombineRounded)
			t.Run("combineRoundedSingles", TestCombineRoundedSingles)
			t.Run("combineSingles", TestCombineSingles)
			t.Run("combineRows", TestCombineRowsIsAxpyByAxpy)
			t.Run("signs", TestAddSignsAgainstGo)
			t.Run("zeros", TestSignsOfZeroWeights)
		})
	}
}

// TestCollapsedOfEverySet runs the collapsed step of every instruction set.
func TestCollapsedOfEverySet(t *testing.T) {
	defer restore()
	for name, use := range sets() {
		use()
		checkCollapsed(t, name)
		t.Run(name, TestDraw)
	}
}

// TestScoresOfEverySet runs the products of rows with a vector in every instruction set.
func TestScoresOfEverySet(t *testing.T) {
	defer restore()
	for _, use := range sets() {
		use()
		TestEachScoreAgainstGo(t)
	}
	useGo()
	TestEachScoreAgainstGo(t)
}
