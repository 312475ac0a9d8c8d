// This file holds the tree of commands, and makes commands. commands.txt has their texts; the file of a command has
// what it does, and its flags.

package main

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/internal/collective"
	"anchorage/internal/process"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/steer"
)

func (p *program) root() *cobra.Command {
	root := holder("anchorage")
	root.Version, root.SilenceErrors, root.SilenceUsage = model.Version, true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		p.flags = cmd.Flags()
		if err := setPublished(p.flags); err != nil {
			return err
		}
		if p.noVerify {
			cmd.SetContext(model.Unverified(cmd.Context()))
		}
		if err := p.join(cmd, args); err != nil {
			return err
		}
		if err := p.guard(cmd.Context(), cmd.Flags(), args); err != nil {
			return err
		}
		if err := p.start(); err != nil {
			return err
		}
		p.outcome.Command = strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
		if p.ownsProcess && !unguarded[cmd.Name()] {
			guarded, stop := process.Guard(cmd.Context())
			cmd.SetContext(guarded)
			p.held = append(p.held, stop)
		}
		return p.resolveStores(cmd, args)
	}
	root.SetVersionTemplate("anchorage version " + model.Version + "\n" + built() + "\n")
	register(root.PersistentFlags(), p.rows()...)
	root.AddCommand(p.fitCommand(), p.planCommand(), p.chooseCommand(), p.vocabCommand(), p.convertCommand(),
		p.inspectCommand(), p.sketchCommand(), p.mergeCommand(), p.rectifyCommand(), p.anchorCommand(), p.refineCommand(),
		p.evalCommand(), holder("bayes", p.bayesFitCommand(), p.bayesEvalCommand()))
	root.AddCommand(p.topicsCommand(), p.reportCommand(), p.compareCommand(), p.steerCommand(), p.transformCommand(),
		p.trendsCommand(), p.itemsCommand(), p.mapCommand(), p.serveCommand(), p.exploreCommand(), p.exportCommand())
	root.AddCommand(p.command("verify", cobra.MinimumNArgs(1), p.verify), p.updateCommand(),
		holder("store", p.storeListCommand(), p.storeCollectCommand(), p.storeRollbackCommand()), p.settingsCommand())
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Help for a command", RunE: func(_ *cobra.Command,
		args []string) error {
		cmd, rest, err := root.Find(args)
		if cmd.HasSubCommands() && len(rest) > 0 || err != nil {
			return subcommand(cmd, rest)
		}
		return cmd.Help()
	}})
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(p.usage)
	return root
}

// unguarded are the commands that are not ended when they exceed their limit of memory: servers refuse requests that do
// not fit, and the limit of a plan is that of the fit.
var unguarded = map[string]bool{"serve": true, "explore": true, "plan": true}

// rows are the flags of all commands.
func (p *program) rows() []row {
	return []row{
		memoryGroup.flag("workers", &p.workers, wholes(0, fit.MostWorkers),
			"goroutines at a time; 0: one per processor; no result depends on it").does(local),
		logGroup.flag("quiet", &p.quiet, boolean,
			"no log and no progress: only results on stdout, and errors on stderr").letter("q").does(local),
		logGroup.more("log-level", &p.logLevel, choice(word{"auto", "info, or warn beside a progress bar", nil}, word{"debug",
			"", nil}, word{"info", "", nil}, word{"warn", "", nil}, word{"error", "", nil}),
			"what to log on stderr").by("auto").does(local),
		logGroup.more("log-format", &p.logFormat, choice(word{logText, "for people", nil}, word{logJSON,
			"a value of JSON per line", nil}), "form of the log on stderr, and of an error").by(logText).does(local),
		logGroup.more("no-verify", &p.noVerify, boolean, "read models and documents without comparing checksums").does(none),
		logGroup.flag(helpAll, new(bool), boolean, "show all flags").does(local),
	}
}

// built says what one fit over several ranks would use.
func built() string {
	if name := collective.Implementation(); name != "" {
		return "one fit on several ranks: over MPI, with " + name
	}
	return "one fit on several ranks: no, built without MPI"
}

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
	cmd.Args = args
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := run(cmd.Context(), args); err != nil {
			return &runError{err}
		}
		return nil
	}
	json := outputGroup.flag("json", &p.json, boolean,
		"print the result as one line of JSON, and errors on stderr too").does(local)
	register(cmd.Flags(), append(slices.Concat(lists...), json)...)
	return cmd
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
