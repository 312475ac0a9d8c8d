// This file holds the export command: models for other programs.

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/export"
	"anchorage/model/transform"
)

func (p *program) exportCommand() *cobra.Command {
	var output string
	var to export.Format
	var o export.Options
	formats := choice(wordsOf(export.Formats())...)
	return p.command("export", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		if to == "" {
			return &usageError{fmt.Errorf("the format is missing: give --to %s", strings.Join(formats.names(), ", "))}
		}
		var err error
		if o.Documents, err = transform.TableFiles(ctx, o.Documents); err != nil {
			return err
		}
		m, err := model.Load(ctx, args[0])
		if err != nil {
			return err
		}
		o.Replace, o.Warn = p.replace, p.warn
		if err := p.wrote(output, export.Write(ctx, m, to, output, o)); err != nil {
			return err
		}
		return p.print(map[string]any{"output": output, "format": to}, func(w io.Writer) {
			printf(w, "%d topics of %d items are in %s\n", m.Topics(), m.Vocabulary.Len(), output)
		})
	}, []row{
		outputGroup.flag("to", &to, formats, "the format (required)").does(none),
		outputRow(&output, "folder or file to write"), p.replaceRow(),
		inputGroup.flag("documents", &o.Documents, fileList,
			"with --to pyldavis: topics of documents, as transform writes them"),
		expert("raw-cells", &o.RawCells, boolean,
			"write names into csv as they are, also those that look like formulas").does(none)})
}
