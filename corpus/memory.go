// This file opens a corpus from a caller's documents: a slice or an iterator.

package corpus

import (
	"context"
	"iter"
	"math"
	"slices"
	"unicode/utf8"

	"anchorage/internal/checkpoint"
	"anchorage/internal/rowsort"
)

// Document is a document of a caller.
type Document struct {
	// Items are item ids: valid UTF-8, not empty. An id may occur more than once.
	Items []string
	// Counts are the counts of Items, each at least 1. Nil means 1 each.
	Counts []int32
}

// FromDocuments opens a corpus of documents in memory. They are copied if Open copies them; see Options.Passes. If a
// document is malformed, the error is a *DataError that gives its number, counted from 1.
func FromDocuments(ctx context.Context, documents []Document, opts Options) (*Corpus, error) {
	return fromSeq(ctx, func(yield func(Document, error) bool) {
		for _, d := range documents {
			if !yield(d, nil) {
				return
			}
		}
	}, int64(len(documents)), opts)
}

// FromSeq opens a corpus of the documents that an iterator yields. It ranges over them once. It returns an error of the
// iterator unchanged. If a document is malformed, the error is a *DataError.
func FromSeq(ctx context.Context, documents iter.Seq2[Document, error], opts Options) (*Corpus, error) {
	return fromSeq(ctx, documents, 0, opts)
}

// fromSeq is FromSeq for a number of documents; 0 if it is unknown.
func fromSeq(ctx context.Context, documents iter.Seq2[Document, error], total int64, opts Options) (*Corpus, error) {
	again := (*checkpoint.Folder)(nil).In(ctx) // a run that resumes reads documents in memory again
	return Open(again, func(ctx context.Context, o ReadingOptions,
		fn func(*Documents) error) (*Intake, error) {
		r := newMemoryReading(ctx, o, fn)
		for d, err := range documents {
			if err != nil {
				return nil, err
			}
			if err := r.add(d); err != nil {
				return nil, err
			}
			r.progress(r.intake.Documents, total)
		}
		return r.finish()
	}, opts)
}

// memoryReading is the state of a Reading of a caller's documents.
type memoryReading struct {
	ctx      context.Context
	options  ReadingOptions
	fn       func(*Documents) error
	counting bool
	intake   Intake
	run      Documents           // not yet delivered
	unknown  map[string]struct{} // ids of the current document that the fixed vocabulary lacks
	scratch  []uint64
}

const (
	// memoryRun is the number of entries, or of documents, after which a run is delivered.
	memoryRun = 1 << 14
	// maxID is the maximum length of an item id in bytes, as in shards.
	maxID = 1 << 16
)

func newMemoryReading(ctx context.Context, o ReadingOptions, fn func(*Documents) error) *memoryReading {
	r := &memoryReading{ctx: ctx, options: o, fn: fn, unknown: map[string]struct{}{}}
	r.intake.Vocabulary, r.counting = o.Numbering()
	r.run.reset(0)
	return r
}

// add numbers and counts the items of a document.
func (r *memoryReading) add(d Document) error {
	number := r.intake.Documents + 1
	if d.Counts != nil && len(d.Counts) != len(d.Items) {
		return lacks(BadDocument, "document %d has %d items and %d counts", number, len(d.Items), len(d.Counts))
	}
	start := len(r.run.Items)
	clear(r.unknown)
	if r.options.Vocabulary == nil {
		bytes := 0
		for _, id := range d.Items {
			bytes += len(id)
		}
		if err := r.intake.Vocabulary.Reserve(len(d.Items), bytes); err != nil {
			return err
		}
	}
	for i, id := range d.Items {
		count := int32(1)
		if d.Counts != nil {
			count = d.Counts[i]
		}
		if count < 1 {
			return lacks(BadDocument, "document %d has count %d for item %.40q: counts must be at least 1", number, count, id)
		}
		if err := checkID(number, id); err != nil {
			return err
		}
		item, known := int32(0), true
		if r.options.Vocabulary != nil {
			item, known = r.intake.Vocabulary.Lookup([]byte(id))
		} else {
			item = r.intake.Vocabulary.Intern([]byte(id))
		}
		if !known {
			if _, again := r.unknown[id]; !again {
				r.unknown[id] = struct{}{}
				r.intake.Unknown.Entries++
			}
			r.intake.Unknown.Tokens += int64(count)
			continue
		}
		r.run.Items, r.run.Counts = append(r.run.Items, item), append(r.run.Counts, count)
	}
	if err := r.close(start, number); err != nil {
		return err
	}
	if len(r.run.Items) >= memoryRun || r.run.Documents() >= memoryRun {
		return r.flush()
	}
	return nil
}

// close ends the document whose entries begin at start: it sorts them, merges equal items, and counts.
func (r *memoryReading) close(start int, number int64) error {
	items, counts := r.run.Items[start:], r.run.Counts[start:]
	items, counts, ok := mergeRow(items, counts, &r.scratch)
	if !ok {
		return lacks(BadDocument, "document %d has an item more than %d times", number, math.MaxInt32)
	}
	r.run.Items, r.run.Counts = r.run.Items[:start+len(items)], r.run.Counts[:start+len(items)]
	r.run.Offsets = append(r.run.Offsets, int32(len(r.run.Items)))
	v := r.intake.Vocabulary
	for j, item := range items {
		r.intake.Tokens += int64(counts[j])
		if r.counting {
			v.DocumentFrequency[item]++
			v.TermFrequency[item] += int64(counts[j])
		}
	}
	r.intake.Entries += int64(len(items))
	r.intake.Documents++
	return nil
}

// mergeRow sorts a row in place and adds up the counts of equal items. It reports false if a sum exceeds an int32.
func mergeRow(items, counts []int32, scratch *[]uint64) ([]int32, []int32, bool) {
	if !slices.IsSorted(items) {
		// Equal items only need to be adjacent: their counts are added, so their order does not matter.
		*scratch = rowsort.Sort(items, counts, *scratch)
	}
	used := 0
	for j, item := range items {
		if used > 0 && items[used-1] == item {
			sum := int64(counts[used-1]) + int64(counts[j])
			if sum > math.MaxInt32 {
				return nil, nil, false
			}
			counts[used-1] = int32(sum)
			continue
		}
		items[used], counts[used] = item, counts[j]
		used++
	}
	return items[:used], counts[:used], true
}

// flush delivers the current run.
func (r *memoryReading) flush() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.run.Documents() > 0 {
		if err := r.fn(&r.run); err != nil {
			return err
		}
	}
	r.run.scribble()
	r.run.reset(0)
	return nil
}

func (r *memoryReading) finish() (*Intake, error) {
	if err := r.flush(); err != nil {
		return nil, err
	}
	if r.counting { // else it is the caller's, and has counts
		r.intake.Vocabulary.Counted = true
	}
	r.intake.Bytes = 2 * r.intake.Vocabulary.Bytes()
	return &r.intake, nil
}

func (r *memoryReading) progress(done, total int64) {
	if r.options.Progress != nil && (done%1000 == 0 || done == total) {
		r.options.Progress(done, total)
	}
}

// checkID refuses an invalid item id. Models store ids in columns of strings, which must be valid UTF-8.
func checkID(document int64, id string) error {
	switch {
	case id == "":
		return lacks(BadDocument, "document %d has an empty item", document)
	case len(id) > maxID:
		return lacks(BadDocument, "document %d has an item of %d bytes; the maximum is %d", document, len(id), maxID)
	case !utf8.ValidString(id):
		return lacks(BadDocument, "document %d has the item %.40q, which is not valid UTF-8", document, id)
	}
	return nil
}
