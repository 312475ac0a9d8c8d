// This file holds the bayes plan command: what a fit by variational inference will take.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	"anchorage/model/fit"
	"anchorage/stream"
)

func (p *program) bayesPlanCommand() *cobra.Command {
	var f bayesFlags
	cmd := &cobra.Command{
		Use:   "plan --model bnmf|cnmf|lda SHARD...",
		Short: "Say how much memory and disk a fit will take",
		Long: `Plan counts the items of shards and says what bayes fit with the same flags will hold. In memory: g, the variational
parameters of V×K topics' items; h, K values; and what a mini-batch takes. On disk: copies of the documents, and with --batch
the variables of every document.`,
		Example: `  anchorage bayes plan --model bnmf shards/ -k 100`,
		Args:    cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := f.complete(ctx); err != nil {
				return err
			}
			items, account, err := f.count(ctx, p, args)
			if err != nil {
				return err
			}
			return p.printBayesPlan(&f.options, items, account)
		}),
	}
	return p.with(cmd, f.rows(), f.source.of(cmd.Flags()).corpusRows())
}

// count counts the documents of args, and the items that a fit would keep.
func (f *bayesFlags) count(ctx context.Context, p *program, args []string) (items int, account corpus.Account, err error) {
	from, err := f.source.source(ctx, p, args, "")
	if err != nil {
		return 0, account, err
	}
	given := from.Vocabulary
	if from.Vocabulary = nil; given != nil {
		from.Pruning = corpus.Everything().Pruning
	}
	counted, account, err := stream.CountItems(ctx, from.shards, from.Options)
	switch {
	case err != nil:
		return 0, account, err
	case given != nil:
		return given.Len(), account, nil
	}
	return counted.Len(), account, nil
}

// printBayesPlan prints what a fit takes.
func (p *program) printBayesPlan(o *fit.BayesOptions, items int, r corpus.Account) error {
	global := 8 * int64(items) * int64(o.Topics)
	memory := o.Memory(items, o.Plan.Batch, float64(r.Entries)/float64(r.DocumentsRead))
	disk := 2*r.Entries + o.Disk(o.Plan, r.DocumentsRead, r.Entries) // a copy of the documents, and the working files
	value := map[string]any{"items": items, "documents": r.DocumentsRead, "topics": o.Topics, "g_bytes": global, "h_bytes": 8 * o.Topics,
		"memory_bytes": memory, "disk_bytes": disk}
	return p.print(value, func(w io.Writer) {
		const mebi = 1 << 20
		printf(w, "%d documents, %d items, %d topics\nmemory  %6d MiB, of which g, %d×%d, takes %d MiB; h takes %d bytes\ndisk    %6d MiB\n",
			r.DocumentsRead, items, o.Topics, memory/mebi+1, items, o.Topics, global/mebi+1, 8*o.Topics, disk/mebi+1)
	})
}
