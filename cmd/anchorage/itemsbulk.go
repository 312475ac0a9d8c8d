// This file holds the verbs of items that recommend in bulk: recommend, for documents, and neighbours, for items.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/transform"
)

// bulkRows are the flags of both verbs.
func bulkRows(o *transform.RecommendOptions) []row {
	return []row{numberRow(&o.Number), aimRow(&o.Aim)}
}

func (p *program) itemsRecommendCommand() *cobra.Command {
	var source sourceFlags
	var o transform.RecommendOptions
	var output string
	cmd := &cobra.Command{
		Use:   "recommend SHARD... -o FOLDER",
		Short: "Write the items that go best with every document",
		Long: `Recommend completes every document of the shards and writes a Parquet table for each shard, with a row for each
recommendation: doc_id, rank, item, score, probability, because_1, because_2 and topic, as items with explains them.
Items that a document has are left out; --repeat keeps them, for histories of people who buy again. With --time-column
it says how often they do: which share of the items of later documents of an id an earlier one has.`,
		Example: `  anchorage items model recommend baskets/ -o recommendations
  anchorage items model recommend visits.csv -o recommendations --repeat --time-column day`,
		Args: modelThen(1, -1, "a shard"),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			shards, err := source.discover(ctx, p, args[1:])
			if err != nil {
				return err
			}
			m, err := model.Load(ctx, args[0])
			if err != nil {
				return err
			}
			o.Workers, o.Progress, o.Warn, o.Replace = p.workers, p.advance, p.warn, p.replace
			done, err := transform.Recommend(ctx, m, shards, output, o)
			late := p.wrote(output, err)
			if p.saved == "" {
				return late
			}
			return p.print(done, func(w io.Writer) {
				printf(w, "%d recommendations for %d documents are in %s; for %d nothing is known\n", done.Rows, done.Documents,
					output,
					done.Without)
				if done.Later > 0 {
					printf(w, "%.1f%% of the items of later documents were in an earlier one of the same id\n", 100*done.Repeats)
				}
			})
		}),
	}
	return p.with(cmd, []row{outputRow(&output, "the recommendations, a folder"), p.replaceRow()}, bulkRows(&o), []row{
		{name: "repeat", group: queryGroup, to: &o.Repeat, values: boolean, help: "also recommend what a document has"},
		timeRow(&o.TimeColumn),
	}, source.formatRows())
}

func (p *program) itemsNeighboursCommand() *cobra.Command {
	var o transform.RecommendOptions
	var output string
	cmd := &cobra.Command{
		Use:   "neighbours -o FILE",
		Short: "Write the items that go best with every item",
		Long: `Neighbours writes what items with says of every item as a Parquet table with a row for a pair: item_id, rank,
item, score, probability, because_1, because_2 and topic.`,
		Example: `  anchorage items model neighbours -o neighbours.parquet -n 20`,
		Args:    modelThen(0, 0, "flags"),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			m, err := model.Load(ctx, args[0])
			if err != nil {
				return err
			}
			o.Workers = p.workers
			var done *transform.Recommended
			err = p.wrote(output, p.writeFile(ctx, output, func(w io.Writer) (err error) {
				done, err = transform.Neighbours(ctx, m, w, o)
				return err
			}))
			if p.saved == "" {
				return err
			}
			return p.print(done, func(w io.Writer) {
				printf(w, "%d neighbours of %d items are in %s; of %d nothing is known\n", done.Rows, done.Documents, output,
					done.Without)
			})
		}),
	}
	return p.with(cmd, []row{outputFileRow(&output, "a Parquet file"), p.replaceRow()}, bulkRows(&o))
}
