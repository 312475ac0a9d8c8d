// This file holds the commands that look ahead of a fit by variational inference, and at what has come of it.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/stream"
	"anchorage/svi"
)

func (p *program) bayesPlanCommand() *cobra.Command {
	var f bayesFlags
	cmd := &cobra.Command{
		Use:   "plan --model bnmf|cnmf|lda SHARD...",
		Short: "Say how much memory and disk a fit will take",
		Long: `Plan counts the items of shards and says what bayes fit with the same flags will hold: g, the variational parameters of
V×K topics' items, and h, K values, in memory, with what a mini-batch takes; copies of the documents on the disk, and with
--batch the variables of every document.`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := f.complete(ctx); err != nil {
				return err
			}
			from, err := f.source.source(ctx, p, args, "")
			if err != nil {
				return err
			}
			count := from.Options
			count.Vocabulary = nil
			if from.Vocabulary != nil {
				count.Pruning = corpus.Pruning{}
			}
			counted, account, err := stream.CountItems(ctx, from.shards, count)
			if err != nil {
				return err
			}
			if from.Vocabulary != nil {
				counted = from.Vocabulary
			}
			return p.printBayesPlan(&f.options, counted.Len(), account)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.add(flags)
	f.source.addFormat(flags)
	f.source.addDocuments(flags)
	f.source.addPruning(flags)
	p.addJSON(flags)
	return cmd
}

// printBayesPlan prints what a fit takes.
func (p *program) printBayesPlan(o *model.BayesOptions, items int, r corpus.Account) error {
	p.bar.close()
	global := 8 * int64(items) * int64(o.Topics)
	entries := float64(r.Entries) / float64(r.DocumentsRead)
	memory := o.Memory(items, o.Plan.Batch, entries)
	disk := 2*r.Entries + o.Disk(o.Plan, r.DocumentsRead, r.Entries) // a copy of the documents, and the working files
	if p.json {
		return p.printJSON(map[string]any{"items": items, "documents": r.DocumentsRead, "topics": o.Topics, "g_bytes": global, "h_bytes": 8 * o.Topics,
			"memory_bytes": memory, "disk_bytes": disk})
	}
	const mebi = 1 << 20
	_, err := fmt.Fprintf(p.stdout, "%d documents, %d items, %d topics\nmemory  %6d MiB, of which g, %d×%d, takes %d MiB; h takes %d bytes\ndisk    %6d MiB\n",
		r.DocumentsRead, items, o.Topics, memory/mebi+1, items, o.Topics, global/mebi+1, 8*o.Topics, disk/mebi+1)
	return err
}

// bayesModelFlags say which documents a model made by bayes fit is held against.
type bayesModelFlags struct{ source sourceFlags }

// open loads the model and opens the documents, which keep their numbers: none is left out for being short.
func (f *bayesModelFlags) open(ctx context.Context, p *program, path string, shards []string, least int) (*svi.State, *corpus.Corpus, error) {
	if f.source.vocab != "" || f.source.noPrune {
		return nil, nil, &usageError{errors.New("a model brings its items: --vocab and --no-prune have no meaning here")}
	}
	loaded, err := model.LoadVariational(ctx, path, p.workers)
	if err != nil {
		return nil, nil, err
	}
	from := documents{Options: f.source.options(p, "")}
	from.Vocabulary, from.MinItems, from.MinTokens = loaded.Vocabulary, least*f.source.minItems, least*f.source.minTokens
	if from.shards, err = f.source.discover(ctx, p, shards); err != nil {
		return nil, nil, err
	}
	docs, err := from.open(ctx, 1)
	return loaded.State, docs, err
}

func (p *program) bayesEvalCommand() *cobra.Command {
	var f bayesModelFlags
	cmd := &cobra.Command{
		Use:   "eval MODEL SHARD...",
		Short: "Predict held-out thirds of documents",
		Long: `Eval deals the tokens of every document into thirds, finds its variables from two of them under a model made by bayes
fit, and predicts the third, for each of the three. It prints the mean of the logarithm per token. Documents should be others
than the model was learned from. The figures of merit of all models come from anchorage eval.`,
		Args: cobra.MinimumNArgs(2),
		RunE: started(func(ctx context.Context, args []string) error {
			state, docs, err := f.open(ctx, p, args[0], args[1:], 1)
			if err != nil {
				return err
			}
			defer docs.Close()
			score, err := svi.Evaluate(ctx, state, docs.Pass)
			if err != nil {
				return err
			}
			p.bar.close()
			if p.json {
				return p.printJSON(map[string]any{"documents": score.Documents, "tokens": score.Tokens, "log_likelihood": score.LogLikelihood})
			}
			_, err = fmt.Fprintf(p.stdout, "held-out log-likelihood per token %.6f, over %d tokens of %d documents\n", score.LogLikelihood, score.Tokens, score.Documents)
			return err
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.source.addFormat(flags)
	f.source.addDocuments(flags)
	p.addJSON(flags)
	return cmd
}

// foundDocument is a document near what was looked for.
type foundDocument struct {
	Document int64    `json:"document"` // number among those that have two tokens of the model's items, from 1
	Cosine   float64  `json:"cosine"`
	Items    []string `json:"items"`
}

func (p *program) bayesSearchCommand() *cobra.Command {
	var f bayesModelFlags
	var words []string
	var document, count int64
	cmd := &cobra.Command{
		Use:   "search MODEL SHARD... --items a,b,c | --document N",
		Short: "Find documents by where the model places them",
		Long: `Search finds the documents of shards that lie nearest to some items, or to one of the documents: by the cosine of their
locations u with cnmf, and of their topics' shares with bnmf and lda. Documents are numbered from 1 as they come, those with
fewer than two tokens of the model's items left out. They are read twice for --document, and never held.`,
		Args: cobra.MinimumNArgs(2),
		RunE: started(func(ctx context.Context, args []string) error {
			if (len(words) == 0) == (document == 0) || document < 0 || count < 1 {
				return &usageError{errors.New("say what to look for, by --items or by --document from 1, and how many to find, at least 1")}
			}
			state, docs, err := f.open(ctx, p, args[0], args[1:], 0)
			if err != nil {
				return err
			}
			defer docs.Close()
			query, err := bayesQuery(ctx, state, docs, words, document)
			if err != nil {
				return err
			}
			hits, err := svi.Search(ctx, state, docs.Pass, query, int(count))
			if err != nil {
				return err
			}
			found := foundDocuments(hits, docs.Vocabulary)
			p.bar.close()
			if p.json {
				return p.printJSON(found)
			}
			for _, d := range found {
				fmt.Fprintf(p.stdout, "%8d  %6.3f  %s\n", d.Document, d.Cosine, fitting(d.Items, max(p.width()-20, 20)))
			}
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringSliceVar(&words, "items", nil, "items to look for, as if they were a document")
	flags.Int64Var(&document, "document", 0, "number of the document to look for")
	flags.Int64VarP(&count, "count", "n", 10, "documents to find")
	f.source.addFormat(flags)
	p.addJSON(flags)
	return cmd
}

// bayesQuery returns the place of what is looked for.
func bayesQuery(ctx context.Context, state *svi.State, docs *corpus.Corpus, words []string, document int64) ([]float64, error) {
	if len(words) == 0 {
		place, err := svi.PlaceOf(ctx, state, docs.Pass, document-1)
		if missing := new(svi.NoDocumentError); errors.As(err, &missing) {
			return nil, &usageError{fmt.Errorf("there is no document %d (--document)", document)}
		}
		return place, err
	}
	var items []int32
	for _, word := range words {
		index, known := docs.Vocabulary.Lookup([]byte(word))
		if !known {
			return nil, &usageError{fmt.Errorf("the model does not have the item %q", word)}
		}
		items = append(items, index)
	}
	return svi.PlaceOfItems(ctx, state, items)
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
