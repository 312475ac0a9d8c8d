// Command avo writes the assembly of package kernel: register-blocked tiles of matrix products, the sparse corrections,
// rows of the eigenvalue problem, the special functions and mixtures of the variational algorithms, collapsed local
// steps, and the loops that the others are held against. Run it through go generate in package kernel.
//
// Two instruction sets are served: AVX-512 (F and VL) and AVX2 with FMA. The tile sizes fill the register file: with 32
// registers 8 rows by 3 vectors of accumulators, with 16 registers 4 by 3.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set: its suffix in function names, the bytes of a register and the rows of a full tile.
type isa struct {
	suffix   string
	bytes    int
	rows     int
	register func() reg.VecVirtual
}

// element is a floating-point type and the instructions that work on packed values of it.
type element struct {
	name, goType            string
	size                    int
	load, broadcast         func(ops ...Op)
	fma, add, greatest, xor func(ops ...Op)
}

var (
	avx512 = isa{"AVX512", 64, 8, ZMM}
	avx2   = isa{"AVX2", 32, 4, YMM}

	double = element{"64", "float64", 8, VMOVUPD, VBROADCASTSD, VFMADD231PD, VADDPD, VMAXPD, VXORPD}
	single = element{"32", "float32", 4, VMOVUPS, VBROADCASTSS, VFMADD231PS, VADDPS, VMAXPS, VXORPS}
)

func main() {
	ConstraintExpr("amd64,!noasm")
	constants := newSpecialConstants()
	for _, set := range []isa{avx512, avx2} {
		for _, rows := range []int{set.rows, 1} {
			for vectors := 3; vectors >= 1; vectors-- {
				tile(set, double, "Rows", rows, vectors)
				tile(set, double, "Columns", rows, vectors)
				tile(set, single, "Rows", rows, vectors)
				tile(set, single, "Columns", rows, vectors)
			}
		}
		corrections(set)
		axpy(set)
		eigen(set)
		special(set, &constants)
		collapsed(set)
	}
	rows()
	Generate()
}

// zero clears a register of the instruction set.
func zero(set isa, e element, r reg.VecVirtual) {
	if set.bytes == 64 {
		VPXORQ(r, r, r)
		return
	}
	e.xor(r, r, r)
}

// tile writes one tile of a product, rows×(vectors·width) values of c:
//
//	layout Rows:    c[i,j] ← Σ_p a[i·lda+p]·b[p·ldb+j]
//	layout Columns: c[i,j] ← Σ_p a[p·lda+i]·b[p·ldb+j]
//
// where ← adds to c (mode 0), sets it (1) or sets it to the positive part (2).
func tile(set isa, e element, layout string, rows, vectors int) {
	name := fmt.Sprintf("tile%s%sBy%dx%d%s", layout, e.name, rows, vectors, set.suffix)
	TEXT(name, NOSPLIT,
		fmt.Sprintf("func(k int, a *%[1]s, lda int, b *%[1]s, ldb int, c *%[1]s, ldc int, mode int)", e.goType))
	Doc(name + " computes one tile of a product; see the generator.")
	k := Load(Param("k"), GP64())
	a := Load(Param("a"), GP64())
	lda := Load(Param("lda"), GP64())
	b := Load(Param("b"), GP64())
	ldb := Load(Param("ldb"), GP64())
	for _, distance := range []reg.Register{lda, ldb} {
		IMUL3Q(Imm(uint64(e.size)), distance, distance)
	}

	acc := make([][]reg.VecVirtual, rows)
	for i := range acc {
		acc[i] = make([]reg.VecVirtual, vectors)
		for j := range acc[i] {
			acc[i][j] = set.register()
			zero(set, e, acc[i][j])
		}
	}
	// In layout Rows a row of a is reached as one of a few base pointers plus 0, 1 or 2 times lda.
	bases := []reg.Register{a}
	if layout == "Rows" {
		for i := 3; i < rows; i += 3 {
			next := GP64()
			LEAQ(Mem{Base: bases[len(bases)-1], Index: lda, Scale: 2}, next)
			ADDQ(lda, next)
			bases = append(bases, next)
		}
	}
	entry := func(i, step int) Op {
		if layout == "Columns" {
			return Mem{Base: a, Disp: i * e.size}
		}
		m := Mem{Base: bases[i/3], Disp: step * e.size}
		if i%3 > 0 {
			m.Index, m.Scale = lda, uint8(i%3)
		}
		return m
	}
	right := make([]reg.VecVirtual, vectors)
	for j := range right {
		right[j] = set.register()
	}
	left := set.register()
	step := func(s int) {
		for j := range right {
			e.load(Mem{Base: b, Disp: j * set.bytes}, right[j])
		}
		ADDQ(ldb, b)
		for i := range acc {
			e.broadcast(entry(i, s), left)
			for j := range right {
				e.fma(left, right[j], acc[i][j])
			}
		}
		if layout == "Columns" {
			ADDQ(lda, a)
		}
	}
	advance := func(steps int) {
		if layout == "Rows" {
			for _, base := range bases {
				ADDQ(Imm(uint64(steps*e.size)), base)
			}
		}
	}
	const unroll = 4
	quads := GP64()
	MOVQ(k, quads)
	SHRQ(Imm(2), quads)
	ANDQ(Imm(unroll-1), k)
	TESTQ(quads, quads)
	JZ(LabelRef(name + "_rest"))
	Label(name + "_loop")
	for s := range unroll {
		step(s)
	}
	advance(unroll)
	DECQ(quads)
	JNZ(LabelRef(name + "_loop"))
	Label(name + "_rest")
	TESTQ(k, k)
	JZ(LabelRef(name + "_store"))
	Label(name + "_one")
	step(0)
	advance(1)
	DECQ(k)
	JNZ(LabelRef(name + "_one"))

	Label(name + "_store")
	store(set, e, name, acc, right[0])
}

