// This file computes Figure 4 of Lee et al. (ICML 2021): LR-JSMF as the vocabulary grows, up to sizes at which C does not fit
// into memory, and the panels of Figure 4.2 of Dong's thesis, which go by the vocabulary too. It takes row sums as published and exact
// ones, since rare items break the published form.

package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"anchorage/anchor"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/metric"
)

// figure4Measures are the columns of the figure, all of them drawn.
// figure42Measures are those of the thesis.
var figure4Measures = []measure{
	{"log_relative_volume", "Log relative volume"}, {"mst_incoherence", "MST-Incoherence"}, {"relative_recovery", "Relative recovery"},
	{"log10_enn_seconds", "ENN runtime (log10 s)"}, {"log10_law_seconds", "LAW runtime (log10 s)"},
}

var figure42Measures = []measure{
	{"base_recovery", "BaseRecovery"}, {"relative_approximation", "Relative approximation"}, {"anchor_quality", "AnchorQuality (mean rank)"},
	{"sparsity", "Sparsity"},
}

// rowSums are the two forms, by what tables call them.
var rowSums = []struct {
	name string
	sums anchor.RowSums
}{{"exact", anchor.RowSumsExact}, {"published", anchor.RowSumsFactor}}

// writeFigure4 runs the grid and adds runs, means and the chart.
func (p Grid) writeFigure4(ctx context.Context, r *results) error {
	return p.write(ctx, r, figure{
		name: "figure4",
		keys: slices.Concat(report.Texts("corpus"), report.Ints("items", "topics", "seed"), report.Texts("row_sums")),
		others: slices.Concat(report.Ints("documents", "iterations"), report.Floats(columnsOf(figure4Measures)...), report.Floats(columnsOf(figure42Measures)...),
			report.Floats("relative_recovery_standard_error", "largest_pivot", "sketch_seconds", "enn_seconds", "law_seconds")),
		by:       []string{"corpus", "items", "topics", "row_sums"},
		measures: slices.Concat(figure4Measures, figure42Measures),
		run:      p.growVocabulary,
		charts:   []layout{growthLayout("figure4", figure4Measures), growthLayout("figure4.2", figure42Measures)},
		findings: func(all *report.Table) []string { return append(growth(all), falls(all)...) },
	})
}

// growthLayout returns the layout of a chart by the size of the vocabulary.
func growthLayout(name string, measures []measure) layout {
	return layout{name: name, measures: measures, x: "items", label: "Items N (thousands)", thousands: true,
		title: func(data source, _ [][]any) string { return data.title }, series: growthSeries}
}

// falls says for how many K MST-Incoherence is lower at the largest vocabulary than at the smallest, as published.
func falls(all *report.Table) []string {
	var lines []string
	for _, docs := range report.Distinct[string](all, "corpus", all.Rows) {
		for _, form := range rowSums {
			fell, count := 0, 0
			for _, k := range report.Distinct[int64](all, "topics", all.Where("corpus", docs, "row_sums", form.name)) {
				at := func(n int64) float64 {
					return all.Mean("mst_incoherence", all.Where("corpus", docs, "row_sums", form.name, "topics", k, "items", n)).Mean
				}
				sizes := report.Distinct[int64](all, "items", all.Where("corpus", docs, "row_sums", form.name, "topics", k))
				if len(sizes) < 2 {
					continue
				}
				count++
				if at(slices.Max(sizes)) < at(slices.Min(sizes)) {
					fell++
				}
			}
			if count > 0 {
				lines = append(lines, fmt.Sprintf("- %s, %s row sums: from the smallest to the largest vocabulary MST-Incoherence falls, as published, for %d of %d K.", docs, form.name, fell, count))
			}
		}
	}
	return lines
}

// growth says how the figures at the largest vocabulary compare with those at the smallest.
func growth(all *report.Table) []string {
	lines := []string{"", "Figures at the smallest and at the largest vocabulary of each K, means over K and seeds:", "",
		"| corpus | row sums | N | log relative volume | MST-Incoherence | relative recovery |", "| --- | --- | ---: | ---: | ---: | ---: |"}
	for _, docs := range report.Distinct[string](all, "corpus", all.Rows) {
		for _, form := range rowSums {
			var first, last [][]any
			for _, k := range report.Distinct[int64](all, "topics", all.Where("corpus", docs)) {
				of := all.Where("corpus", docs, "row_sums", form.name, "topics", k)
				sizes := report.Distinct[int64](all, "items", of)
				first = append(first, all.Where("corpus", docs, "row_sums", form.name, "topics", k, "items", slices.Min(sizes))...)
				last = append(last, all.Where("corpus", docs, "row_sums", form.name, "topics", k, "items", slices.Max(sizes))...)
			}
			line := fmt.Sprintf("| %s | %s | %s |", docs, form.name, span(all, "items", first, last))
			for _, m := range figure4Measures[:3] {
				line += fmt.Sprintf(" %s → %s |", report.Readable(all.Mean(m.column, first).Mean), report.Readable(all.Mean(m.column, last).Mean))
			}
			lines = append(lines, line)
		}
	}
	return append(lines, "")
}

