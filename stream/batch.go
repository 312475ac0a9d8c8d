// This file translates a batch of a shard from the reader's codes to the vocabulary's indices.

package stream

import (
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/internal/rowsort"
	"anchorage/shard"
)

// relabelEntries is the number of entries per goroutine from which relabelling a batch in parallel pays.
const relabelEntries = 1 << 14

// batch is a shard.Batch, its documents, and the key, frequency and index of each id of its dictionary. The documents
// share the memory of the shard.Batch.
type batch struct {
	shard.Batch
	digest string // of the whole shard; if set, the batch holds no documents

	keys        []uint64    // Key of each id; only if the vocabulary grows
	frequencies []frequency // of each id
	index       []int32     // of each id in the vocabulary, or -1

	unknown corpus.Unknown
	entries int64
	tokens  int64

	documents corpus.Documents
	scratch   [][]uint64 // of rowsort.Sort, one for each goroutine of relabel
}

// frequency counts the documents of a batch that contain an id, and its tokens in them.
type frequency struct{ df, tf int64 }

// count fills frequencies, entries and tokens.
func (b *batch) count() {
	b.frequencies = slices.Grow(b.frequencies[:0], b.Dictionary.Len())[:b.Dictionary.Len()]
	clear(b.frequencies)
	b.entries, b.tokens, b.unknown = int64(len(b.Items)), 0, corpus.Unknown{}
	for j, code := range b.Items {
		f := &b.frequencies[code]
		f.df++
		f.tf += int64(b.Counts[j])
	}
	for _, f := range b.frequencies {
		b.tokens += f.tf
	}
}

// hash fills keys.
func (b *batch) hash() {
	b.keys = slices.Grow(b.keys[:0], b.Dictionary.Len())[:b.Dictionary.Len()]
	for code := range b.keys {
		b.keys[code] = corpus.Key(b.Dictionary.ID(code))
	}
}

// reserve returns an error if the process has no room for what is computed of a batch with a large document.
func (b *batch) reserve() error {
	const id, entry = 28, 16 // key, frequencies and index; two copies to sort
	more := int64(b.Dictionary.Len())*id + int64(len(b.Items))*entry
	if more <= usualBatch {
		return nil
	}
	return process.Reserve(more)
}

// usualBatch is the memory of what is computed of a batch without a large document.
const usualBatch = 8 << 20

// intern fills index. It adds new ids to the vocabulary, in the order of the dictionary. The error is that of
// Vocabulary.Reserve, which is asked as if all of them were new.
func (b *batch) intern(v *corpus.Vocabulary) error {
	bytes := 0
	for code := range b.keys {
		bytes += len(b.Dictionary.ID(code))
	}
	if err := v.Reserve(len(b.keys), bytes); err != nil {
		return err
	}
	b.index = slices.Grow(b.index[:0], len(b.keys))[:len(b.keys)]
	for code, key := range b.keys {
		b.index[code] = v.InternKeyed(b.Dictionary.ID(code), key)
	}
	return nil
}

// lookup fills index from a fixed vocabulary, and removes ids that it lacks from the documents.
func (b *batch) lookup(v *corpus.Vocabulary) {
	b.index = slices.Grow(b.index[:0], b.Dictionary.Len())[:b.Dictionary.Len()]
	for code := range b.index {
		index, ok := v.Lookup(b.Dictionary.ID(code))
		b.index[code] = index
		if !ok {
			b.unknown.Entries += b.frequencies[code].df
			b.unknown.Tokens += b.frequencies[code].tf
		}
	}
	if b.unknown.Entries == 0 {
		return
	}
	b.entries -= b.unknown.Entries
	b.tokens -= b.unknown.Tokens
	used, start := int32(0), int32(0)
	for m := range b.Documents() {
		end := b.Offsets[m+1]
		for j := start; j < end; j++ {
			code := b.Items[j]
			b.Items[used], b.Counts[used] = code, b.Counts[j]
			if b.index[code] >= 0 {
				used++
			}
		}
		start = end
		b.Offsets[m+1] = used
	}
	b.Items, b.Counts = b.Items[:used], b.Counts[:used]
}

// relabel makes the documents: it replaces codes by indices and sorts each document by index.
func (b *batch) relabel(ctx context.Context, workers int) error {
	b.documents.Offsets, b.documents.Items, b.documents.Counts = b.Offsets, b.Items, b.Counts
	ranges := max(1, min(workers, len(b.Items)/relabelEntries))
	for len(b.scratch) < ranges {
		b.scratch = append(b.scratch, nil)
	}
	documents := b.Documents()
	return kernel.Parallel(ctx, workers, ranges, func(r int) error {
		for m := documents * r / ranges; m < documents*(r+1)/ranges; m++ {
			items, counts := b.documents.Row(m)
			for j, code := range items {
				items[j] = b.index[code]
			}
			b.scratch[r] = rowsort.Sort(items, counts, b.scratch[r])
		}
		return nil
	})
}

// addTo adds the frequencies of the batch to a vocabulary.
func (b *batch) addTo(v *corpus.Vocabulary) {
	for code, index := range b.index {
		if index >= 0 {
			v.DocumentFrequency[index] += b.frequencies[code].df
			v.TermFrequency[index] += b.frequencies[code].tf
		}
	}
}
