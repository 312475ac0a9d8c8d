// This file holds the fit command: all stages in one run.

package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/choose"
	"anchorage/model/fit"
)

// fitFlags are those of all stages.
type fitFlags struct {
	source   sourceFlags
	learning fit.Options // the options that flags and settings set
	levels   []int       // of --levels, increasing
	start    string      // the model to start from
	training trainingFlags
	pairs    pairFlags
	gate     gateFlags
	report   reportFlags
}

// rows are all flags and settings but those of the output, and of a run that can be resumed. topics is -k.
func (f *fitFlags) rows(flags *pflag.FlagSet, topics row) []row {
	return slices.Concat([]row{topics}, f.fitRows(), f.source.of(flags).corpusRows(), f.training.rows(),
		f.pairs.rows(everyday, 0, 0, "neighbours of each item to count, in one more pass, for items MODEL with"), f.report.rows(),
		[]row{f.source.diskRow(), f.gate.row()})
}

func (p *program) fitCommand() *cobra.Command {
	var f fitFlags
	var output string
	cmd := &cobra.Command{
		Use:   "fit SHARD...",
		Short: "Learn a model from shards of documents",
		Long: `Fit reads shards of documents and writes a model: topics, their anchor items, their correlations, and the
topic mixture of every item. A shard is a file; a directory or a pattern names several. Fit finds the format by the content:

` + formatTable() + `
Text formats may be compressed by gzip or zstd. anchorage inspect shows how a file would be read. --tokenize leaves
Chinese, Japanese, Thai, Lao, Khmer and Burmese in single signs or syllables: cut such texts beforehand, and give them as baskets.

With --resume=auto, or --time-limit, a run keeps a checkpoint beside its output. Once it was interrupted or killed, the same command
continues from there, and ends with the same bytes.

Started by mpirun or srun, a program that was built with MPI shares one fit among its processes: see docs/distributed.md.`,
		Example: `  anchorage fit shards/ -k 50 -o model
  anchorage fit docword.nips.txt.gz -k 25 --max-items 5000 --stopwords stop.txt -o nips
  anchorage fit retail.dat.gz -k 25 --min-df 2 -o retail
  anchorage fit shards/ --levels 20,100,500 -o model
  anchorage fit shards/ -k auto -o model
  anchorage fit shards/ -k 500 --resume=auto --time-limit 6h -o model
  mpirun -n 8 anchorage fit /shared/shards -k 500 --resume=auto -o /shared/model`,
		Args: cobra.MinimumNArgs(1),
		RunE: stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output, args []string) (*fit.Fitted, error) {
			options, err := f.options()
			if err != nil {
				return nil, err
			}
			if err := f.training.check(); err != nil {
				return nil, err
			}
			p.warnOfPaper()
			f.report.overRanks(p, &options)
			options.Run, options.LevelsTo = run, out
			options.FinishLevel = func(ctx context.Context, level *fit.Fitted, out *model.Output) error {
				return f.report.write(ctx, p, run, level, f.source.found, out)
			}
			if f.start != "" {
				if options.Start, err = model.ReadStart(ctx, f.start); err != nil {
					return nil, err
				}
			}
			if err := options.CheckRanks(p.ranks.comm.Size()); err != nil {
				return nil, err
			}
			if err := p.resume.open(ctx, p, run, output, args); err != nil {
				return nil, err
			}
			counting, auto := f.pairs.options(), f.learning.Topics == autoTopics
			if !auto {
				f.source.before = func(ctx context.Context, from documents) { f.foretell(ctx, p, from, options) }
			}
			passes := passesOf(&options, counting.Neighbours)
			if auto || f.report.diagnostics {
				passes = 0 // more than one: the choice of the number, and diagnostics, take some
			}
			fitted, err := overCorpus(ctx, p, run, out, &f.source, args, passes, func(docs *corpus.Corpus) (*fit.Fitted, error) {
				if auto {
					if err := p.choose(ctx, docs, &options); err != nil {
						return nil, err
					}
				}
				if err := f.source.roomForModel(p, docs.Account, options.AllTopics(), output, out); err != nil {
					return nil, err
				}
				fitted, err := fit.Fit(ctx, docs, options)
				if err != nil || counting.Neighbours == 0 {
					return fitted, err
				}
				fitted.Recommendation, err = fit.CountPairs(ctx, docs, fit.RecommendOptions{Count: limited(counting, run), Run: run})
				return fitted, err
			})
			if err != nil {
				return nil, err
			}
			if err := f.training.transform(ctx, p, run, fitted, &f.source, out); err != nil {
				return nil, err
			}
			return fitted, f.report.write(ctx, p, run, fitted, f.source.found, out)
		}, func(fitted *fit.Fitted, output string) error {
			if err := p.printModel(fitted, output); err != nil {
				return err
			}
			return f.gate.judge(fitted.Manifest.Certificate, output)
		}),
	}
	return p.with(cmd, []row{outputRow(&output, "the model, a folder"), p.replaceRow()}, f.rows(cmd.Flags(), fitTopicsRow(&f.learning.Topics)),
		p.resume.rows(), []row{p.resume.intervalRow(), p.topRow()}, p.monitorRows())
}

