// This file holds the tree of commands.

package main

import (
	"github.com/spf13/cobra"

	"anchorage/internal/collective"
	"anchorage/internal/process"
	"anchorage/model"
	"anchorage/model/fit"
)

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "anchorage",
		Short: "Topics, anchor items and correlations from huge vocabularies",
		Long: `Anchorage learns topics (or item clusters), their anchor items and their correlations from bag-of-words
documents or retail baskets whose vocabulary is too large for an item-by-item co-occurrence matrix.

  anchorage fit SHARD... -k 50 -o MODEL      does everything: read, sketch, rectify, find and refine topics

  anchorage plan SHARD... -k 50              says what memory, disk and time that will take

  anchorage choose-k SHARD... -o DIR         says how many topics the documents show; fit -k auto takes as many

The stages can also be run one by one, with the results of fit --refine none:

  anchorage vocab SHARD... -o vocabulary.parquet
  anchorage sketch SHARD... -k 50 --vocab vocabulary.parquet -o SKETCH
  anchorage rectify SKETCH -o FACTOR
  anchorage anchor FACTOR -o MODEL

To look at documents, and to convert them:

  anchorage inspect SHARD...                 what shards hold and how they would be read
  anchorage convert IN... -o DIR             documents of any format to Parquet shards

To use a model:

  anchorage topics MODEL                     its topics, as a table, CSV or JSON
  anchorage report MODEL -o FILE             all about it, as one page of HTML
  anchorage compare MODEL MODEL              which topics of a model a later one keeps, and what changed
  anchorage steer MODEL --script F -o MODEL  topics named, seeded, merged, split and pinned by hand
  anchorage transform MODEL SHARD... -o DIR  the topics of documents
  anchorage trends DIR -o trends.parquet     topics over time
  anchorage items MODEL similar ITEM         items that replace one another; with, show, topics, search, learn
  anchorage explore MODEL [SHARD...]         all of this in a browser
  anchorage serve MODEL                      all of this over HTTP
  anchorage export MODEL --to gensim -o DIR  for pyLDAvis, gensim, word2vec, NumPy, CSV

To learn again every night:

  anchorage update STORE SHARD... -k 50      new shards into a store, and a new generation of its model
  anchorage store list STORE                 its generations; verify, gc, rollback

To measure results:

  anchorage eval MODEL SHARD...              figures of merit

To check that results are what was written:

  anchorage verify PATH...                   compares all their bytes with checksums

Other models, by variational inference:

  anchorage bayes fit --model bnmf|cnmf|lda SHARD... -k 50 -o MODEL

Exit codes: 0 done · 1 failed · 3 done, but bad shards were skipped · 10 bad usage or configuration · 11 bad input ·
12 out of memory, disk or descriptors · 13 interrupted · 14 output exists or is locked · 15 complete, but not reported
· 16 done, but the model falls short of --require · 99 nothing new to do · 2 the runtime of Go gave up.
docs/operations.md says which of them a scheduler may retry.`,
		Version:       model.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          subcommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		CompletionOptions: cobra.CompletionOptions{
			HiddenDefaultCmd: true,
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
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
			p.begin(cmd)
			if p.ownsProcess && !unguarded[cmd.Name()] {
				guarded, stop := process.Guard(cmd.Context())
				cmd.SetContext(guarded)
				p.held = append(p.held, stop)
			}
			return p.resolveStores(cmd, args)
		},
	}
	root.SetVersionTemplate("{{.DisplayName}} version {{.Version}}\n" + built() + "\n")
	register(root.PersistentFlags(), p.rows()...)
	root.AddCommand(p.fitCommand(), p.planCommand(), p.chooseCommand(), p.vocabCommand(), p.convertCommand(),
		p.inspectCommand(), p.sketchCommand(), p.mergeCommand(), p.rectifyCommand(), p.anchorCommand(), p.evalCommand(),
		p.bayesCommand())
	root.AddCommand(p.topicsCommand(), p.reportCommand(), p.compareCommand(), p.steerCommand(), p.transformCommand(),
		p.trendsCommand(), p.itemsCommand(), p.serveCommand(), p.exploreCommand(), p.exportCommand(), p.verifyCommand())
	root.AddCommand(p.updateCommand(), p.storeCommand(), p.settingsCommand())
	root.AddCommand(p.buildCommands()...)
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
		{name: "workers", group: memoryGroup, effect: local, to: &p.workers, values: wholes(0, fit.MostWorkers),
			help: "goroutines at a time; 0: one per processor; no result depends on it"},
		{name: "quiet", short: "q", group: logGroup, effect: local, to: &p.quiet, values: boolean,
			help: "no log and no progress: only results on stdout, and errors on stderr"},
		{name: "log-level", group: logGroup, layer: advanced, effect: local, to: &p.logLevel, usual: "auto",
			values: choice(word{"auto", "info, or warn beside a progress bar", nil},
				word{"debug", "", nil}, word{"info", "", nil}, word{"warn", "", nil}, word{"error", "", nil}),
			help: "what to log on stderr"},
		{name: "log-format", group: logGroup, layer: advanced, effect: local, to: &p.logFormat, usual: logText,
			values: choice(word{logText, "for people", nil},
				word{logJSON, "a value of JSON per line", nil}), help: "form of the log on stderr, and of an error"},
		{name: "no-verify", group: logGroup, layer: advanced, effect: none, to: &p.noVerify, values: boolean,
			help: "read models and documents without comparing checksums"},
		{name: "cpu-profile", group: logGroup, layer: advanced, effect: local, to: &p.profilePath, values: newFile,
			help: "file for a record of processor time, for go tool pprof"},
		{name: helpAll, group: logGroup, effect: local, to: new(bool), values: boolean, help: "show all flags"},
	}
}

// built says what one fit over several ranks would use.
func built() string {
	if name := collective.Implementation(); name != "" {
		return "one fit on several ranks: over MPI, with " + name
	}
	return "one fit on several ranks: no, built without MPI"
}
