// This file holds one joint of the divide-and-conquer method: the eigenvalues and eigenvectors of a diagonal matrix and
// one of rank one, and the product that turns the eigenvectors of the two pieces into those of the whole.

package kernel

import (
	"math"
	"slices"

	"anchorage/internal/aligned"
)

// merge joins the pieces low … middle−1 and middle … high−1. In their eigenvectors the matrix is D + ρ·u·uᵀ, with D the
// values, ρ = 2|coupling| and u = (last column of Z₁, ± first column of Z₂)/√2.
type merge struct {
	*divided
	low, middle, high int
	coupling          float64

	k       int   // poles of the secular equation; the other values are eigenvalues already
	kept    []int // rows of z that have poles, by increasing pole
	rest    []int // the other rows
	place   []int // of every pole's row in gathered, from low on
	top     int   // this many first rows there are zero outside of the first piece
	both    int   // and this many after them are not; those that are left are zero outside of the second
	u       []float64
	roots   []float64
	secular secular
}

// support names the piece in which a row of z is not zero.
type support int8

const (
	inFirst support = iota
	inBoth
	inSecond
)

// prepare finds the rows that are eigenvectors already, and gathers the others.
func (m *merge) prepare() {
	size := m.high - m.low
	sign := math.Copysign(1, m.coupling)
	u, in := make([]float64, size), make([]support, size) // by row, from low on
	for row := m.low; row < m.high; row++ {
		if row < m.middle {
			u[row-m.low] = m.z[row*m.stride+m.middle-1] * math.Sqrt2 / 2
		} else {
			u[row-m.low], in[row-m.low] = sign*m.z[row*m.stride+m.middle]*math.Sqrt2/2, inSecond
		}
	}
	order := m.order[m.low:m.high]
	slices.SortFunc(order, m.byValue)
	m.deflate(order, u, in)
	m.k = len(m.kept)
	m.gather(in)
	rho := 2 * math.Abs(m.coupling)
	m.u, m.roots = make([]float64, m.k), make([]float64, m.k)
	m.secular = newSecular(m.k)
	for i, row := range m.kept {
		v := u[row-m.low]
		m.u[i], m.secular.poles[i], m.secular.weights[i] = v, m.values[row], rho*v*v
	}
}

// deflate splits the rows, in order of their values, into those kept and the rest. A row is an eigenvector already if
// its coupling is no more than rounding; and so is one of two whose values are so close that a rotation can decouple it
// (Dongarra & Sorensen, SIAM J. Sci. Stat. Comput. 8, 1987).
func (m *merge) deflate(order []int, u []float64, in []support) {
	rho := 2 * math.Abs(m.coupling)
	norm := rho
	for _, row := range order {
		norm = max(norm, math.Abs(m.values[row]))
	}
	tolerance := 4 * 0x1p-52 * norm
	last := -1
	for _, row := range order {
		if rho*math.Abs(u[row-m.low]) <= tolerance {
			m.rest = append(m.rest, row)
			continue
		}
		if last < 0 {
			last = row
			continue
		}
		ul, ur := u[last-m.low], u[row-m.low]
		length := math.Hypot(ul, ur)
		c, s := ur/length, ul/length
		apart := m.values[row] - m.values[last]
		if math.Abs(apart*c*s) > tolerance {
			m.kept = append(m.kept, last)
			last = row
			continue
		}
		// last ← c·last − s·row has no coupling left, and row ← s·last + c·row has all of it.
		rotate(m.z[last*m.stride:][m.low:m.high], m.z[row*m.stride:][m.low:m.high], c, -s)
		m.values[last], m.values[row] = m.values[last]+apart*s*s, m.values[row]-apart*s*s
		u[last-m.low], u[row-m.low] = 0, length
		if in[last-m.low] != in[row-m.low] {
			in[last-m.low], in[row-m.low] = inBoth, inBoth
		}
		m.rest = append(m.rest, last)
		last = row
	}
	if last >= 0 {
		m.kept = append(m.kept, last)
	}
}

