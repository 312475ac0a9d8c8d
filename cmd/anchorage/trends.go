// This file holds the trends command: topics over time.

package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"anchorage/model/transform"
)

// trendsFlags say how documents are added up.
type trendsFlags struct {
	output string
	by     transform.Period
	topics int
}

// rows are the flags.
func (f *trendsFlags) rows(p *program) []row {
	return []row{
		outputFileRow(&f.output, "the shares by period and topic, a Parquet file"), p.replaceRow(), periodRow(&f.by),
		{name: "topics", group: outputGroup, effect: none, to: &f.topics, usual: "12", values: wholes(1, 1000), help: "topics to print, those that changed most"},
	}
}

// periodRow is --by of a command that adds documents up.
func periodRow(by *transform.Period) row {
	return row{name: "by", group: queryGroup, to: by, usual: string(transform.Month), values: choice(wordsOf(transform.Periods, []string{"", "from Monday", ""})...), help: "period, in UTC"}
}

func (p *program) trendsCommand() *cobra.Command {
	var f trendsFlags
	cmd := &cobra.Command{
		Use:   "trends DOCUMENTS",
		Short: "Add the topics of documents up by day, week or month",
		Long: `Trends reads documents that transform, or fit with --documents, wrote with --time-column, and writes the mean share of every topic in every
period, with a 95 % interval, as Parquet. It prints the topics that changed most; report --trends draws them.`,
		Example: `  anchorage transform model shards/ -o documents --time-column day
  anchorage trends documents --by week -o trends.parquet`,
		Args: cobra.ExactArgs(1),
		RunE: started(func(ctx context.Context, args []string) error { return f.trends(ctx, p, args[0]) }),
	}
	return p.with(cmd, f.rows(p))
}

// trends adds up the documents of a directory.
func (f *trendsFlags) trends(ctx context.Context, p *program, path string) error {
	if err := needOutput(f.output); err != nil {
		return err
	}
	t, err := transform.Trends(ctx, path, f.by)
	if err != nil {
		return err
	}
	movers := t.Movers(f.topics)
	if err := p.wrote(f.output, p.writeFile(ctx, f.output, t.WriteTable)); err != nil {
		return err
	}
	value := map[string]any{"output": f.output, "periods": len(t.Rows), "documents": t.Documents, "without_time": t.Timeless, "movers": movers}
	return p.print(value, func(w io.Writer) { f.print(w, t, movers, p.width()) })
}

// print prints the topics that changed most.
func (f *trendsFlags) print(w io.Writer, t *transform.Trend, movers []int, width int) {
	printf(w, "%d documents in %d periods, %d without a time, in %s\n", t.Documents, len(t.Rows), t.Timeless, f.output)
	if len(t.Rows) < 2 {
		return
	}
	first, last := &t.Rows[0], &t.Rows[len(t.Rows)-1]
	printf(w, "%5s  %10s  %10s\n", "topic", first.Start.Format(time.DateOnly), last.Start.Format(time.DateOnly))
	for _, k := range movers {
		names := ""
		if k < len(t.Names) {
			names = fitting(t.Names[k], max(width-31, 20)) // beside the figures
		}
		printf(w, "%5d  %9.2f%%  %9.2f%%  %s\n", k, 100*first.Shares[k], 100*last.Shares[k], names)
	}
}
