// This file computes the layout of Figure 4 of Lee et al. (ICML 2021): LR-JSMF as the vocabulary grows, up to sizes at which
// C cannot be held. It is run with row sums as published and with exact ones, since rare items break the published form.

package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/metric"
	"anchorage/shard"
)

// figure4Measures are the columns of the figure, all of them drawn.
var figure4Measures = []measure{
	{"log_relative_volume", "Log relative volume"}, {"mst_incoherence", "MST-Incoherence"}, {"relative_recovery", "Relative recovery"},
	{"log10_enn_seconds", "ENN runtime (log10 s)"}, {"log10_law_seconds", "LAW runtime (log10 s)"},
}

// figure4Keys are the leading columns, which say what a run is of.
const figure4Keys = 5

func figure4Fields() []shard.Field {
	fields := []shard.Field{{Name: "corpus", Type: shard.String}, {Name: "items", Type: shard.Int64}, {Name: "topics", Type: shard.Int64},
		{Name: "seed", Type: shard.Int64}, {Name: "row_sums", Type: shard.String}, {Name: "documents", Type: shard.Int64},
		{Name: "iterations", Type: shard.Int64}}
	for _, m := range figure4Measures {
		fields = append(fields, shard.Field{Name: m.column, Type: shard.Float64})
	}
	for _, name := range []string{"relative_recovery_standard_error", "largest_pivot", "sketch_seconds", "enn_seconds", "law_seconds"} {
		fields = append(fields, shard.Field{Name: name, Type: shard.Float64})
	}
	return fields
}

// rowSums are the two forms, by what tables call them.
var rowSums = []struct {
	name string
	sums anchor.RowSums
}{{"exact", anchor.RowSumsExact}, {"published", anchor.RowSumsFactor}}

// writeFigure4 runs the grid and writes runs, means and the chart.
func (p Paper) writeFigure4(ctx context.Context, from reader, dir *durable.Dir) ([]string, error) {
	all, err := newRuns(p.Earlier, "figure4-runs", figure4Keys, figure4Fields())
	if err != nil {
		return nil, err
	}
	for _, name := range p.Corpora {
		data, err := findPaperData(name)
		if err != nil {
			return nil, err
		}
		if err := p.growVocabulary(ctx, from, data, all); err != nil {
			return nil, fmt.Errorf("figure 4, %s: %w", name, err)
		}
	}
	if err := all.save(dir); err != nil {
		return nil, err
	}
	if err := all.summarize("figure4", []string{"corpus", "items", "topics", "row_sums"}, figure4Measures).save(dir); err != nil {
		return nil, err
	}
	panels := p.figure4Panels(all.table)
	if err := dir.WriteFile("figure4.svg", func(w io.Writer) error { return writeChart(w, panels) }); err != nil {
		return nil, err
	}
	return append(p.growth(all.table), all.takenOver()...), nil
}

// growth says how the figures at the largest vocabulary compare with those at the smallest.
func (p Paper) growth(all *table) []string {
	lines := []string{"", "Figures at the smallest and at the largest vocabulary that each K was run with, means over K and seeds:", "",
		"| corpus | row sums | N | log relative volume | MST-Incoherence | relative recovery |", "| --- | --- | ---: | ---: | ---: | ---: |"}
	for _, docs := range distinct[string](all, "corpus", all.rows) {
		for _, form := range rowSums {
			var first, last [][]any
			for _, k := range distinct[int64](all, "topics", all.where("corpus", docs)) {
				of := all.where("corpus", docs, "row_sums", form.name, "topics", k)
				sizes := distinct[int64](all, "items", of)
				first = append(first, all.where("corpus", docs, "row_sums", form.name, "topics", k, "items", slices.Min(sizes))...)
				last = append(last, all.where("corpus", docs, "row_sums", form.name, "topics", k, "items", slices.Max(sizes))...)
			}
			line := fmt.Sprintf("| %s | %s | %s |", docs, form.name, all.span("items", first, last))
			for _, m := range figure4Measures[:3] {
				line += fmt.Sprintf(" %s → %s |", readable(all.mean(m.column, first).mean), readable(all.mean(m.column, last).mean))
			}
			lines = append(lines, line)
		}
	}
	return append(lines, "")
}

// span returns the values of an integer column in two sets of rows.
func (t *table) span(column string, first, last [][]any) string {
	list := func(rows [][]any) string {
		values := slices.Sorted(slices.Values(distinct[int64](t, column, rows)))
		if len(values) == 1 {
			return fmt.Sprint(values[0])
		}
		return fmt.Sprintf("%d–%d", values[0], values[len(values)-1])
	}
	return list(first) + " → " + list(last)
}

// growVocabulary runs one corpus with every size, the full vocabulary last.
func (p Paper) growVocabulary(ctx context.Context, from reader, data paperData, all *runs) error {
	sizes := slices.Sorted(slices.Values(p.Sizes))
	for _, n := range append(sizes, 0) {
		docs, err := from.open(ctx, data, n, false)
		if err != nil {
			return err
		}
		items := docs.Vocabulary.Len()
		// Of the sizes beyond the corpus only the last one, 0, stands for the full vocabulary.
		if n <= items && (p.MaxItems == 0 || items <= p.MaxItems) {
			err = p.growTopics(ctx, docs, data, all)
		}
		if closing := docs.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return fmt.Errorf("%d items: %w", items, err)
		}
	}
	return nil
}

