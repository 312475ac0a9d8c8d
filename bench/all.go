// This file holds the command that makes the whole set of results, part by part, within a budget of time.

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

	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
)

func (p *program) allCommand() *cobra.Command {
	var s set
	var quick bool
	var only []string
	cmd := &cobra.Command{
		Use:   "all",
		Short: "Make the whole set of results",
		Long: `All makes the parts of bench/results with their settings, one after the other, each in a folder of its own, by this
program as it is: a part that another commit made is made anew. A part takes the place of the old one when it is complete;
until then it is in the folder .making. made.csv says which commit made which part, when and how long it took, and each
README.md has the commit.

With --budget it ends after that time, and says at the end what is left. Parts come in the order of worth; one that would
not fit into what is left is passed over, and one that takes twice its time waits for the next command. The same command
goes on where it was: parts of this commit are left as they are, and choose, nights, peers, plan, refine, scale, topics
and truth go on from their runs.

DATA holds data/nips, data/kos, data/retail, data/wiki, data/reddit, reference/, and read/, which go run ./testdata/make
read makes. Without --data the parts that need it are left out. With --quick every part is made in a small size, on drawn
data, within a minute or two; its figures say nothing. A part that fails does not stop the others. The full set takes some
six hours on two idle processors.`,
		Example: `  go run ./bench all -o bench/results --data DATA --budget 6h
  go run ./bench all -o bench/results --data DATA --parts topics,plan
  go run ./bench all -o smoke --quick`,
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(s.output); err != nil {
				return err
			}
			if s.budget < 0 {
				return &usageError{fmt.Errorf("--budget is %v: it cannot be negative", s.budget)}
			}
			s.parts = parts
			if quick {
				s.parts = quickParts()
			}
			var err error
			if s.parts, err = chosen(s.parts, only); err != nil {
				return err
			}
			if err := os.MkdirAll(s.output, 0o755); err != nil {
				return err
			}
			if quick {
				folder, remove, err := report.Scratch(s.output)
				if err != nil {
					return err
				}
				defer remove()
				if s.data, err = drawData(cmd.Context(), folder); err != nil {
					return err
				}
			}
			return p.makeSet(cmd.Context(), &s)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &s.output, "folder for the results; a command goes on from what is there")
	flags.StringVar(&s.data, "data", "", "folder of the data")
	flags.DurationVar(&s.budget, "budget", 0, "how long the command may take, such as 6h; 0 for any time")
	flags.StringSliceVar(&only, "parts", nil, "only these parts, by their folders, such as topics,labels/drawn; all if not given")
	flags.BoolVar(&quick, "quick", false, "small sizes on drawn data")
	return cmd
}

// quickParts returns the parts in small sizes.
func quickParts() (small []part) {
	for _, part := range parts {
		if part.quick != "" {
			part.lines = []string{part.quick}
			small = append(small, part)
		}
	}
	return small
}

// chosen returns those of the parts that have the given folders, or all if none is given.
func chosen(parts []part, only []string) ([]part, error) {
	if len(only) == 0 {
		return parts, nil
	}
	var folders []string
	var some []part
	for _, part := range parts {
		folders = append(folders, part.folder)
		if slices.Contains(only, part.folder) {
			some = append(some, part)
		}
	}
	for _, folder := range only {
		if !slices.Contains(folders, folder) {
			return nil, &usageError{fmt.Errorf("--parts has %q, which is none of %s", folder, strings.Join(folders, ", "))}
		}
	}
	return some, nil
}

// makeSet makes the parts and says what is there and what is not. The error is that of ctx, or joins those of all parts that failed.
func (p *program) makeSet(ctx context.Context, s *set) error {
	if err := s.read(); err != nil {
		return err
	}
	s.commit = report.Commit()
	limited := ctx
	if s.budget > 0 {
		s.end = time.Now().Add(s.budget)
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, s.end)
		defer cancel()
	}
	var failed []error
	for _, part := range s.parts {
		err := p.makePart(limited, s, part)
		if ctx.Err() != nil {
			return &keptError{"the same command goes on from the parts in " + s.output, ctx.Err()}
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", part.folder, err))
			s.left = append(s.left, part.folder+": it failed")
		}
	}
	if err := errors.Join(failed...); err != nil {
		return &keptError{"the same command goes on from the parts in " + s.output, err}
	}
	if len(s.left) == 0 {
		if len(s.account.Where("state", stateBegun)) == 0 { // --parts may leave out one that has begun
			if err := os.RemoveAll(s.making("")); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(p.stdout, "The results are in %s, a folder for each part.\n", s.output)
		return err
	}
	_, err := fmt.Fprintf(p.stdout, "The results are in %s, a folder for each part. Not made by this commit:\n  %s\nThe same command goes on with these.\n",
		s.output, strings.Join(s.left, "\n  "))
	return err
}

// drawData draws a small corpus that stands for all data.
func drawData(ctx context.Context, folder string) (string, error) {
	wiki := filepath.Join(folder, "data", "wiki")
	if err := os.MkdirAll(wiki, 0o755); err != nil {
		return "", err
	}
	corpus := synth.Model{Items: 300, Topics: 6, Documents: 1500, Tokens: 40, Concentration: 0.1, Seed: 1}.Plant()
	_, err := corpus.WriteShards(ctx, wiki, 2)
	return folder, err
}
