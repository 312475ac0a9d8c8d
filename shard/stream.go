// This file opens text shards: plain, gzip or zstd, told apart by their first bytes.

package shard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow is the greatest window of a zstd stream, which bounds the memory of decompression; 128 MiB is what
// `zstd --long` uses.
const maxWindow = 128 << 20

// textStream is the decompressed content of a file.
type textStream struct {
	source     io.Reader
	file       io.Closer
	compressed bool
	closer     func() // releases the decompressor; nil where there is nothing to release
}

// openText opens a file for sequential reading.
func openText(ctx context.Context, o object) (*textStream, error) {
	source, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	return textOf(source, o.path)
}

// textOf returns the text in a source, which it closes if that fails.
func textOf(s source, path string) (*textStream, error) {
	stream, err := decompressed(streamOf(s))
	if err != nil {
		s.Close()
		return nil, fileError(path, err)
	}
	return stream, nil
}

// uncompressedName returns the name of a file without .gz or .zst.
func uncompressedName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

func decompressed(file io.ReadCloser) (*textStream, error) {
	raw := bufio.NewReaderSize(file, 64<<10)
	head, err := raw.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		reader, err := gzip.NewReader(raw)
		if err != nil {
			return nil, streamError(err)
		}
		return &textStream{source: reader, file: file, compressed: true}, nil
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		// With a concurrency of 1 the decoder works in the caller's goroutine and starts none of its own.
		reader, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, streamError(err)
		}
		return &textStream{source: reader, file: file, compressed: true, closer: reader.Close}, nil
	}
	return &textStream{source: raw, file: file}, nil
}

// Read reads decompressed bytes.
func (s *textStream) Read(p []byte) (int, error) {
	n, err := s.source.Read(p)
	if err != nil && err != io.EOF && s.compressed {
		err = streamError(err)
	}
	return n, err
}

// Close closes the file.
func (s *textStream) Close() error {
	if s.closer != nil {
		s.closer()
		s.closer = nil
	}
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// streamError says in plain words what a decompressor found.
func streamError(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file is truncated: its compressed data end in the middle")
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("the zstd window is larger than %d MiB; compress the file with a smaller one", maxWindow>>20)
	}
	return fmt.Errorf("the compressed data are damaged: %w", err)
}
