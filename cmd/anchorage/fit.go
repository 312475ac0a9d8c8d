// This file holds the fit command, all stages in one run, and the flags about what a model gets beside its topics: a
// report, diagnostics, examples, and the topics of its documents.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/model/choose"
	"anchorage/model/fit"
	"anchorage/model/transform"
	"anchorage/stream"
)

// fitFlags are those of all stages.
type fitFlags struct {
	source   sourceFlags
	learning fit.Options // the options that flags and settings set
	levels   []int       // of --levels, increasing
	start    string      // the model to start from
	extras   extraFlags
	require  []model.Requirement
	dryRun   bool
}

// rows are all flags and settings but those of the output, and of a run that can be resumed. topics is -k.
func (f *fitFlags) rows(topics row) []row {
	return slices.Concat([]row{topics}, f.fitRows(), f.source.corpusRows(), f.extras.documentRows(),
		pairRows(&f.extras.Pairs, 0, "neighbours of each item to keep, by one more pass, for items MODEL with"),
		f.extras.reportRows(), []row{f.source.diskRow(), requireRow(&f.require,
			"figures that the certificate must reach; else the run ends with code 16", metric.OfCertificate)})
}

func (p *program) fitCommand() *cobra.Command {
	var f fitFlags
	var output string
	learn := func(ctx context.Context, w work) (*fit.Fitted, error) { return f.fit(ctx, p, w) }
	fits := stage(p, model.KindModel, &output, learn, func(fitted *fit.Fitted, output string) error {
		if err := p.printModel(fitted, output); err != nil {
			return err
		}
		if err := fitted.Manifest.Certificate.Require(f.require); err != nil {
			return fmt.Errorf("the model in %s is complete, but falls short: %w", output, err)
		}
		return nil
	})
	return p.command("fit", someShards, func(ctx context.Context, args []string) error {
		if f.dryRun {
			return f.dry(ctx, p, args)
		}
		return fits(ctx, args)
	}, []row{outputRow(&output, "the model, a folder"), p.replaceRow(), inputGroup.more("dry-run", &f.dryRun, boolean,
		"say what would be read and left out, and do nothing").does(none)}, f.rows(fitTopicsRow(&f.learning.Topics)),
		p.resume.rows(), []row{p.topRow()}, p.monitorRows())
}

// dry says what a fit would read and leave out. It reads the documents once, and writes nothing.
func (f *fitFlags) dry(ctx context.Context, p *program, args []string) error {
	if _, err := f.options(); err != nil {
		return err
	}
	from, err := f.source.source(ctx, p, args, "")
	if err != nil {
		return err
	}
	items, account, err := stream.CountItems(ctx, from.shards, from.Options)
	if err != nil {
		return err
	}
	value := map[string]any{"shards": len(f.source.found), "items": items.Len(), "corpus": account,
		"left_out": omissions(account, p.skipped), "dry_run": true}
	return p.print(value, func(w io.Writer) {
		printf(w, "A fit would read %s.\n", count(len(f.source.found), "shard", "shards"))
		printAccount(w, account, p.skipped)
	})
}

