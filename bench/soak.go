// This file holds the command that treats the program as machines, disks and networks do on bad days.

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/report"
	"anchorage/bench/internal/soak"
)

func (p *program) soakCommand() *cobra.Command {
	var output, folder string
	var options soak.Options
	counts := make(map[string]*int)
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Kill, starve and damage the program and what it writes",
		Long: `Soak runs the program thousands of times and disturbs it: it kills and interrupts runs, lets operations on files fail,
damages what was written, fills disks, lets runs race on one store, and puts a proxy that fails between the program and an object
store. After each disturbance it looks whether what is there is whole, whether the next run succeeds and gives the bytes of an
undisturbed one, and whether anything is left over. Each part has a flag with its count; 0 leaves the part out.

It needs Go, with which it builds the program, and for full disks the right to mount a tmpfs.`,
		Example: `  go run ./bench soak -o results
  go run ./bench soak -o results --kill 50 --terminate 10 --fail 50`,
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			options.Counts = make(map[string]int)
			for name, count := range counts {
				if *count < 0 {
					return &usageError{fmt.Errorf("--%s is %d: it cannot be negative", name, *count)}
				}
				options.Counts[name] = *count
			}
			results, err := report.NewFolder(output)
			if err != nil {
				return err
			}
			scratch, remove, err := report.Scratch(folder)
			if err != nil {
				return err
			}
			options.Log = p.log
			options.Report = func(o *soak.Outcome) {
				p.log.Info("soaked", "part", o.Part, "what", o.What, "how", o.How, "disturbed", o.Disturbed, "problems", len(o.Problems), "seconds", o.Time.Seconds())
				for _, problem := range o.Problems {
					p.log.Error("problem", "what", problem)
				}
			}
			found, failed := soak.Run(cmd.Context(), scratch, options)
			if len(found) == 0 {
				return errors.Join(failed, remove())
			}
			// What was found counts, also if something failed later.
			err = soak.Write(results, found, report.NewOrigin(commandLine(cmd), p.workers))
			if err == nil {
				err = errors.Join(results.Commit(), p.wrote(output))
			}
			if err := errors.Join(failed, err); err != nil {
				return errors.Join(err, remove())
			}
			if n := soak.Problems(found); n > 0 {
				return fmt.Errorf("%d problems; what they left is in %s", n, scratch)
			}
			return remove()
		}),
	}
	outputFlag(cmd.Flags(), &output, newFolder)
	cmd.Flags().StringVar(&folder, "spill-dir", "", "folder for what is temporary, some 2 GB; the system's if not given")
	cmd.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of what is drawn")
	cmd.Flags().IntVar(&options.Documents, "documents", 2000, "documents of the corpus")
	cmd.Flags().DurationVar(&options.Limit, "limit", 0, "end about then, as in 20m, with what was found until then; 0 for no limit")
	for _, part := range soak.Parts {
		counts[part.Name] = cmd.Flags().Int(part.Name, part.Goal, strings.TrimSuffix(part.What, "."))
	}
	return cmd
}
