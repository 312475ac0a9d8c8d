// This file finds out the format of a file: by its content first and by its name where the content does not tell.

package shard

import (
	"context"
	"errors"
	"io"
	"strings"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/text"
)

// detect returns the format of a file, and whether its content or its name decided.
func detect(ctx context.Context, in reading.Shard) (Format, string, error) {
	format, reason, err := detectBinary(ctx, in.Object)
	if format != Auto || err != nil {
		return format, reason, err
	}
	promised, by := formatOfName(access.UncompressedName(strings.ToLower(in.Name())))
	if promised != nil && promised.decides {
		return promised.Format, "name: " + by, nil
	}
	stream, err := access.OpenText(ctx, in.Object)
	if err != nil {
		return Auto, "", err
	}
	defer stream.Close()
	head := make([]byte, text.SampleBytes)
	n, err := io.ReadFull(stream, head)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		// The whole text is shorter than the sample, or its compressed data are cut short: the reader says which, with
		// the line.
	case err != nil:
		return Auto, "", &Error{Path: in.Path, Row: 1, Err: err}
	}
	if format, reason = detectText(text.NewSample(head[:n], n < text.SampleBytes, in.Options)); format != Auto {
		return format, "content: " + reason, nil
	}
	if promised != nil && !promised.anyText {
		return promised.Format, "name: " + by, nil
	}
	return Baskets, "content: lines of text, and nothing that speaks for another format", nil
}

// detectBinary returns the format of a file by its first bytes; Auto if they do not decide.
func detectBinary(ctx context.Context, o access.Object) (Format, string, error) {
	file, err := o.Open(ctx)
	if err != nil {
		return Auto, "", err
	}
	defer file.Close()
	head := make([]byte, min(8, file.Size()))
	if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
		return Auto, "", inFile(o.Path, err)
	}
	for _, f := range formats {
		if f.begins == nil {
			continue
		}
		if reason := f.begins(head, file.Size()); reason != "" {
			return f.Format, "content: " + reason, nil
		}
	}
	return Auto, "", nil
}

// detectText returns the format that the beginning of a text suggests, and why; Auto if it suggests none.
func detectText(text *text.Sample) (Format, string) {
	for _, f := range formats {
		if f.looks == nil {
			continue
		}
		if reason := f.looks(text); reason != "" {
			return f.Format, reason
		}
	}
	return Auto, ""
}
