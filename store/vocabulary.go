// This file reads and writes the segments of a store's vocabulary.

package store

import (
	"bytes"
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/shard/tablefile"
)

// Segment is a part of a store's vocabulary: items that a shard brought. The items of all segments are numbered from 0
// in order. Numbers are never used again.
type Segment struct {
	Number int    `json:"number"` // of the file
	Items  int    `json:"items"`  // of this segment and those before it
	SHA256 string `json:"sha256"`
	// Chain is the SHA-256 of the chain of the segment before, and of SHA256. It says what all numbers up to here mean.
	Chain string `json:"chain"`
}

// segmentFields are the columns of a segment.
var segmentFields = []tablefile.Field{{Name: "number", Type: tablefile.Int32},
	{Name: "item_id", Type: tablefile.String}}

// segmentRows is the number of rows in a row group of a segment, and of a table of items.
const segmentRows = 1 << 16

// chained returns the chain of a segment.
func chained(before, sha256 string) string { return Digest([]byte(before + sha256)) }

// lastChain returns the chain of the last segment.
func lastChain(segments []Segment) string {
	if len(segments) == 0 {
		return ""
	}
	return segments[len(segments)-1].Chain
}

// segmentPath returns the path of a segment.
func (s *Store) segmentPath(number int) string {
	return objects.Join(s.folder(vocabularyFolder), numbered(number, ".parquet"))
}

// loadVocabulary reads all segments, also those that an interrupted run or a later generation left: their numbers stay
// taken.
func (w *Writer) loadVocabulary(ctx context.Context) error {
	if w.vocabulary != nil {
		return nil
	}
	v := corpus.NewVocabulary()
	segments := slices.Clone(w.State.Segments)
	numbers, err := numbersIn(ctx, w.folder(vocabularyFolder), ".parquet")
	if err != nil {
		return err
	}
	for number := 1; number <= max(len(segments), len(numbers)); number++ {
		path := w.segmentPath(number)
		sha256, _, err := objects.Digest(ctx, path)
		if err != nil {
			return &Error{Path: path, Fault: Damaged, Reason: "cannot be read: " + err.Error(), Err: err}
		}
		if number <= len(segments) && segments[number-1].SHA256 != sha256 {
			return damaged(path, "its SHA-256 is not that of the state")
		}
		if err := readSegment(ctx, path, v); err != nil {
			return err
		}
		if number > len(segments) {
			segments = append(segments, Segment{number, v.Len(), sha256, chained(lastChain(segments), sha256)})
		}
		if s := segments[number-1]; s.Items != v.Len() || s.Chain != chained(lastChain(segments[:number-1]), sha256) {
			return damaged(path, "it does not continue the segment before it")
		}
	}
	w.vocabulary, w.segments = v, segments
	return nil
}

// readSegment adds the items of a segment to the vocabulary.
func readSegment(ctx context.Context, path string, v *corpus.Vocabulary) error {
	return tablefile.Read(ctx, path, segmentFields, func(_ int64, columns []any) error {
		numbers, ids := columns[0].([]int32), columns[1].([]string)
		for i, number := range numbers {
			if int(number) != v.Len() || v.Intern([]byte(ids[i])) != number {
				return damaged(path, "item %q does not have the next number", ids[i])
			}
		}
		return nil
	})
}

// writeSegment writes the items from the given number on as the next segment.
func (w *Writer) writeSegment(ctx context.Context, from int) error {
	v := w.vocabulary
	if from == v.Len() {
		return nil
	}
	var content bytes.Buffer
	err := tablefile.WriteTable(&content, segmentFields, v.Len()-from, segmentRows, func(first, last int) ([]any, error) {
		numbers, ids := make([]int32, last-first), make([]string, last-first)
		for i := range numbers {
			numbers[i], ids[i] = int32(from+first+i), v.ID(from+first+i)
		}
		return []any{numbers, ids}, nil
	})
	if err != nil {
		return err
	}
	number := len(w.segments) + 1
	sha256 := Digest(content.Bytes())
	if err := putNew(ctx, w.segmentPath(number), content.Bytes(), w.options.Warn); err != nil {
		return overtaken(w.Path, err)
	}
	w.segments = append(w.segments, Segment{number, v.Len(), sha256, chained(lastChain(w.segments), sha256)})
	return nil
}
