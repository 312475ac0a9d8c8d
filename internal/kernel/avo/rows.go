// This file writes the kernels that add up rows with weights: rows of a table, rows of a tall matrix, which can be
// asked for beforehand, and rows of random signs that are expanded from bits.

package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blockShift and blockMask split a row's number into its block of a tall matrix and its place there; headerBytes is the
// size of a slice header, of which a tall matrix has one for every block.
const (
	blockShift  = 12
	blockMask   = 1<<blockShift - 1
	headerBytes = 24
)

// combine writes out += Σ_i weights[i]·e_i for n rows e_i of width values each: in panels of vectors that stay in
// registers while all rows are added. The rows are those of a table, or of the blocks of a tall matrix. Weights are of
// double precision and are rounded to that of the rows.
func combine(set isa, e element, tall bool) {
	name, from := "combine"+set.suffix, "table *"+e.goType
	if e.size == 4 {
		name = "combine32" + set.suffix
	}
	if tall {
		name, from = "combineTall"+e.name+set.suffix, "blocks *[]"+e.goType
	}
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, rows *int32, weights *float64, %s, width int, out *%s)", from, e.goType))
	Doc(name + " adds up rows with weights; see the generator.")
	n := Load(Param("n"), GP64())
	rows := Load(Param("rows"), GP64())
	weights := Load(Param("weights"), GP64())
	// Of a table, base is where the panel begins in its first row; of a tall matrix, the first block's header.
	var base, offset reg.Register
	if tall {
		base, offset = Load(Param("blocks"), GP64()), GP64()
		XORQ(offset, offset)
	} else {
		base = Load(Param("table"), GP64())
	}
	width := Load(Param("width"), GP64())
	out := Load(Param("out"), GP64())
	IMUL3Q(Imm(uint64(e.size)), width, width)
	rest, row, block, i := GP64(), GP64(), GP64(), GP64()
	MOVQ(width, rest)
	weight, narrow := set.register(), XMM()
	panels(set, name, rest, 2, func(label string, vectors int) {
		sums := make([]reg.VecVirtual, vectors)
		for j := range sums {
			sums[j] = set.register()
			e.load(Mem{Base: out, Disp: j * set.bytes}, sums[j])
		}
		XORQ(i, i)
		Label(name + "_rows" + label)
		at := Mem{Base: base, Index: row, Scale: 1}
		if tall {
			MOVL(Mem{Base: rows, Index: i, Scale: 4}, row.As32())
			MOVQ(row, block)
			SHRQ(Imm(blockShift), block)
			IMUL3Q(Imm(headerBytes), block, block)
			ANDQ(U32(blockMask), row)
			IMULQ(width, row)
			ADDQ(Mem{Base: base, Index: block, Scale: 1}, row)
			at = Mem{Base: row, Index: offset, Scale: 1}
		} else {
			MOVLQSX(Mem{Base: rows, Index: i, Scale: 4}, row)
			IMULQ(width, row)
		}
		if e.size == 4 {
			VXORPS(narrow, narrow, narrow) // so that the conversion waits for nothing
			VCVTSD2SS(Mem{Base: weights, Index: i, Scale: 8}, narrow, narrow)
			VBROADCASTSS(narrow, weight)
		} else {
			VBROADCASTSD(Mem{Base: weights, Index: i, Scale: 8}, weight)
		}
		for j := range sums {
			e.fma(at.Offset(j*set.bytes), weight, sums[j])
		}
		INCQ(i)
		CMPQ(i, n)
		JL(LabelRef(name + "_rows" + label))
		bytes := uint64(vectors * set.bytes)
		for j := range sums {
			e.load(sums[j], Mem{Base: out, Disp: j * set.bytes})
		}
		ADDQ(U32(bytes), out)
		if tall {
			ADDQ(U32(bytes), offset)
		} else {
			ADDQ(U32(bytes), base)
		}
		SUBQ(U32(bytes), rest)
	})
	VZEROUPPER()
	RET()
}

