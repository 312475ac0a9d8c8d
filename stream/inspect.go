// This file reads shards to find out what they hold.

package stream

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/toplist"
	"anchorage/shard"
)

// sampleEntries is how many nonzeros of a shard Inspect reads unless it is to read all.
const sampleEntries = 1 << 20

// Inspection is what shards hold.
type Inspection struct {
	Shards    []InspectedShard `json:"shards"`
	Documents int64            `json:"documents"` // read; so are the numbers below
	Items     int              `json:"items"`
	Nonzeros  int64            `json:"nonzeros"`
	Tokens    int64            `json:"tokens"`
	Full      bool             `json:"full"`                // whether everything was read
	Sizes     []Percentile     `json:"sizes,omitempty"`     // distinct items of a document
	Lengths   []Percentile     `json:"lengths,omitempty"`   // tokens of a document
	Spread    []Percentile     `json:"spread,omitempty"`    // documents of an item
	Frequent  []ItemDocuments  `json:"frequent,omitempty"`  // items in the most documents
	Rare      int              `json:"rare"`                // items in one document only
	Examples  []Example        `json:"examples,omitempty"`  // the first documents
	Different string           `json:"different,omitempty"` // how shards differ that cannot be read together
	Command   string           `json:"command,omitempty"`   // a command that is suggested; Inspect leaves it empty
}

// Percentile is a percentile.
type Percentile struct {
	Percent float64 `json:"percent"`
	Value   int64   `json:"value"`
}

// ItemDocuments is an item and in how many documents it is.
type ItemDocuments struct {
	Item      string `json:"item"`
	Documents int64  `json:"documents"`
}

// InspectedShard is a shard.
type InspectedShard struct {
	Path      string `json:"path"`
	Format    string `json:"format"`
	DecidedBy string `json:"decided_by"`
	Bytes     int64  `json:"bytes"`
	shard.Description
	Documents int64 `json:"documents"` // read
	Nonzeros  int64 `json:"nonzeros"`
	Whole     bool  `json:"whole"` // whether all of them were read
	// LeftOut is what shard.Options leave out, if all was read.
	LeftOut corpus.LeftOut `json:"left_out,omitzero"`
	Err     error          `json:"-"` // why it cannot be read; nil if it can
}

// errEnough ends the reading of a shard early.
var errEnough = errors.New("enough has been read")

