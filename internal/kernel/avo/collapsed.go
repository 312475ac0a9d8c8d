// This file writes the collapsed local step: the responsibilities of a document's topics for its entries.

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// collapsed writes the kernels of this file for one instruction set.
func collapsed(set isa) {
	collapsedStep(set)
	respond(set)
	rowDots32(set)
	lanes(set)
}

// collapsedStep writes Collapsed. Two rows at a time share what they read of a, and neither waits for the other's sum.
func collapsedStep(set isa) {
	name := "collapsed" + set.suffix
	TEXT(name, NOSPLIT, "func(n int, counts *float32, table *float32, gamma *float32, width int, a *float32, least "+
		"*float32, scratch *float32) float32")
	Doc(name + " changes responsibilities, entry by entry; see the generator.")
	n := Load(Param("n"), GP64())
	c := collapsing{set: set, name: name, counts: Load(Param("counts"), GP64()), at: GP64()}
	c.row[0], c.gamma[0] = Load(Param("table"), GP64()), Load(Param("gamma"), GP64())
	c.width = Load(Param("width"), GP64())
	c.a, c.least, c.scratch[0] = Load(Param("a"), GP64()), Load(Param("least"), GP64()), Load(Param("scratch"), GP64())
	SHLQ(Imm(2), c.width) // bytes
	for _, pair := range []*[2]reg.Register{&c.row, &c.gamma, &c.scratch} {
		second := GP64()
		MOVQ(pair[0], second)
		ADDQ(c.width, second)
		pair[1] = second
	}
	c.sign, c.one = set.register(), XMM()
	// The vectors of a line are added up apart: a chain of additions would wait for itself.
	for range 64 / set.bytes {
		change := set.register()
		zero(set, single, change)
		c.changes = append(c.changes, change)
	}
	bits, low := GP32(), XMM()
	MOVL(Imm(0x7fffffff), bits) // all but the sign
	VMOVD(bits, low)
	VPBROADCASTD(low, c.sign)
	MOVL(Imm(0x3f800000), bits) // 1
	VMOVD(bits, c.one)
	SUBQ(Imm(2), n)
	JL(LabelRef(name + "_last"))
	Label(name + "_pair")
	c.rows("pair", 2)
	SUBQ(Imm(2), n)
	JGE(LabelRef(name + "_pair"))
	Label(name + "_last")
	ADDQ(Imm(2), n)
	JZ(LabelRef(name + "_end"))
	c.rows("single", 1)
	Label(name + "_end")
	Store(across(set, single, addAll(c.changes)), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// collapsing holds the registers of a collapsed step.
type collapsing struct {
	set                         isa
	name                        string
	counts, width, a, least, at reg.Register
	row, gamma, scratch         [2]reg.Register
	sign, one                   reg.VecVirtual
	changes                     []reg.VecVirtual
}

// part is the vector of a row, an offset after the current line.
func (c *collapsing) part(base reg.Register, offset int) Mem {
	return Mem{Base: base, Index: c.at, Scale: 1, Disp: offset}
}

// rows writes the step of one or two rows, and moves on to the next.
func (c *collapsing) rows(label string, count int) {
	first, second := c.name+"_"+label+"_first", c.name+"_"+label+"_second"
	norms := make([][]reg.VecVirtual, count)
	for r := range norms {
		for range c.changes {
			norm := c.set.register()
			zero(c.set, single, norm)
			norms[r] = append(norms[r], norm)
		}
	}
	mean, value := c.set.register(), c.set.register()
	XORQ(c.at, c.at)
	Label(first)
	for i := range c.changes {
		offset := i * c.set.bytes
		VMOVUPS(c.part(c.a, offset), mean)
		for r := range norms {
			VSUBPS(c.part(c.gamma[r], offset), mean, value)
			VMAXPS(c.part(c.least, offset), value, value)
			VMULPS(c.part(c.row[r], offset), value, value)
			VMOVUPS(value, c.part(c.scratch[r], offset))
			VADDPS(value, norms[r][i], norms[r][i])
		}
	}
	ADDQ(Imm(64), c.at)
	CMPQ(c.at, c.width)
	JL(LabelRef(first))
	inverses, counts := make([]reg.VecVirtual, count), make([]reg.VecVirtual, count)
	for r := range norms {
		quotient := XMM()
		VDIVSS(across(c.set, single, addAll(norms[r])), c.one, quotient)
		inverses[r], counts[r] = c.set.register(), c.set.register()
		VBROADCASTSS(quotient, inverses[r])
		VBROADCASTSS(Mem{Base: c.counts, Disp: 4 * r}, counts[r])
	}
	difference := c.set.register()
	XORQ(c.at, c.at)
	Label(second)
	for i, change := range c.changes {
		offset := i * c.set.bytes
		VMOVUPS(c.part(c.a, offset), mean)
		for r := range norms {
			VMULPS(c.part(c.scratch[r], offset), inverses[r], value)
			VSUBPS(c.part(c.gamma[r], offset), value, difference)
			VMOVUPS(value, c.part(c.gamma[r], offset))
			VFMADD231PS(difference, counts[r], mean)
			if c.set.bytes == 64 {
				VPANDD(c.sign, difference, difference)
			} else {
				VANDPS(c.sign, difference, difference)
			}
			VFMADD231PS(difference, counts[r], change)
		}
		VMOVUPS(mean, c.part(c.a, offset))
	}
	ADDQ(Imm(64), c.at)
	CMPQ(c.at, c.width)
	JL(LabelRef(second))
	for _, pair := range []*[2]reg.Register{&c.row, &c.gamma} {
		for _, base := range pair {
			for range count {
				ADDQ(c.width, base)
			}
		}
	}
	ADDQ(Imm(uint64(4*count)), c.counts)
}

// addAll adds vectors to the first of them.
func addAll(vectors []reg.VecVirtual) reg.VecVirtual {
	for _, v := range vectors[1:] {
		VADDPS(v, vectors[0], vectors[0])
	}
	return vectors[0]
}

// respond writes Respond.
func respond(set isa) {
	name := "respond" + set.suffix
	TEXT(name, NOSPLIT, "func(n int, counts *float32, table *float32, gamma *float32, width int, a *float32, "+
		"out *float32)")
	Doc(name + " finds responsibilities and adds them up; see the generator.")
	n, counts := Load(Param("n"), GP64()), Load(Param("counts"), GP64())
	row, gamma := Load(Param("table"), GP64()), Load(Param("gamma"), GP64())
	width := Load(Param("width"), GP64())
	a, out := Load(Param("a"), GP64()), Load(Param("out"), GP64())
	SHLQ(Imm(2), width) // bytes
	at, bits, one, quotient := GP64(), GP32(), XMM(), XMM()
	MOVL(Imm(0x3f800000), bits) // 1
	VMOVD(bits, one)
	value, inverse, count, sum := set.register(), set.register(), set.register(), set.register()
	var norms []reg.VecVirtual
	for range 64 / set.bytes {
		norms = append(norms, set.register())
	}
	part := func(base reg.Register, i int) Mem {
		return Mem{Base: base, Index: at, Scale: 1, Disp: i * set.bytes}
	}
	// line writes a loop over the lines of a row, with each of the vectors of a line.
	line := func(label string, vector func(i int)) {
		XORQ(at, at)
		Label(name + label)
		for i := range norms {
			vector(i)
		}
		ADDQ(Imm(64), at)
		CMPQ(at, width)
		JL(LabelRef(name + label))
	}
	Label(name + "_row")
	for _, norm := range norms {
		zero(set, single, norm)
	}
	line("_norm", func(i int) {
		VMOVUPS(part(row, i), value)
		VMULPS(part(a, i), value, value)
		VMOVUPS(value, part(gamma, i))
		VADDPS(value, norms[i], norms[i])
	})
	VDIVSS(across(set, single, addAll(norms)), one, quotient)
	VBROADCASTSS(quotient, inverse)
	VBROADCASTSS(Mem{Base: counts}, count)
	line("_share", func(i int) {
		VMULPS(part(gamma, i), inverse, value)
		VMOVUPS(value, part(gamma, i))
		VMOVUPS(part(out, i), sum)
		VFMADD231PS(value, count, sum)
		VMOVUPS(sum, part(out, i))
	})
	ADDQ(width, row)
	ADDQ(width, gamma)
	ADDQ(Imm(4), counts)
	DECQ(n)
	JNZ(LabelRef(name + "_row"))
	VZEROUPPER()
	RET()
}

// rowDots32 writes RowDots.
func rowDots32(set isa) {
	name := "rowDots32" + set.suffix
	TEXT(name, NOSPLIT, "func(n int, table *float32, width int, x *float32, out *float32)")
	Doc(name + " multiplies rows with a vector; see the generator.")
	n := Load(Param("n"), GP64())
	row := Load(Param("table"), GP64())
	width := Load(Param("width"), GP64())
	x := Load(Param("x"), GP64())
	out := Load(Param("out"), GP64())
	SHLQ(Imm(2), width) // bytes
	at := GP64()
	product, value := set.register(), set.register()
	Label(name + "_row")
	zero(set, single, product)
	XORQ(at, at)
	Label(name + "_dot")
	VMOVUPS(Mem{Base: row, Index: at, Scale: 1}, value)
	VFMADD231PS(Mem{Base: x, Index: at, Scale: 1}, value, product)
	ADDQ(Imm(uint64(set.bytes)), at)
	CMPQ(at, width)
	JL(LabelRef(name + "_dot"))
	sum := across(set, single, product)
	VMOVSS(sum, Mem{Base: out})
	ADDQ(width, row)
	ADDQ(Imm(4), out)
	DECQ(n)
	JNZ(LabelRef(name + "_row"))
	VZEROUPPER()
	RET()
}

// lanes writes the sums from which Draw takes a topic. Products are rounded before they are added, as in Go.
func lanes(set isa) {
	name := "lanes" + set.suffix
	TEXT(name, NOSPLIT, "func(row *float32, a *float32, width int, sums *float32)")
	Doc(name + " adds up products lane by lane; see the generator.")
	row, a := Load(Param("row"), GP64()), Load(Param("a"), GP64())
	width, sums := Load(Param("width"), GP64()), Load(Param("sums"), GP64())
	SHLQ(Imm(2), width) // bytes
	at, value := GP64(), set.register()
	var lines []reg.VecVirtual
	for range 64 / set.bytes {
		sum := set.register()
		zero(set, single, sum)
		lines = append(lines, sum)
	}
	XORQ(at, at)
	Label(name + "_line")
	for i, sum := range lines {
		VMOVUPS(Mem{Base: row, Index: at, Scale: 1, Disp: i * set.bytes}, value)
		VMULPS(Mem{Base: a, Index: at, Scale: 1, Disp: i * set.bytes}, value, value)
		VADDPS(value, sum, sum)
	}
	ADDQ(Imm(64), at)
	CMPQ(at, width)
	JL(LabelRef(name + "_line"))
	for i, sum := range lines {
		VMOVUPS(sum, Mem{Base: sums, Disp: i * set.bytes})
	}
	VZEROUPPER()
	RET()
}
