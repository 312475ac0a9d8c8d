//go:build amd64 && !noasm

// This file offers the assembly of kernel_amd64.s according to what the processor can do.

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

// useGo switches the assembly off; tests compare with it.
func useGo() {
	rows64, columns64 = tiles[float64]{}, tiles[float64]{}
	rows32, columns32 = tiles[float32]{}, tiles[float32]{}
	gatherScatter, axpy = nil, nil
	addSigns, combineTall, prefetch = nil, nil, nil
	exp, expDigamma, mixture, combine = nil, nil, nil, nil
	instructions = "go"
}

func useAVX512() {
	rows64 = tiles[float64]{8, 8,
		[3]tileFunc[float64]{tileRows64By8x1AVX512, tileRows64By8x2AVX512, tileRows64By8x3AVX512},
		[3]tileFunc[float64]{tileRows64By1x1AVX512, tileRows64By1x2AVX512, tileRows64By1x3AVX512}}
	columns64 = tiles[float64]{8, 8,
		[3]tileFunc[float64]{tileColumns64By8x1AVX512, tileColumns64By8x2AVX512, tileColumns64By8x3AVX512},
		[3]tileFunc[float64]{tileColumns64By1x1AVX512, tileColumns64By1x2AVX512, tileColumns64By1x3AVX512}}
	columns32 = tiles[float32]{8, 16,
		[3]tileFunc[float32]{tileColumns32By8x1AVX512, tileColumns32By8x2AVX512, tileColumns32By8x3AVX512},
		[3]tileFunc[float32]{tileColumns32By1x1AVX512, tileColumns32By1x2AVX512, tileColumns32By1x3AVX512}}
	rows32 = tiles[float32]{8, 16,
		[3]tileFunc[float32]{tileRows32By8x1AVX512, tileRows32By8x2AVX512, tileRows32By8x3AVX512},
		[3]tileFunc[float32]{tileRows32By1x1AVX512, tileRows32By1x2AVX512, tileRows32By1x3AVX512}}
	gatherScatter, axpy = gatherScatterAVX512, axpyAVX512
	addSigns, combineTall, prefetch = addSignsAVX512, combineTallAVX512, prefetchLines
	exp, expDigamma, mixture, combine = expAVX512, expDigammaAVX512, mixtureAVX512, combineAVX512
	instructions = "avx512"
}

func useAVX2() {
	rows64 = tiles[float64]{4, 4,
		[3]tileFunc[float64]{tileRows64By4x1AVX2, tileRows64By4x2AVX2, tileRows64By4x3AVX2},
		[3]tileFunc[float64]{tileRows64By1x1AVX2, tileRows64By1x2AVX2, tileRows64By1x3AVX2}}
	columns64 = tiles[float64]{4, 4,
		[3]tileFunc[float64]{tileColumns64By4x1AVX2, tileColumns64By4x2AVX2, tileColumns64By4x3AVX2},
		[3]tileFunc[float64]{tileColumns64By1x1AVX2, tileColumns64By1x2AVX2, tileColumns64By1x3AVX2}}
	columns32 = tiles[float32]{4, 8,
		[3]tileFunc[float32]{tileColumns32By4x1AVX2, tileColumns32By4x2AVX2, tileColumns32By4x3AVX2},
		[3]tileFunc[float32]{tileColumns32By1x1AVX2, tileColumns32By1x2AVX2, tileColumns32By1x3AVX2}}
	rows32 = tiles[float32]{4, 8,
		[3]tileFunc[float32]{tileRows32By4x1AVX2, tileRows32By4x2AVX2, tileRows32By4x3AVX2},
		[3]tileFunc[float32]{tileRows32By1x1AVX2, tileRows32By1x2AVX2, tileRows32By1x3AVX2}}
	gatherScatter, axpy = gatherScatterAVX2, axpyAVX2
	addSigns, combineTall, prefetch = addSignsAVX2, combineTallAVX2, prefetchLines
	exp, expDigamma, mixture, combine = expAVX2, expDigammaAVX2, mixtureAVX2, combineAVX2
	instructions = "avx2"
}

// sparseRow and sparseRowBoth are the two forms of a correction kernel: into c alone, and into c and the sums.
type (
	sparseRow     func(n int, columns *uint16, values *float32, b *float64, ldb int, c *float64)
	sparseRowBoth func(n int, columns *uint16, values *float32, b *float64, ldb int, c *float64, sums *float64, x *float64)
)

var (
	gatherByVectors = [9]sparseRow{nil, gather1AVX512, gather2AVX512, gather3AVX512, gather4AVX512,
		gather5AVX512, gather6AVX512, gather7AVX512, gather8AVX512}
	gatherScatterByVectors = [9]sparseRowBoth{nil, gatherScatter1AVX512, gatherScatter2AVX512, gatherScatter3AVX512,
		gatherScatter4AVX512, gatherScatter5AVX512, gatherScatter6AVX512, gatherScatter7AVX512, gatherScatter8AVX512}
)

func gatherScatterAVX512(columns []uint16, values []float32, b []float64, stride int, c, sums, x []float64, width int) int {
	vectors := width / 8
	runSparseRow(gatherByVectors[vectors], gatherScatterByVectors[vectors], columns, values, b, stride, c, sums, x)
	return width
}

func gatherScatterAVX2(columns []uint16, values []float32, b []float64, stride int, c, sums, x []float64, width int) int {
	if width >= 16 {
		runSparseRow(gather4AVX2, gatherScatter4AVX2, columns, values, b, stride, c, sums, x)
		return 16
	}
	runSparseRow(gather2AVX2, gatherScatter2AVX2, columns, values, b, stride, c, sums, x)
	return 8
}

func runSparseRow(one sparseRow, both sparseRowBoth, columns []uint16, values []float32, b []float64, stride int, c, sums, x []float64) {
	if sums == nil {
		one(len(columns), &columns[0], &values[0], &b[0], stride, &c[0])
		return
	}
	both(len(columns), &columns[0], &values[0], &b[0], stride, &c[0], &sums[0], &x[0])
}
