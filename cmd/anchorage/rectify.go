// This file holds the rectify command: the second stage of fit.

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
		Long: `Rectify reads the eigenpairs that sketch or merge wrote and writes a factor of the co-occurrence matrix, for anchor. The
product of the factor is nearly non-negative, and its entries sum to 1.`,
		Example: `  anchorage rectify sketch -o factor`,
		Args:    cobra.ExactArgs(1),
		RunE: stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output, args []string) (*fit.Rectified, error) {
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
		{name: "spill-dir", group: memoryGroup, effect: local, to: &spillDir, values: workFolder, help: "folder for spilled corrections; beside the output if not given"}},
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
			printf(w, "negative entries add up to %.2g of the sum of all; the least that was found is %.2g\n", n.Mass, -n.Epsilon)
		}
		printWarnings(w, rectifyWarnings(r))
	})
}
