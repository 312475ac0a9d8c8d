//go:build amd64 && !noasm

// This file chooses the assembly of kernel_amd64.s by what the processor can do.

package kernel

import "golang.org/x/sys/cpu"

func init() {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ:
		useAVX512()
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		useAVX2()
	}
}

func useAVX512() {
	assembly = functions{instructions: "avx512",
		rows64: tiles[float64]{8, 8,
			[3]tileFunc[float64]{tileRows64By8x1AVX512, tileRows64By8x2AVX512, tileRows64By8x3AVX512},
			[3]tileFunc[float64]{tileRows64By1x1AVX512, tileRows64By1x2AVX512, tileRows64By1x3AVX512}},
		columns64: tiles[float64]{8, 8,
			[3]tileFunc[float64]{tileColumns64By8x1AVX512, tileColumns64By8x2AVX512, tileColumns64By8x3AVX512},
			[3]tileFunc[float64]{tileColumns64By1x1AVX512, tileColumns64By1x2AVX512, tileColumns64By1x3AVX512}},
		rows32: tiles[float32]{8, 16,
			[3]tileFunc[float32]{tileRows32By8x1AVX512, tileRows32By8x2AVX512, tileRows32By8x3AVX512},
			[3]tileFunc[float32]{tileRows32By1x1AVX512, tileRows32By1x2AVX512, tileRows32By1x3AVX512}},
		columns32: tiles[float32]{8, 16,
			[3]tileFunc[float32]{tileColumns32By8x1AVX512, tileColumns32By8x2AVX512, tileColumns32By8x3AVX512},
			[3]tileFunc[float32]{tileColumns32By1x1AVX512, tileColumns32By1x2AVX512, tileColumns32By1x3AVX512}},
		rowsOf:  rowKernels{8, rowProductsAVX512, rowDotsAVX512},
		compact: compactAVX512, sparseProduct: sparseProductAVX512, axpy: axpyAVX512, addSigns: addSignsAVX512,
		combine: combineAVX512, combine32: combine32AVX512, combineTall: combineTall64AVX512,
		combineSingles: combineTall32AVX512, combineRounded: combineRounded64AVX512,
		widenRounded: combineRounded32AVX512, prefetch: prefetchLines, mixture: mixtureAVX512,
		collapsed: collapsedAVX512, respond: respondAVX512, rowDots32: rowDots32AVX512, lanes: lanesAVX512, exp: expAVX512,
		expDigamma: expDigammaAVX512, secularSums: secularAVX512}
}

func useAVX2() {
	assembly = functions{instructions: "avx2",
		rows64: tiles[float64]{4, 4,
			[3]tileFunc[float64]{tileRows64By4x1AVX2, tileRows64By4x2AVX2, tileRows64By4x3AVX2},
			[3]tileFunc[float64]{tileRows64By1x1AVX2, tileRows64By1x2AVX2, tileRows64By1x3AVX2}},
		columns64: tiles[float64]{4, 4,
			[3]tileFunc[float64]{tileColumns64By4x1AVX2, tileColumns64By4x2AVX2, tileColumns64By4x3AVX2},
			[3]tileFunc[float64]{tileColumns64By1x1AVX2, tileColumns64By1x2AVX2, tileColumns64By1x3AVX2}},
		rows32: tiles[float32]{4, 8,
			[3]tileFunc[float32]{tileRows32By4x1AVX2, tileRows32By4x2AVX2, tileRows32By4x3AVX2},
			[3]tileFunc[float32]{tileRows32By1x1AVX2, tileRows32By1x2AVX2, tileRows32By1x3AVX2}},
		columns32: tiles[float32]{4, 8,
			[3]tileFunc[float32]{tileColumns32By4x1AVX2, tileColumns32By4x2AVX2, tileColumns32By4x3AVX2},
			[3]tileFunc[float32]{tileColumns32By1x1AVX2, tileColumns32By1x2AVX2, tileColumns32By1x3AVX2}},
		rowsOf:  rowKernels{4, rowProductsAVX2, rowDotsAVX2},
		compact: compactAVX2, sparseProduct: sparseProductAVX2, axpy: axpyAVX2, addSigns: addSignsAVX2,
		combine: combineAVX2, combine32: combine32AVX2, combineTall: combineTall64AVX2,
		combineSingles: combineTall32AVX2, combineRounded: combineRounded64AVX2,
		widenRounded: combineRounded32AVX2, prefetch: prefetchLines, mixture: mixtureAVX2,
		collapsed: collapsedAVX2, respond: respondAVX2, rowDots32: rowDots32AVX2, lanes: lanesAVX2, exp: expAVX2,
		expDigamma: expDigammaAVX2, secularSums: secularAVX2}
}

// sparseAssembly multiplies a compacted tile with a panel of columns.
type sparseAssembly func(rows int, counts, columns *uint8, values *float32, inside *bool,
	chosen, sums, z, x *float32, stride int)

// The assembly by the number of vectors of a panel.
var (
	sparseByVectorsAVX512 = [9]sparseAssembly{nil, sparseProduct1AVX512, sparseProduct2AVX512, sparseProduct3AVX512,
		sparseProduct4AVX512, sparseProduct5AVX512, sparseProduct6AVX512, sparseProduct7AVX512, sparseProduct8AVX512}
	sparseByVectorsAVX2 = [7]sparseAssembly{2: sparseProduct2AVX2, 4: sparseProduct4AVX2, 6: sparseProduct6AVX2}
)

func sparseProductAVX512(t *SparseTile, inside []bool, z, chosen, sums, x []float32, stride, left int) int {
	const width, most = 16, 8
	vectors := evenly(left/width, most)
	runSparse(sparseByVectorsAVX512[vectors], t, inside, z, chosen, sums, x, stride)
	return vectors * width
}

func sparseProductAVX2(t *SparseTile, inside []bool, z, chosen, sums, x []float32, stride, left int) int {
	const width, most = 8, 6
	vectors := 2 * evenly(left/(2*width), most/2)
	runSparse(sparseByVectorsAVX2[vectors], t, inside, z, chosen, sums, x, stride)
	return vectors * width
}

// evenly cuts n into as few parts of equal size as possible, none above most, and returns their size; the last may be
// smaller.
func evenly(n, most int) int {
	parts := (n + most - 1) / most
	return (n + parts - 1) / parts
}

func runSparse(fn sparseAssembly, t *SparseTile, inside []bool, z, chosen, sums, x []float32, stride int) {
	fn(len(t.Counts), &t.Counts[0], &t.Columns[0], &t.Values[0], &inside[0], &chosen[0], &sums[0], &z[0], &x[0], stride)
}
