// This file holds the command that measures recommendations.

package main

import (
	"errors"

	"github.com/spf13/cobra"

	benchitems "anchorage/bench/internal/items"
	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
	"anchorage/model/items"
)

func (p *program) itemsCommand() *cobra.Command {
	var o benchitems.Options
	var output string
	drawn := synth.Model{Tokens: 10}
	cmd := &cobra.Command{
		Use:   "items [SHARD...]",
		Short: "Measure recommendations on held-out baskets",
		Long: `Items holds baskets out, learns topics, pairs and weights from the other documents, and completes the held-out baskets by
every method: recall, NDCG, coverage and novelty, over all items and by popularity. Half of each basket is held out, and in a
second test one item. Every seed holds out other baskets.

Without shards it draws baskets from a known model (--drawn-items, --drawn-documents).`,
		Example: `  go run ./bench items retail.dat.gz -o results --name retail
  go run ./bench items -o results --drawn-items 20000 --drawn-documents 60000`,
		RunE: started(func(cmd *cobra.Command, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if o.Topics < 2 || o.Seeds < 1 || o.Baskets < 1 || o.Learning < 1 {
				return &usageError{errors.New("-k must be at least 2, --seeds, --baskets and --learning at least 1")}
			}
			drawn.Topics = o.Topics
			o.Drawn, o.Shards, o.Workers, o.Log = &drawn, args, p.workers, p.log
			if len(args) == 0 {
				if err := drawn.Check(); err != nil {
					return &usageError{err}
				}
			}
			folder, err := report.NewFolder(output)
			if err != nil {
				return err
			}
			result, err := o.Run(cmd.Context())
			if err != nil {
				return err
			}
			command := commandLine(cmd)
			if len(args) > 0 {
				command += " SHARD..."
			}
			if err := o.Write(folder, result, report.NewOrigin(command, p.workers)); err != nil {
				return err
			}
			if err := folder.Commit(); err != nil {
				return err
			}
			return p.wrote(output)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &output, newFolder)
	flags.StringVar(&o.Name, "name", "drawn baskets", "name of the corpus in the results")
	flags.IntVarP(&o.Topics, "topics", "k", 100, "topics, K")
	flags.IntVar(&o.Neighbours, "neighbours", items.DefaultNeighbours, "neighbours of an item")
	flags.IntVar(&o.Baskets, "baskets", 3000, "baskets held out")
	flags.IntVar(&o.Learning, "learning", 2000, "baskets that weights are learned on")
	flags.IntVar(&o.Seeds, "seeds", 3, "divisions into documents to learn from and baskets to test")
	flags.Uint64Var(&o.Seed, "seed", 1, "the first seed; the others follow it")
	flags.Int64Var(&o.MinDF, "min-df", 1, "items in at least this many of the documents to learn from")
	flags.IntVar(&o.Compare.Dimensions, "dimensions", 100, "of PureSVD")
	flags.IntVar(&o.Compare.EASEItems, "ease-items", 2000, "items, the most frequent ones, that EASE takes")
	flags.Float64Var(&o.Compare.Lambda, "ease-lambda", 200, "of EASE")
	flags.StringVar(&o.Peers, "peers", "", "folder for the documents as the first seed divides them, for bench/peers/items.py")
	flags.IntVar(&drawn.Items, "drawn-items", 20_000, "items of drawn baskets")
	flags.IntVar(&drawn.Documents, "drawn-documents", 60_000, "drawn baskets")
	return cmd
}
