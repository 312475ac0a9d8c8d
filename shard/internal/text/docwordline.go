// This file parses the lines of docword shards.

package text

import (
	"bytes"
	"strconv"
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
