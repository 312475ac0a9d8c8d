// This file reads Vowpal Wabbit's input as bags: "label importance 'tag|namespace item:count item ...", one document
// per line. What is in front of the first bar is passed over, except that a tag names the document. The items of all
// namespaces, or of the one asked for, make one bag; an item without a value counts 1.

package text

import (
	"bytes"
	"errors"
	"fmt"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
)

type vowpalLines struct {
	builder   *bag.Builder
	namespace []byte // the only one that is read; empty for all
}

// OpenVW opens Vowpal Wabbit lines.
func OpenVW(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	return openLines(w, in, maxDocumentLine, func(b *bag.Builder) (lineParser, error) {
		return &vowpalLines{b, []byte(in.Namespace)}, nil
	})
}

// line implements lineParser.
func (p *vowpalLines) line(block []byte) (int, bool, error) {
	line, n := cutLine(block)
	if len(bytes.TrimSpace(line)) == 0 {
		return n, false, nil // the end of a group of examples
	}
	head, line, found := bytes.Cut(line, []byte("|"))
	if !found {
		return 0, false, errors.New("the line has no \"|\", which is before the items in Vowpal Wabbit's format")
	}
	if err := p.builder.SetName(vowpalTag(head)); err != nil {
		return 0, false, err
	}
	for found {
		var section []byte
		section, line, found = bytes.Cut(line, []byte("|"))
		if err := p.section(section); err != nil {
			return 0, false, err
		}
	}
	return n, true, nil
}

// vowpalTag returns the tag in what is in front of the first bar: the last field, if it touches the bar or begins
// with an apostrophe.
func vowpalTag(head []byte) []byte {
	fields := bytes.Fields(head)
	if len(fields) == 0 {
		return nil
	}
	last := fields[len(fields)-1]
	if last[0] == '\'' {
		return last[1:]
	}
	if bytes.HasSuffix(head, last) {
		return last
	}
	return nil
}

// section adds the items of a namespace: what is between two bars.
func (p *vowpalLines) section(section []byte) error {
	var namespace []byte
	if len(section) > 0 && section[0] != ' ' && section[0] != '\t' {
		namespace, section = cutField(section)
		namespace, _, _ = bytes.Cut(namespace, []byte(":"))
	}
	if len(p.namespace) > 0 && !bytes.Equal(namespace, p.namespace) {
		return nil
	}
	for {
		var item []byte
		if item, section = cutField(section); len(item) == 0 {
			return nil
		}
		count := int32(1)
		if colon := bytes.LastIndexByte(item, ':'); colon >= 0 {
			var err error
			if count, err = p.builder.Text(item[colon+1:]); err != nil {
				return fmt.Errorf("item %.40q: %w", item[:colon], err)
			}
			if item = item[:colon]; count == 0 {
				continue
			}
		}
		code, err := p.builder.CodeOfBytes(item)
		if err == nil {
			err = p.builder.Add(code, count)
		}
		if err != nil {
			return err
		}
	}
}
