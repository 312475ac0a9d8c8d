//go:build amd64 && !noasm

// This file cuts sums of signs into widths that the assembly handles.

package kernel

import "unsafe"

// signsFunc handles 8, 16, 32 or 64 columns; signs points at the byte with the bits of the first.
type signsFunc func(n int, signs *byte, weights *float64, z *float64)

func addSignsAVX512(z []float64, signs []uint64, weights []float64) {
	runSigns(&[4]signsFunc{signs1AVX512, signs2AVX512, signs4AVX512, signs8AVX512}, z, signs, weights)
}

func addSignsAVX2(z []float64, signs []uint64, weights []float64) {
	runSigns(&[4]signsFunc{signs2AVX2, signs4AVX2, signs8AVX2, nil}, z, signs, weights)
}

// runSigns takes the widest function that fits what is left, again and again. The processor is little-endian: the bits
// of column j are in byte j/8 of a word.
func runSigns(byWidth *[4]signsFunc, z []float64, signs []uint64, weights []float64) {
	first := unsafe.Pointer(&signs[0])
	for at := 0; at < len(z); {
		size := 3
		for byWidth[size] == nil || 8<<size > len(z)-at {
			size--
		}
		byWidth[size](len(signs), (*byte)(unsafe.Add(first, at/8)), &weights[0], &z[at])
		at += 8 << size
	}
}
