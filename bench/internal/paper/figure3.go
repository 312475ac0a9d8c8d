// This file computes the layout of Figure 3 of Lee et al. (ICML 2021): four pipelines and a growing number of topics, at a
// vocabulary for which C can be held.

package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/metric"
)

// figure3Measures are the columns of the figure. The chart leaves out those that only explain the others.
var figure3Measures = []measure{
	{"recovery", "Recovery"}, {"relative_recovery", "Relative recovery"}, {"relative_approximation", "Relative approximation"},
	{"dominancy", "Dominancy"}, {"diagonal_dominancy", "Dominancy of the thesis"}, {"relative_dominancy", "Relative dominancy"}, {"specificity_nats", "Specificity (nats)"}, {"dissimilarity", "Dissimilarity (of 20)"},
	{"sum_A", "Sum of A"}, {"log10_seconds", "Runtime (log10 s)"},
}

// topItems is how many items of a topic dissimilarity looks at.
const topItems = 20

// writeFigure3 runs the grid and adds runs, means and the chart. The seed of a run is 0 where nothing is random.
func (p Grid) writeFigure3(ctx context.Context, r *results) error {
	drawn := slices.DeleteFunc(slices.Clone(figure3Measures), func(m measure) bool {
		return slices.Contains([]string{"relative_recovery", "dominancy", "diagonal_dominancy", "sum_A"}, m.column)
	})
	course, err := p.newCourse()
	if err != nil {
		return err
	}
	palms, err := p.newPALMTables()
	if err != nil {
		return err
	}
	run := func(ctx context.Context, from reader, data source, all *report.Runs) error {
		return p.runFigure3(ctx, from, data, all, course, palms)
	}
	if err := p.write(ctx, r, figure{
		name: "figure3",
		keys: slices.Concat(report.Texts("corpus"), report.Ints("items"), report.Texts("pipeline"), report.Ints("topics", "seed")),
		others: slices.Concat(report.Ints("documents", "iterations"), report.Texts("converged"), report.Floats(columnsOf(figure3Measures)...),
			report.Floats("start_seconds", "rectify_seconds", "infer_seconds")),
		by:       []string{"corpus", "items", "pipeline", "topics"},
		measures: figure3Measures,
		run:      run,
		charts:   []layout{{name: "figure3", measures: drawn, x: "topics", label: "Topics K", title: figure3Title, series: pipelineSeries}},
		findings: func(all *report.Table) []string { return append(agreement(all), unfinished(all)...) },
	}); err != nil {
		return err
	}
	if len(palms.runs.Rows) > 0 {
		r.sections.WriteString(palms.section())
		if err := r.AddTables(palms.runs.Table, palms.iterations.Table); err != nil {
			return err
		}
	}
	return r.AddTables(course.Table)
}

func figure3Title(data source, of [][]any) string {
	return fmt.Sprintf("%s, M = %d, N = %d", data.title, of[0][5], of[0][1])
}

