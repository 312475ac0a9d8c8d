// This file holds the vectors verb of items.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/export"
)

func (p *program) itemsVectorsCommand() *cobra.Command {
	var output string
	var by model.Representation
	cmd := &cobra.Command{
		Use:   "vectors -o FILE",
		Short: "Write a vector for each item",
		Long: `Vectors writes K numbers for each item, for other programs that compare items. The ending of FILE says how: .parquet with the
columns item_id, index and vector; .npy with one row per item, in the order of the model's vocabulary; or .txt, .vec or .w2v, the text
form of word2vec. There, white space in names becomes _.`,
		Example: `  anchorage items model vectors -o vectors.parquet`,
		Args:    modelThen(0, 0, "flags"),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			m, err := model.Load(ctx, args[0])
			if err != nil {
				return err
			}
			o := export.Options{By: by, Replace: p.replace, Warn: p.warn}
			if err := export.Vectors(ctx, m, output, o); err != nil {
				return err
			}
			result := map[string]any{"output": output, "items": m.Vocabulary.Len(), "columns": m.Topics(), "by": by}
			return p.print(result, func(w io.Writer) {
				printf(w, "%d vectors of %d numbers are in %s\n", m.Vocabulary.Len(), m.Topics(), output)
			})
		}),
	}
	return p.with(cmd, []row{outputFileRow(&output, "file to write"), p.replaceRow(), representationRow(&by, "profile", "what to write", false)})
}
