// This file defines Documents, the form in which algorithms see documents: rows of item indices and counts.

package corpus

import (
	"slices"

	"anchorage/internal/scribble"
)

// Documents is a run of documents in compressed sparse rows. Document d has the entries Offsets[d] to Offsets[d+1]−1 of
// Items and Counts; Offsets[0] is 0. Items are indices into a vocabulary and strictly increase within a document.
// Counts are at least 1. A document may be empty.
//
// Weights has a positive weight for every document; without any, as the passes of a Corpus deliver them, they are 1
// each. A document of weight v counts like v equal documents in the products of sketch.Operator and for
// sketch.CountMarginals; everything else takes each document once.
//
// A function that receives Documents must not modify them. They are valid until it returns.
type Documents struct {
	Offsets []int32
	Items   []int32
	Counts  []int32
	Weights []float64

	// Places are the numbers of the documents among the Read documents that a pass looked at for this run, in the order in
	// which they were read, from 0; the pass leaves the others out. So the number of a document in the corpus as it was
	// read is its place and the sum of Read over the runs before. Documents that come from no pass have neither.
	Places []int32
	Read   int

	pairs []uint64 // scratch of rowsort.Sort
}

// Documents returns the number of documents.
func (d *Documents) Documents() int { return max(len(d.Offsets)-1, 0) }

// Entries returns the number of entries.
func (d *Documents) Entries() int { return len(d.Items) }

// Row returns the items and counts of document i. They alias d.
func (d *Documents) Row(i int) (items, counts []int32) {
	start, end := d.Offsets[i], d.Offsets[i+1]
	return d.Items[start:end:end], d.Counts[start:end:end]
}

// Weight returns the weight of document i.
func (d *Documents) Weight(i int) float64 {
	if len(d.Weights) == 0 {
		return 1
	}
	return d.Weights[i]
}

// reset empties d, keeps its memory, and makes room for the given number of entries.
func (d *Documents) reset(entries int) {
	d.Offsets, d.Weights, d.Places = append(d.Offsets[:0], 0), d.Weights[:0], d.Places[:0]
	d.Items = slices.Grow(d.Items[:0], entries)
	d.Counts = slices.Grow(d.Counts[:0], entries)
}

// Append adds a document of weight 1. Its items must be strictly increasing. The slices are copied.
func (d *Documents) Append(items, counts []int32) {
	if len(d.Offsets) == 0 {
		d.Offsets = append(d.Offsets, 0)
	}
	d.Items = append(d.Items, items...)
	d.Counts = append(d.Counts, counts...)
	d.Offsets = append(d.Offsets, int32(len(d.Items)))
	if len(d.Weights) > 0 {
		d.Weights = append(d.Weights, 1)
	}
}

// tokens returns n_m, the sum of a document's counts.
func tokens(counts []int32) int64 {
	var n int64
	for _, count := range counts {
		n += int64(count)
	}
	return n
}

// scribble overwrites the documents if the build has the tag scribble.
func (d *Documents) scribble() { scribble.Over(d.Offsets, d.Items, d.Counts) }
