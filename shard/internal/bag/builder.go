// Package bag builds batches of documents. A document is a bag of items: distinct ids, each with a count of 1 to
// MaxCount.
//
// A Builder takes items by bytes or by number and gives each a code, the place of its id in the batch's dictionary. Its
// memory is reused from batch to batch, so a long run of batches allocates nothing once everything has reached its
// size. The package also holds the limits of ids and counts, and parses the numbers of text.
package bag

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"anchorage/internal/process"
	"anchorage/shard/documents"
	"anchorage/shard/fault"
)

const (
	defaultBatchEntries = 1 << 17
	maxBatchDocuments   = 1 << 16
	batchIDBytes        = 16 << 20

	// MaxItemBytes is the length of the longest item id.
	MaxItemBytes = 64 << 10
	// maxDocumentItems is the greatest number of distinct items in one document.
	maxDocumentItems = 1 << 24
	// maxText is how many bytes of the text of a document are kept.
	maxText = 16 << 10
	// MaxDictionaryBytes keeps the positions within a dictionary in an int32.
	MaxDictionaryBytes = 1 << 30
)

var (
	// What readers of several formats find wrong with a document, all of it of a single row.
	ErrTwoLists     = fault.InRow(errors.New("the lists of items and of counts differ in length"))
	ErrNullItem     = fault.InRow(errors.New("an item is null"))
	ErrNullDocument = fault.InRow(errors.New("the document is null"))

	errEmptyItem     = fault.InRow(errors.New("an item id is empty"))
	errDocumentItems = fault.InRow(fmt.Errorf("a document has more than %d distinct items", maxDocumentItems))
	errDictionary    = fault.InRow(fmt.Errorf("a document has more than %d bytes of item ids", MaxDictionaryBytes))
)

// Builder fills one batch after another. Its memory is reused, so that a long run of batches allocates nothing once
// everything has reached its size. Item ids come as bytes or as numbers, never both in one builder.
type Builder struct {
	Counter            // of the amounts
	MaxBad       int64 // bad rows that may be left out
	bad          int64 // rows left out so far
	loose        bool  // the dictionary may hold ids that no document uses
	maxEntries   int
	maxDocuments int
	words        *documents.Dictionary // names of the numbers from wordsBase; nil where a number is its own name
	wordsBase    int64
	Named        bool   // documents have names
	name         []byte // of the open document
	Texted       bool   // documents have texts
	text         []byte // of the open document

	batch  *documents.Batch
	items  []int32
	counts []int32
	start  int     // first entry of the open document
	last   []int32 // last[code] is the entry that holds code in the latest document which has it

	byBytes  Index
	byNumber numberIndex
	scratch  []byte
}

// NewBuilder returns a builder of batches that are complete at the given number of entries, 0 for 1<<17. named says
// that documents have names.
func NewBuilder(entries int, named bool) *Builder {
	if entries <= 0 {
		entries = defaultBatchEntries
	}
	return &Builder{maxEntries: min(entries, math.MaxInt32/2), maxDocuments: min(entries, maxBatchDocuments),
		wordsBase: 1, Named: named}
}

// SetWords gives the numbers from base on the names in words.
func (b *Builder) SetWords(words *documents.Dictionary, base int64) {
	b.words, b.wordsBase = words, base
}

// Begin empties batch, whose first document will be row firstRow, and makes it the one that is filled.
func (b *Builder) Begin(batch *documents.Batch, firstRow int64) {
	batch.FirstRow = firstRow
	batch.Offsets = append(batch.Offsets[:0], 0)
	batch.Dictionary.Reset()
	batch.Names.Reset()
	batch.Texts.Reset()
	b.name, b.text = b.name[:0], b.text[:0]
	b.batch = batch
	b.items, b.counts = batch.Items[:0], batch.Counts[:0]
	b.start = 0
	b.last = b.last[:0]
	b.byBytes.reset()
	b.byNumber.reset()
}

// Fill makes batch the one that is filled, whose first document will be row firstRow, and calls add, which adds
// documents and may throw errors. It returns io.EOF if add neither adds nor leaves out anything.
func (b *Builder) Fill(batch *documents.Batch, firstRow int64, add func()) (err error) {
	b.Begin(batch, firstRow)
	defer b.Finish()
	defer fault.Catch(&err)
	if add(); b.batch.Documents() == 0 && !b.Left.Any() {
		return io.EOF
	}
	return nil
}

