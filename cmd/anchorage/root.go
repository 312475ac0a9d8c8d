// This file holds the tree of commands.

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"anchorage/internal/collective"
	"anchorage/internal/process"
	"anchorage/model"
	"anchorage/model/fit"
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
	root.SetVersionTemplate("{{.DisplayName}} version {{.Version}}\n" + built() + "\n")
	register(root.PersistentFlags(), p.rows()...)
	root.AddCommand(p.fitCommand(), p.planCommand(), p.chooseCommand(), p.vocabCommand(), p.convertCommand(),
		p.inspectCommand(), p.sketchCommand(), p.mergeCommand(), p.rectifyCommand(), p.anchorCommand(), p.refineCommand(),
		p.evalCommand(), holder("bayes", p.bayesFitCommand(), p.bayesEvalCommand()))
	root.AddCommand(p.topicsCommand(), p.reportCommand(), p.compareCommand(), p.steerCommand(), p.transformCommand(),
		p.trendsCommand(), p.itemsCommand(), p.mapCommand(), p.serveCommand(), p.exploreCommand(), p.exportCommand())
	root.AddCommand(p.verifyCommand(), p.updateCommand(), holder("store", p.storeListCommand(),
		p.storeCollectCommand(), p.storeRollbackCommand()), p.settingsCommand())
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
