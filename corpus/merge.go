// This file merges the vocabularies of several ranks, each of which has counted its own documents, by ranges of the
// keys of items.

package corpus

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"

	"anchorage/internal/collective"
)

// merged are the items of all ranks whose keys lie in the range of this rank: rank r of P has the keys from r·2⁶⁴/P. So
// each item has one rank that adds up its counts, and no rank has the ids of all.
type merged struct {
	comm  *collective.Comm
	items *Vocabulary // in no order that matters, with the counts of all documents
	met   []uint64    // of each of these: rank·2³² + number there, for the first rank that has met it
	sent  [][]int32   // by rank: the items of this rank's documents that were sent there, by their numbers
	came  [][]int32   // by rank: the items that came from there, in their order, by their numbers in items
}

// rangeOf returns the rank whose range a key lies in.
func rangeOf(key uint64, ranks int) int {
	rank, _ := bits.Mul64(key, uint64(ranks))
	return int(rank)
}

// merge sends every item of a rank to the rank of its range: its number, df and tf there as varints, its id. The
// documents of a lower rank come before those of a higher one, so the first to meet an item is the lowest rank that has
// it.
func merge(ctx context.Context, c *collective.Comm, local *Vocabulary) (*merged, error) {
	m := &merged{comm: c, items: NewVocabulary(), sent: make([][]int32, c.Size()), came: make([][]int32, c.Size())}
	for i, key := range local.keys {
		r := rangeOf(key, c.Size())
		m.sent[r] = append(m.sent[r], int32(i))
	}
	write := func(message []byte, i int32) []byte {
		return appendItem(message, i, local, i)
	}
	if err := inPieces(ctx, c, m.sent, write, m.read); err != nil {
		return nil, err
	}
	m.items.Counted = true
	return m, nil
}

// read takes items that have come.
func (m *merged) read(from int, message []byte) error {
	const least = 8 // bytes of most items, or more
	if err := m.items.Reserve(len(message)/least, len(message)); err != nil {
		return err
	}
	for len(message) > 0 {
		var number, df, tf uint64
		var id []byte
		number, df, tf, id, message = readItem(message)
		i := m.items.Intern(id)
		if int(i) == len(m.met) {
			m.met = append(m.met, math.MaxUint64)
		}
		m.met[i] = min(m.met[i], uint64(from)<<32|number)
		m.items.DocumentFrequency[i] += int64(df)
		m.items.TermFrequency[i] += int64(tf)
		m.came[from] = append(m.came[from], i)
	}
	return nil
}

// prune returns the items of the range that p keeps, in no order that matters, and what it leaves out in all ranges;
// documents is their number on all ranks. It decides as Vocabulary.Prune does.
func (m *merged) prune(ctx context.Context, p *Pruning, documents int64) (kept []int32, pruned Pruned, err error) {
	kept, pruned = m.items.sift(p, documents)
	total := []int64{int64(len(kept))}
	if err := collective.Sum(ctx, m.comm, total); err != nil {
		return nil, pruned, err
	}
	if p.MaxItems > 0 && total[0] > int64(p.MaxItems) {
		places, err := m.order(ctx, kept, func(i int32) record {
			// Scores are not negative, so their bits are in their order.
			return record{^math.Float64bits(m.items.score(i, documents)), ^uint64(m.items.DocumentFrequency[i]),
				m.items.id(int(i))}
		})
		if err != nil {
			return nil, pruned, err
		}
		all := kept
		kept = nil
		for j, i := range all {
			if int(places[j]) < p.MaxItems {
				kept = append(kept, i)
				continue
			}
			pruned.MaxItems.Items++
			pruned.MaxItems.Tokens += m.items.TermFrequency[i]
		}
	}
	return kept, pruned, pruned.sum(ctx, m.comm)
}

// sum adds what other ranks leave out.
func (p *Pruned) sum(ctx context.Context, c *collective.Comm) error {
	losses := []*Loss{&p.MinDF, &p.MaxDFRatio, &p.Stopwords, &p.MaxItems}
	var counts []int64
	for _, l := range losses {
		counts = append(counts, l.Items, l.Tokens)
	}
	err := collective.Sum(ctx, c, counts)
	for i, l := range losses {
		l.Items, l.Tokens = counts[2*i], counts[2*i+1]
	}
	return err
}

