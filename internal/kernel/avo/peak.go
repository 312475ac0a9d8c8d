// This file writes the loop that other kernels are held against: multiply-adds that wait for nothing.

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// multiplyAdds writes rounds of sums += x·y in all registers but two: more than any processor needs to have a
// multiply-add begin in every unit in every cycle. In the end the registers are added up, to one vector.
func multiplyAdds(set isa, e element) {
	name := "multiplyAdds" + e.name + set.suffix
	TEXT(name, NOSPLIT, "func(rounds int, x, y "+e.goType+", sums *"+e.goType+")")
	Doc(name + " adds up products in registers; see the generator.")
	rounds := Load(Param("rounds"), GP64())
	x, y := set.register(), set.register()
	e.broadcast(Load(Param("x"), XMM()), x)
	e.broadcast(Load(Param("y"), XMM()), y)
	sums := make([]reg.VecVirtual, multiplyAddRegisters(set))
	for i := range sums {
		sums[i] = set.register()
		zero(set, e, sums[i])
	}
	Label(name + "_loop")
	for _, sum := range sums {
		e.fma(x, y, sum)
	}
	DECQ(rounds)
	JNZ(LabelRef(name + "_loop"))
	for _, sum := range sums[1:] {
		e.add(sum, sums[0], sums[0])
	}
	e.load(sums[0], Mem{Base: Load(Param("sums"), GP64())})
	VZEROUPPER()
	RET()
}

// multiplyAddRegisters is the number of sums: 30 of 32 registers, or 14 of 16.
func multiplyAddRegisters(set isa) int {
	if set.bytes == 64 {
		return 30
	}
	return 14
}

// peak writes the loop for both types.
func peak(set isa) {
	multiplyAdds(set, double)
	multiplyAdds(set, single)
}
