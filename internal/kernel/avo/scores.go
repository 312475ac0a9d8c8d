// This file writes the product of many rows of single precision with one vector.

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scores writes the product of rows, four at a time, with a vector:
//
//	dots[r] = Σ_j a[r·width+j]·x[j]    for r < rows and j < width,
//
// where rows is a positive multiple of 4 and width of 16. A row is read from one end to the other, so that memory is
// read in order.
func scores(set isa) {
	name := "scores" + set.suffix
	TEXT(name, NOSPLIT, "func(rows int, a *float32, width int, x *float32, dots *float32)")
	Doc(name + " multiplies many rows with a vector; see the generator.")
	rows := Load(Param("rows"), GP64())
	first := Load(Param("a"), GP64())
	width := Load(Param("width"), GP64())
	x := Load(Param("x"), GP64())
	dots := Load(Param("dots"), GP64())
	SHLQ(Imm(2), width)
	last, j := GP64(), GP64() // row 3 of the four, and the place in the rows, in bytes
	const line = 64
	var sums [4][]reg.VecVirtual
	right := make([]reg.VecVirtual, line/set.bytes)
	for v := range right {
		right[v] = set.register()
		for r := range sums {
			sums[r] = append(sums[r], set.register())
		}
	}
	Label(name + "_rows")
	LEAQ(Mem{Base: first, Index: width, Scale: 2}, last)
	ADDQ(width, last)
	for r := range sums {
		for _, sum := range sums[r] {
			zero(set, single, sum)
		}
	}
	XORQ(j, j)
	back := GP64() // row 1
	LEAQ(Mem{Base: first, Index: width, Scale: 1}, back)
	third := GP64() // row 2
	LEAQ(Mem{Base: first, Index: width, Scale: 2}, third)
	Label(name + "_lines")
	for v := range right {
		VMOVUPS(Mem{Base: x, Index: j, Scale: 1, Disp: v * set.bytes}, right[v])
		for r, row := range []reg.Register{first, back, third, last} {
			VFMADD231PS(Mem{Base: row, Index: j, Scale: 1, Disp: v * set.bytes}, right[v], sums[r][v])
		}
	}
	ADDQ(Imm(line), j)
	CMPQ(j, width)
	JL(LabelRef(name + "_lines"))
	var folded [4]reg.Register
	for r := range sums {
		folded[r] = sums[r][0].AsY()
		if set.bytes == line {
			high := YMM()
			VEXTRACTF64X4(Imm(1), sums[r][0], high)
			VADDPS(high, folded[r], folded[r])
		} else {
			VADDPS(sums[r][1], folded[r], folded[r])
		}
	}
	VHADDPS(folded[1], folded[0], folded[0])
	VHADDPS(folded[3], folded[2], folded[2])
	VHADDPS(folded[2], folded[0], folded[0])
	high := XMM()
	VEXTRACTF128(Imm(1), folded[0], high)
	VADDPS(high, folded[0].(reg.Vec).AsX(), high)
	VMOVUPS(high, Mem{Base: dots})
	ADDQ(Imm(16), dots)
	LEAQ(Mem{Base: last, Index: width, Scale: 1}, first)
	SUBQ(Imm(4), rows)
	JG(LabelRef(name + "_rows"))
	VZEROUPPER()
	RET()
}
