// This file finds out the format of a file: by its content first and by its name where the content does not tell.

package shard

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
)

var parquetMagic = []byte("PAR1")

// parquetNames are the endings of names that promise a Parquet file.
var parquetNames = []string{".parquet", ".parq", ".pq"}

// sniffBytes is how much decompressed text detect looks at.
const sniffBytes = 4 << 10

// detect returns the format of a file.
func detect(ctx context.Context, o object) (Format, error) {
	name := uncompressedName(strings.ToLower(o.name()))
	parquet, err := startsWith(ctx, o, parquetMagic)
	if err != nil {
		return Auto, err
	}
	if parquet || hasSuffix(name, parquetNames) {
		return Parquet, nil
	}
	stream, err := openText(ctx, o)
	if err != nil {
		return Auto, err
	}
	defer stream.Close()
	head := make([]byte, sniffBytes)
	n, err := io.ReadFull(stream, head)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		// The whole text is shorter than the sample, or its compressed data are cut short: the reader says which, with
		// the line.
	case err != nil:
		return Auto, &Error{Path: o.path, Row: 1, Err: err}
	}
	if strings.HasPrefix(name, "docword.") || looksLikeDocword(head[:n], n < sniffBytes) {
		return Docword, nil
	}
	return Baskets, nil
}

// looksLikeDocword reports whether head, the beginning of a text or all of it, is a docword header with a fitting first
// entry. The entry must fit, because three baskets of one item each look like a header as well.
func looksLikeDocword(head []byte, whole bool) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
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

// startsWith reports whether a file begins with magic.
func startsWith(ctx context.Context, o object, magic []byte) (bool, error) {
	file, err := o.open(ctx)
	if err != nil {
		return false, err
	}
	defer file.Close()
	head := make([]byte, len(magic))
	if file.Size() < int64(len(head)) {
		return false, nil
	}
	if _, err := file.ReadAt(head, 0); err != nil {
		return false, fileError(o.path, err)
	}
	return bytes.Equal(head, magic), nil
}

func hasSuffix(name string, suffixes []string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
