// This file holds the merge command: one sketch of several.

package main

import (
	"context"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/fit"
)

func (p *program) mergeCommand() *cobra.Command {
	var output string
	var topics int
	var partial bool
	cmd := &cobra.Command{
		Use:   "merge SKETCH SKETCH...",
		Short: "Add up sketches of different shards",
		Long: `Merge adds sketches of different shards, made by sketch --passes 1 with the same -k, --seed, --vocab and --memory-limit or
sketch-columns,
and writes the sketch of all shards. It refuses others, and says why.

Sketches of tasks (sketch --task) must be of all tasks: those that are missing are named. With --partial they may be of some, to be
merged with others.`,
		Example: `  anchorage merge monday.sketch tuesday.sketch -o both.sketch
  anchorage merge part-*.sketch -o all.sketch
  anchorage merge part-0.sketch part-1.sketch --partial -o first.sketch`,
		Args: cobra.MinimumNArgs(1),
		RunE: stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output, args []string) (*fit.Sketched, error) {
			var merger model.Merger
			end := run.Stage("load")
			for _, path := range args {
				if err := merger.Add(ctx, path); err != nil {
					return nil, err
				}
			}
			end()
			if missing := merger.Missing(); missing != nil && !partial {
				return nil, missing
			}
			return fit.Merged(ctx, &merger, fit.Options{Topics: topics, Sketch: fit.SketchOptions{Mergeable: out}, Run: run})
		}, p.printSketch),
	}
	k := topicsRow(&topics)
	k.help = "number of topics; that of the first sketch if not given"
	return p.with(cmd, []row{outputRow(&output, "the merged sketch, a folder"), p.replaceRow(), k,
		{name: "partial", group: inputGroup, to: &partial, values: boolean, help: "merge sketches of some tasks, to be merged with the others"}})
}
