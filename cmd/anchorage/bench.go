// This file holds the bench command, under which the measurements lie.

package main

import "github.com/spf13/cobra"

func (p *program) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure: the papers' tables and charts, recovery of a known truth, topics against other methods', variational inference, the speed of reading and of kernels, and how a fit scales",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.benchPaperCommand(), p.benchTruthCommand(), p.benchTopicsCommand(), p.benchTopicsRunCommand(), p.benchBayesCommand(), p.benchReadCommand(), p.benchScaleCommand(), p.benchKernelsCommand())
	return cmd
}