// gather copies the rows of the poles, ordered by where they are not zero, and those of the rest after them.
func (m *merge) gather(in []support) {
	m.place = make([]int, m.k)
	at := 0
	for _, s := range []support{inFirst, inBoth, inSecond} {
		for i, row := range m.kept {
			if in[row-m.low] == s {
				m.place[i] = at
				at++
			}
		}
		switch s {
		case inFirst:
			m.top = at
		case inBoth:
			m.both = at - m.top
		}
	}
	for i, row := range m.kept {
		m.copyRow(m.gathered, m.low+m.place[i], m.z, row)
	}
	for i, row := range m.rest {
		m.copyRow(m.gathered, m.low+m.k+i, m.z, row)
		m.nextValues[m.low+m.k+i] = m.values[row]
	}
}

func (m *merge) copyRow(to []float64, toRow int, from []float64, row int) {
	copy(to[toRow*m.stride:][m.low:m.high], from[row*m.stride:][m.low:m.high])
}

// part returns row j of this joint in parts.
func (m *merge) part(j int) []float64 { return m.parts[(m.low+j)*m.stride:][:m.k] }

// solve finds the roots of the given range.
func (m *merge) solve(first, last int) (err error) {
	for j := first; j < last; j++ {
		if m.roots[j], err = m.secular.root(j, m.part(j)[:aligned.Columns[float64](m.k)]); err != nil {
			return err
		}
	}
	return nil
}

// recover replaces the given entries of u by those of the vector for which the roots found are exact eigenvalues, since
// only then are the eigenvectors orthogonal: u_i² = Π_j (root_j − pole_i) / Π_{j≠i} (pole_j − pole_i), up to a factor
// (Löwner's formula; Gu & Eisenstat 1995, Lemma 3.1).
func (m *merge) recover(first, last int) {
	squares := make([]float64, last-first)
	for i := range squares {
		squares[i] = 1
	}
	poles := m.secular.poles[first:last]
	for j, at := range m.secular.poles[:m.k] {
		differences := m.part(j)[first:last]
		self := j - first
		if self < 0 || self >= len(squares) {
			self = len(squares)
		} else {
			squares[self] *= -differences[self]
		}
		for i := range self {
			squares[i] *= differences[i] / (poles[i] - at)
		}
		for i := self + 1; i < len(squares); i++ {
			squares[i] *= differences[i] / (poles[i] - at)
		}
	}
	for i, square := range squares {
		m.u[first+i] = math.Copysign(math.Sqrt(math.Abs(square)), m.u[first+i])
	}
}

// vectors computes the eigenvectors of the given roots: u_i/(pole_i − root) in terms of the eigenvectors of the pieces,
// and the product with those.
func (m *merge) vectors(first, last int) {
	vector := make([]float64, m.k)
	for j := first; j < last; j++ {
		part, squares := m.part(j), 0.0
		for i, u := range m.u {
			v := u / part[i]
			vector[i] = v
			squares += v * v
		}
		scale := 1 / math.Sqrt(squares)
		for i, at := range m.place {
			part[at] = scale * vector[i]
		}
	}
	row, size := (m.low+first)*m.stride, last-first
	blockProduct(&assembly.rows64, byRows, set, operand64{m.z[row+m.low:], m.stride}, operand64{m.parts[row:], m.stride},
		operand64{m.gathered[m.low*m.stride+m.low:], m.stride}, size, m.middle-m.low, m.top+m.both)
	from := min((m.low+m.top)*m.stride+m.middle, len(m.gathered)) // beyond the end when there are no rows from there on
	blockProduct(&assembly.rows64, byRows, set, operand64{m.z[row+m.middle:], m.stride},
		operand64{m.parts[row+m.top:], m.stride}, operand64{m.gathered[from:], m.stride}, size,
		aligned.Columns[float64](m.high-m.middle), m.k-m.top)
}

// finish moves the rows of the joined piece to their places.
func (m *merge) finish() {
	for i := range m.rest {
		m.copyRow(m.z, m.low+m.k+i, m.gathered, m.low+m.k+i)
	}
	copy(m.values[m.low:], m.roots)
	copy(m.values[m.low+m.k:m.high], m.nextValues[m.low+m.k:])
	for i := range m.high - m.low {
		m.order[m.low+i] = m.low + i
	}
	slices.SortFunc(m.order[m.low:m.high], m.byValue)
}
