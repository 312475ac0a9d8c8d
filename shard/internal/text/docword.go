// This file reads the UCI bag-of-words layout and, except for its header, that of Matrix Market. Three header lines
// hold the numbers of documents (D), words (W) and entries (NNZ); then come NNZ lines "document word count", both
// numbered from 1, in order of documents. Documents without a line are empty documents.

package text

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/sorter"
)

// maxDocwordLine is more than the 60 bytes or so that a well-made line can have.
const maxDocwordLine = 4 << 10

type docwordReader struct {
	watch   *access.Watch
	path    string
	stream  *access.Text
	lines   *lineBlocks
	builder *bag.Builder

	documents, words, entries int64 // the header
	block                     []byte
	line                      int64 // lines taken so far
	read                      int64 // entries read so far
	open                      int64 // document under construction, from 1
	ended                     bool

	pending bool // the entry below waits for its document to be opened
	entry   docwordEntry

	matrix matrixLayout
	group  bool           // entries are being collected for sorting, in any order
	sorter *sorter.Sorter // yields the entries in place of the file, once they are sorted
}

// OpenDocword opens a docword file.
func OpenDocword(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openEntries(w, in, matrixLayout{})
}

// OpenMatrixMarket opens a shard in the layout of Matrix Market.
func OpenMatrixMarket(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openEntries(w, in, matrixLayout{banner: true, transposed: in.DocumentColumns})
}

