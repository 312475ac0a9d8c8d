// This file holds the part of a vocabulary that a rank has where several share it.

package corpus

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"

	"anchorage/internal/collective"
)

// Held returns the range [first, last) of ids that this rank holds: those of its rows where several ranks share a
// vocabulary, else all.
func (v *Vocabulary) Held() (first, last int) { return v.first, v.first + len(v.ends) }

// whole reports whether all ids are held.
func (v *Vocabulary) whole() bool { return len(v.ends) == len(v.keys) && v.table != nil }

// Names returns the ids of some items on every rank. Where several ranks share the vocabulary, all of them must ask for
// the same items at the same time. The error is that of ctx.
func (v *Vocabulary) Names(ctx context.Context, items []int) ([]string, error) {
	names := make([]string, len(items))
	c := collective.Of(v.layout)
	if v.whole() {
		for at, i := range items {
			names[at] = v.ID(i)
		}
		return names, context.Cause(ctx)
	}
	var own []byte
	first, last := v.Held()
	for _, i := range items {
		if i >= first && i < last {
			own = appendID(own, v.id(i))
		}
	}
	all, err := collective.AllGather(ctx, c, own)
	if err != nil {
		return nil, err
	}
	for at, i := range items {
		var id []byte
		r := c.Owner(v.Len(), i)
		id, all[r] = readID(all[r])
		names[at] = string(id)
	}
	return names, nil
}

// part makes this rank's part of the vocabulary of the kept items of all ranges, whose numbers are given; n is how many
// there are.
//
// Each id goes to the rank of its row. Keys and counts go from there to all ranks: 24 bytes for each item and rank.
func (m *merged) part(ctx context.Context, kept, numbers []int32, n int) (*Vocabulary, error) {
	c := m.comm
	v := &Vocabulary{Counted: true, layout: c, DocumentFrequency: make([]int64, n), TermFrequency: make([]int64, n),
		keys: make([]uint64, n)}
	words := []int64{0}
	sent := make([][]int32, c.Size())
	for j, i := range kept {
		r := c.Owner(n, int(numbers[j]))
		sent[r] = append(sent[r], int32(j))
		if !canonicalInteger(m.items.id(int(i))) {
			words[0]++
		}
	}
	write := func(message []byte, j int32) []byte { return appendItem(message, numbers[j], m.items, kept[j]) }
	first, last := c.Rows(n)
	rows := newArrivals(v, first, last)
	if err := inPieces(ctx, c, sent, write, rows.read); err != nil {
		return nil, err
	}
	rows.settle()
	for _, counts := range [][]int64{v.DocumentFrequency, v.TermFrequency} {
		if err := collective.Share(ctx, c, counts); err != nil {
			return nil, err
		}
	}
	if err := collective.Share(ctx, c, v.keys); err != nil {
		return nil, err
	}
	if err := collective.Sum(ctx, c, words); err != nil {
		return nil, err
	}
	v.words = int(words[0])
	return v, v.digest(ctx, c)
}

// arrivals are rows of a vocabulary that come in any order.
type arrivals struct {
	vocabulary *Vocabulary
	arena      []byte
	ends       []int64 // of each row: where its id ends in arena
	sizes      []int32 // of each row: the length of its id
}

func newArrivals(v *Vocabulary, first, last int) *arrivals {
	v.first = first
	return &arrivals{vocabulary: v, ends: make([]int64, last-first), sizes: make([]int32, last-first)}
}

func (a *arrivals) read(_ int, message []byte) error {
	v := a.vocabulary
	for len(message) > 0 {
		var number, df, tf uint64
		var id []byte
		number, df, tf, id, message = readItem(message)
		v.DocumentFrequency[number], v.TermFrequency[number], v.keys[number] = int64(df), int64(tf), Key(id)
		a.arena = append(a.arena, id...)
		row := int(number) - v.first
		a.ends[row], a.sizes[row] = int64(len(a.arena)), int32(len(id))
	}
	return nil
}

// settle puts the ids into the order of their rows.
func (a *arrivals) settle() {
	v := a.vocabulary
	v.arena, v.ends = make([]byte, 0, len(a.arena)), a.ends
	for row, end := range a.ends {
		v.arena = append(v.arena, a.arena[end-int64(a.sizes[row]):end]...)
		v.ends[row] = int64(len(v.arena))
	}
}

// digest sets the fingerprint: each rank in turn continues the hash of those before it with the ids of its rows.
func (v *Vocabulary) digest(ctx context.Context, c *collective.Comm) error {
	digest := sha256.New()
	for r := range c.Size() {
		if r == c.Rank() {
			first, last := v.Held()
			for i := first; i < last; i++ {
				writePrefixed(digest, v.id(i))
			}
		}
		state, err := digest.(encoding.BinaryMarshaler).MarshalBinary() // as long on every rank
		if err == nil {
			err = collective.Broadcast(ctx, c, r, state)
		}
		if err == nil {
			err = digest.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
		}
		if err != nil {
			return fmt.Errorf("passing the digest of the vocabulary on: %w", err)
		}
	}
	v.fingerprint = hex.EncodeToString(digest.Sum(nil))
	return nil
}
