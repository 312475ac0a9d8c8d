// This file writes the kernels of the variational algorithms: exponentials, exponentials of the digamma function, and
// mixtures of rows picked from a table.

package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// constant returns eight copies of a value in memory, which an instruction of either set takes as an operand.
func constant(name string, bits uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(bits))
	}
	return m
}

// specialConstants are those of exponential and digamma.
type specialConstants struct {
	low, high, log2e, magic, ln2High, ln2Low Mem
	taylor                                   []Mem // 1/13!, 1/12!, …, 1
	zero, one, half, eight                   Mem
	steps                                    []Mem // 1, 2, …, 7
	bernoulli                                []Mem // of the asymptotic series, the highest power first
}

func newSpecialConstants() specialConstants {
	value := func(name string, v float64) Mem { return constant(name, math.Float64bits(v)) }
	c := specialConstants{
		low: value("expLow", -690), high: value("expHigh", 709), log2e: value("expLog2e", math.Log2E),
		magic: value("expMagic", 0x1.8p52), ln2High: constant("expLn2High", 0x3fe62e42fee00000), ln2Low: constant("expLn2Low",
			0x3dea39ef35793c76),
		zero: value("zero", 0), one: value("one", 1), half: value("half", 0.5), eight: value("eight", 8),
	}
	factorial := 6227020800.0 // 13!
	for n := 13; n >= 0; n-- {
		c.taylor = append(c.taylor, value(fmt.Sprintf("expTaylor%d", n), 1/factorial))
		if n > 0 {
			factorial /= float64(n)
		}
	}
	for n := 1; n < 8; n++ {
		c.steps = append(c.steps, value(fmt.Sprintf("digammaStep%d", n), float64(n)))
	}
	for i, b := range []float64{-43867. / 14364, 3617. / 8160, -1. / 12, 691. / 32760, -1. / 132, 1. / 240, -1. / 252,
		1. / 120, -1. / 12} {
		c.bernoulli = append(c.bernoulli, value(fmt.Sprintf("digammaTerm%d", i), b))
	}
	return c
}

// exponential replaces z by its exponential, clamped to what the constants say: z = k·ln 2 + r, a Taylor polynomial in
// r, and k added to the exponent.
func (c *specialConstants) exponential(set isa, z reg.VecVirtual) {
	bound, k, n, p := set.register(), set.register(), set.register(), set.register()
	VMOVUPD(c.low, bound)
	VMAXPD(z, bound, z) // with the value as the second source, NaN stays NaN
	VMOVUPD(c.high, bound)
	VMINPD(z, bound, z)
	VMOVUPD(c.magic, n)
	VFMADD231PD(c.log2e, z, n)
	VSUBPD(c.magic, n, k)
	VFNMADD231PD(c.ln2High, k, z)
	VFNMADD231PD(c.ln2Low, k, z)
	VMOVUPD(c.taylor[0], p)
	for _, coefficient := range c.taylor[1:] {
		VFMADD213PD(coefficient, z, p)
	}
	VPSLLQ(Imm(52), n, n)
	VPADDQ(n, p, p)
	VFMADD231PD(c.zero, z, p) // NaN, which the integers have spoilt, comes back
	VMOVAPD(p, z)
}

// elementwise writes a function of the values of x, n of them, a multiple of 8.
func elementwise(set isa, name, doc string, body func(x reg.VecVirtual)) {
	name += set.suffix
	TEXT(name, NOSPLIT, "func(n int, dst *float64, x *float64)")
	Doc(name + " " + doc)
	n := Load(Param("n"), GP64())
	dst := Load(Param("dst"), GP64())
	x := Load(Param("x"), GP64())
	Label(name + "_loop")
	value := set.register()
	VMOVUPD(Mem{Base: x}, value)
	body(value)
	VMOVUPD(value, Mem{Base: dst})
	ADDQ(Imm(uint64(set.bytes)), x)
	ADDQ(Imm(uint64(set.bytes)), dst)
	SUBQ(Imm(uint64(set.bytes/8)), n)
	JG(LabelRef(name + "_loop"))
	VZEROUPPER()
	RET()
}

// special writes the kernels of this file for one instruction set.
func special(set isa, c *specialConstants) {
	elementwise(set, "exp", "sets dst to exp(x); see the generator.", func(x reg.VecVirtual) { c.exponential(set, x) })
	elementwise(set, "expDigamma", "sets dst to exp(ψ(x)); see the generator.",
		func(x reg.VecVirtual) { c.expDigamma(set, x) })
	mixture(set)
}

