// This file models the memory and the disk that reading takes.

package stream

import (
	"strings"

	"anchorage/internal/kernel"
	"anchorage/shard"
)

// ReadBytes returns the approximate memory that Read takes for entries of a number of items, in bytes; see
// corpus.Intake.Bytes. vocabulary is the size of the vocabulary in bytes at the end; while it grows it takes up to
// twice as much. Each worker has a table of ids and its batches, as far as the entries fill them.
func ReadBytes(entries int64, items int, vocabulary int64, workers int) int64 {
	const (
		batchEntries = 1 << 17
		entry        = 8  // item and count
		id           = 48 // an id of a batch: its text, key, frequencies and index
	)
	distinct := min(int64(items), batchEntries/4)
	batches := min(int64(kernel.Workers(workers))*readDepth, entries/batchEntries+1)
	tables := int64(kernel.Workers(workers)) * distinct * id
	return 2*vocabulary + batches*(batchEntries*entry+distinct*id) + tables
}

// The least bytes of the compact copy per byte of the shards. Copies of kos, NIPS, retail, wiki and Reddit take 0.48 to
// 1.13 of compressed shards, and 0.13 to 0.44 of plain text. The check counts with half of the least, because tables
// may have columns that are not read: it should refuse no run that would end well.
const (
	packedShare = 0.24
	plainShare  = 0.06
)

// LeastCopy returns the least that the copy of shards takes, in bytes; 0 if the size of one is unknown.
func LeastCopy(shards []shard.Shard) (bytes int64) {
	for _, s := range shards {
		if s.Size <= 0 {
			return 0
		}
		share := plainShare
		name, _, _ := strings.Cut(strings.ToLower(s.Path), "?")
		if s.Format == shard.Parquet || strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".zst") {
			share = packedShare
		}
		bytes += int64(share * float64(s.Size))
	}
	return bytes
}
