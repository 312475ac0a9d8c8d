// This file finds documents near some items, or near a document, by variational inference.

package transform

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// SearchOptions say what to look for: either some items, as if they were a document, or a document.
type SearchOptions struct {
	Items    []string
	Document string // its id, as FoundDocument has it; the shards must have been found with names
	Number   int    // of documents to find
	Workers  int
	Progress func(stage string, done, total int64) // may be nil
}

// FoundDocument is a document that Search found.
type FoundDocument struct {
	Document string   `json:"document"` // its id
	Cosine   float64  `json:"cosine"`   // see bayes.Hit
	Items    []string `json:"items"`    // the most frequent, at most searchItems
}

// searchItems is how many items of a document are named at most.
const searchItems = 12

// Search returns the documents of shards that are nearest to what is looked for, the nearest first. The error is an
// *OptionError for an item that the model does not have, or a document that the shards do not have.
func Search(ctx context.Context, of *model.Variational, shards []shard.Shard,
	o SearchOptions) ([]FoundDocument, error) {
	var inputs []corpus.Input // of the last pass
	pass := func(shards []shard.Shard) corpus.Pass {
		return func(ctx context.Context, fn func(*corpus.Documents) error) error {
			options := stream.ReadOptions{SkipDigests: true}
			options.Workers, options.Vocabulary = o.Workers, of.Vocabulary
			if o.Progress != nil {
				options.Progress = func(done, total int64) { o.Progress("searching", done, total) }
			}
			intake, err := stream.Read(ctx, shards, options, fn)
			if err == nil {
				inputs = intake.Inputs
			}
			return err
		}
	}
	query, err := o.query(ctx, of, shards, pass)
	if err != nil {
		return nil, err
	}
	hits, err := bayes.Search(ctx, of.State, pass(shards), query, o.Number)
	if err != nil {
		return nil, err
	}
	places := make([]stream.Place, len(hits))
	for i, hit := range hits {
		at := &places[i]
		for at.Row = hit.Document; at.Row >= inputs[at.Shard].Documents; at.Shard++ {
			at.Row -= inputs[at.Shard].Documents
		}
	}
	ids, err := stream.IDs(ctx, shards, places)
	if err != nil {
		return nil, err
	}
	return foundDocuments(hits, ids, of.Vocabulary), nil
}

// query returns what to look for among shards; pass returns the pass over the documents of some.
func (o *SearchOptions) query(ctx context.Context, of *model.Variational, shards []shard.Shard,
	pass func([]shard.Shard) corpus.Pass) (*bayes.Query, error) {
	if len(o.Items) == 0 {
		at, found, err := stream.FindID(ctx, shards, o.Document)
		if err == nil && !found {
			first := []string{""}
			if ids, err := stream.IDs(ctx, shards, []stream.Place{{}}); err == nil { // else the example is lost, not the message
				first = ids
			}
			err = &model.OptionError{Option: "Search.Document", Reason: fmt.Sprintf("the shards have no document with the id "+
				"%q; ids look like %q", o.Document, first[0])}
		}
		if err != nil {
			return nil, err
		}
		return bayes.QueryOf(ctx, of.State, pass(shards[at.Shard:at.Shard+1]), at.Row)
	}
	var items []int32
	for _, word := range o.Items {
		index, known := of.Vocabulary.Lookup([]byte(word))
		if !known {
			return nil, &model.OptionError{Option: "Search.Items", Reason: fmt.Sprintf("the model does not have the item %q",
				word)}
		}
		items = append(items, index)
	}
	return bayes.QueryOfItems(ctx, of.State, items)
}

// foundDocuments names documents and their items, the most frequent first.
func foundDocuments(hits []bayes.Hit, ids []string, vocabulary *corpus.Vocabulary) []FoundDocument {
	found := make([]FoundDocument, len(hits))
	for h, hit := range hits {
		order := make([]int, len(hit.Items))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(hit.Counts[a], hit.Counts[b]) })
		found[h] = FoundDocument{Document: ids[h], Cosine: hit.Cosine, Items: []string{}}
		for _, i := range order[:min(len(order), searchItems)] {
			found[h].Items = append(found[h].Items, vocabulary.ID(int(hit.Items[i])))
		}
	}
	return found
}
