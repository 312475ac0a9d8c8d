// This file tells text formats apart by the beginning of a file.

package shard

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// sniffBytes is how much decompressed text is looked at.
const sniffBytes = 64 << 10

// formatNameEndings are endings of names that promise a format, where the content does not tell.
var formatNameEndings = map[string]Format{".parquet": Parquet, ".parq": Parquet, ".pq": Parquet, ".arrow": Arrow,
	".arrows": Arrow, ".ipc": Arrow, ".feather": Arrow, ".csv": CSV, ".tsv": CSV, ".jsonl": JSONL, ".ndjson": JSONL,
	".mtx": MatrixMarket, ".svm": LibSVM, ".svmlight": LibSVM, ".libsvm": LibSVM, ".ldac": LDAC, ".lda-c": LDAC, ".vw": VW}

// formatOfName returns the format that the ending of a name, in lower case and without .gz or .zst, promises.
func formatOfName(name string) (format Format, ending string, ok bool) {
	if strings.HasPrefix(name, "docword.") {
		return Docword, "docword.", true
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		ending = name[dot:]
		format, ok = formatNameEndings[ending]
	}
	return format, ending, ok
}

// sniffText returns the format of a text by its beginning, head, which is all of it if whole is set, and what told. The
// format is Auto if nothing did.
func sniffText(head []byte, whole bool, opts Options) (Format, string) {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	lines := sampleLines(head, whole)
	first := bytes.TrimSpace(head)
	switch {
	case len(first) >= len(matrixBanner) && bytes.EqualFold(first[:len(matrixBanner)], []byte(matrixBanner)):
		return MatrixMarket, "begins with " + matrixBanner
	case looksLikeDocword(head, whole):
		return Docword, "three numbers, then lines of three numbers"
	case looksLikeJSON(first):
		return JSONL, "begins with a JSON object"
	case opts.Tokenize:
		return Text, "text, to be cut into words"
	case len(lines) == 0:
		return Auto, ""
	case looksLikeTable(lines[0], opts):
		return CSV, "its header names the columns of a long table"
	case allLines(lines, looksLikeVW):
		return VW, "every line has a bar in front of its items"
	case allLines(lines, looksLikeLDAC):
		return LDAC, "every line has the number of its index:count pairs, then these"
	case allLines(lines, looksLikeLibSVM):
		return LibSVM, "every line has a label, then index:count pairs"
	}
	return Auto, ""
}

// sampleLines returns the complete lines of a sample that are not blank, at most 100.
func sampleLines(head []byte, whole bool) (lines [][]byte) {
	if !whole {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	for line := range bytes.Lines(head) {
		if len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, bytes.TrimRight(line, "\r\n"))
		}
		if len(lines) == 100 {
			break
		}
	}
	return lines
}

// allLines reports whether looks likes all lines; it says of each whether it fits, and whether it speaks for the format.
func allLines(lines [][]byte, looks func(line []byte) (fits, speaks bool)) bool {
	spoken := false
	for _, line := range lines {
		fits, speaks := looks(line)
		if !fits {
			return false
		}
		spoken = spoken || speaks
	}
	return spoken
}

// looksLikeDocword reports whether head, the beginning of a text or all of it, is a docword header with a fitting first
// entry. The entry must fit, because three baskets of one item each look like a header as well.
func looksLikeDocword(head []byte, whole bool) bool {
	if !whole {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	var header [3]int64
	seen := 0
	for line := range bytes.Lines(head) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if seen == len(header) {
			entry, n := parseEntry(line)
			return n > 0 && entry.document >= 1 && entry.document <= header[0] && entry.word >= 1 && entry.word <= header[1]
		}
		value, ok := parseHeaderLine(line)
		if !ok {
			return false
		}
		header[seen] = value
		seen++
	}
	return seen == len(header) && header[2] == 0
}

// looksLikeJSON reports whether a text begins with an object: a brace, and a string or the brace's end.
func looksLikeJSON(text []byte) bool {
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return false
	}
	token, err := decoder.Token()
	if err != nil {
		return false
	}
	if _, ok := token.(string); !ok {
		return token == json.Delim('}')
	}
	return true
}

// looksLikeTable reports whether a line is the header of a long table whose columns are clear.
func looksLikeTable(line []byte, opts Options) bool {
	_, names, ok := csvHeader(line)
	if !ok {
		return false
	}
	choice, err := chooseColumns(csvFields(names), names, opts)
	return err == nil && choice.long
}

func looksLikeVW(line []byte) (fits, speaks bool) {
	head, sections, found := bytes.Cut(line, []byte("|"))
	if !found {
		return false, false
	}
	if label, _ := cutField(head); len(label) > 0 && label[0] != '\'' && !bytes.HasSuffix(head, label) {
		if _, err := strconv.ParseFloat(string(label), 64); err != nil {
			return false, false
		}
	}
	for section := range bytes.SplitSeq(sections, []byte("|")) {
		if len(section) > 0 && section[0] != ' ' && section[0] != '\t' {
			if _, section = cutField(section); len(section) == 0 {
				return false, false // a table whose columns are separated by bars
			}
		}
		if item, _ := cutField(section); len(item) > 0 {
			speaks = true
		}
	}
	return true, speaks
}

func looksLikeLDAC(line []byte) (fits, speaks bool) {
	first, rest := cutField(line)
	promised, ok := wholeNumber(first)
	pairs, fits := looksLikePairs(rest)
	return ok && fits && pairs == promised, pairs > 0
}

func looksLikeLibSVM(line []byte) (fits, speaks bool) {
	line, _, _ = bytes.Cut(line, []byte("#"))
	label, rest := cutField(line)
	if len(label) == 0 {
		return true, false
	}
	first, _, _ := bytes.Cut(label, []byte(","))
	if _, err := strconv.ParseFloat(string(first), 64); err != nil {
		return false, false
	}
	if field, after := cutField(rest); bytes.HasPrefix(field, []byte("qid:")) {
		rest = after
	}
	pairs, fits := looksLikePairs(rest)
	return fits, pairs > 0
}

// looksLikePairs reports whether a line holds nothing but pairs of an index and a number, and how many.
func looksLikePairs(line []byte) (pairs int64, fits bool) {
	for {
		var pair []byte
		if pair, line = cutField(line); len(pair) == 0 {
			return pairs, true
		}
		index, value, found := bytes.Cut(pair, []byte(":"))
		if _, ok := wholeNumber(index); !ok || !found {
			return pairs, false
		}
		if _, err := strconv.ParseFloat(string(value), 64); err != nil {
			return pairs, false
		}
		pairs++
	}
}
