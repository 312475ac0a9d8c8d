// This file holds the vocab command: which items there are, and which of them to keep.

package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	out "anchorage/internal/output"
	"anchorage/stream"
)

func (p *program) vocabCommand() *cobra.Command {
	var source sourceFlags
	var output string
	cmd := &cobra.Command{
		Use:   "vocab SHARD...",
		Short: "Count the items of shards and choose among them",
		Long: `Vocab reads shards, counts in how many documents and how often every item occurs, and writes the items to keep as a
table, which --vocab of the other commands reads.`,
		Example: `  anchorage vocab shards/ -o vocabulary.parquet
  anchorage vocab shards/ --min-df 20 --max-items 50000 --stopwords stop.txt -o vocabulary.parquet`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			return p.vocab(ctx, &source, args, output)
		}),
	}
	return p.with(cmd, []row{outputFileRow(&output, "the vocabulary, a Parquet file"), p.replaceRow()}, source.of(cmd.Flags()).formatRows(), source.pruningRows())
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
	vocabulary, account, err := stream.CountItems(ctx, shards, corpus.Options{Pruning: pruning, AllowSingles: source.corpus.AllowSingles, Workers: p.workers, Progress: p.advance, Log: p.log})
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
