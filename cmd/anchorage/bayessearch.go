// This file holds the bayes search command: which documents hold some items, or are near a document.

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
	by       string
	count    int
}

// rows are the flags.
func (f *searchFlags) rows(flags *pflag.FlagSet) []row {
	return append([]row{
		{name: "items", group: queryGroup, to: &f.words, values: commaList,
			help: "items to look for, as if they were a document"},
		{name: "document", group: queryGroup, to: &f.document, values: anyText.named("ID"),
			help: "id of the document to look for, as search prints it"},
		{name: "by", group: queryGroup, to: &f.by, usual: string(bayes.ByItems),
			values: choice(word{string(bayes.ByItems), "how likely the items are in a document", nil},
				word{string(bayes.ByTopics), "how alike the topics are", nil}), help: "what puts a document first"},
		numberRow(&f.count),
	}, f.source.of(flags).formatRows()...)
}

// check checks the flags, before anything is read.
func (f *searchFlags) check(p *program) error {
	if (len(f.words) == 0) == (f.document == "") {
		return &usageError{errors.New("the query is missing or given twice: give either --items or --document")}
	}
	return f.source.ready(p)
}

func (p *program) bayesSearchCommand() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search MODEL SHARD... --items a,b,c | --document ID",
		Short: "Find documents that hold items, or are like a document",
		Long: `Search looks among the documents of shards for those in which some items, or what another document holds, are
likeliest. It prints for each document its id and these figures:

  lift    how many times likelier its items are to be what is looked for than those of all documents together: 70 % by
          what the document holds, 30 % by its topics (Wei & Croft 2006). Documents that hold the items come first, then
          those whose topics make them likely
  held    how many of the distinct items that are looked for the document holds
  cosine  how alike the topics are, from 0 to 1, with cnmf the locations, from -1 to 1. It says nothing of the items:
          every document of the same one topic comes close to 1

With --by topics the cosine decides. Search reads the shards once for --items and up to twice for --document, and
their ids again. It holds none of the documents but those it prints.`,
		Example: `  anchorage bayes search model shards/ --items anchor,ship
  anchorage bayes search model shards/ --document order-7 -n 3`,
		Args: cobra.MinimumNArgs(2),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := f.check(p); err != nil {
				return err
			}
			found, err := f.search(ctx, p, args)
			if err != nil {
				return err
			}
			return p.print(found, func(w io.Writer) { printFound(w, found, p.width()) })
		}),
	}
	return p.with(cmd, f.rows(cmd.Flags()))
}

// search looks for documents of the shards args[1:] by the model args[0].
func (f *searchFlags) search(ctx context.Context, p *program, args []string) ([]foundDocument, error) {
	loaded, err := model.LoadVariational(ctx, args[0], p.workers)
	if err != nil {
		return nil, err
	}
	f.source.shard.Names = true
	shards, err := f.source.discover(ctx, p, args[1:])
	if err != nil {
		return nil, err
	}
	in := searched{p: p, vocabulary: loaded.Vocabulary, shards: shards}
	query, err := f.query(ctx, loaded.State, &in)
	if err != nil {
		return nil, err
	}
	hits, err := bayes.Search(ctx, loaded.State, in.pass(shards), query, bayes.Ranking(f.by), f.count)
	if err != nil {
		return nil, err
	}
	ids, err := stream.IDs(ctx, shards, in.places(hits))
	if err != nil {
		return nil, err
	}
	return foundDocuments(hits, ids, len(query.Items), loaded.Vocabulary), nil
}

// searched is the documents that are searched: all of the shards, with their items of the vocabulary.
type searched struct {
	p          *program
	vocabulary *corpus.Vocabulary
	shards     []shard.Shard
	inputs     []corpus.Input // of the last pass
}

// pass returns the pass over the documents of shards.
func (s *searched) pass(shards []shard.Shard) corpus.Pass {
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		options := stream.ReadOptions{SkipDigests: true}
		options.Workers, options.Vocabulary = s.p.workers, s.vocabulary
		options.Progress = func(done, total int64) { s.p.advance("searching", done, total) }
		intake, err := stream.Read(ctx, shards, options, fn)
		if err == nil {
			s.inputs = intake.Inputs
		}
		return err
	}
}

// places returns where the documents of hits are.
func (s *searched) places(hits []bayes.Hit) []stream.Place {
	places := make([]stream.Place, len(hits))
	for i, hit := range hits {
		row, in := hit.Document, 0
		for row >= s.inputs[in].Documents {
			row -= s.inputs[in].Documents
			in++
		}
		places[i] = stream.Place{Shard: in, Row: row}
	}
	return places
}

// query returns what to look for.
func (f *searchFlags) query(ctx context.Context, state *bayes.State, in *searched) (*bayes.Query, error) {
	if len(f.words) == 0 {
		at, found, err := stream.FindID(ctx, in.shards, f.document)
		if err == nil && !found {
			err = &usageError{fmt.Errorf("--document: the shards have no document with the id %q; ids look like %q", f.document,
				f.firstID(ctx, in.shards))}
		}
		if err != nil {
			return nil, err
		}
		return bayes.QueryOf(ctx, state, in.pass(in.shards[at.Shard:at.Shard+1]), at.Row)
	}
	var items []int32
	for _, word := range f.words {
		index, known := in.vocabulary.Lookup([]byte(word))
		if !known {
			return nil, &usageError{fmt.Errorf("--items: the model does not have the item %q", word)}
		}
		items = append(items, index)
	}
	return bayes.QueryOfItems(ctx, state, items)
}

// firstID returns the id of the first document, as an example.
func (f *searchFlags) firstID(ctx context.Context, shards []shard.Shard) string {
	ids, err := stream.IDs(ctx, shards, []stream.Place{{}})
	if err != nil { // the example is lost, not the message
		return ""
	}
	return ids[0]
}

// foundDocument is a document that search found.
type foundDocument struct {
	Document string   `json:"document"` // its id
	Lift     float64  `json:"lift"`
	Held     int      `json:"held"` // of the items that were looked for
	Sought   int      `json:"sought"`
	Cosine   float64  `json:"cosine"`
	Items    []string `json:"items"`
}

// searchItems is how many items of a document are printed at most.
const searchItems = 12

// foundDocuments names the items of documents, the most frequent first.
func foundDocuments(hits []bayes.Hit, ids []string, sought int, vocabulary *corpus.Vocabulary) []foundDocument {
	found := make([]foundDocument, len(hits))
	for h, hit := range hits {
		order := make([]int, len(hit.Items))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(hit.Counts[a], hit.Counts[b]) })
		names := make([]string, 0, searchItems)
		for _, i := range order[:min(len(order), searchItems)] {
			names = append(names, vocabulary.ID(int(hit.Items[i])))
		}
		found[h] = foundDocument{Document: ids[h], Lift: hit.Lift, Held: hit.Held, Sought: sought,
			Cosine: hit.Cosine, Items: names}
	}
	return found
}

// printFound prints a line per document.
func printFound(w io.Writer, found []foundDocument, width int) {
	if len(found) == 0 {
		return
	}
	var rows []tableRow
	for _, d := range found {
		rows = append(rows, tableRow{[]string{d.Document, fmt.Sprintf("%.4g", d.Lift), fmt.Sprintf("%d/%d", d.Held, d.Sought),
			fmt.Sprintf("%.3f", d.Cosine)}, [][]string{d.Items}})
	}
	newTable([]string{"document", " lift", " held", " cosine", "items"}, rows, width).print(w, rows, false)
}
