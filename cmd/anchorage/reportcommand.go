// This file holds the report command: a model as a page of HTML.

package main

import (
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
	output, compare, trends string
	by                      transform.Period
}

func (p *program) reportCommand() *cobra.Command {
	var f reportPage
	cmd := &cobra.Command{
		Use:   "report MODEL -o FILE",
		Short: "Show a model as one page of HTML that works offline",
		Long: `Report writes a page about a model: what was read and left out, the certificate, a card for every topic,
maps of topics and items, correlations, the spectrum, how the rectification came to rest, and a table of the
leading items with search. fit and update write the same page into every model, as report.html. With --compare
it also says what became of the topics of an earlier model, and with --trends how shares changed over time. The
page is one file below 3 MB that loads nothing. MODEL is a directory, a URL in an object store, or a store.`,
		Example: `  anchorage report model -o report.html
  anchorage report today --compare yesterday -o report.html
  anchorage report model --trends documents --by week -o report.html`,
		Args: cobra.ExactArgs(1),
		RunE: started(func(ctx context.Context, args []string) error { return f.write(ctx, p, args[0]) }),
	}
	return p.with(cmd, []row{outputFileRow(&f.output, "the page, a file"), p.replaceRow(),
		{name: "compare", group: inputGroup, to: &f.compare, values: anyFolder,
			help: "an earlier model, of which the page says what became of its topics"},
		{name: "trends", group: inputGroup, to: &f.trends, values: anyFolder,
			help: "documents with times, as transform --time-column wrote them"},
		periodRow(&f.by)})
}

// write writes the page.
func (f *reportPage) write(ctx context.Context, p *program, path string) error {
	if err := needOutput(f.output); err != nil {
		return err
	}
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
	size := 0
	err = p.writeFile(ctx, f.output, func(w io.Writer) error {
		return report.Write(ctx, counting{w, &size}, m, options)
	})
	if err := p.wrote(f.output, err); err != nil {
		return err
	}
	return p.print(map[string]any{"output": f.output, "bytes": size, "topics": m.Topics()}, func(w io.Writer) {
		printf(w, "A report of %d topics is in %s\n", m.Topics(), f.output)
	})
}

// trend returns the trend of the flag, or that of the documents in the model; nil without one.
func (f *reportPage) trend(ctx context.Context, m *model.Model, path string) (*transform.Trend, error) {
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

// counting counts what is written.
type counting struct {
	io.Writer
	size *int
}

// Write implements io.Writer.
func (c counting) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	*c.size += n
	return n, err
}
