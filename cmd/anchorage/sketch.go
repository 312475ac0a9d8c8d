// This file holds the commands that begin a fit by stages: vocab and sketch.

package main

import (
	"context"
	"errors"
	"io"
	"reflect"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	out "anchorage/internal/output"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/stream"
)

func (p *program) sketchCommand() *cobra.Command {
	var source sourceFlags
	var learning fit.Options
	var output string
	cmd := &cobra.Command{
		Use:   "sketch SHARD...",
		Short: "Find the leading eigenpairs of the co-occurrences of shards",
		Long: `Sketch reads shards and writes the leading eigenpairs of their co-occurrence matrix, for rectify. With
--passes 1 it also writes the sketch itself, which merge can add to those of other shards made with the same
--seed, --vocab and width. The width follows from the number of items, -k and --memory-limit; --set
sketch-columns sets it.

With --task 3/8 it sketches the fourth of eight parts of the shards, for eight tasks on as many machines: a task
whose output is there already ends with code 0.`,
		Example: `  anchorage sketch shards/ -k 50 --vocab vocabulary.parquet -o sketch
  anchorage sketch monday/ -k 50 --passes 1 --vocab vocabulary.parquet -o monday.sketch
  anchorage sketch shards/ -k 50 --passes 1 --vocab v.parquet --set sketch-columns=400 --task 3/8 -o part-3.sketch`,
		Args: cobra.MinimumNArgs(1),
	}
	make := stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output,
		args []string) (*fit.Sketched, error) {
		options := learning
		if err := checkSketch(&options, source.noPrune); err != nil {
			return nil, err
		}
		options.Run, options.Sketch.Mergeable = run, out
		if err := p.resume.open(ctx, p, run, output, args); err != nil {
			return nil, err
		}
		docs, err := source.read(ctx, p, run, out, args, options.Sketch.Passes, nil)
		if err != nil {
			return nil, err
		}
		defer p.closeDocuments(docs)
		options.Sketch.Tasks = source.dealing.record
		sketched, err := fit.Sketch(ctx, docs, options)
		if err != nil {
			return nil, err
		}
		return sketched, source.enoughDocuments(docs.Account.DocumentsRead) // a single pass knows it only now
	}, p.printSketch)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		options := learning
		if err := checkSketch(&options, source.noPrune); err != nil {
			return err
		}
		switch {
		case source.dealing.task.Of == 0:
		case options.Sketch.Passes != 1:
			return &usageError{errors.New("--task makes sketches to be merged, which takes a single pass: give --passes 1")}
		case source.vocab == "":
			return &usageError{errors.New("--task needs --vocab, because all tasks must number the same items: make one with " +
				"anchorage vocab")}
		}
		p.warnOfPaper()
		done := false
		err := started(func(ctx context.Context, args []string) (err error) {
			done, err = source.done(ctx, p, output, args, &options)
			return err
		})(cmd, args)
		if done || err != nil {
			return err
		}
		return make(cmd, args)
	}
	return p.with(cmd, []row{outputRow(&output, "the sketch, a folder"), p.replaceRow(), topicsRow(&learning.Topics),
		{name: "task", group: inputGroup, to: source.dealing.set, values: anyText.named("I/N"),
			help: "number of this task, from 0, and of all, such as 3/8, for merge"}, paperRow()},
		sketchRows(&learning), source.of(cmd.Flags()).corpusRows(), p.resume.rows(), []row{p.resume.intervalRow(),
			source.diskRow()})
}

// done reports whether output is the complete sketch of this task by the same options, as an earlier attempt of a
// scheduler leaves it. Then there is nothing to do.
func (f *sourceFlags) done(ctx context.Context, p *program, output string, args []string,
	options *fit.Options) (bool, error) {
	if f.dealing.task.Of == 0 || p.replace {
		return false, nil
	}
	manifest, err := model.ReadManifest(ctx, output, model.KindSketch)
	if err != nil {
		return false, nil // beginning the output says what is wrong, if anything is
	}
	if _, err := f.find(ctx, p, args); err != nil {
		return false, err
	}
	r := manifest.Sketch
	same := reflect.DeepEqual(manifest.Tasks, f.dealing.record) && r.Topics == options.Topics && r.Seed == options.Seed &&
		(options.Sketch.Columns == 0 || options.Sketch.Columns == r.Columns)
	if !same {
		return false, nil
	}
	return true, p.print(map[string]any{"output": output, "manifest": manifest, "done_before": true}, func(w io.Writer) {
		printf(w, "Task %s was done before: its sketch is in %s\n", f.dealing.task, output)
	})
}

// printSketch prints how accurate the eigenpairs are.
func (p *program) printSketch(s *fit.Sketched, output string) error {
	m := &s.Manifest
	return p.print(map[string]any{"output": output, "manifest": m, "left_out": omissions(m.Corpus, m.Skipped)},
		func(w io.Writer) {
			printAccount(w, m.Corpus, m.Skipped)
			r := s.Manifest.Sketch
			how := "measured"
			if r.ResidualEstimated {
				how = "estimated"
			}
			printf(w, "%d eigenpairs of %d items and %d documents after %d passes in %s; the largest residual is %.2g of the "+
				"greatest eigenvalue, %s\n",
				r.Topics, s.Vocabulary.Len(), s.Marginals.Documents, r.Passes, output, r.LargestResidual, how)
			printWarnings(w, sketchWarnings(&r))
		})
}

func (p *program) vocabCommand() *cobra.Command {
	var source sourceFlags
	var output string
	cmd := &cobra.Command{
		Use:   "vocab SHARD...",
		Short: "Count the items of shards and choose among them",
		Long: `Vocab reads shards, counts in how many documents and how often every item occurs, and writes the items
to keep as a table, which --vocab of the other commands reads.`,
		Example: `  anchorage vocab shards/ -o vocabulary.parquet
  anchorage vocab shards/ --min-df 20 --max-items 50000 --stopwords stop.txt -o vocabulary.parquet`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			return p.vocab(ctx, &source, args, output)
		}),
	}
	return p.with(cmd, []row{outputFileRow(&output, "the vocabulary, a Parquet file"), p.replaceRow()},
		source.of(cmd.Flags()).formatRows(), source.pruningRows())
}

// vocab counts items, and writes and prints what is kept.
func (p *program) vocab(ctx context.Context, source *sourceFlags, args []string, output string) error {
	if err := needOutput(output); err != nil {
		return err
	}
	release, err := out.Hold(output, p.replace)
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
	err = p.writeFile(ctx, output, func(w io.Writer) error { return stream.WriteVocabulary(w, vocabulary) })
	late := p.wrote(output, err)
	if p.saved == "" {
		return late
	}
	return errors.Join(late, p.printVocabulary(account, output))
}

// printVocabulary prints how many items were kept and left out.
func (p *program) printVocabulary(r corpus.Account, output string) error {
	return p.print(map[string]any{"output": output, "corpus": r, "left_out": omissions(r, p.skipped)}, func(w io.Writer) {
		printAccount(w, r, p.skipped)
		printf(w, "%d items of %d documents in %s\n", r.Items, r.DocumentsRead, output)
	})
}
