// This file holds batches of documents, which readers fill.

package documents

import "math"

// MaxCount is the greatest count of an item in a document.
const MaxCount = math.MaxInt32

// Batch is a run of consecutive documents of one shard in compressed sparse rows: document d holds the entries
// Offsets[d] to Offsets[d+1] of Items and Counts. Items are codes into Dictionary, which holds every item id of the
// batch once, in order of first appearance. Within a document no item comes twice. A document may be empty.
//
// A reader fills a batch and overwrites all of it; the caller owns it and may use it again.
type Batch struct {
	FirstRow   int64 // number of the batch's first document within its shard, from 0
	Offsets    []int32
	Items      []int32
	Counts     []int32 // 1 to MaxCount
	Dictionary Dictionary
	// Names are the documents' own ids, one for each, where they were asked for. A name is empty where the shard has none,
	// and names are not distinct if the shard's are not.
	Names Dictionary
	// Left is what the reader left out since the batch before. Where it is not zero, the batch may have no document.
	Left LeftOut
}

// Documents returns the number of documents.
func (b *Batch) Documents() int { return max(len(b.Offsets)-1, 0) }

// Dictionary is a list of ids, numbered from 0. In Batch.Dictionary they are distinct. An id is valid UTF-8 of 1 to
// 65,536 bytes, because it will be in columns of strings. An integer id is in it as a canonical decimal number, so an
// item has the same id in every format. The zero value is an empty list.
type Dictionary struct {
	Ends  []int32 // id i is Bytes[Ends[i-1]:Ends[i]]
	Bytes []byte
}

// Len returns the number of ids.
func (d *Dictionary) Len() int { return len(d.Ends) }

// ID returns id i. It aliases the dictionary.
func (d *Dictionary) ID(i int) []byte {
	start := int32(0)
	if i > 0 {
		start = d.Ends[i-1]
	}
	return d.Bytes[start:d.Ends[i]:d.Ends[i]]
}

// Append adds an id.
func (d *Dictionary) Append(id []byte) {
	d.Bytes = append(d.Bytes, id...)
	d.Ends = append(d.Ends, int32(len(d.Bytes)))
}

// Reset empties the dictionary and keeps its memory.
func (d *Dictionary) Reset() {
	d.Ends = d.Ends[:0]
	d.Bytes = d.Bytes[:0]
}
