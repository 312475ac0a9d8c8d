// This file lists the parts, and holds the command that prints the command lines of the whole set of results.

package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/bayes"
	"anchorage/bench/internal/certificate"
	"anchorage/bench/internal/choosing"
	"anchorage/bench/internal/items"
	"anchorage/bench/internal/labels"
	"anchorage/bench/internal/nights"
	"anchorage/bench/internal/onepass"
	"anchorage/bench/internal/paper"
	"anchorage/bench/internal/planning"
	"anchorage/bench/internal/ranks"
	"anchorage/bench/internal/recovery"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/scale"
	"anchorage/bench/internal/soak"
	"anchorage/bench/internal/topics"
)

// parts are all parts.
var parts = []*run.Part{bayes.Part, certificate.Part, choosing.Part, items.Part, labels.Part, nights.Part, onepass.Part,
	paper.Part, planning.Part, ranks.Part, recovery.Part, scale.Part, soak.Part, topics.Part}

// setText has the command lines that make the folders of bench/results, in the order of worth.
//
//go:embed all.txt
var setText string

// lines are the command lines of a folder of bench/results. DATA in them is the folder of the data.
type lines struct {
	folder string
	lines  []string
}

// all is the set, as bench/results has it.
var all = readSet(setText)

// readSet reads a set: definitions of texts that $NAME stands for, and folders with their lines below them.
func readSet(text string) (set []lines) {
	names := make(map[string]string)
	for line := range strings.Lines(text) {
		line = os.Expand(strings.TrimSpace(line), func(name string) string { return names[name] })
		name, value, defines := strings.Cut(line, " = ")
		folder, begins := strings.CutSuffix(line, ":")
		switch {
		case line == "" || line[0] == '#':
		case defines:
			names[name] = value
		case begins:
			set = append(set, lines{folder: folder})
		default:
			last := &set[len(set)-1]
			last.lines = append(last.lines, line)
		}
	}
	return set
}

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
