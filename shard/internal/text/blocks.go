// This file cuts a stream of text into blocks of whole lines.

package text

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"anchorage/internal/process"
)

const lineBlock = 256 << 10

// lineBlocks reads a text in blocks of whole lines, so that a parser need not look for the end of its buffer.
type lineBlocks struct {
	source  io.Reader
	maxLine int // length of the longest line, in bytes
	buffer  []byte
	tail    int // the unfinished line buffer[tail:end] follows the block handed out last
	end     int
	started bool
	read    int64 // bytes read so far
	err     error // what the source returned at last
}

// newLineBlocks returns the blocks of a text. buffer is their size, which grows with the lines; 0 for lineBlock.
func newLineBlocks(source io.Reader, maxLine, buffer int) *lineBlocks {
	return &lineBlocks{source: source, maxLine: maxLine, buffer: make([]byte, cmp.Or(buffer, lineBlock))}
}

// next returns the lines that follow, at least one. Each ends with a newline, except that the text's last line may lack
// it. The block is valid until the next call. After the last block the error is io.EOF, or why the source could not be
// read further: then an unfinished line has been dropped.
func (l *lineBlocks) next() ([]byte, error) {
	held := copy(l.buffer, l.buffer[l.tail:l.end])
	l.tail, l.end = 0, held
	for idle := 0; l.err == nil; {
		if l.end == len(l.buffer) {
			if l.end >= l.maxLine {
				return nil, fmt.Errorf("the line is longer than %d bytes", l.maxLine)
			}
			if err := process.Reserve(2 * int64(len(l.buffer))); err != nil {
				return nil, err
			}
			grown := make([]byte, 2*len(l.buffer))
			copy(grown, l.buffer)
			l.buffer = grown
		}
		n, err := l.source.Read(l.buffer[l.end:])
		if idle++; n > 0 {
			idle = 0
		} else if err == nil && idle > 100 {
			err = io.ErrNoProgress
		}
		fresh := l.buffer[l.end : l.end+n]
		l.end += n
		l.read += int64(n)
		l.err = err
		if newline := bytes.LastIndexByte(fresh, '\n'); newline >= 0 {
			l.tail = l.end - len(fresh) + newline + 1
			return l.block(l.tail), nil
		}
	}
	if l.err == io.EOF && l.end > 0 {
		l.tail = l.end
		return l.block(l.end), nil
	}
	return nil, l.err
}

// block returns the first n bytes of the buffer, without a byte order mark at the beginning of the text.
func (l *lineBlocks) block(n int) []byte {
	block := l.buffer[:n]
	if !l.started {
		l.started = true
		block = bytes.TrimPrefix(block, []byte("\xef\xbb\xbf"))
	}
	return block
}
