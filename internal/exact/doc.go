// Package exact holds sums whose bits do not depend on the order of their terms, nor on which worker, task or process
// adds which of them.
//
// A Sum adds any numbers without rounding. It takes half a kilobyte, so it is for scalars. A Unit is for vectors of
// sums, one for each item or more: each term is rounded to a multiple of a power of two that a bound on the sum of
// magnitudes fixes beforehand, and sums of such multiples are exact, in double precision (Shift) or in integers
// (Whole). See docs/decisions/exact-sums.md.
package exact