// growTopics runs one vocabulary with every number of topics and seed.
func (p Paper) growTopics(ctx context.Context, docs *corpus.Corpus, data paperData, all *runs) error {
	for _, k := range p.GrowthTopics {
		if !p.wants(k, data.name) {
			continue
		}
		for seed := 1; seed <= p.GrowthSeeds; seed++ {
			if err := p.growRun(ctx, docs, data, k, seed, all); err != nil {
				return fmt.Errorf("%d topics: %w", k, err)
			}
		}
	}
	return nil
}

// growRun makes one run: one factor, and topics with either row sums.
func (p Paper) growRun(ctx context.Context, docs *corpus.Corpus, data paperData, k, seed int, all *runs) error {
	var fit *sketchedFit
	for _, form := range rowSums {
		run := []any{data.name, int64(docs.Vocabulary.Len()), int64(k), int64(seed), form.name}
		if all.reuse(run...) {
			continue
		}
		var err error
		if fit == nil {
			if fit, err = fitSketched(ctx, docs, k, uint64(seed), p.Workers); err != nil {
				return err
			}
		}
		o, err := fit.infer(ctx, form.sums, p.Workers)
		if err != nil {
			return err
		}
		report, err := metric.Score(ctx, docs.Pass, metric.Of(o.topics), metric.Options{
			DenseBytes: -1, ProjectionBytes: 1 << 30, Seed: uint64(seed), Key: docs.Vocabulary.Key, Workers: p.Workers})
		if err != nil {
			return err
		}
		value := func(name string) metric.Estimate {
			if e, ok := report.Get(name); ok {
				return e
			}
			return metric.Estimate{Value: math.NaN()}
		}
		recovery := value("relative_recovery")
		all.add(append(run, report.Documents, int64(o.iterations), value("log_relative_volume").Value, value("mst_incoherence").Value,
			recovery.Value, math.Log10(o.rectify), math.Log10(o.infer), recovery.StandardError, o.topics.Pivots[0], o.start, o.rectify, o.infer)...)
		p.Log.Info("figure 4", "corpus", data.name, "items", docs.Vocabulary.Len(), "topics", k, "seed", seed, "row_sums", form.name,
			"log_relative_volume", value("log_relative_volume").Value, "mst_incoherence", value("mst_incoherence").Value,
			"relative_recovery", recovery.Value, "seconds", o.seconds())
	}
	return nil
}

// topicGroup is a range of K that Figure 4 averages over.
type topicGroup struct {
	name   string
	topics []int64
}

// groupTopics divides the K that were run into the groups of the figure: up to 15, 25, 50 and 100.
func groupTopics(topics []int64) []topicGroup {
	topics = slices.Sorted(slices.Values(topics))
	var groups []topicGroup
	from := int64(0)
	for _, to := range []int64{15, 25, 50, 100, math.MaxInt64} {
		var group topicGroup
		for _, k := range topics {
			if k > from && k <= to {
				group.topics = append(group.topics, k)
			}
		}
		from = to
		if len(group.topics) == 0 {
			continue
		}
		first, last := group.topics[0], group.topics[len(group.topics)-1]
		if group.name = fmt.Sprintf("K = %d", first); last > first {
			group.name = fmt.Sprintf("K = %d–%d", first, last)
		}
		groups = append(groups, group)
	}
	return groups
}

// figure4Panels lays the runs out: a row per docs, a column per measure.
func (p Paper) figure4Panels(all *table) [][]panel {
	groups := groupTopics(distinct[int64](all, "topics", all.rows))
	var rows [][]panel
	for _, docs := range p.Corpora {
		data, err := findPaperData(docs)
		of := all.where("corpus", docs)
		if err != nil || len(of) == 0 {
			continue
		}
		var row []panel
		for i, m := range figure4Measures {
			drawn := panel{x: "Items N (thousands)", y: m.axis, logX: true, thousands: true}
			if i == 0 {
				drawn.title = data.title
			}
			for _, n := range slices.Sorted(slices.Values(distinct[int64](all, "items", of))) {
				drawn.ticks = append(drawn.ticks, float64(n))
			}
			for g, group := range groups {
				for _, form := range rowSums {
					s := groupSeries(all, docs, m.column, form.name, group, drawn.ticks)
					s.style, s.dashed = g, form.name != "exact"
					if len(s.points) > 0 {
						drawn.series = append(drawn.series, s)
					}
				}
			}
			row = append(row, drawn)
		}
		rows = append(rows, row)
	}
	return rows
}

// groupSeries returns the means over a group's K and seeds, with a deviation where the K is one.
func groupSeries(all *table, docs, column, form string, group topicGroup, sizes []float64) series {
	s := series{name: group.name + ", " + form + " row sums"}
	for _, n := range sizes {
		var rows [][]any
		for _, k := range group.topics {
			rows = append(rows, all.where("corpus", docs, "items", int64(n), "topics", k, "row_sums", form)...)
		}
		if len(rows) == 0 {
			continue
		}
		c := all.mean(column, rows)
		if len(group.topics) > 1 {
			c.deviation = math.NaN() // that of K, not of seeds
		}
		s.points = append(s.points, point{n, c.mean, c.deviation})
	}
	return s
}
