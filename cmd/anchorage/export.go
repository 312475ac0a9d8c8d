// This file holds the commands that give a model another form: report, a page of HTML; map, all items on a plane; and
// export, the files of other programs.

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/model/export"
	"anchorage/model/itemmap"
	"anchorage/model/report"
	"anchorage/model/transform"
)

// trendFlags say of which documents the trends are.
type trendFlags struct {
	trends string
	by     transform.Period
}

func (f *trendFlags) trendRows() []row {
	return []row{inputGroup.flag("trends", &f.trends, anyFolder,
		"documents with times, as transform --time-column wrote them"), periodRow(&f.by)}
}

func (p *program) reportCommand() *cobra.Command {
	var output, compare string
	var f trendFlags
	return p.command("report", cobra.ExactArgs(1), onModel(func(ctx context.Context, m *model.Model,
		_ []string) (err error) {
		options := report.Options{Workers: p.workers}
		if compare != "" {
			if options.Compare, err = model.Load(ctx, compare); err != nil {
				return err
			}
		}
		if options.Trend, err = f.trend(ctx, m, m.Path()); err != nil {
			return err
		}
		var page bytes.Buffer // below 3 MB
		if err := report.Write(ctx, &page, m, options); err != nil {
			return err
		}
		size := page.Len()
		err = p.writeFile(ctx, output, func(w io.Writer) error { _, err := page.WriteTo(w); return err })
		if err := p.wrote(output, err); err != nil {
			return err
		}
		return p.print(map[string]any{"output": output, "bytes": size, "topics": m.Topics()}, func(w io.Writer) {
			printf(w, "A report of %d topics is in %s\n", m.Topics(), output)
		})
	}), []row{outputFileRow(&output, "the page, a file"), p.replaceRow(), inputGroup.flag("compare", &compare,
		anyFolder, "an earlier model, of which the page says what became of its topics")}, f.trendRows())
}

// trend returns the trend of the flag, or that of the documents in the model; nil without one.
func (f *trendFlags) trend(ctx context.Context, m *model.Model, path string) (*transform.Trend, error) {
	from := f.trends
	if from == "" {
		if d := m.Manifest.Documents; d == nil || d.TimeColumn == "" {
			return nil, nil
		}
		from = path
	}
	t, err := transform.Trends(ctx, from, f.by)
	if err == nil && t.Topics != m.Topics() {
		err = &usageError{fmt.Errorf("--trends %s: its documents have %d topics, and the model has %d: give documents that "+
			"were transformed with the model", from, t.Topics, m.Topics())}
	}
	return t, err
}

func (p *program) mapCommand() *cobra.Command {
	o := itemmap.Options{Progress: func(done, total int64) { p.advance("drawing", done, total) }}
	return p.command("map", cobra.ExactArgs(1), onModel(func(ctx context.Context, m *model.Model, _ []string) error {
		o.Workers = p.workers
		drawn, err := itemmap.Draw(ctx, m, o)
		if err != nil {
			return err
		}
		output := objects.Join(m.Path(), itemmap.File)
		return p.finish(output, drawn.Save(ctx, m), func() error {
			return p.print(map[string]any{"output": output, "items": len(drawn.Items)}, func(w io.Writer) {
				printf(w, "A map of %d items is in %s\n", len(drawn.Items), output)
				p.printNext(w, "explore "+quoted(m.Path()), "report "+quoted(m.Path())+" -o report.html")
			})
		})
	}), []row{seedRow(&o.Seed)})
}

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
			"topics of documents by transform, for pyldavis, npy, csv and excel"),
		expert("raw-cells", &o.RawCells, boolean,
			"write names into csv as they are, also those that look like formulas").does(none)})
}