// span returns the range of an integer column in two sets of rows.
func span(t *report.Table, column string, first, last [][]any) string {
	list := func(rows [][]any) string {
		values := slices.Sorted(slices.Values(report.Distinct[int64](t, column, rows)))
		if len(values) == 1 {
			return fmt.Sprint(values[0])
		}
		return fmt.Sprintf("%d–%d", values[0], values[len(values)-1])
	}
	return list(first) + " → " + list(last)
}

// growVocabulary runs one corpus with every size, the full vocabulary last.
func (p Grid) growVocabulary(ctx context.Context, from reader, data source, all *report.Runs) error {
	sizes := slices.Sorted(slices.Values(p.Sizes))
	var base []string // the items of the smallest vocabulary
	for _, n := range append(sizes, 0) {
		docs, err := from.open(ctx, data, n, false)
		if err != nil {
			return err
		}
		items := docs.Vocabulary.Len()
		// Sizes beyond the corpus are left out: 0, the last one, stands for the full vocabulary.
		if n <= items && (p.MaxItems == 0 || items <= p.MaxItems) {
			if base == nil {
				for i := range items {
					base = append(base, docs.Vocabulary.ID(i))
				}
			}
			err = p.growTopics(ctx, docs, data, base, all)
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
func (p Grid) growTopics(ctx context.Context, docs *corpus.Corpus, data source, base []string, all *report.Runs) error {
	for _, k := range p.GrowthTopics {
		if !p.wants(k, data.key) {
			continue
		}
		for seed := 1; seed <= p.GrowthSeeds; seed++ {
			if err := p.growRun(ctx, docs, data, base, k, seed, all); err != nil {
				return fmt.Errorf("%d topics: %w", k, err)
			}
		}
	}
	return nil
}

// growRun makes one run: one factor, and topics with either row sums. The items of base are those of BaseRecovery.
func (p Grid) growRun(ctx context.Context, docs *corpus.Corpus, data source, base []string, k, seed int, all *report.Runs) error {
	var fit *sketchedFit
	var baseItems []int
	for _, id := range base {
		if i, ok := docs.Vocabulary.Lookup([]byte(id)); ok {
			baseItems = append(baseItems, int(i))
		}
	}
	for _, form := range rowSums {
		run := []any{data.name(), int64(docs.Vocabulary.Len()), int64(k), int64(seed), form.name}
		if all.Reuse(run...) {
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
			DenseBytes: metric.NeverDense, ProjectionBytes: 1 << 30, Base: baseItems, Seed: uint64(seed), Key: docs.Vocabulary.Key, Workers: p.Workers})
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
		all.Add(append(run, report.Documents, int64(len(o.course)), value("log_relative_volume").Value, value("mst_incoherence").Value,
			recovery.Value, math.Log10(o.rectify), math.Log10(o.infer), value("base_recovery").Value, value("relative_approximation").Value,
			value("anchor_quality").Value, value("sparsity").Value, recovery.StandardError, o.topics.Pivots[0], o.start, o.rectify, o.infer)...)
		p.Log.Info("figure 4", "corpus", data.name(), "items", docs.Vocabulary.Len(), "topics", k, "seed", seed, "row_sums", form.name,
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

// growthSeries returns a line per group of K and form of row sums.
func growthSeries(all *report.Table, docs, column string, sizes []float64) []report.Series {
	var list []report.Series
	for g, group := range groupTopics(report.Distinct[int64](all, "topics", all.Rows)) {
		for _, form := range rowSums {
			s := groupSeries(all, docs, column, form.name, group, sizes)
			s.Style, s.Dashed = g, form.name != "exact"
			if len(s.Points) > 0 {
				list = append(list, s)
			}
		}
	}
	return list
}

// groupSeries returns the means over a group's K and seeds, with a deviation where the K is one.
func groupSeries(all *report.Table, docs, column, form string, group topicGroup, sizes []float64) report.Series {
	s := report.Series{Name: group.name + ", " + form + " row sums"}
	for _, n := range sizes {
		var rows [][]any
		for _, k := range group.topics {
			rows = append(rows, all.Where("corpus", docs, "items", int64(n), "topics", k, "row_sums", form)...)
		}
		if len(rows) == 0 {
			continue
		}
		mean := all.Mean(column, rows)
		if len(group.topics) > 1 {
			mean.Deviation = math.NaN() // that of K, not of seeds
		}
		s.Points = append(s.Points, report.At(n, mean))
	}
	return s
}
