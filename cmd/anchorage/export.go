// This file holds the commands that give a model another form, report, a page of HTML, map, all items on a plane, and
// export, the files of other programs; and those about its topics in documents: transform, and trends, topics over
// time.

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/internal/table"
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
			"topics of documents by transform, for pyldavis, npy, csv and excel")})
}

func (p *program) transformCommand() *cobra.Command {
	var source sourceFlags
	var infers infer.Options
	var o transform.Options
	var output string
	return p.command("transform", cobra.MinimumNArgs(2), func(ctx context.Context, args []string) error {
		options, err := infers.Complete()
		if err != nil {
			return &usageError{err}
		}
		shards, err := source.discover(ctx, p, args[1:])
		if err != nil {
			return err
		}
		m, err := model.Load(ctx, args[0])
		if err != nil {
			return err
		}
		t, err := transform.New(m, options)
		if err != nil {
			return err
		}
		o.Workers, o.Progress, o.Warn, o.Skipped, o.Replace = p.workers, p.advance, p.warn, p.skipped, p.replace
		o.Check = func(r *transform.Record) error { return source.enoughDocuments(r.Documents) }
		manifest, err := transform.Write(ctx, m, t, shards, output, o)
		return p.finish(output, err, func() error { return p.printTransformed(&manifest.Record, args[0], output) })
	}, []row{outputRow(&output, "the topics of the documents, a folder"), p.replaceRow(),
		expert("tolerance", &infers.Tolerance, reals(0, 1),
			"a document ends when it moves less than this share; 0 for 0.003"),
		expert("iterations", &infers.Iterations, wholes(0, mostRounds), "most iterations of a document; 0 for 100"),
		timeRow(&o.TimeColumn)}, source.formatRows(), p.monitorRows())
}

// printTransformed prints what was transformed.
func (p *program) printTransformed(r *transform.Record, of, output string) error {
	p.outcome.Transformed = r
	value := map[string]any{"output": output, "shards": len(r.Files), "documents": r.Documents, "known_tokens": r.Known,
		"folded_tokens": r.Folded, "unknown_tokens": r.Unknown, "log_likelihood": r.LogLikelihood,
		"skipped": append([]corpus.Skipped{}, p.skipped...)}
	return p.print(value, func(w io.Writer) {
		printf(w, "%d documents of %d shards in %s: %d tokens of known items, %d of unknown ones, log-likelihood %.4f per "+
			"token\n", r.Documents, len(r.Files), output, r.Known, r.Unknown, r.LogLikelihood)
		if r.Folded > 0 {
			printf(w, "%d tokens of items that shaped no topics do not count.\n", r.Folded)
		}
		if r.Without > 0 {
			printf(w, "Of %s of the documents no item counts: their topics are those of any document.\n",
				percent(r.Without, r.Documents))
		}
		if r.SlashedDates != "" {
			printf(w, "Dates such as 03/04/2025 in %q: %s.\n", r.TimeColumn, r.SlashedDates)
		}
		for _, s := range p.skipped {
			printf(w, "left out: %s\n", s.Reason)
		}
		of, output := quoted(of), quoted(output)
		if r.TimeColumn != "" {
			p.printNext(w, "trends "+output+" -o trends.parquet", "report "+of+" --trends "+output+" -o report.html")
		} else {
			p.printNext(w, "export "+of+" --to csv --documents "+output+" -o tables", "explore "+of+" SHARD...")
		}
	})
}

// percent writes a share of all, which may be 0.
func percent(part, all int64) string {
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(max(all, 1)))
}

func periodRow(by *transform.Period) row {
	return queryGroup.flag("by", by, choice(wordsOf(transform.Periods, []string{"", "from Monday", "", "", ""})...),
		"period, in UTC").by(string(transform.Month))
}

func (p *program) trendsCommand() *cobra.Command {
	var output string
	var by transform.Period
	var topics int
	return p.command("trends", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		t, err := transform.Trends(ctx, args[0], by)
		if err != nil {
			return err
		}
		if err := p.wrote(output, p.writeFile(ctx, output, t.WriteTable)); err != nil {
			return err
		}
		movers := t.Movers(topics)
		value := map[string]any{"output": output, "periods": len(t.Rows), "documents": t.Documents,
			"without_time": t.Timeless, "movers": movers}
		return p.print(value, func(w io.Writer) {
			printf(w, "%d documents in %d periods, %d without a time, in %s\n", t.Documents, len(t.Rows), t.Timeless, output)
			printMovers(w, t, movers, p.width())
		})
	}, []row{outputTableRow(&output, "shares by period and topic"), p.replaceRow(), periodRow(&by),
		outputGroup.flag("topics", &topics, wholes(1, 1000), "topics to print, those that changed most").by("12").does(none)})
}

// printMovers prints the topics that changed most.
func printMovers(w io.Writer, t *transform.Trend, movers []int, width int) {
	if len(t.Rows) < 2 {
		return
	}
	first, last := &t.Rows[0], &t.Rows[len(t.Rows)-1]
	share := func(r *transform.PeriodRow, k int) string {
		low, high := r.Interval(k)
		return fmt.Sprintf("%.1f%% (%.1f–%.1f)", 100*r.Shares[k], 100*low, 100*high)
	}
	printf(w, "%5s  %18s  %18s\n", "topic", first.Start.Format(time.DateOnly), last.Start.Format(time.DateOnly))
	for _, k := range movers {
		names := ""
		if k < len(t.Names) {
			names = table.Fitting(t.Names[k], max(width-47, 20)) // beside the figures
		}
		printf(w, "%5d  %18s  %18s  %s\n", k, share(first, k), share(last, k), names)
	}
	printf(w, "In brackets are intervals of 95%%.\n")
}
