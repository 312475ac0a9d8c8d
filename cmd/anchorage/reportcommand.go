// This file holds the report command: a model as a page of HTML.

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"anchorage/model"
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
	return p.command("report", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		m, err := model.Load(ctx, args[0])
		if err != nil {
			return err
		}
		options := report.Options{Workers: p.workers}
		if compare != "" {
			if options.Compare, err = model.Load(ctx, compare); err != nil {
				return err
			}
		}
		if options.Trend, err = f.trend(ctx, m, args[0]); err != nil {
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
	}, []row{outputFileRow(&output, "the page, a file"), p.replaceRow(), inputGroup.flag("compare", &compare,
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
