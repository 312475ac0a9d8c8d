// This file holds batches of documents, which readers fill.

package shard

import "anchorage/shard/internal/bag"

// MaxCount is the greatest count of an item in a document.
const MaxCount = bag.MaxCount

// Batch is a run of consecutive documents of one shard in compressed sparse rows: document d holds the entries
// Offsets[d] to Offsets[d+1] of Items and Counts. Items are codes into Dictionary, which holds every item id of the
// batch once, in order of first appearance. Within a document no item comes twice. A document may be empty.
//
// Reader.Next fills a batch and overwrites all of it; the caller owns it and may use it again.
type Batch struct {
	FirstRow   int64 // number of the batch's first document within its shard, from 0
	Offsets    []int32
	Items      []int32
	Counts     []int32 // 1 to MaxCount
	Dictionary Dictionary
	// Names are the documents' own ids, one for each, where Options.Names asks for them. A name is empty where the shard
	// has none, and names are not distinct if the shard's are not.
	Names Dictionary
	// Left is what the reader left out since the batch before. Where it is not zero, the batch may have no document.
	Left LeftOut
}

// Documents returns the number of documents.
func (b *Batch) Documents() int { return max(len(b.Offsets)-1, 0) }

// Dictionary is a list of ids, numbered from 0. In Batch.Dictionary they are distinct. An id is valid UTF-8 of 1 to
// 65,536 bytes, because it will be in columns of strings. An integer id is in it as a canonical decimal number, so an
// item has the same id in every format. The zero value is an empty list.
type Dictionary struct{ list bag.Dictionary }

// Len returns the number of ids.
func (d *Dictionary) Len() int { return d.list.Len() }

// ID returns id i. It aliases the dictionary.
func (d *Dictionary) ID(i int) []byte { return d.list.ID(i) }

// Append adds an id.
func (d *Dictionary) Append(id []byte) { d.list.Append(id) }

// Reset empties the dictionary and keeps its memory.
func (d *Dictionary) Reset() { d.list.Reset() }

// lend passes the memory of a batch to the form that readers fill; give passes back what they filled.
func (b *Batch) lend(to *bag.Batch) {
	to.FirstRow, to.Offsets, to.Items, to.Counts = b.FirstRow, b.Offsets, b.Items, b.Counts
	to.Dictionary, to.Names = b.Dictionary.list, b.Names.list
}

func (b *Batch) give(from *bag.Batch) {
	b.FirstRow, b.Offsets, b.Items, b.Counts = from.FirstRow, from.Offsets, from.Items, from.Counts
	b.Dictionary.list, b.Names.list, b.Left = from.Dictionary, from.Names, LeftOut(from.Left)
}
