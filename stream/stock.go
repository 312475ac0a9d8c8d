// This file looks at the sizes of shards before any of them is opened.

package stream

import (
	"fmt"

	"anchorage/corpus"
	"anchorage/shard"
)

// CheckStock returns a *corpus.DataError if all of several shards are empty files. Their sizes tell, so that a folder of a hundred thousand of
// them is refused at once. What is wrong with a single one is told by its reader.
func CheckStock(shards []shard.Shard) error {
	if len(shards) < 2 {
		return nil
	}
	for _, s := range shards {
		if s.Size != 0 {
			return nil
		}
	}
	return &corpus.DataError{Lack: corpus.NoDocuments, Reason: fmt.Sprintf("%s and %d more shards hold no documents: they are empty files", shards[0].Path, len(shards)-1)}
}