// store writes the accumulators to c in the way that mode asks for.
func store(set isa, e element, name string, acc [][]reg.VecVirtual, scratch reg.VecVirtual) {
	c := Load(Param("c"), GP64())
	ldc := Load(Param("ldc"), GP64())
	IMUL3Q(Imm(uint64(e.size)), ldc, ldc)
	mode := Load(Param("mode"), GP64())
	each := func(write func(value reg.VecVirtual, at Mem)) {
		for i := range acc {
			for j := range acc[i] {
				write(acc[i][j], Mem{Base: c, Disp: j * set.bytes})
			}
			if i < len(acc)-1 {
				ADDQ(ldc, c)
			}
		}
		VZEROUPPER()
		RET()
	}
	CMPQ(mode, Imm(1))
	JEQ(LabelRef(name + "_set"))
	JGT(LabelRef(name + "_positive"))
	each(func(value reg.VecVirtual, at Mem) {
		e.add(at, value, value)
		e.load(value, at)
	})
	Label(name + "_positive")
	zero(set, e, scratch)
	for i := range acc {
		for _, value := range acc[i] {
			e.greatest(scratch, value, value)
		}
	}
	Label(name + "_set")
	each(func(value reg.VecVirtual, at Mem) { e.load(value, at) })
}

// axpy writes y += alpha·x for n values, n a multiple of the register width.
func axpy(set isa) {
	name := "axpy" + set.suffix
	TEXT(name, NOSPLIT, "func(n int, alpha float64, x *float64, y *float64)")
	Doc(name + " adds a multiple of x to y; see the generator.")
	n := Load(Param("n"), GP64())
	x := Load(Param("x"), GP64())
	y := Load(Param("y"), GP64())
	alpha := set.register()
	scalar := Load(Param("alpha"), XMM())
	VBROADCASTSD(scalar, alpha)
	Label(name + "_loop")
	sum := set.register()
	VMOVUPD(Mem{Base: y}, sum)
	VFMADD231PD(Mem{Base: x}, alpha, sum)
	VMOVUPD(sum, Mem{Base: y})
	ADDQ(Imm(uint64(set.bytes)), x)
	ADDQ(Imm(uint64(set.bytes)), y)
	SUBQ(Imm(uint64(set.bytes/8)), n)
	JG(LabelRef(name + "_loop"))
	VZEROUPPER()
	RET()
}