// order returns the places of some items of the range among those of all ranks.
func (m *merged) order(ctx context.Context, items []int32, of func(item int32) record) ([]int32, error) {
	records := make([]record, len(items))
	for j, i := range items {
		records[j] = of(i)
	}
	return places(ctx, m.comm, records)
}

// byFrequency orders items as Prune does: by decreasing df, then by id.
func (m *merged) byFrequency(i int32) record {
	return record{major: ^uint64(m.items.DocumentFrequency[i]), id: m.items.id(int(i))}
}

// byAppearance orders items as one process would meet them.
func (m *merged) byAppearance(i int32) record { return record{major: m.met[i]} }

// remap sends every rank the numbers of the items that it has sent: numbers are those of the kept items of this range.
// It returns, for each of the local items of this rank's documents, its number among those of all ranks, or -1 if it
// was left out.
func (m *merged) remap(ctx context.Context, kept, numbers []int32, local int) ([]int32, error) {
	final := make([]int32, m.items.Len())
	for i := range final {
		final[i] = -1
	}
	for j, i := range kept {
		final[i] = numbers[j]
	}
	for _, came := range m.came {
		for j, i := range came {
			came[j] = final[i]
		}
	}
	answers, err := collective.AllToAll(ctx, m.comm, m.came)
	if err != nil {
		return nil, err
	}
	remap := make([]int32, local)
	for r, sent := range m.sent {
		for j, i := range sent {
			remap[i] = answers[r][j]
		}
	}
	return remap, nil
}

// pieceBytes is about how many bytes a rank sends at a time, and how many come to it. Tests make it small.
var pieceBytes = 16 << 20

// inPieces sends records[r], in order, to rank r, on all ranks. write appends a record to a message; read gets each
// message that comes, those of a rank in the order in which it has sent them. The message is valid until read returns.
// No more than about pieceBytes are on their way at a time.
func inPieces(ctx context.Context, c *collective.Comm, records [][]int32, write func(message []byte,
	record int32) []byte, read func(from int, message []byte) error) error {
	messages, next := make([][]byte, c.Size()), make([]int, c.Size())
	full := max(pieceBytes/c.Size(), 1)
	for {
		more := []uint8{0}
		for r := range messages {
			message := messages[r][:0]
			for ; next[r] < len(records[r]) && len(message) < full; next[r]++ {
				message = write(message, records[r][next[r]])
			}
			if messages[r] = message; next[r] < len(records[r]) {
				more[0] = 1
			}
		}
		received, err := collective.AllToAll(ctx, c, messages)
		if err != nil {
			return err
		}
		for from, message := range received {
			if err := read(from, message); err != nil {
				return err
			}
		}
		if err := collective.Max(ctx, c, more); err != nil || more[0] == 0 {
			return err
		}
	}
}

// appendItem appends an item of a vocabulary: a number, the item's counts and its id. readItem takes it.
func appendItem(message []byte, number int32, v *Vocabulary, item int32) []byte {
	for _, value := range []int64{int64(number), v.DocumentFrequency[item], v.TermFrequency[item]} {
		message = binary.AppendUvarint(message, uint64(value))
	}
	return appendID(message, v.id(int(item)))
}

// readItem returns the item at the beginning of a message, whose id aliases it, and what follows.
func readItem(message []byte) (number, df, tf uint64, id, rest []byte) {
	for _, value := range []*uint64{&number, &df, &tf} {
		*value, message = uvarint(message)
	}
	id, rest = readID(message)
	return number, df, tf, id, rest
}

// appendID appends an id and its length, which readID takes.
func appendID(message, id []byte) []byte {
	return append(binary.AppendUvarint(message, uint64(len(id))), id...)
}

// readID returns the id at the beginning of a message, which it aliases, and what follows.
func readID(message []byte) (id, rest []byte) {
	n, rest := uvarint(message)
	return rest[:n:n], rest[n:]
}

// uvarint returns the number at the beginning of a message, and what follows.
func uvarint(message []byte) (uint64, []byte) {
	value, n := binary.Uvarint(message)
	if n <= 0 {
		panic("corpus: ranks do not understand each other")
	}
	return value, message[n:]
}
