// This file holds the bayes search command: which documents are near some items, or near a document.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// searchFlags say what to look for.
type searchFlags struct {
	source   sourceFlags
	words    []string
	document string
	count    int
}

func (p *program) bayesSearchCommand() *cobra.Command {
	var f searchFlags
	return p.command("bayes search", cobra.MinimumNArgs(2), func(ctx context.Context, args []string) error {
		if (len(f.words) == 0) == (f.document == "") {
			return &usageError{errors.New("the query is missing or given twice: give either --items or --document")}
		}
		found, err := f.search(ctx, p, args)
		if err != nil {
			return err
		}
		var rows []tableRow
		for _, d := range found {
			rows = append(rows, tableRow{[]string{d.Document, fmt.Sprintf("%.3f", d.Cosine)}, [][]string{d.Items}})
		}
		return p.print(found, func(w io.Writer) {
			p.printTable(w, []string{"document", " cosine", "items"}, rows, false)
		})
	}, []row{
		queryGroup.flag("items", &f.words, commaList, "items to look for, as if they were a document"),
		queryGroup.flag("document", &f.document, anyText.named("ID"), "id of the document to look for, as search prints it"),
		numberRow(&f.count),
	}, f.source.formatRows())
}

// foundDocument is a document that search found.
type foundDocument struct {
	Document string   `json:"document"` // its id
	Cosine   float64  `json:"cosine"`
	Items    []string `json:"items"` // the most frequent, at most searchItems
}

// searchItems is how many items of a document are printed at most.
const searchItems = 12

// search looks for documents of the shards args[1:] by the model args[0].
func (f *searchFlags) search(ctx context.Context, p *program, args []string) ([]foundDocument, error) {
	f.source.shard.Names = true
	if err := f.source.ready(p); err != nil {
		return nil, err
	}
	loaded, err := model.LoadVariational(ctx, args[0], p.workers)
	if err != nil {
		return nil, err
	}
	shards, err := f.source.discover(ctx, p, args[1:])
	if err != nil {
		return nil, err
	}
	var inputs []corpus.Input // of the last pass
	pass := func(shards []shard.Shard) corpus.Pass {
		return func(ctx context.Context, fn func(*corpus.Documents) error) error {
			options := stream.ReadOptions{SkipDigests: true}
			options.Workers, options.Vocabulary = p.workers, loaded.Vocabulary
			options.Progress = func(done, total int64) { p.advance("searching", done, total) }
			intake, err := stream.Read(ctx, shards, options, fn)
			if err == nil {
				inputs = intake.Inputs
			}
			return err
		}
	}
	query, err := f.query(ctx, loaded, shards, pass)
	if err != nil {
		return nil, err
	}
	hits, err := bayes.Search(ctx, loaded.State, pass(shards), query, f.count)
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
	return foundDocuments(hits, ids, loaded.Vocabulary), nil
}

// foundDocuments names documents and their items, the most frequent first.
func foundDocuments(hits []bayes.Hit, ids []string, vocabulary *corpus.Vocabulary) []foundDocument {
	found := make([]foundDocument, len(hits))
	for h, hit := range hits {
		order := make([]int, len(hit.Items))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(hit.Counts[a], hit.Counts[b]) })
		found[h] = foundDocument{Document: ids[h], Cosine: hit.Cosine, Items: []string{}}
		for _, i := range order[:min(len(order), searchItems)] {
			found[h].Items = append(found[h].Items, vocabulary.ID(int(hit.Items[i])))
		}
	}
	return found
}

// query returns what to look for among shards; pass returns the pass over the documents of some.
func (f *searchFlags) query(ctx context.Context, loaded *model.Variational, shards []shard.Shard,
	pass func([]shard.Shard) corpus.Pass) (*bayes.Query, error) {
	if len(f.words) == 0 {
		at, found, err := stream.FindID(ctx, shards, f.document)
		if err == nil && !found {
			first := []string{""}
			if ids, err := stream.IDs(ctx, shards, []stream.Place{{}}); err == nil { // else the example is lost, not the message
				first = ids
			}
			err = &usageError{fmt.Errorf("--document: the shards have no document with the id %q; ids look like %q", f.document,
				first[0])}
		}
		if err != nil {
			return nil, err
		}
		return bayes.QueryOf(ctx, loaded.State, pass(shards[at.Shard:at.Shard+1]), at.Row)
	}
	var items []int32
	for _, word := range f.words {
		index, known := loaded.Vocabulary.Lookup([]byte(word))
		if !known {
			return nil, &usageError{fmt.Errorf("--items: the model does not have the item %q", word)}
		}
		items = append(items, index)
	}
	return bayes.QueryOfItems(ctx, loaded.State, items)
}
