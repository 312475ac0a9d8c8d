// Package quoted has only tests: they find the measured figures that documents quote, and look them up in the results
// that the same section links to.
//
// A figure is a number that looks measured: one with a unit of time or memory, a percentage, a decimal fraction or a
// power of ten. Plain whole numbers are sizes and settings, and code is left out. A section reaches from one heading to
// the next; in a table a figure may have its unit in the head of its column or row.
//
// That a figure is found says that the results hold a number that prints like it, not that it is the right one. So the
// fewer digits a figure has, the less this says: figures of two digits or fewer must be in a README.md of the results,
// where people look for them, and not just in one of thousands of cells.
package quoted
