// This file holds the verbs of items that read documents: learn, which counts pairs of items, and eval, which completes
// baskets.

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/items"
)

// pairRows say how pairs are counted: a flag and a setting. least is the least number of neighbours that may be given.
func pairRows(o *items.Options, least float64, help string) []row {
	return []row{
		topicsGroup.flag("neighbours", &o.Neighbours, wholes(least, 10_000), help),
		expert("pair-items", &o.MaxItems, wholes(2, 1_000_000),
			"leave documents with more distinct items out of the pairs").by(strconv.Itoa(items.DefaultMaxItems)),
	}
}

func (p *program) itemsLearnCommand() *cobra.Command {
	var source sourceFlags
	var o fit.RecommendOptions
	return p.command("items learn", modelThen(1, -1, "a shard"), func(ctx context.Context, args []string) error {
		o.Run = p.newRun()
		o.Run.MemoryLimit = source.limit.chosen()
		m, docs, err := p.openFor(ctx, &source, args)
		if err != nil {
			return err
		}
		defer p.closeDocuments(docs)
		r, err := fit.Learn(ctx, m, docs, o)
		if err != nil {
			return err
		}
		if err := p.wrote(args[0], model.SaveRecommendation(ctx, args[0], r)); err != nil {
			return err
		}
		return p.print(r.Record, func(w io.Writer) { printRecommendation(w, &r.Record) })
	}, pairRows(&o.Count, 1,
		fmt.Sprintf("neighbours to keep of each item; all if there are at most %d items", items.CompleteItems)), []row{
		expert("baskets", &o.Baskets, wholes(0, 10_000_000),
			"documents to hold out, at most a tenth; 0 learns nothing").by(strconv.Itoa(fit.DefaultLearnBaskets)),
		seedRow(&o.Seed),
	}, source.formatRows())
}

// openFor loads a model and opens documents of its items; args are the model and the shards.
func (p *program) openFor(ctx context.Context, source *sourceFlags,
	args []string) (*model.Model, *corpus.Corpus, error) {
	if err := source.limit.holdsModel(); err != nil {
		return nil, nil, err
	}
	m, err := model.Load(ctx, args[0])
	if err != nil {
		return nil, nil, err
	}
	docs, err := source.openItems(ctx, p, args[1:], m.Vocabulary)
	return m, docs, err
}

// printRecommendation says what was counted and learned.
func printRecommendation(w io.Writer, r *model.RecommendRecord) {
	printf(w, "%d neighbours of items, counted in %d documents, are in the model\n", r.Rows, r.Documents)
	if r.Long.Documents > 0 {
		printf(w, "%d documents of more than %d items were not counted: %d entries, %d pairs\n", r.Long.Documents, r.MaxItems,
			r.Long.Entries, r.Long.Pairs)
	}
	v := r.Validation
	if v == nil {
		return
	}
	printf(w, "\nhalves of %d documents outside of the counts, completed by\n%6s  %7s  %6s  %8s  %15s  %10s  %8s\n",
		v.Baskets, "counts", "inverse", "topics", "peculiar", "recall@20", "rarer half", "NDCG@100")
	for _, c := range v.Candidates {
		chosen := ""
		for _, aim := range items.Aims {
			if r.Settings[aim.Name] == c.Setting {
				chosen += "  " + string(aim.Name)
			}
		}
		if c.Single() || chosen != "" {
			printf(w, "%6.2f  %7.2f  %6.2f  %8.2f  %.4f ± %.4f  %10.4f  %8.4f%s\n", c.Pairs, c.Inverse, c.Topics, c.Peculiar,
				c.Recall20, 2*c.Error20, c.Rarer20, c.NDCG100, chosen)
		}
	}
}

// What --peers compares with: EASE of the most frequent items, and its regularization.
const (
	easeItems = 2000
	easeRidge = 200
)

// itemsEvalFlags say what is measured.
type itemsEvalFlags struct {
	source         sourceFlags
	learnedOn      []string
	baskets, seeds int
	seed           uint64
	peers          bool
}

