// This file holds the commands of the stages after the sketch: merge, rectify and anchor.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/fit"
)

func (p *program) rectifyCommand() *cobra.Command {
	var learning fit.Options
	var spillDir string
	var output string
	cmd := &cobra.Command{
		Use:   "rectify SKETCH",
		Short: "Turn a sketch into a rectified factor",
		Long: `Rectify reads the eigenpairs that sketch or merge wrote and writes a factor of the co-occurrence matrix,
for anchor. The product of the factor is nearly non-negative, and its entries sum to 1.`,
		Example: `  anchorage rectify sketch -o factor`,
		Args:    cobra.ExactArgs(1),
		RunE: stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output,
			args []string) (*fit.Rectified, error) {
			options := learning
			options.Rectify.Corrections.NoMemory = options.Rectify.Corrections.Bytes == 0
			sketched, err := fit.LoadSketched(ctx, args[0], run)
			if err != nil {
				return nil, err
			}
			if run.SpillDir, err = workingFolder(spillDir, out); err != nil {
				return nil, err
			}
			return sketched.Rectify(ctx, options)
		}, p.printFactor),
	}
	return p.with(cmd, []row{outputRow(&output, "the factor, a folder"), p.replaceRow(), paperRow(),
		{name: "spill-dir", group: memoryGroup, effect: local, to: &spillDir, values: workFolder,
			help: "folder for spilled corrections; beside the output if not given"}},
		rectifyRows(&learning.Rectify))
}

// printFactor prints how far the rectification came.
func (p *program) printFactor(s *fit.Rectified, output string) error {
	return p.print(map[string]any{"output": output, "manifest": s.Manifest}, func(w io.Writer) {
		r := s.Manifest.Rectify
		state := "converged"
		if !r.Converged {
			state = "still moving"
		}
		printf(w, "factor of %d items and %d topics in %s; %s after %d iterations, last change %.2g\n",
			s.Vocabulary.Len(), s.Manifest.Sketch.Topics, output, state, r.Iterations, r.Change)
		if n := r.Negative; n != nil {
			printf(w, "negative entries add up to %.2g of the sum of all; the least that was found is %.2g\n",
				n.Mass, -n.Epsilon)
		}
		printWarnings(w, rectifyWarnings(r))
	})
}

func (p *program) anchorCommand() *cobra.Command {
	var learning fit.Options
	var output string
	var extras extraFlags
	cmd := &cobra.Command{
		Use:   "anchor FACTOR",
		Short: "Find anchors and topics of a rectified factor",
		Long: `Anchor reads the factor that rectify wrote, chooses an anchor item for every topic, and writes the
model: the same that fit writes.`,
		Example: `  anchorage anchor factor -o model`,
		Args:    cobra.ExactArgs(1),
		RunE: stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output,
			args []string) (*fit.Fitted, error) {
			rectified, err := fit.LoadRectified(ctx, args[0], run)
			if err != nil {
				return nil, err
			}
			fitted, err := rectified.Anchor(ctx, learning)
			if err != nil {
				return nil, err
			}
			return fitted, fitted.Add(ctx, nil, extras.extras())
		}, p.printModel),
	}
	return p.with(cmd, []row{outputRow(&output, "the model, a folder"), p.replaceRow(), paperRow(),
		evidenceRow(&learning.Anchor.NoEvidence), extras.noReportRow(), p.topRow()},
		anchorRows(&learning.Anchor))
}

func (p *program) mergeCommand() *cobra.Command {
	var output string
	var topics int
	var partial bool
	cmd := &cobra.Command{
		Use:   "merge SKETCH SKETCH...",
		Short: "Add up sketches of different shards",
		Long: `Merge adds sketches of different shards, made by sketch --passes 1 with the same -k, --seed, --vocab and
--memory-limit or sketch-columns, and writes the sketch of all shards. It refuses others, and says why.

Sketches of tasks (sketch --task) must be of all tasks: those that are missing are named. With --partial they
may be of some, to be merged with others.`,
		Example: `  anchorage merge monday.sketch tuesday.sketch -o both.sketch
  anchorage merge part-*.sketch -o all.sketch
  anchorage merge part-0.sketch part-1.sketch --partial -o first.sketch`,
		Args: cobra.MinimumNArgs(1),
		RunE: stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output,
			args []string) (*fit.Sketched, error) {
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
		{name: "partial", group: inputGroup, to: &partial, values: boolean,
			help: "merge sketches of some tasks, to be merged with the others"}})
}