// Add puts count of the item with the given code into the open document. count is between 1 and MaxCount.
func (b *Builder) Add(code, count int32) error {
	if at := b.last[code]; int(at) >= b.start {
		sum := int64(b.counts[at]) + int64(count)
		if sum > documents.MaxCount {
			return b.tooMany(code)
		}
		b.counts[at] = int32(sum)
		return nil
	}
	if len(b.items)-b.start >= maxDocumentItems {
		return errDocumentItems
	}
	if len(b.items) == cap(b.items) && len(b.items) >= reserveEvery {
		if err := b.reserve(); err != nil {
			return err
		}
	}
	b.last[code] = int32(len(b.items))
	b.items = append(b.items, code)
	b.counts = append(b.counts, count)
	return nil
}

// AddBytes puts count of the item with an id into the open document; a count of 0 leaves it out.
func (b *Builder) AddBytes(id []byte, count int32) error {
	if count == 0 {
		return nil
	}
	code, err := b.CodeOfBytes(id)
	if err != nil {
		return err
	}
	return b.Add(code, count)
}

// AddNumber is AddBytes for an item given by number.
func (b *Builder) AddNumber(number int64, count int32) error {
	if count == 0 {
		return nil
	}
	code, err := b.CodeOfNumber(number)
	if err != nil {
		return err
	}
	return b.Add(code, count)
}

// tooMany returns the error of an item whose counts add up to too much.
func (b *Builder) tooMany(code int32) error {
	return fault.InRow(fmt.Errorf("the counts of item %q add up to more than %d",
		b.batch.Dictionary.ID(int(code)), documents.MaxCount))
}

// SetName names the open document, if names are asked for.
func (b *Builder) SetName(name []byte) error {
	if !b.Named {
		return nil
	}
	if len(name) > MaxItemBytes {
		return fault.InRow(fmt.Errorf("the name of a document has %d bytes; at most %d are possible",
			len(name), MaxItemBytes))
	}
	b.name = append(b.name[:0], name...)
	return nil
}

// AddText adds a text to that of the open document, if texts are asked for: its beginning, on a line of its own.
func (b *Builder) AddText(text []byte) {
	if room := maxText - len(b.text); b.Texted && room > 0 {
		if len(b.text) > 0 {
			b.text = append(b.text, '\n')
		}
		b.text = append(b.text, text[:min(len(text), room)]...)
	}
}

// EndDocument closes the open document and opens the next one. It reports whether the batch is complete.
func (b *Builder) EndDocument() bool {
	b.start = len(b.items)
	b.batch.Offsets = append(b.batch.Offsets, int32(b.start))
	if b.Named {
		b.batch.Names.Append(b.name)
		b.name = b.name[:0]
	}
	if b.Texted {
		b.batch.Texts.Append(bytes.ToValidUTF8(b.text, nil)) // without the letter that the end cuts
		b.text = b.text[:0]
	}
	return b.start >= b.maxEntries || len(b.batch.Offsets) > b.maxDocuments ||
		len(b.batch.Dictionary.Bytes) >= batchIDBytes || len(b.batch.Names.Bytes)+len(b.batch.Texts.Bytes) >= batchIDBytes
}

// Finish hands the entries over to the batch.
func (b *Builder) Finish() {
	if b.loose {
		b.compact()
		b.loose = false
	}
	b.batch.Items, b.batch.Counts, b.batch.Left = b.items, b.counts, b.Left
	b.batch, b.items, b.counts, b.Left = nil, nil, nil, documents.LeftOut{}
}

// CodeOfBytes returns the code of an item id, which it enters into the dictionary if need be.
func (b *Builder) CodeOfBytes(id []byte) (int32, error) {
	slot, code := b.byBytes.Find(id, &b.batch.Dictionary)
	if code >= 0 {
		return code, nil
	}
	code, err := b.enter(id)
	if err != nil {
		return 0, err
	}
	b.byBytes.Insert(slot, code)
	return code, nil
}

// CodeOfNumber returns the code of an item given by number.
func (b *Builder) CodeOfNumber(number int64) (int32, error) {
	if code := b.byNumber.find(number); code >= 0 {
		return code, nil
	}
	id := b.scratch[:0]
	if b.words != nil {
		if number < b.wordsBase || number-b.wordsBase >= int64(b.words.Len()) {
			return 0, fault.InRow(fmt.Errorf("item %d is not in the word list, whose %d words are numbered from %d", number,
				b.words.Len(), b.wordsBase))
		}
		id = append(id, b.words.ID(int(number-b.wordsBase))...)
	} else {
		id = strconv.AppendInt(id, number, 10)
	}
	b.scratch = id
	code, err := b.enter(id)
	if err != nil {
		return 0, err
	}
	b.byNumber.insert(number, code)
	return code, nil
}