func (p *program) itemsEvalCommand() *cobra.Command {
	var f itemsEvalFlags
	return p.command("items eval", modelThen(1, -1, "a shard"), func(ctx context.Context, args []string) error {
		m, docs, err := p.openFor(ctx, &f.source, args)
		if err != nil {
			return err
		}
		defer p.closeDocuments(docs)
		p.warnSeen(m, docs)
		methods, full, counted, err := p.itemsMethods(ctx, &f, m)
		if err != nil {
			return err
		}
		trials, err := items.Trials(ctx, docs.Pass, methods, full, f.baskets, f.seeds, f.seed, p.workers)
		if err != nil {
			return err
		}
		return p.print(trials, func(w io.Writer) {
			printTrials(w, trials)
			fmt.Fprintln(w)
			next := "with ITEM..."
			if !counted {
				fmt.Fprintln(w, "The model has no counted pairs of items: this measures its topics.")
				next = "learn SHARD..."
			}
			p.printNext(w, "items "+quoted(args[0])+" "+next, "items "+quoted(args[0])+" recommend SHARD... -o recommended")
		})
	}, []row{
		inputGroup.flag("learned-on", &f.learnedOn, commaList.named("SHARDS"),
			"shards that the model learned from; other methods count all pairs there"),
		expert("baskets", &f.baskets, wholes(1, 10_000_000), "baskets to complete, drawn at random").by("3000"),
		expert("seeds", &f.seeds, wholes(1, 10_000), "times that the baskets are drawn and divided").by("3"),
		queryGroup.flag("peers", &f.peers, boolean, "compare with EASE, which inverts a matrix of all items"),
		seedRow(&f.seed),
	}, f.source.formatRows())
}

// warnSeen warns of shards that the model was fitted on.
func (p *program) warnSeen(m *model.Model, docs *corpus.Corpus) {
	for _, input := range docs.Inputs {
		if slices.ContainsFunc(m.Manifest.Inputs, func(known corpus.Input) bool { return known.SHA256 == input.SHA256 }) {
			p.log.Warn("the model was fitted on this shard: figures are too good", "shard", input.Path)
		}
	}
}

// itemsMethods returns the methods, the counts that the others use, and whether the model has such counts. Without any
// counts, methods that need them are left out.
func (p *program) itemsMethods(ctx context.Context, f *itemsEvalFlags, m *model.Model) (_ []items.Method,
	_ *items.Pairs, counted bool, _ error) {
	recommender, record, err := m.Recommender(ctx)
	if err != nil {
		return nil, nil, false, err
	}
	if counted = record != nil; !counted {
		p.log.Warn("the model has no counted pairs of items: this measures its topics", "remedy",
			"anchorage items MODEL learn SHARD...")
	}
	full := recommender.Pairs()
	if len(f.learnedOn) > 0 {
		learning, err := f.source.openItems(ctx, p, f.learnedOn, m.Vocabulary)
		if err != nil {
			return nil, nil, false, err
		}
		defer learning.Close()
		if full, err = items.Count(ctx, learning.Pass, m.Vocabulary.Len(), items.Options{Neighbours: items.All,
			Workers: p.workers, Log: p.log}); err != nil {
			return nil, nil, false, err
		}
	}
	methods := items.Baselines(full, recommender.Topics())
	if f.peers {
		ease, err := items.EASE(full, easeRidge, easeItems)
		if err != nil {
			return nil, nil, false, err
		}
		methods = append(methods, ease)
	}
	return append(methods, recommender.Method("this model")), full, counted, nil
}

// printTrials prints a line per method, split and seed.
func printTrials(w io.Writer, trials []items.Trial) {
	for x, s := range trials {
		if x == 0 || trials[x-1].Split != s.Split || trials[x-1].Seed != s.Seed {
			if x > 0 {
				fmt.Fprintln(w)
			}
			printf(w, "held out: %s, seed %d, %d baskets\n%-36s  %15s  %15s  %15s  %15s  %8s  %7s\n", s.Split, s.Seed,
				s.Baskets, "method", "recall@20", "rarer half", "recall@50", "NDCG@100", "coverage", "novelty")
		}
		printf(w, "%-36s  %6.4f ± %6.4f  %6.4f ± %6.4f  %6.4f ± %6.4f  %6.4f ± %6.4f  %8.3f  %7.2f\n", s.Name, s.Recall20,
			2*s.Error20, s.Rarer20, 2*s.ErrorR, s.Recall50, 2*s.Error50, s.NDCG100, 2*s.ErrorN, s.Coverage, s.Novelty)
	}
}
