// This file writes the kernels of the symmetric eigenvalue problem: products of a few rows of a matrix with a vector,
// and sums of the secular equation.

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowProducts writes the product of rows of a matrix with a vector and, where both is wanted, that of the transposed
// rows with another, from one load of the matrix:
//
//	dots[r] += Σ_j a[r·lda+j]·x[j]    and    y[j] += Σ_r a[r·lda+j]·left[r]
//
// for as many rows as the instruction set's tiles have and j < n, n > 0 a multiple of the register width.
func rowProducts(set isa, both bool) {
	name, signature := "rowDots"+set.suffix, "func(n int, a *float64, lda int, x *float64, dots *float64)"
	if both {
		name = "rowProducts" + set.suffix
		signature = "func(n int, a *float64, lda int, x *float64, dots *float64, left *float64, y *float64)"
	}
	TEXT(name, NOSPLIT, signature)
	Doc(name + " multiplies a few rows of a matrix with a vector; see the generator.")
	n := Load(Param("n"), GP64())
	a := Load(Param("a"), GP64())
	lda := Load(Param("lda"), GP64())
	x := Load(Param("x"), GP64())
	SHLQ(Imm(3), lda)
	bases := []reg.Register{a}
	for i := 3; i < set.rows; i += 3 {
		next := GP64()
		LEAQ(Mem{Base: bases[len(bases)-1], Index: lda, Scale: 2}, next)
		ADDQ(lda, next)
		bases = append(bases, next)
	}
	var y reg.Register
	var left []reg.VecVirtual
	if both {
		from := Load(Param("left"), GP64())
		y = Load(Param("y"), GP64())
		for i := range set.rows {
			left = append(left, set.register())
			VBROADCASTSD(Mem{Base: from, Disp: 8 * i}, left[i])
		}
	}
	sums := make([]reg.VecVirtual, set.rows)
	for i := range sums {
		sums[i] = set.register()
		zero(set, double, sums[i])
	}
	right, out, entry := set.register(), set.register(), set.register()
	Label(name + "_loop")
	VMOVUPD(Mem{Base: x}, right)
	if both {
		VMOVUPD(Mem{Base: y}, out)
	}
	for i := range sums {
		m := Mem{Base: bases[i/3]}
		if i%3 > 0 {
			m.Index, m.Scale = lda, uint8(i%3)
		}
		VMOVUPD(m, entry)
		VFMADD231PD(entry, right, sums[i])
		if both {
			VFMADD231PD(entry, left[i], out)
		}
	}
	if both {
		VMOVUPD(out, Mem{Base: y})
		ADDQ(Imm(uint64(set.bytes)), y)
	}
	ADDQ(Imm(uint64(set.bytes)), x)
	for _, base := range bases {
		ADDQ(Imm(uint64(set.bytes)), base)
	}
	SUBQ(Imm(uint64(set.bytes/8)), n)
	JG(LabelRef(name + "_loop"))

	dots := Load(Param("dots"), GP64())
	for i, sum := range sums {
		total := across(set, double, sum)
		VADDSD(Mem{Base: dots, Disp: 8 * i}, total, total)
		VMOVSD(total, Mem{Base: dots, Disp: 8 * i})
	}
	VZEROUPPER()
	RET()
}

// secular writes the sums of the secular equation and the differences that they are made of:
//
//	differences[i] = (poles[i] − origin) − at
//	sums[0] += Σ_i weights[i]/differences[i]    and    sums[1] += Σ_i weights[i]/differences[i]²
//
// for i < n, n > 0 a multiple of the register width.
func secular(set isa) {
	name := "secular" + set.suffix
	TEXT(name, NOSPLIT, "func(n int, poles, weights *float64, origin, at float64, differences, sums *float64)")
	Doc(name + " adds up terms of the secular equation; see the generator.")
	n := Load(Param("n"), GP64())
	poles := Load(Param("poles"), GP64())
	weights := Load(Param("weights"), GP64())
	differences := Load(Param("differences"), GP64())
	sums := Load(Param("sums"), GP64())
	spread := func(name string) reg.VecVirtual {
		wide := set.register()
		VBROADCASTSD(Load(Param(name), XMM()), wide)
		return wide
	}
	origin, at := spread("origin"), spread("at")
	one := GP64()
	MOVQ(Imm(0x3ff0000000000000), one)
	low, ones := XMM(), set.register()
	MOVQ(one, low)
	VBROADCASTSD(low, ones)
	value, slope := set.register(), set.register()
	zero(set, double, value)
	zero(set, double, slope)
	difference, term := set.register(), set.register()
	Label(name + "_loop")
	VMOVUPD(Mem{Base: poles}, difference)
	VSUBPD(origin, difference, difference)
	VSUBPD(at, difference, difference)
	VMOVUPD(difference, Mem{Base: differences})
	VDIVPD(difference, ones, difference)
	VMULPD(Mem{Base: weights}, difference, term)
	VADDPD(term, value, value)
	VFMADD231PD(term, difference, slope)
	for _, pointer := range []reg.Register{poles, weights, differences} {
		ADDQ(Imm(uint64(set.bytes)), pointer)
	}
	SUBQ(Imm(uint64(set.bytes/8)), n)
	JG(LabelRef(name + "_loop"))
	for i, sum := range []reg.VecVirtual{value, slope} {
		total := across(set, double, sum)
		VADDSD(Mem{Base: sums, Disp: 8 * i}, total, total)
		VMOVSD(total, Mem{Base: sums, Disp: 8 * i})
	}
	VZEROUPPER()
	RET()
}

// eigen writes all kernels of this file.
func eigen(set isa) {
	rowProducts(set, true)
	rowProducts(set, false)
	secular(set)
}
