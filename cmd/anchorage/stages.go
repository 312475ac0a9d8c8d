// This file holds the commands of the stages; fit is their composition.

package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/model"
	"anchorage/stream"
)

func (p *program) vocabCommand() *cobra.Command {
	var source sourceFlags
	var output string
	cmd := &cobra.Command{
		Use:   "vocab SHARD...",
		Short: "Count the items of shards and choose among them",
		Long: `Vocab reads shards, counts in how many documents and how often every item occurs, and writes the items that are
kept as a table, which --vocab of the other commands reads.`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if _, err := os.Lstat(output); err == nil {
				return fmt.Errorf("%s: %w", output, durable.ErrExists)
			}
			pruning, err := source.pruning(ctx)
			if err != nil {
				return err
			}
			shards, err := source.discover(ctx, p, args)
			if err != nil {
				return err
			}
			vocabulary, record, err := stream.CountItems(ctx, shards, corpus.Options{Pruning: pruning, Workers: p.workers, Progress: p.bar.update, Log: p.log})
			if err != nil {
				return err
			}
			if err := p.writeFile(ctx, output, func(w io.Writer) error { return stream.WriteVocabulary(w, vocabulary) }); err != nil {
				return err
			}
			return p.printVocabulary(record, output)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	outputFlag(flags, &output, "the vocabulary, a Parquet file")
	source.addFormat(flags)
	source.addPruning(flags)
	p.addJSON(flags)
	return cmd
}

func (p *program) sketchCommand() *cobra.Command {
	var source sourceFlags
	var sketch sketchFlags
	var output string
	cmd := &cobra.Command{
		Use:   "sketch SHARD...",
		Short: "Find the leading eigenpairs of the co-occurrences of shards",
		Long: `Sketch reads shards and writes the leading eigenpairs of their co-occurrence matrix, for rectify. With --passes 1 it
also writes the sketch itself, which merge can add to those of other shards made with the same --seed and --vocab.`,
		Args: cobra.MinimumNArgs(1),
		RunE: p.writing(&output, func(ctx context.Context, run *model.Run, out *model.Output, args []string) error {
			var options model.Options
			if err := sketch.into(&options, source.noPrune); err != nil {
				return err
			}
			var err error
			if run.MemoryLimit, err = source.runLimit(); err != nil {
				return err
			}
			run.SpillDir = source.scratch(out.Scratch())
			options.Run, options.Sketch.Mergeable = run, out
			var sketched *model.Sketched
			err = p.overCorpus(ctx, run, &source, args, options.Sketch.Passes, func(docs *corpus.Corpus) error {
				sketched, err = model.Sketch(ctx, docs, options)
				return err
			})
			if err != nil {
				return err
			}
			if err := sketched.SaveTo(out); err != nil {
				return err
			}
			return p.printSketch(sketched, output)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	outputFlag(flags, &output, "the sketch, a directory")
	sketch.add(flags)
	paperFlag(cmd)
	source.addFormat(flags)
	source.addDocuments(flags)
	source.addPruning(flags)
	source.limitRun(flags)
	p.addJSON(flags)
	return cmd
}

func (p *program) mergeCommand() *cobra.Command {
	var output string
	var topics int
	cmd := &cobra.Command{
		Use:   "merge SKETCH SKETCH...",
		Short: "Add up sketches of different shards",
		Long: `Merge adds sketches that were made of different shards with sketch --passes 1 and with the same --seed,
--sketch-columns and --vocab, and writes the sketch of all of them. Others are refused, with the reason.`,
		Args: cobra.MinimumNArgs(2),
		RunE: p.writing(&output, func(ctx context.Context, run *model.Run, out *model.Output, args []string) error {
			merger := model.NewMerger(run)
			for _, path := range args {
				if err := merger.Add(ctx, path); err != nil {
					return err
				}
			}
			merged, err := merger.Sketched(model.Options{Topics: topics, Sketch: model.SketchOptions{Mergeable: out}})
			if err != nil {
				return err
			}
			if err := merged.SaveTo(out); err != nil {
				return err
			}
			return p.printSketch(merged, output)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	outputFlag(flags, &output, "the merged sketch, a directory")
	flags.IntVarP(&topics, "topics", "k", 0, "number of topics; that of the first sketch if not given")
	p.addJSON(flags)
	return cmd
}

func (p *program) rectifyCommand() *cobra.Command {
	var rectify rectifyFlags
	var output string
	cmd := &cobra.Command{
		Use:   "rectify SKETCH",
		Short: "Turn a sketch into a rectified factor",
		Args:  cobra.ExactArgs(1),
		RunE: p.writing(&output, func(ctx context.Context, run *model.Run, out *model.Output, args []string) error {
			var options model.Options
			if err := rectify.into(&options); err != nil {
				return err
			}
			sketched, err := model.LoadSketched(ctx, args[0], run)
			if err != nil {
				return err
			}
			if run.SpillDir = rectify.spillDir; run.SpillDir == "" {
				run.SpillDir = out.Scratch()
			}
			rectified, err := sketched.Rectify(ctx, options)
			if err != nil {
				return err
			}
			if err := rectified.SaveTo(out); err != nil {
				return err
			}
			return p.printFactor(rectified, output)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	outputFlag(flags, &output, "the factor, a directory")
	rectify.add(flags)
	flags.StringVar(&rectify.spillDir, "spill-dir", "", "directory for corrections that are spilled; beside the output if not given")
	paperFlag(cmd)
	p.addJSON(flags)
	return cmd
}

func (p *program) anchorCommand() *cobra.Command {
	var anchor anchorFlags
	var output string
	cmd := &cobra.Command{
		Use:   "anchor FACTOR",
		Short: "Find anchors and topics of a rectified factor",
		Args:  cobra.ExactArgs(1),
		RunE: p.writing(&output, func(ctx context.Context, run *model.Run, out *model.Output, args []string) error {
			var options model.Options
			if err := anchor.into(&options); err != nil {
				return err
			}
			rectified, err := model.LoadRectified(ctx, args[0], run)
			if err != nil {
				return err
			}
			fitted, err := rectified.Anchor(ctx, options)
			if err != nil {
				return err
			}
			if err := fitted.SaveTo(out); err != nil {
				return err
			}
			return p.printModel(fitted, output)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	outputFlag(flags, &output, "the model, a directory")
	anchor.add(flags)
	paperFlag(cmd)
	p.addJSON(flags)
	return cmd
}
