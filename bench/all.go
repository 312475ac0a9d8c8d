// This file holds the command that makes the whole set of results.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/run"
)

func (p *program) allCommand() *cobra.Command {
	var output, data string
	var budget time.Duration
	var folders []string
	cmd := &cobra.Command{
		Use:   "all",
		Short: "Make the whole set of results",
		Long: `All makes the folders of bench/results with their settings, one after the other, in the order of worth, and
continues with what an earlier command left. Runs that are there are not made again: an empty folder for -o makes all of
them with one commit. A command that fails does not stop the others. With --budget it ends after that time.

DATA holds data/nips, data/kos, data/retail, data/wiki, data/reddit and reference/. The full set takes some six hours on
two idle processors.`,
		Example: "  go run ./bench all -o results --data DATA --budget 6h\n  go run ./bench all -o results --data DATA " +
			"--parts topics,plan",
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			for _, folder := range folders {
				if !slices.ContainsFunc(all, func(l lines) bool { return l.folder == folder }) {
					return &run.UsageError{Err: fmt.Errorf("--parts has %q, which is no folder of the results", folder)}
				}
			}
			limited := cmd.Context()
			if budget > 0 {
				var cancel context.CancelFunc
				limited, cancel = context.WithTimeout(limited, budget)
				defer cancel()
			}
			var failed []error
			for _, of := range all {
				if len(folders) > 0 && !slices.Contains(folders, of.folder) {
					continue
				}
				for _, line := range of.lines {
					if code, err := p.makeLine(limited, line, data, filepath.Join(output, of.folder)); err != nil {
						return err
					} else if code != exitDone && limited.Err() == nil {
						failed = append(failed, fmt.Errorf("%s: the command %q ended with code %d", of.folder, line, code))
					}
				}
			}
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			if err := errors.Join(failed...); err != nil {
				return err
			}
			if limited.Err() != nil {
				p.log.Warn("the budget is spent: the same command continues")
			}
			return p.wrote(output)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &output)
	flags.StringVar(&data, "data", "DATA", "folder of the data")
	flags.DurationVar(&budget, "budget", 0, "how long the command may take, such as 6h; 0 for any time")
	flags.StringSliceVar(&folders, "parts", nil, "only these folders, such as topics,labels/drawn; all if not given")
	return cmd
}

// makeLine runs a command line of this program.
func (p *program) makeLine(ctx context.Context, line, data, folder string) (code int, err error) {
	if ctx.Err() != nil {
		return exitDone, nil
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return 0, err
	}
	words := strings.Fields(line)
	for i, word := range words {
		words[i] = strings.Replace(strings.Trim(word, "'"), "DATA", data, 1)
	}
	words = append(words, "-o", folder, "--log-level", p.logLevel, "--workers", fmt.Sprint(p.workers))
	return execute(ctx, words, nil, p.stdout, p.stderr), nil
}
