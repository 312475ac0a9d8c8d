// This file makes commands of parts.

package main

import (
	"github.com/spf13/cobra"

	"anchorage/bench/internal/bayes"
	"anchorage/bench/internal/certificate"
	"anchorage/bench/internal/choosing"
	"anchorage/bench/internal/items"
	"anchorage/bench/internal/labels"
	"anchorage/bench/internal/nights"
	"anchorage/bench/internal/paper"
	"anchorage/bench/internal/planning"
	"anchorage/bench/internal/ranks"
	"anchorage/bench/internal/recovery"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/scale"
	"anchorage/bench/internal/soak"
	"anchorage/bench/internal/topics"
)

// runParts are the parts that the runner makes.
var runParts = []*run.Part{bayes.Part, certificate.Part, choosing.Part, items.Part, labels.Part, nights.Part, paper.Part, planning.Part, ranks.Part, recovery.Part, scale.Part, soak.Part, topics.Part}

// partCommand returns the command of a part.
func (p *program) partCommand(part *run.Part) *cobra.Command {
	values := make(map[string]*string)
	var o run.Options
	var again bool
	cmd := &cobra.Command{
		Use:   part.Name,
		Short: part.About,
		Long: part.About + `.

The folder of -o keeps a row per run, in runs.csv. A run with a row is not made again; an interrupted command continues with the
first run that is missing. README.md and the charts show all runs of the folder.`,
		Example: "  go run ./bench " + part.Name + " -o results",
		Args:    cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(o.Folder); err != nil {
				return err
			}
			if again {
				return part.Show(o.Folder)
			}
			v := part.Defaults()
			for name, value := range values {
				v[name] = *value
			}
			o.Command, o.Workers, o.Log, o.Stderr = commandLine(cmd), p.workers, p.log, p.stderr
			if err := part.Run(cmd.Context(), v, o); err != nil {
				return &keptError{"the same command continues from the runs in " + o.Folder, err}
			}
			return p.wrote(o.Folder)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &o.Folder, "folder for the results")
	for _, s := range part.Settings {
		values[s.Name] = flags.String(s.Name, s.Default, s.Help)
	}
	flags.StringVar(&o.Again, "again", run.AgainNone, "runs that are made again although they have a row: none, failed or all")
	flags.DurationVar(&o.Limit, "limit", 0, "how long a run may take, such as 30m; 0 for any time")
	flags.BoolVar(&again, "show", false, "only write README.md and the charts of the folder again")
	return cmd
}

// partChild returns the hidden command by which this program starts itself to make one run.
func (p *program) partChild() *cobra.Command {
	cmd := childCommand(run.ChildCommand, nil)
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = started(func(cmd *cobra.Command, args []string) error {
		for _, part := range runParts {
			if part.Name == args[0] {
				return part.Child(cmd.Context(), cmd.InOrStdin(), p.stdout, p.stderr)
			}
		}
		return cmd.Help()
	})
	return cmd
}