// Inspect describes shards and reads them: the first nonzeros of each, or with full all. A shard that cannot be read
// has an Err; the error of Inspect is another one.
func Inspect(ctx context.Context, shards []shard.Shard, full bool, workers int) (*Inspection, error) {
	v := &Inspection{Full: full}
	vocabulary := corpus.NewVocabulary()
	sizes, lengths := make(map[int]int64), make(map[int]int64)
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
		one := InspectedShard{Path: s.Path, Format: s.Format.String(), DecidedBy: s.Reason, Bytes: s.Size, Description: d}
		one.LeftOut, err = readSome(ctx, s, vocabulary, full, workers, func(items, tokens int64) {
			one.Documents++
			one.Nonzeros += items
			v.Tokens += tokens
			sizes[int(items)]++
			lengths[int(tokens)]++
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		entries := sampleEntries
		if full {
			entries = math.MaxInt
		}
		var names *ItemNames
		if one.Whole = err == nil; err != nil && !errors.Is(err, errEnough) {
			one.Err = err
		} else if names, one.Err = shownNames(ctx, s, d.Mapping, entries); ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(v.Examples) == 0 && one.Documents > 0 {
			v.Examples = examples(ctx, s, names)
		}
		v.Documents += one.Documents
		v.Nonzeros += one.Nonzeros
		v.Shards = append(v.Shards, one)
	}
	v.Items = vocabulary.Len()
	v.Full = !slices.ContainsFunc(v.Shards, func(s InspectedShard) bool { return !s.Whole })
	v.Sizes = percentiles(sizes, v.Documents)
	v.Lengths = percentiles(lengths, v.Documents)
	v.addItems(vocabulary)
	if err := shard.Uniform(readable, mappings); err != nil {
		v.Different = err.Error()
	}
	return v, nil
}

// addItems adds in how many documents items are.
func (v *Inspection) addItems(vocabulary *corpus.Vocabulary) {
	spread := make(map[int]int64)
	frequent := toplist.New(frequentItems)
	for i, documents := range vocabulary.DocumentFrequency {
		spread[int(documents)]++
		frequent.Offer(i, float64(documents))
	}
	v.Rare = int(spread[1])
	v.Spread = percentiles(spread, int64(vocabulary.Len()))
	for _, e := range frequent.Sorted() {
		v.Frequent = append(v.Frequent, ItemDocuments{vocabulary.ID(e.Item), vocabulary.DocumentFrequency[e.Item]})
	}
}

// frequentItems is how many of the most frequent items inspect shows.
const frequentItems = 5

// readSome calls fn with the numbers of items and tokens of each document of a shard. The error wraps errEnough if
// it stops early.
func readSome(ctx context.Context, s shard.Shard, vocabulary *corpus.Vocabulary, full bool, workers int, fn func(items,
	tokens int64)) (corpus.LeftOut, error) {
	entries := 0
	intake, err := Read(ctx, []shard.Shard{s}, ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: workers,
		Growing: vocabulary}, SkipDigests: true},
		func(documents *corpus.Documents) error {
			for i := range documents.Documents() {
				items, counts := documents.Row(i)
				fn(int64(len(items)), corpus.Tokens(counts))
			}
			if entries += documents.Entries(); !full && entries >= sampleEntries {
				return errEnough
			}
			return nil
		})
	if err != nil {
		return corpus.LeftOut{}, err
	}
	return intake.LeftOut, nil
}

// percentiles returns the values at several places in their order. numbers counts them by value.
func percentiles(numbers map[int]int64, total int64) (views []Percentile) {
	if total == 0 {
		return nil
	}
	sorted := slices.Sorted(maps.Keys(numbers))
	for _, percent := range []float64{0, 1, 10, 25, 50, 75, 90, 99, 100} {
		rank := int64(percent / 100 * float64(total-1))
		for _, value := range sorted {
			if rank -= numbers[value]; rank < 0 {
				views = append(views, Percentile{percent, int64(value)})
				break
			}
		}
	}
	return views
}

// exampleDocuments and exampleItems are how many documents Inspect returns, and how many items of each.
const (
	exampleDocuments = 3
	exampleItems     = 8
)

// Example is a document.
type Example struct {
	ID    string        `json:"id,omitempty"`
	Items []ExampleItem `json:"items"`
	More  int           `json:"more,omitempty"` // items that are not shown
}

// ExampleItem is an item of a document and its count.
type ExampleItem struct {
	Item  string `json:"item"`
	Name  string `json:"name,omitempty"` // if it has another than its id
	Count int32  `json:"count"`
}

// examples returns the first documents of a shard, which has been read before. It returns none if that fails now.
func examples(ctx context.Context, s shard.Shard, names *ItemNames) (found []Example) {
	for batch, err := range batches(ctx, s) {
		if err != nil {
			return nil
		}
		for d := range min(batch.Documents(), exampleDocuments) {
			from, to := int(batch.Offsets[d]), int(batch.Offsets[d+1])
			shown := min(to, from+exampleItems)
			one := Example{More: to - shown}
			if batch.Names.Len() > d {
				one.ID = string(batch.Names.ID(d))
			}
			for i := from; i < shown; i++ {
				id := batch.Dictionary.ID(int(batch.Items[i]))
				one.Items = append(one.Items, ExampleItem{string(id), names.Of(id), batch.Counts[i]})
			}
			found = append(found, one)
		}
		return found
	}
	return nil
}
