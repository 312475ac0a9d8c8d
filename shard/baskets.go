// This file reads baskets, the layout of the FIMI data sets: one document per line, item ids separated by white space.
// An empty line is an empty document; an id that comes n times counts n. Ids are taken as they stand.

package shard

import (
	"context"
	"errors"
	"io"
)

// maxBasketLine is the length of the longest line, in bytes.
const maxBasketLine = 256 << 20

var errBinary = errors.New("this looks like binary data, not like baskets of item ids in UTF-8 text")

// basketByte sorts bytes into those of an id (0) and the others.
var basketByte = func() (class [256]uint8) {
	for b := range byte(0x20) {
		class[b] = basketBinary
	}
	class[0x7f] = basketBinary
	for _, b := range []byte(" \t\r\v\f") {
		class[b] = basketSpace
	}
	class['\n'] = basketEnd
	return class
}()

const (
	basketSpace = iota + 1
	basketEnd
	basketBinary
)

type basketsReader struct {
	ctx     context.Context
	path    string
	stream  *textStream
	lines   *lineBlocks
	builder *builder
	block   []byte
	row     int64 // documents complete so far
}

func openBaskets(ctx context.Context, shard Shard) (Reader, error) {
	stream, err := openText(ctx, shard.object)
	if err != nil {
		return nil, err
	}
	return &basketsReader{ctx: ctx, path: shard.Path, stream: stream, lines: newLineBlocks(stream, maxBasketLine),
		builder: newBuilder(shard.options)}, nil
}

// Next implements Reader.
func (r *basketsReader) Next(batch *Batch) error {
	r.builder.begin(batch, r.row)
	defer r.builder.finish()
	for {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		for len(r.block) > 0 {
			n, err := r.addLine(r.block)
			if err != nil {
				return &Error{Path: r.path, Row: r.row + 1, Err: err}
			}
			r.block = r.block[n:]
			r.row++
			if r.builder.endDocument() {
				return nil
			}
		}
		var err error
		if r.block, err = r.lines.next(); err == io.EOF {
			if r.builder.documents() == 0 {
				return io.EOF
			}
			return nil
		} else if err != nil {
			return &Error{Path: r.path, Row: r.row + 1, Err: err}
		}
	}
}

// addLine adds the items of the line at the beginning of block and returns its length, its end included.
func (r *basketsReader) addLine(block []byte) (int, error) {
	for at := 0; at < len(block); {
		switch basketByte[block[at]] {
		case basketSpace:
			at++
			continue
		case basketEnd:
			return at + 1, nil
		case basketBinary:
			return 0, errBinary
		}
		first := at
		for at < len(block) && basketByte[block[at]] == 0 {
			at++
		}
		code, err := r.builder.codeOfBytes(block[first:at])
		if err == nil {
			err = r.builder.add(code, 1)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(block), nil
}

// Close implements Reader.
func (r *basketsReader) Close() error { return r.stream.Close() }
