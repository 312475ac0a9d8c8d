// This file holds the export command: models for other programs.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/export"
	"anchorage/model/transform"
)

func (p *program) exportCommand() *cobra.Command {
	var output, to string
	var documents []string
	var formats []string
	for _, w := range exportWords() {
		formats = append(formats, w.name)
	}
	cmd := &cobra.Command{
		Use:   "export MODEL --to FORMAT -o PATH",
		Short: "Write a model for other programs: pyLDAvis, gensim, word2vec, NumPy, CSV",
		Long: `Export writes a model in a form that other programs read. pyLDAvis also shows documents: give it the topics
of documents with --documents.`,
		Example: `  anchorage export model --to gensim -o model-gensim && python3 model-gensim/lda.py
  anchorage export model --to pyldavis --documents mixtures/ -o model-vis`,
		Args: cobra.ExactArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			if to == "" {
				return &usageError{fmt.Errorf("the format is missing: give --to %s", strings.Join(formats, ", "))}
			}
			if err := needOutput(output); err != nil {
				return err
			}
			files, err := parquetFiles(ctx, documents)
			if err != nil {
				return err
			}
			m, err := model.Load(ctx, args[0])
			if err != nil {
				return err
			}
			o := export.Options{Documents: files, RawCells: p.rawCells, Replace: p.replace, Warn: p.warn}
			if err := p.wrote(output, export.Write(ctx, m, export.Format(to), output, o)); err != nil {
				return err
			}
			return p.print(map[string]any{"output": output, "format": to}, func(w io.Writer) {
				printf(w, "%d topics of %d items are in %s\n", m.Topics(), m.Vocabulary.Len(), output)
			})
		}),
	}
	return p.with(cmd, []row{
		{name: "to", group: outputGroup, effect: none, to: &to, values: choice(exportWords()...),
			help: "the format (required)"},
		outputRow(&output, "folder or file to write"), p.replaceRow(),
		{name: "documents", group: inputGroup, to: &documents, values: fileList,
			help: "with --to pyldavis: topics of documents, as transform writes them"},
		p.rawCellsRow()})
}

// exportWords are the values of --to.
func exportWords() []word {
	names, help := export.Formats()
	return wordsOf(names, help)
}

// parquetFiles returns the files that paths name, and of a folder its Parquet files, in the order of their names.
func parquetFiles(ctx context.Context, paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() { // a file, or what opening it will complain of
			files = append(files, path)
			continue
		}
		listed, err := transform.Tables(ctx, path)
		var refused *model.InputError
		if errors.As(err, &refused) && refused.Fault != "" {
			return nil, err
		}
		if err == nil {
			files = append(files, listed...)
			continue
		}
		within, err := filepath.Glob(filepath.Join(path, "*.parquet"))
		if err != nil {
			return nil, err
		}
		if len(within) == 0 {
			return nil, &model.InputError{Path: path, Reason: "has no Parquet files"}
		}
		files = append(files, within...)
	}
	return files, nil
}