// panelSizes are numbers of vectors that a panel has: 17 and 9 are the rows of 130 columns, K = 100.
var panelSizes = []int{18, 17, 16, 14, 12, 11, 10, 9, 8, 6, 4, 2, 1}

// panels writes a body for each size of a panel whose sums stay in registers beside the given number of others, and
// goes to the greatest that rest, in bytes, has room for, until nothing is left. Bodies take what they handle off rest.
func panels(set isa, name string, rest reg.Register, others int, body func(label string, vectors int)) {
	Label(name + "_next")
	registers := 32
	if set.bytes == 32 {
		registers = 16
	}
	for _, vectors := range panelSizes {
		if vectors+others > registers {
			continue
		}
		label := fmt.Sprint(vectors)
		CMPQ(rest, U32(uint64(vectors*set.bytes)))
		JL(LabelRef(name + "_end" + label))
		body(label, vectors)
		JMP(LabelRef(name + "_next"))
		Label(name + "_end" + label)
	}
}

// combineRounded writes combine of a table, but each product w·e becomes r = (w·e + shift) − shift before it is added:
// w·e + shift is rounded once, to a multiple of the unit of its binade, and its bits less those of shift are r in that
// unit. So the loop adds integers to the bits of out + shift, and at the end takes n times the bits of shift off again.
// Rows of single precision are widened, and may be further apart than they are wide.
func combineRounded(set isa, e element) {
	name, apart := "combineRounded"+e.name+set.suffix, ""
	if e.size == 4 {
		apart = "apart int, "
	}
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, rows *int32, weights *float64, table *%s, %swidth int, shift float64, "+
		"out *float64)", e.goType, apart))
	Doc(name + " adds up rounded rows with weights; see the generator.")
	n := Load(Param("n"), GP64())
	rows := Load(Param("rows"), GP64())
	weights := Load(Param("weights"), GP64())
	base := Load(Param("table"), GP64())
	width := Load(Param("width"), GP64())
	out := Load(Param("out"), GP64())
	from, err := Param("shift").Resolve()
	if err != nil {
		panic(err)
	}
	bits, shift, excess, narrow := GP64(), set.register(), set.register(), XMM()
	VBROADCASTSD(from.Addr, shift)
	MOVQ(from.Addr, bits)
	IMULQ(n, bits)
	VMOVQ(bits, narrow)
	VPBROADCASTQ(narrow, excess)
	SHLQ(Imm(3), width)
	distance := reg.Register(width)
	if e.size == 4 {
		distance = Load(Param("apart"), GP64())
		SHLQ(Imm(2), distance)
	}
	rest, row, i := GP64(), GP64(), GP64()
	MOVQ(width, rest)
	weight := set.register()
	panels(set, name, rest, 5, func(label string, vectors int) {
		sums := make([]reg.VecVirtual, vectors)
		for j := range sums {
			sums[j] = set.register()
			VADDPD(Mem{Base: out, Disp: j * set.bytes}, shift, sums[j])
		}
		XORQ(i, i)
		Label(name + "_rows" + label)
		MOVLQSX(Mem{Base: rows, Index: i, Scale: 4}, row)
		IMULQ(distance, row)
		at := Mem{Base: base, Index: row, Scale: 1}
		VBROADCASTSD(Mem{Base: weights, Index: i, Scale: 8}, weight)
		step := set.bytes * e.size / 8
		for j := range sums {
			product := set.register()
			if e.size == 4 {
				VCVTPS2PD(at.Offset(j*step), product)
			} else {
				VMOVUPD(at.Offset(j*step), product)
			}
			VFMADD213PD(shift, weight, product)
			VPADDQ(product, sums[j], sums[j])
		}
		INCQ(i)
		CMPQ(i, n)
		JL(LabelRef(name + "_rows" + label))
		for j := range sums {
			VPSUBQ(excess, sums[j], sums[j])
			VSUBPD(shift, sums[j], sums[j])
			VMOVUPD(sums[j], Mem{Base: out, Disp: j * set.bytes})
		}
		ADDQ(U32(uint64(vectors*set.bytes)), out)
		ADDQ(U32(uint64(vectors*step)), base)
		SUBQ(U32(uint64(vectors*set.bytes)), rest)
	})
	VZEROUPPER()
	RET()
}

