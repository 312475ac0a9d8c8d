// This file holds the anchor command: the last stage of fit.

package main

import (
	"context"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/fit"
)

func (p *program) anchorCommand() *cobra.Command {
	var learning fit.Options
	var output string
	var page reportFlags
	cmd := &cobra.Command{
		Use:   "anchor FACTOR",
		Short: "Find anchors and topics of a rectified factor",
		Long: `Anchor reads the factor that rectify wrote, chooses an anchor item for every topic, and writes the model: the same that fit
writes.`,
		Example: `  anchorage anchor factor -o model`,
		Args:    cobra.ExactArgs(1),
		RunE: stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output, args []string) (*fit.Fitted, error) {
			rectified, err := fit.LoadRectified(ctx, args[0], run)
			if err != nil {
				return nil, err
			}
			fitted, err := rectified.Anchor(ctx, learning)
			if err != nil || page.none {
				return fitted, err
			}
			if err := fitted.Diagnose(ctx, nil); err != nil {
				return nil, err
			}
			return fitted, page.write(ctx, p, run, fitted, nil, out)
		}, p.printModel),
	}
	return p.with(cmd, []row{outputRow(&output, "the model, a folder"), p.replaceRow(), paperRow(), evidenceRow(&learning.Anchor.NoEvidence), page.noneRow(), p.topRow()},
		anchorRows(&learning.Anchor))
}
