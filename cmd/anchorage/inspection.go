// This file reads shards to tell what they hold.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/stream"
)

// sampleEntries is how many nonzeros of a shard inspect reads without --full.
const sampleEntries = 1 << 20

// inspection is what inspect prints.
type inspection struct {
	Shards    []shardView `json:"shards"`
	Documents int64       `json:"documents"` // read; so are the numbers below
	Items     int         `json:"items"`
	Nonzeros  int64       `json:"nonzeros"`
	Tokens    int64       `json:"tokens"`
	Full      bool        `json:"full"` // whether everything was read
	Sizes     []sizeView  `json:"sizes,omitempty"`
	Lengths   []placeView `json:"lengths,omitempty"`   // tokens of a document
	Spread    []placeView `json:"spread,omitempty"`    // documents of an item
	Frequent  []itemView  `json:"frequent,omitempty"`  // items in the most documents
	Rare      int         `json:"rare"`                // items in one document only
	Examples  []example   `json:"examples,omitempty"`  // the first documents
	Different string      `json:"different,omitempty"` // how shards differ that cannot be read together
	Command   string      `json:"command,omitempty"`   // the fit that is suggested
}

// placeView is a percentile.
type placeView struct {
	Percent float64 `json:"percent"`
	Value   int64   `json:"value"`
}

// itemView is an item and in how many documents it is.
type itemView struct {
	Item      string `json:"item"`
	Documents int64  `json:"documents"`
}

// shardView is a shard.
type shardView struct {
	Path      string `json:"path"`
	Format    string `json:"format"`
	DecidedBy string `json:"decided_by"`
	Bytes     int64  `json:"bytes"`
	shard.Description
	Documents int64 `json:"documents"` // read
	Nonzeros  int64 `json:"nonzeros"`
	Whole     bool  `json:"whole"` // whether all of them were read
}

// sizeView is a percentile of the documents' sizes.
type sizeView struct {
	Percent float64 `json:"percent"`
	Items   int     `json:"items"` // distinct items of a document at this place
}

// errEnough ends the reading of a shard early.
var errEnough = errors.New("enough has been read")

// inspect describes shards and reads them. It returns what it learned of all of them, and the first error of reading one.
func (p *program) inspect(ctx context.Context, shards []shard.Shard, full bool) (*inspection, error) {
	v := &inspection{Full: full}
	vocabulary := corpus.NewVocabulary()
	sizes, lengths := make(map[int]int64), make(map[int]int64)
	var failed unreadError
	var readable []shard.Shard
	var mappings []shard.Mapping
	for _, s := range shards {
		d, err := s.Describe(ctx)
		if err != nil {
			return nil, err
		}
		if d.Mapping != nil {
			readable, mappings = append(readable, s), append(mappings, *d.Mapping)
		}
		one := shardView{Path: s.Path, Format: s.Format.String(), DecidedBy: s.Reason, Bytes: s.Size, Description: d}
		err = p.read(ctx, s, vocabulary, full, func(items, tokens int64) {
			one.Documents++
			one.Nonzeros += items
			v.Tokens += tokens
			sizes[int(items)]++
			lengths[int(tokens)]++
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if one.Whole = err == nil; err != nil && err != errEnough {
			one.Problem = err.Error() + advice(err)
			failed.add(err)
		}
		if len(v.Examples) == 0 && one.Documents > 0 {
			v.Examples = examples(ctx, s)
		}
		v.Documents += one.Documents
		v.Nonzeros += one.Nonzeros
		v.Shards = append(v.Shards, one)
	}
	v.Items = vocabulary.Len()
	v.Full = !slices.ContainsFunc(v.Shards, func(s shardView) bool { return !s.Whole })
	v.Sizes = percentiles(sizes, v.Documents)
	v.Lengths = places(lengths, v.Documents)
	v.addItems(vocabulary)
	if err := shard.Uniform(readable, mappings); err != nil {
		v.Different = err.Error()
	}
	if failed.unread == 0 {
		return v, nil
	}
	failed.shards = len(shards)
	return v, &failed
}

// addItems adds in how many documents items are.
func (v *inspection) addItems(vocabulary *corpus.Vocabulary) {
	spread := make(map[int]int64)
	order := make([]int, vocabulary.Len())
	for i, documents := range vocabulary.DocumentFrequency {
		spread[int(documents)]++
		order[i] = i
	}
	v.Rare = int(spread[1])
	v.Spread = places(spread, int64(vocabulary.Len()))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(vocabulary.DocumentFrequency[b], vocabulary.DocumentFrequency[a])
	})
	for _, i := range order[:min(len(order), frequentItems)] {
		v.Frequent = append(v.Frequent, itemView{vocabulary.ID(i), vocabulary.DocumentFrequency[i]})
	}
}

// frequentItems is how many of the most frequent items inspect shows.
const frequentItems = 5

// unreadError says how many shards cannot be read. What is wrong with them stands in the inspection.
type unreadError struct {
	unread, shards int
	first          error
}

// add adds a shard and what is wrong with it.
func (e *unreadError) add(err error) {
	e.unread++
	e.first = cmp.Or(e.first, err)
}

// Error says how many of the shards cannot be read.
func (e *unreadError) Error() string {
	if e.shards == 1 {
		return "the shard cannot be read, as shown above"
	}
	return fmt.Sprintf("%d of %d shards cannot be read, as shown above", e.unread, e.shards)
}

// places returns the values at several places in their order. numbers counts them by value.
func places(numbers map[int]int64, total int64) (views []placeView) {
	for _, view := range percentiles(numbers, total) {
		views = append(views, placeView{view.Percent, int64(view.Items)})
	}
	return views
}

// read calls fn with the numbers of items and tokens of each document of a shard. It returns errEnough if it stops early.
func (p *program) read(ctx context.Context, s shard.Shard, vocabulary *corpus.Vocabulary, full bool, fn func(items, tokens int64)) error {
	entries := 0
	_, err := stream.Read(ctx, []shard.Shard{s}, stream.ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: p.workers, Growing: vocabulary}, SkipDigests: true},
		func(documents *corpus.Documents) error {
			for i := range documents.Documents() {
				items, counts := documents.Row(i)
				tokens := int64(0)
				for _, count := range counts {
					tokens += int64(count)
				}
				fn(int64(len(items)), tokens)
			}
			if entries += documents.Entries(); !full && entries >= sampleEntries {
				return errEnough
			}
			return nil
		})
	if errors.Is(err, errEnough) {
		return errEnough
	}
	return err
}

// percentiles returns the sizes at several places among the documents in order of size. sizes counts documents by size.
func percentiles(sizes map[int]int64, documents int64) (views []sizeView) {
	if documents == 0 {
		return nil
	}
	var sorted []int
	for size := range sizes {
		sorted = append(sorted, size)
	}
	slices.Sort(sorted)
	for _, percent := range []float64{0, 1, 10, 25, 50, 75, 90, 99, 100} {
		rank := int64(percent / 100 * float64(documents-1))
		for _, size := range sorted {
			if rank -= sizes[size]; rank < 0 {
				views = append(views, sizeView{percent, size})
				break
			}
		}
	}
	return views
}
