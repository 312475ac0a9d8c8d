// This file finds out the format of a file: by its content first and by its name where the content does not tell.

package shard

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

var (
	parquetMagic = []byte("PAR1")
	arrowMagic   = []byte("ARROW1")
	featherMagic = []byte("FEA1") // version 1, a format of its own
)

// detect returns the format of a file and what told: its content or its name.
func detect(ctx context.Context, o object, opts Options) (Format, string, error) {
	format, reason, err := detectBinary(ctx, o)
	if format != Auto || err != nil {
		return format, reason, err
	}
	promised, ending, named := formatOfName(uncompressedName(strings.ToLower(o.name())))
	if named && (promised == Parquet || promised == Arrow || promised == Docword) {
		return promised, "name: " + ending, nil
	}
	stream, err := openText(ctx, o)
	if err != nil {
		return Auto, "", err
	}
	defer stream.Close()
	head := make([]byte, sniffBytes)
	n, err := io.ReadFull(stream, head)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		// The whole text is shorter than the sample, or its compressed data are cut short: the reader says which, with
		// the line.
	case err != nil:
		return Auto, "", &Error{Path: o.path, Row: 1, Err: err}
	}
	if format, reason = sniffText(head[:n], n < sniffBytes, opts); format != Auto {
		return format, "content: " + reason, nil
	}
	if named {
		return promised, "name: " + ending, nil
	}
	return Baskets, "content: lines of text, and nothing that speaks for another format", nil
}

// detectBinary returns the format of a file by its first bytes, Auto where they do not tell.
func detectBinary(ctx context.Context, o object) (Format, string, error) {
	file, err := o.open(ctx)
	if err != nil {
		return Auto, "", err
	}
	defer file.Close()
	head := make([]byte, min(8, file.Size()))
	if len(head) < 4 {
		return Auto, "", nil
	}
	if _, err := file.ReadAt(head, 0); err != nil {
		return Auto, "", fileError(o.path, err)
	}
	switch {
	case bytes.HasPrefix(head, parquetMagic):
		return Parquet, "content: begins with PAR1", nil
	case bytes.HasPrefix(head, arrowMagic):
		return Arrow, "content: begins with ARROW1", nil
	case bytes.HasPrefix(head, featherMagic):
		return Arrow, "content: begins with FEA1", nil
	case len(head) == 8 && binary.LittleEndian.Uint32(head) == arrowContinuation:
		if n := int32(binary.LittleEndian.Uint32(head[4:])); n > 0 && int64(n) <= file.Size()-8 {
			return Arrow, "content: begins like an Arrow stream", nil
		}
	}
	return Auto, "", nil
}

func hasSuffix(name string, suffixes []string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
