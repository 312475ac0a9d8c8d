// This file makes commands. commands.txt has their texts; the file of a command has what it does, and its flags.

package main

import (
	"context"
	_ "embed"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/model/steer"
)

// commandTexts has a section for each command: how it is used after ###, a line about it, its description, and
// examples. {formats} and {steps} are the formats of shards and the steps of steer.
//
//go:embed commands.txt
var commandTexts string

// action is what a command does.
type action func(ctx context.Context, args []string) error

// command returns the command of a path such as "store list", with its texts, its flags and settings, and --json.
func (p *program) command(path string, args cobra.PositionalArgs, run action, lists ...[]row) *cobra.Command {
	cmd := described(path)
	cmd.Args, cmd.RunE = args, started(run)
	return p.with(cmd, lists...)
}

// holder returns a command that only holds others.
func holder(path string, below ...*cobra.Command) *cobra.Command {
	cmd := described(path)
	cmd.Args, cmd.RunE = subcommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(below...)
	return cmd
}

// described returns a command of which only the texts are known.
func described(path string) *cobra.Command {
	var use, text string
	for section := range strings.SplitSeq(strings.TrimPrefix(commandTexts, "### "), "\n### ") {
		head, rest, _ := strings.Cut(section, "\n")
		if after, is := strings.CutPrefix(head, path); is && (after == "" || after[0] == ' ') && text == "" {
			use, text = after, rest
		}
	}
	if text == "" {
		panic("commands.txt has no " + path)
	}
	short, text, _ := strings.Cut(text, "\n\n")
	long, example, _ := strings.Cut(text, "\n\nExamples:\n")
	long = strings.NewReplacer("{formats}", strings.TrimRight(formatTable(), "\n"), "{steps}",
		strings.Join(steer.Usages(), "\n  ")).Replace(long)
	return &cobra.Command{Use: path[strings.LastIndexByte(path, ' ')+1:] + use, Short: short,
		Long: strings.TrimRight(long, "\n"), Example: strings.TrimRight(example, "\n")}
}
