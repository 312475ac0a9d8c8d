// This file writes the kernels of sparse corrections: compaction of a dense tile, and the product of a compacted tile
// with a block of vectors.

package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// corrections writes the kernels of one instruction set.
func corrections(set isa) {
	if set.bytes == 64 {
		compactAVX512()
		for vectors := 1; vectors <= 8; vectors++ {
			sparseProduct(set, vectors)
		}
		return
	}
	compactAVX2()
	for vectors := 2; vectors <= 6; vectors += 2 {
		sparseProduct(set, vectors)
	}
}

const compactSignature = "func(rows int, width int, stride int, dense *float32, " +
	"counts *uint8, columns *uint8, values *float32) int"

// compactAVX512 takes 16 values at a time. What is compressed goes to a register and is stored whole: compressing into
// memory is slow on some processors, and what is stored too much is overwritten by what comes next.
func compactAVX512() {
	first := GLOBL("compactFirst", attr.RODATA|attr.NOPTR)
	for j := range 16 {
		DATA(4*j, U32(j))
	}
	TEXT("compactAVX512", NOSPLIT, compactSignature)
	Doc("compactAVX512 gathers the positive values of a dense tile; see the generator.")
	f := newCompaction()
	nothing, start, step := ZMM(), ZMM(), ZMM()
	VPXORQ(nothing, nothing, nothing)
	VMOVDQU32(first, start)
	sixteen := GP32()
	MOVL(U32(16), sixteen)
	VPBROADCASTD(sixteen, step)
	places, values, where := ZMM(), ZMM(), ZMM()
	narrow := XMM()
	mask := K()
	bitset, count := GP32(), GP64()
	f.rows("compactAVX512", 16, func() { VMOVDQA64(start, places) }, func() {
		VMOVUPS(Mem{Base: f.at}, values)
		VCMPPS(Imm(30), nothing, values, mask) // greater, quiet: NaN is not
		VCOMPRESSPS_Z(values, mask, values)
		VPCOMPRESSD_Z(places, mask, where)
		VPMOVDB(where, narrow)
		VMOVUPS(values, Mem{Base: f.values, Index: f.total, Scale: 4})
		VMOVDQU(narrow, Mem{Base: f.columns, Index: f.total, Scale: 1})
		VPADDD(step, places, places)
		KMOVW(mask, bitset)
		POPCNTL(bitset, count.As32())
		ADDQ(count, f.total)
	})
}

// compactAVX2 takes 8 values at a time: a table says, for every set of positive ones, in what order they come first.
func compactAVX2() {
	order := GLOBL("compactOrder", attr.RODATA|attr.NOPTR)
	for set := range 256 {
		packed, at := uint64(0), 0
		for rest := uint(set); rest != 0; rest &= rest - 1 {
			packed |= uint64(bits.TrailingZeros(rest)) << (8 * at)
			at++
		}
		DATA(8*set, U64(packed))
	}
	TEXT("compactAVX2", NOSPLIT, compactSignature)
	Doc("compactAVX2 gathers the positive values of a dense tile; see the generator.")
	f := newCompaction()
	nothing, values, comparison, permutation := YMM(), YMM(), YMM(), YMM()
	VXORPS(nothing, nothing, nothing)
	table, places, step, set, count, where := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	LEAQ(order, table)
	MOVQ(U64(0x0808080808080808), step)
	f.rows("compactAVX2", 8, func() { XORQ(places, places) }, func() {
		VMOVUPS(Mem{Base: f.at}, values)
		VCMPPS(Imm(30), nothing, values, comparison)
		VMOVMSKPS(comparison, set.As32())
		VPMOVZXBD(Mem{Base: table, Index: set, Scale: 8}, permutation)
		VPERMPS(values, permutation, values)
		VMOVUPS(values, Mem{Base: f.values, Index: f.total, Scale: 4})
		MOVQ(Mem{Base: table, Index: set, Scale: 8}, where)
		ADDQ(places, where)
		MOVQ(where, Mem{Base: f.columns, Index: f.total, Scale: 1})
		ADDQ(step, places)
		POPCNTL(set.As32(), count.As32())
		ADDQ(count, f.total)
	})
}

// compaction holds the arguments and the state of a compaction.
type compaction struct {
	height, width           Mem          // rows left; values of a row: in memory, for want of registers
	stride                  reg.Register // bytes between rows
	row, at                 reg.Register // the row and the values in it whose turn it is
	counts, columns, values reg.Register
	total                   reg.GPVirtual
}

