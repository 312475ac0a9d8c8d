// Package exact holds sums whose bits do not depend on the order in which their terms come, nor on who adds which of them: several workers,
// tasks or ranks may share a sum.
//
// A Sum adds any numbers without rounding, and takes half a kilobyte: it is for scalars. A Unit is for the sums of which there is one for each item
// or more: each term is rounded to a multiple of a power of two that is fixed beforehand by a bound on the sum of magnitudes, and sums of
// such multiples are exact, in double precision (Shift) or in integers (Whole). See docs/decisions/exact-sums.md.
package exact