// signs writes z += Σ_t ±weights[t] for a number of vectors of columns, minus for column j where bit j of signs[t] is
// set. Signs are words of 64 bits; for later columns the caller points at a later byte of the first.
func signs(set isa, vectors int) {
	name := fmt.Sprintf("signs%d%s", vectors, set.suffix)
	TEXT(name, NOSPLIT, "func(n int, signs *byte, weights *float64, z *float64)")
	Doc(name + " adds up weights with signs; see the generator.")
	n := Load(Param("n"), GP64())
	bits := Load(Param("signs"), GP64())
	weights := Load(Param("weights"), GP64())
	z := Load(Param("z"), GP64())
	sums := make([]reg.VecVirtual, vectors)
	for j := range sums {
		sums[j] = set.register()
		VMOVUPD(Mem{Base: z, Disp: j * set.bytes}, sums[j])
	}
	signBit := set.register()
	VMOVUPD(signBits, signBit)
	plus := set.register()
	Label(name + "_loop")
	VBROADCASTSD(Mem{Base: weights}, plus)
	if set.bytes == 64 {
		// A mask takes the weight or its negative.
		minus := set.register()
		VPXORQ(signBit, plus, minus)
		for j := range sums {
			mask, signed := K(), set.register()
			KMOVB(Mem{Base: bits, Disp: j}, mask)
			VBLENDMPD(minus, plus, mask, signed)
			VADDPD(signed, sums[j], sums[j])
		}
	} else {
		// As many bytes as are wanted are copied to all lanes, and each lane shifts its bit to where the sign is.
		word := set.register()
		broadcast := map[int]func(...Op){2: VPBROADCASTB, 4: VPBROADCASTW, 8: VPBROADCASTD}[vectors]
		broadcast(Mem{Base: bits}, word)
		for j := range sums {
			signed := set.register()
			VPSLLVQ(signShifts.Offset(j*set.bytes), word, signed)
			VPAND(signBit, signed, signed)
			VPXOR(plus, signed, signed)
			VADDPD(signed, sums[j], sums[j])
		}
	}
	ADDQ(Imm(8), bits)
	ADDQ(Imm(8), weights)
	DECQ(n)
	JNZ(LabelRef(name + "_loop"))
	for j := range sums {
		VMOVUPD(sums[j], Mem{Base: z, Disp: j * set.bytes})
	}
	VZEROUPPER()
	RET()
}

// prefetch writes a request for n cache lines from p on.
func prefetch() {
	TEXT("prefetchLines", NOSPLIT, "func(n int, p *byte)")
	Doc("prefetchLines asks for n cache lines; see the generator.")
	n := Load(Param("n"), GP64())
	p := Load(Param("p"), GP64())
	Label("prefetchLines_loop")
	PREFETCHT0(Mem{Base: p})
	ADDQ(Imm(64), p)
	DECQ(n)
	JNZ(LabelRef("prefetchLines_loop"))
	RET()
}

// signBits is the sign of eight values; signShifts moves bit j of lane j of 32 to the sign.
var signBits, signShifts Mem

// rows writes the kernels of this file.
func rows() {
	signBits = constant("signBits", 1<<63)
	signShifts = GLOBL("signShifts", RODATA|NOPTR)
	for j := range 32 {
		DATA(8*j, U64(63-j))
	}
	for _, set := range []isa{avx512, avx2} {
		combine(set, double, false)
		combine(set, single, false)
		combine(set, double, true)
		combine(set, single, true)
		combineRounded(set, double)
		combineRounded(set, single)
	}
	prefetch()
	for _, vectors := range []int{1, 2, 4, 8} {
		signs(avx512, vectors)
	}
	for _, vectors := range []int{2, 4, 8} {
		signs(avx2, vectors)
	}
}
