// This file holds the units that terms are rounded to.

package exact

import "math"

// Unit is a power of two, 2^e, that is greater than the magnitudes of all terms of a sum together. It takes two bytes,
// so that every item can have its own.
type Unit uint16

const (
	bias  = 1023
	least = 200             // all powers that a Unit can be, and what is made of them, are normal numbers
	most  = 2*bias + 1 - 60 // likewise
)

// UnitOf returns the least Unit for a bound on the sum of magnitudes.
func UnitOf(bound float64) Unit { return Unit(min(max(math.Float64bits(bound)>>52, least), most)) }

// Holds reports whether a sum of magnitudes is within what the Unit was made for.
func (u Unit) Holds(sum float64) bool { return sum < math.Float64frombits((uint64(u)+1)<<52) }

// Shift returns 1.5·2^(e+2) = 1.5·2⁵²·q for the unit q = 2^(e−50). (x + Shift) − Shift is x rounded to a multiple of q,
// and sums of such multiples are exact in double precision, with a factor of 2 to spare.
func (u Unit) Shift() float64 { return math.Float64frombits((uint64(u)+3)<<52 | 1<<51) }

// Whole returns x in units of 2^(e−61), rounded. Sums of them stay below 2⁶¹, with a factor of 4 to spare.
func (u Unit) Whole(x float64) int64 {
	return int64(math.RoundToEven(x * math.Float64frombits((2*bias+60-uint64(u))<<52)))
}

// Value returns what a sum of such integers means.
func (u Unit) Value(whole int64) float64 {
	return float64(whole) * math.Float64frombits((uint64(u)-60)<<52)
}
