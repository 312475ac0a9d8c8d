// This file opens text shards: plain, gzip or zstd, told apart by their first bytes.

package access

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"anchorage/shard/fault"
)

// MaxWindow is the greatest window of a zstd stream, which bounds the memory of decompression; 128 MiB is that of
// zstd in its long mode.
const MaxWindow = 128 << 20

// Text is the decompressed content of a file, in UTF-8, or what was taken for it.
type Text struct {
	io.Reader
	file   io.Closer
	closer func() // releases the decompressor; nil where there is nothing to release
}

// OpenText opens a file for sequential reading.
func OpenText(ctx context.Context, o Object) (*Text, error) {
	source, err := o.Stream(ctx)
	if err != nil {
		return nil, err
	}
	return o.text(source, false)
}

// text returns the text in the object's bytes, which it closes if that fails. If they are cut, they may end anywhere.
func (o Object) text(file io.ReadCloser, cut bool) (*Text, error) {
	size := 64 << 10
	if o.input == nil {
		size = int(min(max(o.Size, 4<<10), int64(size)))
	}
	raw, closer, err := decompressed(file, size, cut)
	text := &Text{file: file, closer: closer}
	if err == nil {
		text.Reader, err = decoded(raw, o.Encoding)
	}
	if err != nil {
		text.Close()
		return nil, fault.InFile(o.Path, err)
	}
	return text, nil
}

// decoded makes UTF-8 of a text in the encoding of a name, or in UTF-16 if it begins with its byte order mark.
func decoded(text io.Reader, name string) (io.Reader, error) {
	encoded := encoding.Encoding(unicode.UTF8)
	if name != "" {
		if err := CheckEncoding(name); err != nil {
			return nil, err
		}
		encoded, _ = htmlindex.Get(name)
	}
	begin := make([]byte, 2)
	if encoded != unicode.UTF8 {
		begin = make([]byte, looked)
	}
	n, _ := io.ReadFull(text, begin) // an error comes again with the next reading
	if mark := string(begin[:min(n, 2)]); mark == "\xff\xfe" || mark == "\xfe\xff" {
		encoded = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	} else if encoded != unicode.UTF8 && isUTF8(begin[:n]) {
		return nil, fault.Because(fault.Encoding, "the text is in utf-8, not in %s", name)
	}
	text = io.MultiReader(bytes.NewReader(begin[:n]), text)
	if encoded != unicode.UTF8 {
		text = transform.NewReader(text, encoded.NewDecoder())
	}
	return text, nil
}

// looked is how many bytes of a text in a named encoding are looked at for UTF-8.
const looked = 32 << 10

// isUTF8 reports whether bytes, which may end within a letter, are UTF-8 beyond ASCII. Texts in other encodings can
// look like it if they have few letters beyond ASCII.
func isUTF8(text []byte) bool {
	const enough = 4
	beyond := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size < 2 {
			return beyond >= enough && !utf8.FullRune(text)
		}
		if size > 1 {
			beyond++
		}
		text = text[size:]
	}
	return beyond >= enough
}

// CheckEncoding returns an error if no encoding has this name.
func CheckEncoding(name string) error {
	if _, err := htmlindex.Get(name); err != nil {
		return fmt.Errorf("no encoding is called %q; windows-1252, utf-16le, shift_jis and gbk are some", name)
	}
	return nil
}

// UncompressedName returns the name of a file without .gz or .zst.
func UncompressedName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// decompressed returns the text in a stream of bytes, which it reads size bytes at a time, and what releases the
// decompressor.
func decompressed(file io.Reader, size int, cut bool) (io.Reader, func(), error) {
	raw := bufio.NewReaderSize(file, size)
	head, err := raw.Peek(4)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		reader, err := gzip.NewReader(raw)
		if err != nil {
			return nil, nil, StreamError(err)
		}
		return unpacked{reader, cut}, nil, nil
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		reader, err := NewZstd(raw)
		if err != nil {
			return nil, nil, StreamError(err)
		}
		return unpacked{reader, cut}, reader.Close, nil
	}
	return raw, nil, nil
}

// NewZstd returns a decompressor of a stream, nil for one that comes later. It works in the caller's goroutine and
// starts no other.
func NewZstd(from io.Reader, more ...zstd.DOption) (*zstd.Decoder, error) {
	return zstd.NewReader(from, append(more, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(MaxWindow))...)
}

// unpacked reads from a decompressor, and says in plain words what it finds. What it reads may be cut off anywhere.
type unpacked struct {
	io.Reader
	cut bool
}

func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	switch {
	case err == nil || err == io.EOF:
	case u.cut:
		err = io.EOF
	default:
		err = StreamError(err)
	}
	return n, err
}

// Close closes the file.
func (s *Text) Close() error {
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

// StreamError says in plain words what a decompressor found.
func StreamError(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file is truncated: its compressed data end in the middle")
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("the zstd window is larger than %d MiB; compress the file with a smaller one", MaxWindow>>20)
	}
	return fmt.Errorf("the compressed data are damaged: %w", err)
}
