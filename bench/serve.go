// This file holds the command that measures a server of a model.

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/report"
	"anchorage/bench/internal/serving"
)

func (p *program) serveCommand() *cobra.Command {
	var output string
	options := serving.Options{}
	cmd := &cobra.Command{
		Use:   "serve MODEL...",
		Short: "Measure how many requests a server answers, and how soon",
		Long: `Serve starts a server of each model, as anchorage serve does, and asks it for the topics of baskets: with 1, 16 and 64
clients that send as fast as they are answered, and at a rate.

MODEL is a folder, or NAME:TOPICS:CORPUS, which is fitted first. A number in place of the corpus draws one of so many items.`,
		Example: `  go run ./bench serve wiki-model -o results
  go run ./bench serve sample:20:testdata/wiki million:100:1000000 -o results`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(cmd *cobra.Command, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if err := checkServe(&options); err != nil {
				return err
			}
			folder, err := report.NewFolder(output)
			if err != nil {
				return err
			}
			err = p.overModels(cmd.Context(), output, args, func(models, says []string) error {
				records, err := options.Run(cmd.Context(), models)
				if err != nil {
					return err
				}
				line := commandLine(cmd) + " " + strings.Join(says, " ")
				return serving.Write(folder, records, report.NewOrigin(line, p.workers), options.Items)
			})
			if err != nil {
				return err
			}
			if err := folder.Commit(); err != nil {
				return err
			}
			return p.wrote(output)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &output, newFolder)
	flags.IntSliceVar(&options.Clients, "clients", []int{1, 16, 64}, "numbers of clients")
	flags.Float64Var(&options.Rate, "rate", 1000, "requests a second in the last measurement; 0 for none")
	flags.IntVar(&options.Items, "basket", 30, "items of a basket")
	flags.DurationVar(&options.Last, "last", 10*time.Second, "how long a measurement lasts")
	flags.Uint64Var(&options.Seed, "seed", 1, "seed of the baskets")
	return cmd
}

// checkServe checks the flags.
func checkServe(o *serving.Options) error {
	if len(o.Clients) == 0 || o.Items < 1 || o.Last <= 0 || o.Rate < 0 {
		return &usageError{fmt.Errorf("--clients, --basket and --last must be positive, and --rate cannot be negative")}
	}
	for _, clients := range o.Clients {
		if clients < 1 {
			return &usageError{fmt.Errorf("--clients is %d: it must be positive", clients)}
		}
	}
	return nil
}
