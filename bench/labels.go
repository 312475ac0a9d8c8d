// This file holds the command that compares topics of items with known labels.

package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/labels"
	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
	"anchorage/stream"
)

func (p *program) labelsCommand() *cobra.Command {
	var o labels.Options
	var output, columns string
	drawn := synth.Model{}
	cmd := &cobra.Command{
		Use:   "labels [SHARD...]",
		Short: "Compare topics of items with known labels, at several levels",
		Long: `Labels fits models of several levels and says how far the most probable topics of items agree with labels that people gave to
them: --labels FILE. Every level is compared with the same labels.

Without shards it draws a catalogue: departments with aisles with shelves (--tree), and documents that keep to few of them. Levels
have as many topics as the tree has nodes, the labels of items are the nodes above their shelves, and the parents of topics are
compared with the tree. bench/peers/labels.py does the same with other methods.`,
		Example: `  go run ./bench labels -o results
  go run ./bench labels baskets.txt --labels sections.csv --levels 20,50 -o results`,
		RunE: started(func(cmd *cobra.Command, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			o.Drawn, o.Shards, o.Workers, o.Log = &drawn, args, p.workers, p.log
			drawn.Topics = 1
			for _, children := range drawn.Tree {
				drawn.Topics *= children
			}
			item, label, two := strings.Cut(columns, ",")
			o.Columns = stream.LabelColumns{Item: item, Label: label}
			switch err := drawn.Check(); {
			case len(args) == 0 && err != nil:
				return &usageError{err}
			case len(args) > 0 && (o.Labels == "" || len(o.Levels) == 0 || !two):
				return &usageError{errors.New("shards need --labels, two --columns, and --levels")}
			case o.Seeds < 1:
				return &usageError{errors.New("--seeds must be at least 1")}
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
	flags.StringVar(&o.Name, "name", "a drawn catalogue", "name of the corpus in the results")
	flags.StringVar(&o.Labels, "labels", "", "file of the items' labels, beside shards")
	flags.StringVar(&columns, "columns", "item,label", "its columns of items and labels")
	flags.IntSliceVar(&o.Levels, "levels", nil, "numbers of topics, increasing, beside shards")
	flags.Int64Var(&o.MinDF, "min-df", 1, "items in at least this many documents")
	flags.IntVar(&o.Seeds, "seeds", 1, "fits, and catalogues drawn")
	flags.Uint64Var(&o.Seed, "seed", 1, "the first seed; the others follow it")
	flags.StringVar(&o.Peers, "peers", "", "folder for the documents and labels of the first seed, for bench/peers/labels.py")
	flags.IntSliceVar(&drawn.Tree, "tree", []int{6, 4, 4}, "of a drawn catalogue: departments, aisles of each, shelves of each")
	flags.Float64SliceVar(&drawn.TreeConcentration, "concentration", []float64{0.1, 0.4, 0.8}, "how evenly documents divide themselves at each step: of each child")
	flags.IntVar(&drawn.Items, "drawn-items", 20_000, "items")
	flags.IntVar(&drawn.Documents, "drawn-documents", 60_000, "documents")
	flags.IntVar(&drawn.Tokens, "tokens", 10, "mean length of documents")
	flags.Float64Var(&drawn.Spread, "spread", 1, "how far items spread over shelves")
	return cmd
}
