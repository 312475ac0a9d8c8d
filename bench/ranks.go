// This file holds the command that fits a corpus over several ranks.

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/ranks"
	"anchorage/bench/internal/report"
)

func (p *program) ranksCommand() *cobra.Command {
	var output, launcher string
	var series ranks.Series
	cmd := &cobra.Command{
		Use:   "ranks SHARD...",
		Short: "Hold fits over several ranks against the fit of one process",
		Long: `Ranks fits a corpus in one process and over several ranks, with and without refinement. It records whether the models are the
same, what ranks send to each other in every stage, and what memory each takes. It needs a program that was built with MPI:

  CC=mpicc go build -tags mpi -o anchorage-mpi ./cmd/anchorage`,
		Example: `  go run ./bench ranks testdata/wiki --name wiki -k 20 --program ./anchorage-mpi -o results`,
		Args:    cobra.MinimumNArgs(1),
		RunE: started(func(cmd *cobra.Command, args []string) (err error) {
			if err := needOutput(output); err != nil {
				return err
			}
			series.Launcher = strings.Fields(launcher)
			if err := checkRanks(&series); err != nil {
				return &usageError{err}
			}
			if series.Program, err = filepath.Abs(series.Program); err != nil { // launchers look for names in PATH
				return err
			}
			folder, err := report.NewFolder(output)
			if err != nil {
				return err
			}
			var remove func() error
			if series.Scratch, remove, err = report.Scratch(filepath.Dir(output)); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, remove()) }()
			series.Shards, series.Log, series.Stderr = args, p.log, os.Stderr
			fits, err := series.Fits(cmd.Context())
			if err != nil {
				return err
			}
			line := commandLine(cmd) + " " + report.ShellWords(bases(args))
			if err := series.Write(folder, fits, report.NewOrigin(line, p.workers)); err != nil {
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
	flags.StringVar(&series.Name, "name", "the corpus", "name of the corpus in the results")
	flags.IntVarP(&series.Topics, "topics", "k", 50, "topics, K")
	flags.IntSliceVar(&series.Ranks, "ranks", []int{1, 2, 3, 4, 8}, "numbers of ranks")
	flags.StringVar(&series.Program, "program", "", "the program, built with MPI")
	flags.StringVar(&launcher, "launcher", "mpirun --allow-run-as-root --oversubscribe --bind-to none", "what starts several ranks, before -n P")
	return cmd
}

// checkRanks checks the flags.
func checkRanks(s *ranks.Series) error {
	switch {
	case s.Topics < 2:
		return errors.New("-k must be at least 2")
	case s.Program == "":
		return errors.New("--program is missing: build one by CC=mpicc go build -tags mpi ./cmd/anchorage")
	case len(s.Launcher) == 0:
		return errors.New("--launcher is empty: it starts several ranks, as mpirun does")
	case len(s.Ranks) == 0:
		return errors.New("--ranks is empty")
	}
	for _, p := range s.Ranks {
		if p < 1 {
			return fmt.Errorf("--ranks has %d: numbers of ranks are at least 1", p)
		}
	}
	return nil
}