// choose sets the number of topics to that which the documents show.
func (p *program) choose(ctx context.Context, docs *corpus.Corpus, options *fit.Options) error {
	count, err := choose.Spectrum(ctx, docs, choose.Options{From: autoFrom, To: choose.DefaultTo, Model: *options})
	if err != nil {
		return err
	}
	options.Topics, options.Choice = count.Topics, &count.ChoiceRecord
	p.log.Info("number of topics chosen", "topics", count.Topics, "low", count.Low, "high", count.High, "open", count.Open, "reason", count.Reason)
	return options.Check()
}

// passesOf returns the number of passes of a fit over the documents, 0 if it is not known yet.
func passesOf(options *fit.Options, neighbours int) int {
	if neighbours > 0 || options.Refine.Passes > 0 {
		return 0 // more than one
	}
	return options.Method.Passes(options.Sketch.Passes)
}

// overCorpus calls learn with the documents of args, opened for a number of passes, 0 if it is not known yet. Opening them is the
// stage "read" of the run. Temporary files go to --spill-dir, or beside the output.
func overCorpus[R any](ctx context.Context, p *program, run *fit.Run, out *model.Output, source *sourceFlags, args []string, passes int,
	learn func(*corpus.Corpus) (R, error)) (result R, err error) {
	run.MemoryLimit = source.limit.chosen()
	if run.SpillDir, err = workingFolder(source.spillDir, out); err != nil {
		return result, err
	}
	end := run.Stage("read")
	defer end()
	from, err := source.source(ctx, p, args, run.SpillDir)
	if err != nil {
		return result, err
	}
	if copied := passes != 1 || from.Vocabulary == nil && !from.NoPrune; copied {
		if err := source.roomForCopy(p, from.shards, out); err != nil {
			return result, err
		}
	}
	from.kept = run.Checkpoint
	if source.before != nil {
		source.before(ctx, from)
	}
	docs, err := from.open(ctx, passes)
	if err != nil {
		return result, err
	}
	end()
	p.tellRead(docs)
	p.outcome.account = &docs.Account
	defer p.closeDocuments(docs)
	if result, err = learn(docs); err != nil {
		return result, err
	}
	return result, source.enoughDocuments(docs.Account.DocumentsRead) // a single pass knows it only now
}

// workingFolder returns the folder for temporary files: that of --spill-dir or, without it, one beside the output.
func workingFolder(spillDir string, out *model.Output) (string, error) {
	if spillDir != "" {
		return spillDir, nil
	}
	return out.Scratch()
}

// closeDocuments removes the copy of the documents. What was made from it is as good if that fails.
func (p *program) closeDocuments(docs *corpus.Corpus) {
	if err := docs.Close(); err != nil {
		p.log.Warn("the copy of the documents could not be removed", "error", err)
	}
}
