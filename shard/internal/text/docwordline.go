// This file parses the lines of docword shards, and checks the entries of docword and Matrix Market files against their
// headers.

package text

import (
	"bytes"
	"fmt"
	"strconv"

	"anchorage/shard/fault"
	"anchorage/shard/internal/reading"
)

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