// expDigamma replaces x by exp(ψ(x)). With y = x+8,
//
//	ψ(x) = ln y − 1/(2y) − Σ_n B_2n/(2n·y^2n) − Σ_{i<8} 1/(x+i)
//
// where the last sum is the quotient of Π(x+i)'s derivative and itself; the logarithm is never taken.
func (c *specialConstants) expDigamma(set isa, x reg.VecVirtual) {
	y, num, den, factor := set.register(), set.register(), set.register(), set.register()
	VADDPD(c.eight, x, y)
	VMOVUPD(c.one, num)
	VMOVAPD(x, den)
	for _, step := range c.steps {
		VADDPD(step, x, factor)
		VFMADD213PD(den, factor, num)
		VMULPD(factor, den, den)
	}
	VDIVPD(den, num, num)
	w, squared, series := set.register(), set.register(), set.register()
	VMOVUPD(c.one, w)
	VDIVPD(y, w, w)
	VMULPD(w, w, squared)
	VMOVUPD(c.bernoulli[0], series)
	for _, term := range c.bernoulli[1:] {
		VFMADD213PD(term, squared, series)
	}
	VMULPD(squared, series, series)
	VFNMADD231PD(c.half, w, series)
	VSUBPD(num, series, x)
	c.exponential(set, x)
	VMULPD(y, x, x)
}

// across adds the lanes of a vector up, into the first lane of a register of 128 bits.
func across(set isa, e element, v reg.VecVirtual) reg.VecVirtual {
	if set.bytes == 64 {
		upper, lower := YMM(), YMM()
		VEXTRACTF64X4(Imm(1), v, upper)
		VEXTRACTF64X4(Imm(0), v, lower)
		e.add(upper, lower, lower)
		v = lower
	}
	upper, lower := XMM(), XMM()
	VEXTRACTF128(Imm(1), v, upper)
	VEXTRACTF128(Imm(0), v, lower)
	e.add(upper, lower, lower)
	if e.size == 8 {
		VPERMILPD(Imm(1), lower, upper)
		VADDSD(upper, lower, lower)
		return lower
	}
	VPERMILPS(Imm(0x4e), lower, upper)
	VADDPS(upper, lower, lower)
	VPERMILPS(Imm(0xb1), lower, upper)
	VADDSS(upper, lower, lower)
	return lower
}

// mixture writes, for every one of n rows e_i of a table, each of width values,
//
//	norms[i] = e_i·t    and then    out += (counts[i]/norms[i])·e_i
func mixture(set isa) {
	name := "mixture" + set.suffix
	TEXT(name, NOSPLIT, "func(n int, rows *int32, counts *float64, table *float64, width int, t *float64, norms "+
		"*float64, out *float64)")
	Doc(name + " adds up responsibilities; see the generator.")
	n := Load(Param("n"), GP64())
	rows := Load(Param("rows"), GP64())
	counts := Load(Param("counts"), GP64())
	table := Load(Param("table"), GP64())
	width := Load(Param("width"), GP64())
	t := Load(Param("t"), GP64())
	norms := Load(Param("norms"), GP64())
	out := Load(Param("out"), GP64())
	SHLQ(Imm(3), width) // bytes
	row, at := GP64(), GP64()
	product, other, value, weight := set.register(), set.register(), set.register(), set.register()
	Label(name + "_row")
	MOVLQSX(Mem{Base: rows}, row)
	IMULQ(width, row)
	ADDQ(table, row)
	zero(set, double, product)
	zero(set, double, other)
	XORQ(at, at)
	// Two sums at a time where there are two vectors left.
	rest := GP64()
	MOVQ(width, rest)
	SUBQ(Imm(uint64(2*set.bytes)), rest)
	JL(LabelRef(name + "_last"))
	Label(name + "_dot")
	VMOVUPD(Mem{Base: row, Index: at, Scale: 1}, value)
	VFMADD231PD(Mem{Base: t, Index: at, Scale: 1}, value, product)
	VMOVUPD(Mem{Base: row, Index: at, Scale: 1, Disp: set.bytes}, value)
	VFMADD231PD(Mem{Base: t, Index: at, Scale: 1, Disp: set.bytes}, value, other)
	ADDQ(Imm(uint64(2*set.bytes)), at)
	SUBQ(Imm(uint64(2*set.bytes)), rest)
	JGE(LabelRef(name + "_dot"))
	Label(name + "_last")
	CMPQ(at, width)
	JGE(LabelRef(name + "_summed"))
	VMOVUPD(Mem{Base: row, Index: at, Scale: 1}, value)
	VFMADD231PD(Mem{Base: t, Index: at, Scale: 1}, value, product)
	Label(name + "_summed")
	VADDPD(other, product, product)
	norm := across(set, double, product)
	VMOVSD(norm, Mem{Base: norms})
	quotient := XMM()
	VMOVSD(Mem{Base: counts}, quotient)
	VDIVSD(norm, quotient, quotient)
	VBROADCASTSD(quotient, weight)
	XORQ(at, at)
	Label(name + "_add")
	VMOVUPD(Mem{Base: out, Index: at, Scale: 1}, value)
	VFMADD231PD(Mem{Base: row, Index: at, Scale: 1}, weight, value)
	VMOVUPD(value, Mem{Base: out, Index: at, Scale: 1})
	ADDQ(Imm(uint64(set.bytes)), at)
	CMPQ(at, width)
	JL(LabelRef(name + "_add"))
	ADDQ(Imm(4), rows)
	ADDQ(Imm(8), counts)
	ADDQ(Imm(8), norms)
	DECQ(n)
	JNZ(LabelRef(name + "_row"))
	VZEROUPPER()
	RET()
}