// enter appends an id to the dictionary and returns its code.
func (b *Builder) enter(id []byte) (int32, error) {
	if err := CheckItem(id); err != nil {
		return 0, err
	}
	dictionary := &b.batch.Dictionary
	if len(dictionary.Bytes)+len(id) > MaxDictionaryBytes {
		return 0, errDictionary
	}
	code := int32(dictionary.Len())
	if code > 0 && code%reserveEvery == 0 {
		if err := b.reserve(); err != nil {
			return 0, err
		}
	}
	dictionary.Append(id)
	b.last = append(b.last, -1)
	return code, nil
}

// reserveEvery is the number of ids, or of entries, after which a batch asks for memory: a document may be of any
// length.
const reserveEvery = 1 << 17

// reserve returns an error if the process has no room for the batch to grow to twice its size.
func (b *Builder) reserve() error {
	const entry, id, slot = 8, 8, 16 // an item and a count; an end and a last entry; in a hash table, at most half full
	ids := int64(b.batch.Dictionary.Len())
	return process.Reserve(int64(len(b.items))*entry + ids*(id+2*slot) + int64(len(b.batch.Dictionary.Bytes)))
}

// CheckItem returns what is wrong with an item id.
func CheckItem(id []byte) error {
	switch {
	case len(id) == 0:
		return errEmptyItem
	case len(id) > MaxItemBytes:
		return fault.InRow(fmt.Errorf("an item id has %d bytes; at most %d are possible", len(id), MaxItemBytes))
	case !utf8.Valid(id):
		return fault.InRow(fault.NotUTF8("item id", id))
	}
	return nil
}

// AddRun is Add for several items; counts are between 1 and MaxCount.
func (b *Builder) AddRun(codes, counts []int32) error {
	n := len(b.items)
	if n-b.start+len(codes) > maxDocumentItems { // unless some of them are the same
		for i, code := range codes {
			if err := b.Add(code, counts[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if n+len(codes) > cap(b.items) && n >= reserveEvery {
		if err := b.reserve(); err != nil {
			return err
		}
	}
	items := slices.Grow(b.items, len(codes))[:n+len(codes)]
	sums := slices.Grow(b.counts, len(codes))[:n+len(codes)]
	last, start := b.last, int32(b.start)
	for i, code := range codes {
		if at := last[code]; at >= start {
			sum := int64(sums[at]) + int64(counts[i])
			if sum > documents.MaxCount {
				return b.tooMany(code)
			}
			sums[at] = int32(sum)
			continue
		}
		last[code] = int32(n)
		items[n], sums[n] = code, counts[i]
		n++
	}
	b.items, b.counts = items[:n], sums[:n]
	return nil
}

// Leave counts a bad row, about which err is an error, and empties the open document. It returns an error if err is not
// about a single row, or if more rows than MaxBad would be left out.
func (b *Builder) Leave(err error) error {
	if err := b.Note(err); err != nil {
		return err
	}
	for _, code := range b.items[b.start:] {
		b.last[code] = -1
	}
	b.items, b.counts, b.name, b.text = b.items[:b.start], b.counts[:b.start], b.name[:0], b.text[:0]
	b.loose = true
	return nil
}

// Note is Leave for a row that is no document: the open document remains as it is.
func (b *Builder) Note(err error) error {
	if !fault.IsRow(err) || b.MaxBad == 0 {
		return err
	}
	if b.MaxBad == math.MaxInt64 && fault.ReasonOf(err) == fault.Encoding {
		return err // of the names of items, see Shard.ItemNames: they must not vanish for want of an encoding
	}
	if b.bad == b.MaxBad {
		return tooManyBad(err, b.bad)
	}
	b.bad++
	b.Left.Bad++
	if b.Left.First == "" {
		b.Left.First = err.Error()
	}
	b.loose = true // an id of the row may be in the dictionary already
	return nil
}

// tooManyBad adds to an error that as many rows as may be have been left out.
func tooManyBad(err error, bad int64) error {
	add := func(err error) error {
		return fault.Because(fault.BadRows, "%w; %d bad rows before it were left out, and no more may be", err, bad)
	}
	place, is := errors.AsType[*fault.Error](err)
	if !is {
		return add(err)
	}
	placed := *place
	placed.Err = add(fmt.Errorf("%w", place.Err))
	return &placed
}

// compact removes ids that no document of the batch uses, so that the others have codes in order of first appearance.
func (b *Builder) compact() {
	codes := make([]int32, b.batch.Dictionary.Len()) // new code + 1
	var used documents.Dictionary
	for i, code := range b.items {
		if codes[code] == 0 {
			used.Append(b.batch.Dictionary.ID(int(code)))
			codes[code] = int32(used.Len())
		}
		b.items[i] = codes[code] - 1
	}
	b.batch.Dictionary = used
}
