// This file holds the number of topics against the size of the corpus.

package fit

import (
	"fmt"

	"anchorage/corpus"
)

// leastPerTopic is the number of documents, and of items, per topic below which a run warns: such topics rest on
// little, and the time of a run grows with the square of their number.
const leastPerTopic = 10

// checkProportion returns a *corpus.DataError if there are more topics than items or documents, and with warn logs a
// warning if these are few. It does nothing before the first pass over a corpus that is read only once.
//
// C = Ĥ·Ĥᵀ − Ĥ_diag has at most as many positive eigenvalues as there are documents, because Ĥ_diag is not negative.
func checkProportion(docs *corpus.Corpus, topics int, run *Run, warn bool) error {
	items, documents := docs.Account.Items, docs.Account.DocumentsRead
	if items == 0 || documents == 0 {
		return nil
	}
	if items < topics {
		return tooFewItems(topics, items)
	}
	if documents < int64(topics) {
		return &corpus.DataError{Lack: corpus.TooFewDocuments,
			Reason: fmt.Sprintf("%d topics are too many for %d documents, whose co-occurrences have at most as many dimensions",
				topics, documents)}
	}
	if warn && (documents < leastPerTopic*int64(topics) || items < leastPerTopic*topics) {
		run.log().Warn("these are many topics for few documents or items: fewer may say more", "topics", topics,
			"documents", documents, "items", items)
	}
	return nil
}

func tooFewItems(topics, items int) error {
	if items < leastTopics {
		return &corpus.DataError{Lack: corpus.AllItemsPruned, Reason: fmt.Sprintf("the vocabulary has %d items, and a "+
			"model needs at least %d", items, leastTopics)}
	}
	return &corpus.DataError{Lack: corpus.TooFewItems, Reason: fmt.Sprintf("%d topics are too many for a vocabulary of "+
		"%d items", topics, items)}
}