func newCompaction() *compaction {
	f := &compaction{at: GP64(), total: GP64()}
	f.height, f.width = argument("rows"), argument("width")
	f.stride = Load(Param("stride"), GP64())
	f.row = Load(Param("dense"), GP64())
	f.counts = Load(Param("counts"), GP64())
	f.columns = Load(Param("columns"), GP64())
	f.values = Load(Param("values"), GP64())
	SHLQ(Imm(2), f.stride)
	XORQ(f.total, f.total)
	return f
}

// argument returns where an argument lies on the stack.
func argument(name string) Mem {
	place, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return place.Addr
}

// rows writes the loop over rows around what begins a row and what is done with lane values of it, and returns the
// total.
func (f *compaction) rows(name string, lane int, begin, step func()) {
	left, before, count := GP64(), GP64(), GP64()
	CMPQ(f.height, Imm(0))
	JEQ(LabelRef(name + "_done"))
	Label(name + "_row")
	begin()
	MOVQ(f.row, f.at)
	MOVQ(f.width, left)
	MOVQ(f.total, before)
	Label(name + "_values")
	step()
	ADDQ(Imm(uint64(4*lane)), f.at)
	SUBQ(Imm(uint64(lane)), left)
	JG(LabelRef(name + "_values"))
	MOVQ(f.total, count)
	SUBQ(before, count)
	MOVB(count.As8(), Mem{Base: f.counts})
	INCQ(f.counts)
	ADDQ(f.stride, f.row)
	DECQ(f.height)
	JNZ(LabelRef(name + "_row"))
	Label(name + "_done")
	Store(f.total, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// sparseProduct writes the product of a compacted tile with a panel of vectors·width columns. For every row r of the
// tile and each of its entries, v at column j,
//
//	z[r] += v·chosen[j]    and, where the row is not an inside one,    sums[j] += v·x[r].
func sparseProduct(set isa, vectors int) {
	name := fmt.Sprintf("sparseProduct%d%s", vectors, set.suffix)
	TEXT(name, NOSPLIT, "func(rows int, counts *uint8, columns *uint8, values *float32, inside *bool, "+
		"chosen *float32, sums *float32, z *float32, x *float32, stride int)")
	Doc(name + " multiplies a compacted tile with a panel of columns; see the generator.")
	rows := Load(Param("rows"), GP64())
	counts := Load(Param("counts"), GP64())
	columns := Load(Param("columns"), GP64())
	values := Load(Param("values"), GP64())
	inside := Load(Param("inside"), GP64())
	chosen := Load(Param("chosen"), GP64())
	sums := Load(Param("sums"), GP64())
	z := Load(Param("z"), GP64())
	x := Load(Param("x"), GP64())
	stride := Load(Param("stride"), GP64())
	SHLQ(Imm(2), stride)
	out, in := make([]reg.VecVirtual, vectors), make([]reg.VecVirtual, vectors)
	for j := range out {
		out[j], in[j] = set.register(), set.register()
	}
	value, moved := set.register(), set.register()
	left, at := GP64(), GP64()
	at8 := func(j int) int { return j * set.bytes }
	// entry reads the next entry and adds its share to the row.
	entry := func() {
		MOVBQZX(Mem{Base: columns}, at)
		IMULQ(stride, at)
		VBROADCASTSS(Mem{Base: values}, value)
		INCQ(columns)
		ADDQ(Imm(4), values)
		for j := range out {
			VFMADD231PS(Mem{Base: chosen, Index: at, Scale: 1, Disp: at8(j)}, value, out[j])
		}
	}
	Label(name + "_row")
	MOVBQZX(Mem{Base: counts}, left)
	TESTQ(left, left)
	JZ(LabelRef(name + "_next"))
	for j := range out {
		VMOVUPS(Mem{Base: z, Disp: at8(j)}, out[j])
	}
	CMPB(Mem{Base: inside}, Imm(0))
	JNE(LabelRef(name + "_inside"))
	for j := range in {
		VMOVUPS(Mem{Base: x, Disp: at8(j)}, in[j])
	}
	Label(name + "_both")
	entry()
	for j := range in {
		place := Mem{Base: sums, Index: at, Scale: 1, Disp: at8(j)}
		VMOVUPS(place, moved)
		VFMADD231PS(value, in[j], moved)
		VMOVUPS(moved, place)
	}
	DECQ(left)
	JNZ(LabelRef(name + "_both"))
	JMP(LabelRef(name + "_store"))
	Label(name + "_inside")
	entry()
	DECQ(left)
	JNZ(LabelRef(name + "_inside"))
	Label(name + "_store")
	for j := range out {
		VMOVUPS(out[j], Mem{Base: z, Disp: at8(j)})
	}
	Label(name + "_next")
	INCQ(counts)
	INCQ(inside)
	ADDQ(stride, z)
	ADDQ(stride, x)
	DECQ(rows)
	JNZ(LabelRef(name + "_row"))
	VZEROUPPER()
	RET()
}
