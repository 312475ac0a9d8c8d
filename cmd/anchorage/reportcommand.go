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

// reportPage are the flags of the report command.
type reportPage struct {
	output, compare string
	trendFlags
}

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
	var f reportPage
	return p.command("report", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		return f.write(ctx, p, args[0])
	}, []row{outputFileRow(&f.output, "the page, a file"), p.replaceRow(), inputGroup.flag("compare", &f.compare,
		anyFolder, "an earlier model, of which the page says what became of its topics")}, f.trendRows())
}

// write writes the page.
func (f *reportPage) write(ctx context.Context, p *program, path string) error {
	m, err := model.Load(ctx, path)
	if err != nil {
		return err
	}
	options := report.Options{Workers: p.workers}
	if f.compare != "" {
		if options.Compare, err = model.Load(ctx, f.compare); err != nil {
			return err
		}
	}
	if options.Trend, err = f.trend(ctx, m, path); err != nil {
		return err
	}
	var page bytes.Buffer // below 3 MB
	if err := report.Write(ctx, &page, m, options); err != nil {
		return err
	}
	size := page.Len()
	err = p.writeFile(ctx, f.output, func(w io.Writer) error { _, err := page.WriteTo(w); return err })
	if err := p.wrote(f.output, err); err != nil {
		return err
	}
	return p.print(map[string]any{"output": f.output, "bytes": size, "topics": m.Topics()}, func(w io.Writer) {
		printf(w, "A report of %d topics is in %s\n", m.Topics(), f.output)
	})
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
