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
	var o fit.Options
	var spillDir, output string
	return p.command("rectify", cobra.ExactArgs(1), stage(p, model.KindFactor, &output, func(ctx context.Context,
		w work) (*fit.Rectified, error) {
		o.Rectify.Corrections.NoMemory = o.Rectify.Corrections.Bytes == 0
		sketched, err := fit.LoadSketched(ctx, w.args[0], w.run)
		if err != nil {
			return nil, err
		}
		if w.run.SpillDir, err = workingFolder(spillDir, w.out); err != nil {
			return nil, err
		}
		return sketched.Rectify(ctx, o)
	}, p.printFactor), []row{outputRow(&output, "the factor, a folder"), p.replaceRow(), paperRow(),
		memoryGroup.flag("spill-dir", &spillDir, workFolder,
			"folder for spilled corrections; beside the output if not given").does(local)}, rectifyRows(&o.Rectify))
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
	var o fit.Options
	var output string
	var extras extraFlags
	return p.command("anchor", cobra.ExactArgs(1), stage(p, model.KindModel, &output, func(ctx context.Context,
		w work) (*fit.Fitted, error) {
		rectified, err := fit.LoadRectified(ctx, w.args[0], w.run)
		if err != nil {
			return nil, err
		}
		fitted, err := rectified.Anchor(ctx, o)
		if err != nil {
			return nil, err
		}
		return fitted, fitted.Add(ctx, nil, extras.extras())
	}, p.printModel), []row{outputRow(&output, "the model, a folder"), p.replaceRow(), paperRow(),
		evidenceRow(&o.Anchor.NoEvidence), extras.noReportRow(), p.topRow()}, anchorRows(&o.Anchor))
}

func (p *program) mergeCommand() *cobra.Command {
	var output, start string
	var o fit.Options
	var partial bool
	k := topicsRow(&o.Topics)
	k.help = "number of topics; that of the first sketch if not given"
	return p.command("merge", cobra.MinimumNArgs(1), stage(p, model.KindSketch, &output, func(ctx context.Context,
		w work) (*fit.Sketched, error) {
		var merger model.Merger
		end := w.run.Stage("load")
		if start != "" {
			o.Sketch.From = new(model.Model)
			if err := o.Sketch.From.ReadRound(ctx, start); err != nil {
				return nil, err
			}
		}
		for _, path := range w.args {
			if err := merger.Add(ctx, path); err != nil {
				return nil, err
			}
		}
		end()
		if missing := merger.Missing(); missing != nil && !partial {
			return nil, missing
		}
		o.Sketch.Mergeable, o.Run = w.out, w.run
		return fit.Merged(ctx, &merger, o)
	}, p.printSketch), []row{outputRow(&output, "the merged sketch, a folder"), p.replaceRow(), k, startRow(&start),
		formRow(&o.Sketch.Form),
		inputGroup.flag("partial", &partial, boolean, "merge sketches of some tasks, to be merged with the others")})
}