// fit reads the documents of the arguments and learns a model from them.
func (f *fitFlags) fit(ctx context.Context, p *program, w work) (*fit.Fitted, error) {
	options, err := f.options()
	if err != nil {
		return nil, err
	}
	if err := f.extras.check(); err != nil {
		return nil, err
	}
	p.warnOfPaper()
	options.Run, f.source.corpus.KeepLeft = w.run, true
	if f.start != "" {
		if options.Start, err = model.ReadStart(ctx, f.start); err != nil {
			return nil, err
		}
	}
	if err := options.CheckRanks(p.ranks.comm.Size()); err != nil {
		return nil, err
	}
	if err := p.resume.open(ctx, p, w.run, w.path, w.args); err != nil {
		return nil, err
	}
	passes, auto := f.passes(&options), f.learning.Topics == autoTopics
	if auto {
		passes = 0 // the choice of the number takes some
	}
	docs, err := f.source.read(ctx, p, w, passes)
	if err != nil {
		return nil, err
	}
	defer p.closeDocuments(docs)
	if err := transform.CheckTimes(ctx, f.source.found[0], f.extras.TimeColumn); err != nil {
		return nil, err
	}
	if auto {
		if err := p.choose(ctx, docs, &options); err != nil {
			return nil, err
		}
	}
	if err := f.source.roomForModel(p, docs.Account, options.AllTopics(), w); err != nil {
		return nil, err
	}
	options.Output, options.Shards = w.out, f.source.found
	fitted, err := fit.Fit(ctx, docs, options)
	if err != nil {
		return nil, err
	}
	fitted.Manifest.Reading = remembered(p.flags)
	return fitted, f.source.enoughDocuments(docs.Account.DocumentsRead) // a single pass knows it only now
}

// choose sets the number of topics to that which the documents show.
func (p *program) choose(ctx context.Context, docs *corpus.Corpus, options *fit.Options) error {
	count, err := choose.Spectrum(ctx, docs, choose.Options{Model: *options})
	if err != nil {
		return err
	}
	if err := count.Readable(ctx, docs, choose.Options{Model: *options}); err != nil {
		return err
	}
	options.Topics, options.Choice = count.Topics, &count.ChoiceRecord
	p.log.Info("number of topics chosen", "topics", count.Topics, "low", count.Low, "high", count.High, "open", count.Open,
		"reason", count.Reason)
	return options.Check()
}

// passes returns the number of passes of a fit over the documents, 0 if it is not known yet.
func (f *fitFlags) passes(o *fit.Options) int {
	if f.extras.diagnostics || o.Pairs.Neighbours > 0 || o.Refine.Passes > 0 {
		return 0 // more than one
	}
	return o.Method.Passes(o.Sketch.Passes)
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

// extraFlags say what a model gets beside its topics.
type extraFlags struct {
	fit.Extras  // those that flags set
	noReport    bool
	diagnostics bool
}

// documentRows are about the topics of the documents that a model is learned from.
func (f *extraFlags) documentRows() []row {
	return []row{
		outputGroup.more("documents", &f.Documents, boolean,
			"also write the topics of all documents into the model, as transform does"),
		timeRow(&f.TimeColumn),
		outputGroup.more("no-fold-in", &f.NoFoldIn, boolean, "find no topics of items too frequent or rare to shape some; "+
			"keep their names and counts"),
	}
}

// reportRows are about the report and what it shows.
func (f *extraFlags) reportRows() []row {
	return []row{
		f.noReportRow(),
		outputGroup.more("no-certificate", &f.NoCertificate, boolean,
			"do not find out how far other documents would change the topics: four passes fewer"),
		expert("diagnostics", &f.diagnostics, boolean, "compute diagnostics of topics even with --no-report or --passes 1"),
		outputGroup.more("examples", &f.Examples, choice(word{"none", "none", fit.NoExamples}, word{"ids",
			"the shard, number and id of each", fit.Examples("")}, word{"texts", "the same, and how they begin",
			fit.ExampleTexts}),
			"what the model shows of the documents that have most of each topic").by("ids"),
	}
}

// noReportRow is the flag that leaves the report out.
func (f *extraFlags) noReportRow() row {
	return outputGroup.flag("no-report", &f.noReport, boolean,
		"write no report.html into the model, and compute no diagnostics for it")
}

// check checks the flags.
func (f *extraFlags) check() error {
	if f.TimeColumn != "" && !f.Documents {
		return &usageError{errors.New("--time-column is for --documents: give both, or neither")}
	}
	return nil
}

// extras returns all that the flags ask for.
func (f *extraFlags) extras() fit.Extras {
	e := f.Extras
	e.Diagnose, e.Report = !f.noReport || f.diagnostics, !f.noReport
	return e
}
