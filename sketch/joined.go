// This file joins runs of documents.

package sketch

import (
	"context"

	"anchorage/corpus"
)

// joinedEntries is the number of entries that complete a joined run. In a longer run more entries share an item, and so
// a row of the result, which each chunk fetches from memory once. Blocks of the compact copy are shorter, as every
// worker has several of them.
const joinedEntries = 1 << 19

// Joined returns a pass over the same documents in runs of at least joinedEntries entries, or as many documents, except
// the last one. It copies them, except runs that are long enough. Accumulate, Krylov and MeasureEvidence give the same
// result with either pass, and are faster with this one, unless several processes share the documents: these divide
// them into batches of another kind.
func Joined(pass corpus.Pass) corpus.Pass {
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		run := corpus.Documents{Offsets: []int32{0}}
		flush := func() error {
			if run.Documents() == 0 {
				return nil
			}
			err := fn(&run)
			run.Offsets, run.Items, run.Counts = run.Offsets[:1], run.Items[:0], run.Counts[:0]
			return err
		}
		err := pass(ctx, func(docs *corpus.Documents) error {
			if docs.Entries() >= joinedEntries { // a document may be as long as memory allows: it is not copied
				if err := flush(); err != nil {
					return err
				}
				return fn(docs)
			}
			appendDocuments(&run, docs, 0, docs.Documents())
			if run.Entries() >= joinedEntries || run.Documents() >= joinedEntries {
				return flush()
			}
			return nil
		})
		if err != nil {
			return err
		}
		return flush()
	}
}

// appendDocuments appends documents [first, last) of docs to others.
func appendDocuments(to, docs *corpus.Documents, first, last int) {
	if first == last {
		return
	}
	begin, end := docs.Offsets[first], docs.Offsets[last]
	shift := int32(len(to.Items)) - begin
	to.Items, to.Counts = append(to.Items, docs.Items[begin:end]...), append(to.Counts, docs.Counts[begin:end]...)
	for _, offset := range docs.Offsets[first+1 : last+1] {
		to.Offsets = append(to.Offsets, offset+shift)
	}
}
