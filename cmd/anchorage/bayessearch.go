// This file holds the bayes search command: which documents are near.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/svi"
)

// searchFlags say what to look for.
type searchFlags struct {
	bayesModelFlags
	words    []string
	document int64 // from 1; 0 for none
	count    int
}

// add adds the flags.
func (f *searchFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.words, "items", nil, "items to look for, as if they were a document")
	flags.Int64Var(&f.document, "document", 0, "number of the document to look for")
	flags.IntVarP(&f.count, "count", "n", 10, "documents to find")
	f.source.addFormat(flags)
}

// check checks the flags.
func (f *searchFlags) check() error {
	switch {
	case (len(f.words) == 0) == (f.document == 0):
		return &usageError{errors.New("the query is missing or given twice: give either --items or --document")}
	case f.document < 0:
		return &usageError{fmt.Errorf("--document is %d: documents are numbered from 1", f.document)}
	case f.count < 1:
		return &usageError{fmt.Errorf("--count is %d: it must be at least 1", f.count)}
	}
	return nil
}

func (p *program) bayesSearchCommand() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search MODEL SHARD... --items a,b,c | --document N",
		Short: "Find documents by where the model places them",
		Long: `Search finds the documents of shards that are nearest to some items, or to one of the documents. It compares by the cosine
of their locations u with cnmf, and of their topics' shares with bnmf and lda. Documents are numbered from 1 in their order,
without those that have fewer than two tokens of the model's items. Search reads them twice for --document, and never holds them.`,
		Example: `  anchorage bayes search model shards/ --items anchor,ship
  anchorage bayes search model shards/ --document 7 -n 3`,
		Args: cobra.MinimumNArgs(2),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			found, err := f.search(ctx, p, args)
			if err != nil {
				return err
			}
			return p.print(found, func(w io.Writer) {
				for _, d := range found {
					fmt.Fprintf(w, "%8d  %6.3f  %s\n", d.Document, d.Cosine, fitting(d.Items, max(p.width()-20, 20)))
				}
			})
		}),
	}
	return p.withFlags(cmd, f.add)
}

// search looks for documents of the shards args[1:] by the model args[0].
func (f *searchFlags) search(ctx context.Context, p *program, args []string) ([]foundDocument, error) {
	state, docs, err := f.open(ctx, p, args[0], args[1:], true)
	if err != nil {
		return nil, err
	}
	defer docs.Close()
	query, err := f.query(ctx, state, docs)
	if err != nil {
		return nil, err
	}
	hits, err := svi.Search(ctx, state, p.watched(docs, "searching"), query, f.count)
	if err != nil {
		return nil, err
	}
	return foundDocuments(hits, docs.Vocabulary), nil
}

// query returns the place of what to look for.
func (f *searchFlags) query(ctx context.Context, state *svi.State, docs *corpus.Corpus) ([]float64, error) {
	if len(f.words) == 0 {
		place, err := svi.PlaceOf(ctx, state, docs.Pass, f.document-1)
		if missing := new(svi.NoDocumentError); errors.As(err, &missing) {
			return nil, &usageError{fmt.Errorf("--document is %d: the shards have fewer documents", f.document)}
		}
		return place, err
	}
	var items []int32
	for _, word := range f.words {
		index, known := docs.Vocabulary.Lookup([]byte(word))
		if !known {
			return nil, &usageError{fmt.Errorf("--items: the model does not have the item %q", word)}
		}
		items = append(items, index)
	}
	return svi.PlaceOfItems(ctx, state, items)
}

// foundDocument is a document near the query.
type foundDocument struct {
	Document int64    `json:"document"` // number among the documents with at least two tokens of the model's items, from 1
	Cosine   float64  `json:"cosine"`
	Items    []string `json:"items"`
}

// searchItems is how many items of a document are printed at most.
const searchItems = 12

// foundDocuments names the items of documents, the most frequent first.
func foundDocuments(hits []svi.Hit, vocabulary *corpus.Vocabulary) []foundDocument {
	var found []foundDocument
	for _, hit := range hits {
		order := make([]int, len(hit.Items))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(hit.Counts[a], hit.Counts[b]) })
		names := make([]string, 0, searchItems)
		for _, i := range order[:min(len(order), searchItems)] {
			names = append(names, vocabulary.ID(int(hit.Items[i])))
		}
		found = append(found, foundDocument{Document: hit.Document + 1, Cosine: hit.Cosine, Items: names})
	}
	return found
}
