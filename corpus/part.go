// This file takes parts of a corpus.

package corpus

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
