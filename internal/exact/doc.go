// Package exact holds sums whose bits do not depend on the order of their terms, nor on which worker, task or process
// adds which of them.
//
// Each term is rounded to a multiple of a power of two, a Unit, that a bound on the sum of magnitudes fixes beforehand.
// Sums of such multiples are exact, in double precision (Shift) or in integers (Whole). See
// docs/decisions/exact-sums.md.
package exact
