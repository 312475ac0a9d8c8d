// This file finds documents of shards again, by their places.

package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"anchorage/internal/objects"
	"anchorage/internal/toplist"
	"anchorage/shard"
)

// Place is where a document is: its shard, and its number there, both from 0.
type Place struct {
	Shard int
	Row   int64
}

// Beginning is how a reader knows a document: its id, empty if it has none, and how it begins.
type Beginning struct{ ID, Text string }

// beginningBytes is how much is copied of a document's text, and beginningItems how many of its items where the text is
// not known.
const (
	beginningBytes = 600
	beginningItems = 30
)

// Beginnings returns the ids of documents and, with texts, how they begin: the text of a document that is a file, the
// most frequent items of others, of those that shaped topics unless shaping is nil. It reads the shards that hold them,
// as far as needed, and without texts none whose documents have no ids.
func Beginnings(ctx context.Context, shards []shard.Shard, places []Place, texts bool,
	shaping func(id []byte) bool) ([]Beginning, error) {
	found := make([]Beginning, len(places))
	wanted := make(map[int][]int) // by shard
	for i, at := range places {
		wanted[at.Shard] = append(wanted[at.Shard], i)
	}
	for s := range shards {
		left := len(wanted[s])
		if left == 0 {
			continue
		}
		for b, err := range batches(ctx, shards[s].WithNames("")) {
			if err != nil {
				return nil, err
			}
			if b.Names.Len() == 0 && !texts && b.Documents() > 0 {
				break
			}
			for _, i := range wanted[s] {
				if d := places[i].Row - b.FirstRow; d >= 0 && d < int64(b.Documents()) {
					found[i] = beginningOf(b, int(d), texts, shaping)
					left--
				}
			}
			if left == 0 {
				break
			}
		}
		if !texts || shards[s].Format != shard.Files {
			continue
		}
		for _, i := range wanted[s] {
			if text, err := fileBeginning(ctx, shards[s].Path); err == nil { // else its items remain
				found[i].Text = text
			}
		}
	}
	return found, nil
}

// beginningOf describes document d of a batch.
func beginningOf(b *shard.Batch, d int, texts bool, shaping func(id []byte) bool) (one Beginning) {
	if d < b.Names.Len() {
		one.ID = strings.Clone(string(b.Names.ID(d)))
	}
	if !texts {
		return one
	}
	first, last := int(b.Offsets[d]), int(b.Offsets[d+1])
	best := toplist.New(beginningItems)
	for at := first; at < last; at++ {
		if shaping != nil && !shaping(b.Dictionary.ID(int(b.Items[at]))) {
			continue
		}
		best.Offer(at, float64(b.Counts[at]))
	}
	var items []string
	size := 0
	for _, e := range best.Sorted() {
		item := string(b.Dictionary.ID(int(b.Items[e.Item])))
		if size += len(item); size > beginningBytes {
			break
		}
		items = append(items, item)
	}
	one.Text = strings.Join(items, ", ")
	if len(items) < last-first {
		one.Text += ", …"
	}
	return one
}

// fileBeginning returns how a file begins, with blanks in place of white space.
func fileBeginning(ctx context.Context, path string) (string, error) {
	file, err := objects.OpenStream(ctx, path)
	if err != nil {
		return "", err
	}
	defer file.Close() // it was only read
	buffer := make([]byte, beginningBytes)
	n, err := io.ReadFull(file, buffer)
	if err != nil && n == 0 {
		return "", err
	}
	if bytes.IndexByte(buffer[:n], 0) >= 0 || bytes.HasPrefix(buffer, []byte("\x1f\x8b")) {
		return "", errors.New("is not plain text")
	}
	text := string(buffer[:n])
	for cut := 0; cut < utf8.UTFMax && !utf8.ValidString(text) && len(text) > 0; cut++ { // a character that the end cuts
		text = text[:len(text)-1]
	}
	if n == beginningBytes {
		text += "…"
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "�")), " "), nil
}

// batches yields the batches of a shard in their order, each valid until the next, and at most one error, at the end.
func batches(ctx context.Context, s shard.Shard) iter.Seq2[*shard.Batch, error] {
	return func(yield func(*shard.Batch, error) bool) {
		parts, err := s.Parts(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, part := range parts {
			if !partBatches(ctx, part, yield) {
				return
			}
		}
	}
}

// partBatches is batches of a part. It reports whether those of the next part may follow.
func partBatches(ctx context.Context, part shard.Part, yield func(*shard.Batch, error) bool) bool {
	reader, err := shard.Open(ctx, part)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer reader.Close() // it was only read
	for batch := new(shard.Batch); ; {
		switch err := reader.Next(batch); {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			yield(nil, err)
			return false
		case !yield(batch, nil):
			return false
		}
	}
}
