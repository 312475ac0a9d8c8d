// This file defines View, which leaves items and documents out of a pass, and takes parts of a corpus by it.

package corpus

import "anchorage/internal/rowsort"

// View says which items and documents a pass shows, and how it numbers the items. The zero value leaves out only the
// documents with fewer than two tokens.
type View struct {
	// Remap holds the new index of each item, or a negative number to leave the item out. The new indices must be
	// distinct. Nil keeps all items and their indices.
	Remap []int32
	// After that, a document needs at least MinItems distinct items and MinTokens tokens.
	MinItems, MinTokens int
	// Keep reports whether a document counts, by its number in the order in which the documents were read, from 0; nil
	// keeps all. What it leaves out is not in Dropped. Several goroutines may call it at once.
	Keep func(document int64) bool

	before int64 // the number of the first document, where others have those before it
}

// keep takes the documents out that Keep leaves out, the first of which has the given number.
func (v *View) keep(docs *Documents, first int64) {
	if v.Keep == nil {
		return
	}
	n, entries := docs.Documents(), int32(0)
	kept, start := 0, int32(0)
	for d := range n {
		end := docs.Offsets[d+1]
		if v.Keep(first + int64(d)) {
			copy(docs.Items[entries:], docs.Items[start:end])
			copy(docs.Counts[entries:], docs.Counts[start:end])
			entries += end - start
			kept++
			docs.Offsets[kept] = entries
		}
		start = end
	}
	if n > 0 {
		docs.Offsets = docs.Offsets[:kept+1]
	}
	docs.Items, docs.Counts = docs.Items[:entries], docs.Counts[:entries]
}

// Dropped counts what a View left out. If several rules apply to a document, it counts for the first in this order.
type Dropped struct {
	NoPair    int64 `json:"no_pair"`    // documents with n_m < 2
	FewItems  int64 `json:"few_items"`  // documents with fewer than MinItems distinct items
	FewTokens int64 `json:"few_tokens"` // documents with fewer than MinTokens tokens

	ItemTokens     int64 `json:"item_tokens"`     // tokens of the items left out, in all documents
	DocumentTokens int64 `json:"document_tokens"` // tokens of the other items in the documents left out
}

// Documents returns the number of documents left out.
func (d Dropped) Documents() int64 { return d.NoPair + d.FewItems + d.FewTokens }

// Add adds what was left out elsewhere.
func (d *Dropped) Add(other Dropped) {
	d.NoPair += other.NoPair
	d.FewItems += other.FewItems
	d.FewTokens += other.FewTokens
	d.ItemTokens += other.ItemTokens
	d.DocumentTokens += other.DocumentTokens
}

// Apply overwrites dst with the documents of src as v shows them, and returns what was left out. dst must not share
// memory with src. Apply panics if Remap is too short for an item of src.
func (v *View) Apply(dst, src *Documents) Dropped {
	var dropped Dropped
	dst.reset(src.Entries())
	dst.Read = src.Documents()
	for m := range src.Documents() {
		items, counts := src.Row(m)
		start := len(dst.Items)
		n, left := v.appendItems(dst, items, counts)
		dropped.ItemTokens += left
		var reason *int64
		switch {
		case n < 2:
			reason = &dropped.NoPair
		case len(dst.Items)-start < v.MinItems:
			reason = &dropped.FewItems
		case n < int64(v.MinTokens):
			reason = &dropped.FewTokens
		}
		if reason != nil {
			*reason++
			dropped.DocumentTokens += n
			dst.Items, dst.Counts = dst.Items[:start], dst.Counts[:start]
			continue
		}
		if v.Remap != nil {
			dst.pairs = rowsort.Sort(dst.Items[start:], dst.Counts[start:], dst.pairs)
		}
		dst.Offsets = append(dst.Offsets, int32(len(dst.Items)))
		dst.Places = append(dst.Places, int32(m))
	}
	return dropped
}

// appendItems appends the items of a document that v shows, unsorted. It returns the number of their tokens, and that
// of the items left out. dst must have room for the whole document.
func (v *View) appendItems(dst *Documents, items, counts []int32) (kept, left int64) {
	if v.Remap == nil {
		dst.Items = append(dst.Items, items...)
		dst.Counts = append(dst.Counts, counts...)
		return Tokens(counts), 0
	}
	start := len(dst.Items)
	toItems := dst.Items[start : start+len(items)]
	toCounts := dst.Counts[start : start+len(items)]
	used := 0
	for j, item := range items {
		index, count := v.Remap[item], counts[j]
		toItems[used], toCounts[used] = index, count
		if index < 0 {
			left += int64(count)
			continue
		}
		kept += int64(count)
		used++
	}
	dst.Items, dst.Counts = dst.Items[:start+used], dst.Counts[:start+used]
	return kept, left
}

// Part returns the corpus of the documents that keep reports true of, by their numbers in the order in which they were
// read, from 0. It has the same vocabulary, whose counts are those of all documents. The part belongs to c: it must not
// be used after c is closed, and closing it does nothing. Its Account counts its own documents, as far as they are
// counted before a pass; entries, tokens and what pruning left out are those of c. Several goroutines may call keep at
// once. Of several ranks, each must make the part of the same documents of all. Part panics unless the documents were
// copied.
func (c *Corpus) Part(keep func(document int64) bool) *Corpus {
	if c.copy == nil {
		panic("corpus: a part of documents that were not copied")
	}
	part := &Corpus{Vocabulary: c.Vocabulary, Account: c.Account, Inputs: c.Inputs, Skipped: c.Skipped, options: c.options,
		read: c.read, view: c.view,
		copy: c.copy, part: true, seen: c.seen, bytes: c.bytes, begun: c.begun, tally: c.tally, viewBytes: c.viewBytes,
		layout: c.layout, readBefore: c.readBefore, readAll: c.readAll}
	outer := c.view.Keep
	part.view.Keep = func(document int64) bool { return (outer == nil || outer(document)) && keep(document) }
	part.Account.DocumentsRead, part.Account.Documents, part.Account.Dropped = 0, 0, Dropped{}
	all := c.copy.totals.documents
	if c.layout != nil {
		all = c.readAll
	}
	for d := range all {
		if part.view.Keep(d) {
			part.Account.DocumentsRead++
		}
	}
	return part
}
