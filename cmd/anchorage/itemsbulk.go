// This file holds the verbs of items that recommend in bulk: recommend, for documents, and neighbours, for items.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/transform"
)

func (p *program) itemsRecommendCommand() *cobra.Command {
	var source sourceFlags
	var o transform.RecommendOptions
	var output string
	return p.command("items recommend", modelThen(1, -1, "a shard"), func(ctx context.Context, args []string) error {
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
		return p.finish(output, err, func() error {
			return p.print(done, func(w io.Writer) {
				printf(w, "%d recommendations for %d documents are in %s; for %d (%s) nothing is known\n", done.Rows,
					done.Documents, output, done.Without, percent(done.Without, done.Documents))
				if done.Later > 0 {
					printf(w, "%.1f%% of the items of later documents were in an earlier one of the same id\n", 100*done.Repeats)
				}
			})
		})
	}, []row{outputRow(&output, "the recommendations, a folder"), p.replaceRow(), numberRow(&o.Number),
		aimRow(&o.Aim),
		queryGroup.flag("repeat", &o.Repeat, boolean, "also recommend what a document has"),
		timeRow(&o.TimeColumn),
	}, source.formatRows())
}

func (p *program) itemsNeighboursCommand() *cobra.Command {
	var o transform.RecommendOptions
	var output string
	return p.command("items neighbours", modelThen(0, 0, "flags"), onModel(func(ctx context.Context, m *model.Model,
		_ []string) error {
		o.Workers = p.workers
		var done *transform.Recommended
		err := p.writeFile(ctx, output, func(w io.Writer) (err error) {
			done, err = transform.Neighbours(ctx, m, w, o)
			return err
		})
		return p.finish(output, err, func() error {
			return p.print(done, func(w io.Writer) {
				printf(w, "%d neighbours of %d items are in %s; of %d nothing is known\n", done.Rows, done.Documents, output,
					done.Without)
			})
		})
	}), []row{outputTableRow(&output, "the neighbours"), p.replaceRow(), expert("folded", &o.Folded, boolean,
		"also neighbours of items that shaped no topics, by their topics"), numberRow(&o.Number), aimRow(&o.Aim)})
}
