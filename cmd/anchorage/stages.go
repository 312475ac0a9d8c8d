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
	rectify := stage(p, model.KindFactor, &output, func(ctx context.Context, w work) (*fit.Rectified, error) {
		sketched, err := fit.LoadSketched(ctx, w.args[0], w.run)
		if err != nil {
			return nil, err
		}
		if w.run.SpillDir, err = workingFolder(spillDir, w.out); err != nil {
			return nil, err
		}
		return sketched.Rectify(ctx, o)
	}, p.printFactor)
	return p.command("rectify", cobra.ExactArgs(1), p.unlessDone("The rectification", model.KindFactor, &output, rectify),
		[]row{outputRow(&output, "the factor, a folder"), p.replaceRow(), paperRow(), memoryGroup.flag("spill-dir", &spillDir,
			workFolder, "folder for spilled corrections; beside the output if not given").does(local)}, rectifyRows(&o.Rectify))
}

// printFactor prints how far the rectification came.
func (p *program) printFactor(s *fit.Rectified, output string) error {
	return p.print(map[string]any{"output": output, "manifest": s.Manifest}, func(w io.Writer) {
		r := s.Manifest.Rectify
		state := map[bool]string{false: "still moving", true: "converged"}[r.Converged]
		printf(w, "factor of %d items and %d topics in %s; %s after %d iterations, last change %.2g\n",
			s.Vocabulary.Len(), s.Manifest.Sketch.Topics, output, state, r.Iterations, r.Change)
		if n := r.Negative; n != nil {
			printf(w, "negative entries add up to %.2g of the sum of all; the least that was found is %.2g\n",
				n.Mass, -n.Epsilon)
		}
		printWarning(w, rectifyWarning(r))
	})
}

func (p *program) anchorCommand() *cobra.Command {
	var o fit.Options
	var output string
	var extras extraFlags
	anchor := stage(p, model.KindModel, &output, func(ctx context.Context, w work) (*fit.Fitted, error) {
		rectified, err := fit.LoadRectified(ctx, w.args[0], w.run)
		if err != nil {
			return nil, err
		}
		fitted, err := rectified.Anchor(ctx, o)
		if err != nil {
			return nil, err
		}
		return fitted, fitted.Add(ctx, nil, extras.extras())
	}, p.printModel)
	return p.command("anchor", cobra.ExactArgs(1), p.unlessDone("The anchoring", model.KindModel, &output, anchor),
		[]row{outputRow(&output, "the model, a folder"), p.replaceRow(), paperRow(), evidenceRow(&o.Anchor.NoEvidence),
			extras.noReportRow(), p.topRow()}, anchorRows(&o.Anchor))
}

func (p *program) mergeCommand() *cobra.Command {
	var output, start string
	var o fit.Options
	var partial bool
	k := topicsRow(&o.Topics)
	k.help = "number of topics; that of the first sketch if not given"
	kind := model.KindSketch // of the result
	merge := func(ctx context.Context, w work) (result saved, err error) {
		merger, end := new(model.Merger), w.run.Stage("load")
		if start != "" && kind == model.KindSketch {
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
		if err := merger.Whole(); err != nil && !partial {
			return nil, err
		}
		if kind == model.KindSketch {
			o.Sketch.Mergeable, o.Run = w.out, w.run
			return fit.Merged(ctx, merger, o)
		}
		from := new(model.Model)
		if err := from.ReadRefining(ctx, start); err != nil {
			return nil, err
		}
		return fit.RefineStep(ctx, from, merger, w.run)
	}
	return p.command("merge", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		if start != "" && !partial {
			if _, err := model.ReadManifest(ctx, start, model.KindModel); err == nil {
				kind = model.KindModel
			}
		}
		merges := stage(p, kind, &output, merge, p.printMerged)
		return p.unlessDone("The merge", kind, &output, merges, start)(ctx, args)
	}, []row{outputRow(&output, "the merged sketch or the next model, a folder"), p.replaceRow(), k, startRow(&start,
		"what the tasks of these sums started from, for passes by tasks"), formRow(&o.Sketch.Form),
		inputGroup.flag("partial", &partial, boolean, "merge sketches of some tasks, to be merged with the others")})
}

// printMerged prints what a merge has made: of sums of a refinement the next topics.
func (p *program) printMerged(result saved, output string) error {
	f, refined := result.(*fit.Fitted)
	if !refined {
		return p.printSketch(result.(*fit.Sketched), output)
	}
	r := f.Manifest.Refinement
	return p.print(map[string]any{"output": output, "manifest": f.Manifest}, func(w io.Writer) {
		if r.Passes == 0 {
			printf(w, "%s has the topics as they were, to be refined for %s\n", output, string(r.For))
			return
		}
		state := map[bool]string{false: "still moving", true: "settled"}[r.Settled]
		printf(w, "%s has %d topics after %s for %s, which moved %.2g%% of the tokens; log-likelihood %.5f a token before "+
			"it; %s\n", output, f.Topics.K, count(r.Passes, "pass", "passes"), string(r.For), 100*r.Moved, r.LogLikelihood,
			state)
	})
}