// openEntries opens a shard of entries.
func openEntries(w *access.Watch, in reading.Shard, matrix matrixLayout) (reading.Reader, error) {
	stream, err := w.OpenText(in.Object)
	if err != nil {
		return nil, err
	}
	r := &docwordReader{watch: w, path: in.Path, stream: stream, lines: newLineBlocks(stream, maxDocwordLine, 0),
		builder: in.Builder(), open: 1, matrix: matrix}
	err = fault.Guard(func() error {
		if r.start(in); in.Group {
			r.sort(in.Sort)
		}
		return nil
	})
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// start reads the header and the word list.
func (r *docwordReader) start(in reading.Shard) {
	if r.matrix.banner {
		r.readMatrixHeader()
	} else {
		r.readHeader()
	}
	if limit := reading.FreeEmpty + reading.EmptyPerLine*float64(r.entries); float64(r.documents) > limit {
		r.line = 1
		r.throw("the header promises %d documents but only %d entries", r.documents, r.entries)
	}
	vocab, found, err := docwordVocab(r.watch.Context(), in)
	if fault.Throw(err); !found {
		return
	}
	words, err := readWords(r.watch, vocab)
	fault.Throw(err)
	if int64(words.Len()) != r.words {
		fault.Throw(&fault.Error{Path: vocab.Path,
			Err: fmt.Errorf("the list has %d words, but the header of %s says %d", words.Len(), in.Path, r.words)})
	}
	r.builder.SetWords(words, 1)
}

// readHeader reads the header of docword.
func (r *docwordReader) readHeader() {
	for _, field := range []struct {
		name  string
		value *int64
	}{{"documents", &r.documents}, {"words", &r.words}, {"entries", &r.entries}} {
		line := r.nextLine("the header ends before the number of " + field.name)
		value, ok := parseHeaderLine(line)
		if !ok {
			r.throw("the header should hold the number of %s here, not %.40q", field.name, line)
		}
		*field.value = value
	}
}

func (r *docwordReader) Next(batch *documents.Batch) error {
	return r.builder.Fill(batch, r.open-1, r.fill)
}

// fill reads entries until the batch is complete or the file has ended.
func (r *docwordReader) fill() {
	fault.Throw(r.watch.Check())
	for {
		if !r.pending && !r.ended {
			r.pending = r.nextEntry()
		}
		until := r.entry.document
		if r.ended {
			until = r.documents + 1
		}
		for r.open < until {
			full := r.builder.EndDocument()
			r.open++
			if full {
				return
			}
		}
		if r.ended {
			return
		}
		r.addEntries()
	}
}

// addEntries adds the pending entry and those of the same document which follow it in the block. It leaves the first
// entry of the next document pending.
func (r *docwordReader) addEntries() {
	for r.pending = false; !r.pending; r.pending = r.entry.document != r.open {
		code, err := r.builder.CodeOfNumber(r.entry.word)
		if err == nil {
			err = r.builder.Add(code, int32(r.entry.count))
		}
		if err != nil {
			fault.Throw(r.builder.Note(r.fail(err)))
		}
		if len(r.block) == 0 || !r.nextEntry() {
			return
		}
	}
}

// nextEntry reads and checks the next line that is not empty. It returns false at the end of a well-made shard.
func (r *docwordReader) nextEntry() bool {
	if r.sorter != nil && !r.group {
		return r.nextSorted()
	}
	for r.refill() {
		entry, n := parseEntry(r.block)
		r.line++
		if n > 0 && !r.matrix.pattern {
			r.matrix.turn(&entry)
			r.block = r.block[n:]
		} else {
			line := r.cutLine()
			if len(bytes.TrimSpace(line)) == 0 || r.matrix.banner && line[0] == '%' {
				continue
			}
			var err error
			if entry, err = r.matrix.parse(&r.builder.Counter, line); err != nil || entry.count == 0 {
				if r.read++; err != nil { // otherwise the rule leaves it out
					fault.Throw(r.builder.Note(r.fail(fault.InRow(err))))
				}
				continue
			}
		}
		before := r.entry
		previous := before.document
		if r.group {
			previous = 0
		}
		r.entry = entry
		r.read++
		if entry.document < previous || entry.document < 1 || entry.document > r.documents || entry.word < 1 ||
			entry.word > r.words || entry.count < 1 || entry.count > documents.MaxCount || r.read > r.entries ||
			entry.document > reading.FreeEmpty+reading.EmptyPerLine*r.read {
			if err := r.checkEntry(previous); err != nil {
				fault.Throw(r.builder.Note(err))
				r.entry = before
				continue
			}
			if r.entry.count == 0 {
				continue // the rule leaves it out
			}
		}
		return true
	}
	return r.end()
}

// nextLine returns the next line of the header that is not empty, without its end; missing says what is wrong without
// one.
func (r *docwordReader) nextLine(missing string) []byte {
	for r.refill() {
		r.line++
		if line := bytes.TrimSpace(r.cutLine()); len(line) > 0 {
			return line
		}
	}
	r.line++
	r.throw("%s", missing)
	return nil
}

// refill reads the next block if this one is used up. At the end it returns false.
func (r *docwordReader) refill() bool {
	if len(r.block) > 0 {
		return true
	}
	var err error
	if r.block, err = r.lines.next(); err == io.EOF {
		return false
	}
	if err != nil {
		r.line++
		fault.Throw(r.fail(err))
	}
	fault.Throw(r.watch.Check())
	return true
}

// cutLine takes one line off the block.
func (r *docwordReader) cutLine() []byte {
	line, rest, _ := bytes.Cut(r.block, []byte("\n"))
	r.block = rest
	return line
}

// throw throws what is wrong with the line.
func (r *docwordReader) throw(format string, args ...any) {
	fault.Throw(r.fail(fmt.Errorf(format, args...)))
}

func (r *docwordReader) fail(err error) error {
	return &fault.Error{Path: r.path, Row: r.line, Err: err}
}

func (r *docwordReader) Close() error {
	if r.sorter != nil {
		r.sorter.Close()
	}
	return r.stream.Close()
}

// docwordEntry is a line of the body as it was read.
type docwordEntry struct{ document, word, count int64 }

// parseHeaderLine returns the one non-negative integer of a header line.
func parseHeaderLine(line []byte) (int64, bool) {
	value, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	return value, err == nil && value >= 0
}

// parseEntry reads the line at the beginning of block and returns how many bytes it takes, its end included; 0 means
// that the line is not made of three integers of at most 18 digits.
func parseEntry(block []byte) (docwordEntry, int) {
	var numbers [3]int64
	at := 0
	for i := range numbers {
		for at < len(block) && (block[at] == ' ' || block[at] == '\t') {
			at++
		}
		negative := at < len(block) && block[at] == '-'
		if negative {
			at++
		}
		first := at
		value := int64(0)
		for at < len(block) {
			digit := block[at] - '0'
			if digit > 9 {
				break
			}
			value = value*10 + int64(digit)
			at++
		}
		if at == first || at-first > 18 {
			return docwordEntry{}, 0
		}
		if negative {
			value = -value
		}
		numbers[i] = value
	}
	for at < len(block) && (block[at] == ' ' || block[at] == '\t' || block[at] == '\r') {
		at++
	}
	if at < len(block) {
		if block[at] != '\n' {
			return docwordEntry{}, 0
		}
		at++
	}
	return docwordEntry{document: numbers[0], word: numbers[1], count: numbers[2]}, at
}

// checkEntry returns what is wrong with the entry just read, whose predecessor belongs to the document previous. It
// makes the count 0 where the rule leaves the entry out.
func (r *docwordReader) checkEntry(previous int64) error {
	entry := r.entry
	var err error
	switch {
	case entry.document < 1 || entry.document > r.documents:
		err = fault.InRow(fmt.Errorf("document %d is not between 1 and the header's %d", entry.document, r.documents))
	case entry.word < 1 || entry.word > r.words:
		err = fault.InRow(fmt.Errorf("word %d is not between 1 and the header's %d", entry.word, r.words))
	case entry.document < previous:
		err = fault.Because(fault.Scattered, "document %d follows document %d: the lines must be sorted by document",
			entry.document, previous)
	case r.read > r.entries:
		err = fmt.Errorf("there are more lines than the %d of the header", r.entries)
	default:
		var count int32
		count, err = r.builder.Integer(entry.count)
		r.entry.count = int64(count)
	}
	if err != nil {
		return r.fail(err)
	}
	return r.checkGap(entry.document)
}

// checkGap returns an error where the documents before document are far more than the lines read.
func (r *docwordReader) checkGap(document int64) error {
	if !r.group && document > reading.FreeEmpty+reading.EmptyPerLine*r.read {
		return r.fail(fmt.Errorf("document %d comes after only %d lines: too many empty documents", document, r.read))
	}
	return nil
}

// end compares what was read with the header, notes that the entries have ended, and returns false.
func (r *docwordReader) end() bool {
	if r.read != r.entries {
		r.throw("the file ends after %d lines; the header says %d", r.read, r.entries)
	}
	fault.Throw(r.checkGap(r.documents))
	r.ended = true
	return false
}
