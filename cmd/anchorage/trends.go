// This file holds the trends command: topics over time.

package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/model/transform"
)

// trendsFlags say how documents are added up.
type trendsFlags struct {
	by, output, chart string
	topics            int
}

// add adds the flags.
func (f *trendsFlags) add(flags *pflag.FlagSet) {
	outputFlag(flags, &f.output, "the shares by period and topic, a Parquet file")
	flags.StringVar(&f.by, "by", string(transform.Month), "period: day, week (from Monday) or month, in UTC")
	flags.StringVar(&f.chart, "chart", "", "also draw the topics that changed most, an SVG file")
	flags.IntVar(&f.topics, "topics", 12, "topics in the chart")
}

func (p *program) trendsCommand() *cobra.Command {
	var f trendsFlags
	cmd := &cobra.Command{
		Use:   "trends DOCUMENTS",
		Short: "Add the topics of documents up by day, week or month",
		Long: `Trends reads documents that transform, or fit with --documents, wrote with --time-column, and writes the mean share of every topic in every
period, with a 95 % interval, as Parquet. --chart draws the topics that changed most.`,
		Example: `  anchorage transform model shards/ -o documents --time-column day
  anchorage trends documents --by week -o trends.parquet --chart trends.svg`,
		Args: cobra.ExactArgs(1),
		RunE: started(func(ctx context.Context, args []string) error { return f.trends(ctx, p, args[0]) }),
	}
	return p.withFlags(cmd, f.add)
}

// trends adds up the documents of a directory.
func (f *trendsFlags) trends(ctx context.Context, p *program, path string) error {
	if err := needFile(f.output); err != nil {
		return err
	}
	if err := oneOf("--by", transform.Period(f.by), transform.Periods...); err != nil {
		return err
	}
	if f.topics < 1 {
		return &usageError{errors.New("--topics must be at least 1")}
	}
	t, err := transform.Trends(ctx, path, transform.Period(f.by))
	if err != nil {
		return err
	}
	movers := t.Movers(f.topics)
	if f.chart != "" { // the table comes last: once it is there, all is
		err := p.writeFile(ctx, f.chart, func(w io.Writer) error { return t.Chart(w, movers) })
		if err != nil {
			return err
		}
	}
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
