// This file finds the places that the records of several ranks have in one order.

package corpus

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"anchorage/internal/collective"
)

// record is what decides on the place of an item: major, then minor, then the bytes of id.
type record struct {
	major, minor uint64
	id           []byte
}

func (r *record) compare(other *record) int {
	if c := cmp.Compare(r.major, other.major); c != 0 {
		return c
	}
	if c := cmp.Compare(r.minor, other.minor); c != 0 {
		return c
	}
	return bytes.Compare(r.id, other.id)
}

// append appends the record to a message.
func (r *record) append(message []byte) []byte {
	message = binary.LittleEndian.AppendUint64(message, r.major)
	message = binary.LittleEndian.AppendUint64(message, r.minor)
	return appendID(message, r.id)
}

// appendRecords appends the records of a message, which their ids alias.
func appendRecords(records []record, message []byte) []record {
	for len(message) > 0 {
		r := record{major: binary.LittleEndian.Uint64(message), minor: binary.LittleEndian.Uint64(message[8:])}
		r.id, message = readID(message[16:])
		records = append(records, r)
	}
	return records
}

// sorted returns the numbers of the records in their order.
func sorted(records []record) []int32 {
	order := make([]int32, len(records))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return records[a].compare(&records[b]) })
	return order
}

// places returns the place of each of this rank's records among those of all ranks, from 0. No two records may be
// equal.
//
// It sorts by samples (Shi and Schaeffer, "Parallel sorting by regular sampling", Journal of Parallel and Distributed
// Computing 14(4), 1992): each rank sorts its records and takes every n-th as a sample; the samples of all,
// sorted, give the bounds between ranks; each rank sends its records to those between whose bounds they lie, and these
// sort what has come. Of n records on P ranks, none gets more than (1+1/4)·n/P+1. A rank sends each record that lies
// beyond its own bounds once, of 17 bytes and its id, and gets 4 bytes in return.
func places(ctx context.Context, c *collective.Comm, records []record) ([]int32, error) {
	sent, err := divide(ctx, c, records)
	if err != nil {
		return nil, err
	}
	var here []record
	came := make([][]int32, c.Size()) // by rank: its records that came here
	err = inPieces(ctx, c, sent, func(message []byte, i int32) []byte { return records[i].append(message) }, func(from int,
		message []byte) error {
		if from == c.Rank() { // what comes from others stays
			message = slices.Clone(message)
		}
		first := len(here)
		here = appendRecords(here, message)
		for i := first; i < len(here); i++ {
			came[from] = append(came[from], int32(i))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	counts, err := collective.AllGather(ctx, c, []int64{int64(len(here))})
	if err != nil {
		return nil, err
	}
	before := int64(0)
	for _, count := range counts[:c.Rank()] {
		before += count[0]
	}
	place := make([]int32, len(here))
	for j, i := range sorted(here) {
		place[i] = int32(before) + int32(j)
	}
	for _, items := range came {
		for j, i := range items {
			items[j] = place[i]
		}
	}
	answers, err := collective.AllToAll(ctx, c, came)
	if err != nil {
		return nil, err
	}
	own := make([]int32, len(records))
	for r, items := range sent {
		for j, i := range items {
			own[i] = answers[r][j]
		}
	}
	return own, nil
}

// divide returns, for each rank, the records of this one that belong there, in their order.
func divide(ctx context.Context, c *collective.Comm, records []record) ([][]int32, error) {
	total := []int64{int64(len(records))}
	if err := collective.Sum(ctx, c, total); err != nil {
		return nil, err
	}
	if total[0] > math.MaxInt32 {
		panic("corpus: more than 2^31-1 distinct items")
	}
	order, ranks := sorted(records), c.Size()
	var message []byte
	step := max(int(total[0])/(4*ranks*ranks), 1)
	for i := step / 2; i < len(order); i += step {
		message = records[order[i]].append(message)
	}
	all, err := collective.AllGather(ctx, c, message)
	if err != nil {
		return nil, err
	}
	var samples []record
	for _, message := range all {
		samples = appendRecords(samples, message)
	}
	sample := sorted(samples)
	parts, at := make([][]int32, ranks), 0
	for r := range parts {
		end := len(order)
		if r+1 < ranks && len(sample) > 0 {
			bound := &samples[sample[(r+1)*len(sample)/ranks]]
			end, _ = slices.BinarySearchFunc(order, bound, func(i int32, bound *record) int { return records[i].compare(bound) })
		}
		parts[r], at = order[at:end], end
	}
	return parts, nil
}
