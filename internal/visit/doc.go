// Package visit lets documents meet the rows of their items where ranks share the rows: documents stay on the rank that
// has read them, and rows come to them.
//
// Batches cuts the documents of a pass into batches with a bounded number of distinct items, and numbers these from 0.
// For each batch, Fetch brings the rows of a shared matrix that it needs, and Add brings sums for these rows to the
// ranks that hold them. No rank ever has more rows of others than a batch needs.
//
// For a batch of which u distinct items are rows of other ranks, on P ranks,
//
//	Batches  sends 4·u bytes, and 33·(P−1) more for what ranks agree on
//	Fetch    receives u·L·w bytes, for values of w bytes in L columns
//	Add      sends u·L·w bytes
//
// Everything here is collective: all ranks call it at the same time, as often as the others; Batches sees to that.
package visit
