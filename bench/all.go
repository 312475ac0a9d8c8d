// This file holds the command that prints those of the whole set of results.

package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func (p *program) allCommand() *cobra.Command {
	var output, data string
	cmd := &cobra.Command{
		Use:   "all",
		Short: "Print the commands that make the whole set of results",
		Long: `All prints the commands that make the folders of bench/results, in the order of worth, for a shell. Runs
that are there are not made again: an empty folder for -o makes all of them with one commit.

DATA holds data/nips, data/kos, data/retail, data/wiki, data/reddit and reference/. The full set takes some six hours on
two idle processors.`,
		Example: "  go run ./bench all -o results --data DATA | timeout 6h sh\n" +
			"  go run ./bench all -o results --data DATA | grep results/topics | sh",
		Args: cobra.NoArgs,
		RunE: started(func(*cobra.Command, []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			for _, of := range all {
				folder := filepath.Join(output, of.folder)
				for _, line := range of.lines {
					if _, err := fmt.Fprintf(p.stdout, "mkdir -p %s && go run ./bench %s -o %s\n", filepath.Dir(folder),
						strings.ReplaceAll(line, "DATA", data), folder); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	}
	outputFlag(cmd.Flags(), &output)
	cmd.Flags().StringVar(&data, "data", "DATA", "folder of the data")
	return cmd
}