// pipelineSeries returns a line per pipeline.
func pipelineSeries(all *report.Table, corpus, column string, ticks []float64) []report.Series {
	var list []report.Series
	for style, pipeline := range knownPipelines {
		s := report.Series{Name: pipeline, Style: style}
		for _, k := range ticks {
			if runs := all.Where("corpus", corpus, "pipeline", pipeline, "topics", int64(k)); len(runs) > 0 {
				s.Points = append(s.Points, report.At(k, all.Mean(column, runs)))
			}
		}
		if len(s.Points) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// runFigure3 runs the grid on one corpus, in a fixed order.
func (p Grid) runFigure3(ctx context.Context, from reader, data source, all, course *report.Runs, palms *palmTables) (err error) {
	d, err := from.openDense(ctx, data, p.Base)
	if err != nil {
		return err
	}
	defer func() {
		if closing := d.corpus.Close(); err == nil {
			err = closing
		}
	}()
	for _, k := range p.Topics {
		var exact *exactStart // of this K, once a pipeline has asked for it
		start := func() (_ *exactStart, err error) {
			if exact == nil {
				exact, err = d.exactStart(ctx, k, p.Workers)
			}
			return exact, err
		}
		for _, pipeline := range p.Pipelines {
			if !p.wants(k, data.key, pipeline) {
				continue
			}
			first, last := 0, 0
			if pipeline == randomised {
				first, last = 1, p.Seeds
			}
			for seed := first; seed <= last; seed++ {
				if err := p.runPipeline(ctx, d, all, course, palms, pipeline, k, seed, start); err != nil {
					return fmt.Errorf("%s with %d topics: %w", pipeline, k, err)
				}
			}
		}
	}
	return nil
}

// runPipeline makes one run and judges it by the counted C.
func (p Grid) runPipeline(ctx context.Context, d *denseCorpus, all, course *report.Runs, palms *palmTables, pipeline string, k, seed int, start func() (*exactStart, error)) error {
	run := []any{d.data.name(), int64(len(d.p)), pipeline, int64(k), int64(seed)}
	if all.Reuse(run...) {
		reuseCourse(course, run)
		palms.reuse(run)
		return nil
	}
	o, err := d.fit(ctx, pipeline, k, uint64(seed), p.Workers, start)
	if err != nil {
		return err
	}
	t := metric.Of(o.topics)
	distances, err := metric.DenseDistances(ctx, d.c, d.p, t, nil, p.Workers)
	if err != nil {
		return err
	}
	row := append(run, d.marginals.Documents, int64(len(o.course)), yesNo(o.converged),
		distances.Recovery.Value, distances.RelativeRecovery.Value, distances.RelativeApproximation.Value,
		metric.Dominancy(t.TopicJoint), metric.DiagonalDominancy(t.TopicJoint), metric.RelativeDominancy(t.TopicJoint), metric.Specificity(t.Items, d.p), metric.Dissimilarity(t.Prominent(topItems)),
		metric.JointSum(t.TopicJoint), math.Log10(o.seconds()), o.start, o.rectify, o.infer)
	all.Add(row...)
	addCourse(course, run, o.course)
	if err := palms.add(ctx, d, run, o, p.Workers, distances.RelativeApproximation.Value, distances.Recovery.Value, metric.JointSum(t.TopicJoint)); err != nil {
		return err
	}
	p.Log.Info("figure 3", "corpus", d.data.name(), "pipeline", pipeline, "topics", k, "seed", seed, "recovery", distances.Recovery.Value,
		"relative_approximation", distances.RelativeApproximation.Value, "iterations", len(o.course), "seconds", o.seconds())
	return nil
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// unfinished says which pipelines still moved after their iterations.
func unfinished(all *report.Table) []string {
	var lines []string
	for _, pipeline := range knownPipelines {
		stopped, ran := len(all.Where("pipeline", pipeline, "converged", "no")), len(all.Where("pipeline", pipeline))
		if stopped > 0 {
			lines = append(lines, fmt.Sprintf("- The rectification of %s still moved by more than 1e-4 after its iterations in %d of %d runs.", pipeline, stopped, ran))
		}
	}
	return lines
}

// comparisons are pairs of pipelines: the second is compared with the first.
var comparisons = [][2]string{{"AP+AW", "PALM+LAW"}, {"AP+AW", "ENN+LAW"}, {"AP+AW", "LR-JSMF"}, {"ENN+LAW", "LR-JSMF"}}

// agreement says, per corpus, how far the figures of pipelines differ, on average over K.
func agreement(all *report.Table) []string {
	compared := []string{"recovery", "relative_approximation", "relative_dominancy", "specificity_nats", "dissimilarity"}
	lines := []string{"Mean over K of |figure − other pipeline's figure| / other pipeline's figure, for the K that both were run with:", "",
		"| corpus | pipeline | against | K | " + strings.ReplaceAll(strings.Join(compared, " | "), "_", " ") + " | times as fast |",
		"| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"}
	found := false
	for _, corpus := range report.Distinct[string](all, "corpus", all.Rows) {
		for _, pair := range comparisons {
			if line := compare(all, corpus, pair[0], pair[1], compared); line != "" {
				lines, found = append(lines, line), true
			}
		}
	}
	if !found {
		return nil
	}
	return append(lines, "")
}

// compare returns a row of that table, empty where the pipelines have no K in common.
func compare(all *report.Table, corpus, against, pipeline string, compared []string) string {
	off, faster := make([]float64, len(compared)), 0.0
	var topics []string
	for _, k := range report.Distinct[int64](all, "topics", all.Rows) {
		base := all.Where("corpus", corpus, "pipeline", against, "topics", k)
		other := all.Where("corpus", corpus, "pipeline", pipeline, "topics", k)
		if len(base) == 0 || len(other) == 0 {
			continue
		}
		for i, column := range compared {
			reference := all.Mean(column, base).Mean
			off[i] += math.Abs(all.Mean(column, other).Mean-reference) / reference
		}
		faster += all.Mean("log10_seconds", base).Mean - all.Mean("log10_seconds", other).Mean
		topics = append(topics, fmt.Sprint(k))
	}
	if len(topics) == 0 {
		return ""
	}
	count := float64(len(topics))
	line := fmt.Sprintf("| %s | %s | %s | %s |", corpus, pipeline, against, strings.Join(topics, ", "))
	for _, sum := range off {
		line += fmt.Sprintf(" %.1f %% |", 100*sum/count)
	}
	return line + fmt.Sprintf(" %.1f |", math.Pow(10, faster/count))
}
