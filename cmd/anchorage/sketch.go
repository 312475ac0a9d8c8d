// This file holds the commands by which a fit begins in parts: vocab, sketch and, for a pass of a refinement over the
// documents of a task, refine.

package main

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	"anchorage/internal/output"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

func (p *program) sketchCommand() *cobra.Command {
	var source sourceFlags
	var o fit.Options
	var path, start string
	sketch := stage(p, model.KindSketch, &path, func(ctx context.Context, w work) (*fit.Sketched, error) {
		o.Run, o.Sketch.Mergeable = w.run, w.out
		if err := p.resume.open(ctx, p, w.run, w.path, w.args); err != nil {
			return nil, err
		}
		passes := o.Sketch.Passes
		if source.dealing.task.Of > 0 {
			passes = 1 // by this task
		}
		if start != "" {
			o.Sketch.From = new(model.Model)
			if err := o.Sketch.From.ReadRound(ctx, start); err != nil {
				return nil, err
			}
		}
		docs, err := source.read(ctx, p, w, passes)
		if err != nil {
			return nil, err
		}
		defer p.closeDocuments(docs)
		o.Sketch.Tasks = source.dealing.record
		sketched, err := fit.Sketch(ctx, docs, o)
		if err != nil {
			return nil, err
		}
		return sketched, source.enoughDocuments(docs.Account.DocumentsRead) // a single pass knows it only now
	}, p.printSketch)
	return p.command("sketch", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		tasks := source.dealing.task.Of > 0
		o.Sketch.Power = o.Sketch.Power || tasks && o.Sketch.Passes != 1
		if err := checkSketch(&o, source.noPrune); err != nil {
			return err
		}
		switch {
		case start != "" && (!tasks || o.Sketch.Passes == 1):
			return &usageError{errors.New("--start is for passes by tasks: give --task too, and more than one pass")}
		case !tasks:
		case source.vocab == "":
			return &usageError{errors.New("--task needs --vocab, because all tasks must number the same items: make one with " +
				"anchorage vocab")}
		}
		p.warnOfPaper()
		if done, err := source.done(ctx, p, path, args, start); done || err != nil {
			return err
		}
		return sketch(ctx, args)
	}, []row{outputRow(&path, "the sketch, a folder"), p.replaceRow(), topicsRow(&o.Topics),
		source.dealing.row(), paperRow(), startRow(&start,
			"what the merge of the pass before has made, for passes by tasks")},
		sketchRows(&o), source.corpusRows(), p.resume.rows(), []row{source.diskRow()})
}

func (d *dealing) row() row {
	return inputGroup.flag("task", d.set, anyText.named("I/N"),
		"part of the shards to read: 3/8 is the fourth of eight, counted from 0")
}

// done reports whether output is the complete result of this task, made by the same flags from the same start. Then
// there is nothing to do.
func (f *sourceFlags) done(ctx context.Context, p *program, output string, args []string, start string) (bool, error) {
	if f.dealing.task.Of == 0 {
		return false, nil
	}
	before := p.before(ctx, output, model.KindSketch, start)
	if before == nil {
		return false, nil // beginning the output says what is wrong, if anything is
	}
	if _, err := f.find(ctx, p, args); err != nil || !reflect.DeepEqual(before.Tasks, f.dealing.record) {
		return false, err
	}
	return true, p.printBefore("Task "+f.dealing.task.String(), output, before)
}

// before returns the manifest of an output that is there, made of the same directories of results by the same flags, as
// an earlier attempt of a scheduler leaves it; nil otherwise, and with --replace.
func (p *program) before(ctx context.Context, output, kind string, from ...string) (m *model.Manifest) {
	how := strings.Join(linesOf(p.flags, learns, reads, gates, once), "\n")
	if p.source, m = fit.Source(ctx, output, kind, how, from...); p.replace {
		return nil
	}
	return m
}

// unlessDone returns run, whose arguments are directories of results and which reads more of them, except that it does
// nothing if its output is there as before says.
func (p *program) unlessDone(what, kind string, output *string, run action, more ...string) action {
	return func(ctx context.Context, args []string) error {
		if m := p.before(ctx, *output, kind, slices.Concat(args, more)...); m != nil {
			return p.printBefore(what, *output, m)
		}
		return run(ctx, args)
	}
}

