// Package choosing measures how well the number of topics is chosen: on corpora drawn from a known number, and on real ones against the
// figures by which readers judge topics.
package choosing