// printBefore prints that an output is there.
func (p *program) printBefore(what, output string, m *model.Manifest) error {
	return p.print(map[string]any{"output": output, "manifest": m, "done_before": true}, func(w io.Writer) {
		printf(w, "%s was done before: its result is in %s\n", what, output)
	})
}

// printSketch prints how accurate the eigenpairs are.
func (p *program) printSketch(s *fit.Sketched, output string) error {
	m := &s.Manifest
	return p.print(map[string]any{"output": output, "manifest": m, "left_out": omissions(m.Corpus, m.Skipped)},
		func(w io.Writer) {
			if r := m.Round; r != nil && r.Holds != sketch.RoundPairs {
				printf(w, "%s has the %s of %d of %d tasks, pass %d\n", output, r.Holds, len(m.Tasks.Numbers), m.Tasks.Of, r.Pass)
				return
			}
			printAccount(w, m.Corpus, m.Skipped)
			how := "measured"
			if m.Sketch.ResidualEstimated {
				how = "estimated"
			}
			printf(w, "%d eigenpairs of %d items and %d documents after %d passes in %s; the largest residual is %.2g of the "+
				"greatest eigenvalue, %s\n", m.Sketch.Topics, s.Vocabulary.Len(), s.Marginals.Documents, m.Sketch.Passes, output,
				m.Sketch.LargestResidual, how)
			printWarning(w, sketchWarning(&m.Sketch))
		})
}

func startRow(to *string, what string) row { return topicsGroup.flag("start", to, anyFolder, what) }

func (p *program) vocabCommand() *cobra.Command {
	var source sourceFlags
	var path string
	return p.command("vocab", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		release, err := output.Hold(path, p.replace)
		if err != nil {
			return err
		}
		defer release()
		pruning, err := source.pruning(ctx)
		if err != nil {
			return err
		}
		shards, err := source.discover(ctx, p, args)
		if err != nil {
			return err
		}
		vocabulary, account, err := stream.CountItems(ctx, shards, corpus.Options{Pruning: pruning,
			AllowSingles: source.corpus.AllowSingles, Workers: p.workers, Progress: p.advance, Log: p.log})
		if err != nil {
			return err
		}
		if err := source.enoughDocuments(account.DocumentsRead); err != nil {
			return err
		}
		err = p.writeFile(ctx, path, func(w io.Writer) error { return stream.WriteVocabulary(w, vocabulary) })
		return p.finish(path, err, func() error {
			value := map[string]any{"output": path, "corpus": account, "left_out": omissions(account, p.skipped)}
			return p.print(value, func(w io.Writer) {
				printAccount(w, account, p.skipped)
				printf(w, "%d items of %d documents in %s\n", account.Items, account.DocumentsRead, path)
			})
		})
	}, []row{outputFileRow(&path, "the vocabulary, a Parquet file"), p.replaceRow()}, source.formatRows(),
		source.pruningRows())
}

func (p *program) refineCommand() *cobra.Command {
	var source sourceFlags
	var o fit.Options
	var path, start string
	pass := stage(p, model.KindSketch, &path, func(ctx context.Context, w work) (*fit.Sketched, error) {
		from := new(model.Model)
		if err := from.ReadRefining(ctx, start); err != nil {
			return nil, err
		}
		options, limits := source.options(p, ""), &from.Manifest.Corpus
		options.Vocabulary, options.MinItems, options.MinTokens = from.Vocabulary, limits.MinItems, limits.MinTokens
		options.Kind = limits.Kind
		docs, err := source.open(ctx, p, w.args, options, 1)
		if err != nil {
			return nil, err
		}
		defer p.closeDocuments(docs)
		o.Run, o.Sketch.Tasks = w.run, source.dealing.record
		return fit.RefineTask(ctx, from, docs, o)
	}, p.printSketch)
	return p.command("refine", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		if start == "" {
			return &usageError{errors.New("the model is missing: give it with --start")}
		}
		if source.dealing.task.Of == 0 {
			source.dealing.task = shard.Task{Of: 1}
		}
		if err := p.recall(ctx, start); err != nil {
			return err
		}
		if done, err := source.done(ctx, p, path, args, start); done || err != nil {
			return err
		}
		return pass(ctx, args)
	}, []row{outputRow(&path, "the sums of the pass, a folder"), p.replaceRow(), source.dealing.row(),
		startRow(&start, "the model, or what the merge of the pass before has made (required)")},
		refineRows(&o.Refine)[1:], source.formatRows())
}
