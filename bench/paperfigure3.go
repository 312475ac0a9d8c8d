// This file computes the layout of Figure 3 of Lee et al. (ICML 2021): four pipelines and a growing number of topics, at a
// vocabulary for which C can be held.

package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"anchorage/internal/durable"
	"anchorage/metric"
	"anchorage/shard"
)

// measure is a column of numbers with its axis in a chart.
type measure struct{ column, axis string }

// figure3Measures are the columns of the figure; those that the chart leaves out tell how the others come about.
var figure3Measures = []measure{
	{"recovery", "Recovery"}, {"relative_recovery", "Relative recovery"}, {"relative_approximation", "Relative approximation"},
	{"relative_dominancy", "Relative dominancy"}, {"specificity_nats", "Specificity (nats)"}, {"dissimilarity", "Dissimilarity (of 20)"},
	{"sum_A", "Sum of A"}, {"log10_seconds", "Runtime (log10 s)"},
}

// figure3Drawn are the columns of the chart.
var figure3Drawn = []string{"recovery", "relative_approximation", "relative_dominancy", "specificity_nats", "dissimilarity", "log10_seconds"}

// topItems is how many items of a topic dissimilarity looks at.
const topItems = 20

// figure3Keys are the leading columns, which say what a run is of; seed is 0 where nothing is random.
const figure3Keys = 5

func figure3Fields() []shard.Field {
	fields := []shard.Field{{Name: "corpus", Type: shard.String}, {Name: "items", Type: shard.Int64},
		{Name: "pipeline", Type: shard.String}, {Name: "topics", Type: shard.Int64}, {Name: "seed", Type: shard.Int64},
		{Name: "documents", Type: shard.Int64}, {Name: "iterations", Type: shard.Int64}, {Name: "converged", Type: shard.String}}
	for _, m := range figure3Measures {
		fields = append(fields, shard.Field{Name: m.column, Type: shard.Float64})
	}
	for _, stage := range []string{"start_seconds", "rectify_seconds", "infer_seconds"} {
		fields = append(fields, shard.Field{Name: stage, Type: shard.Float64})
	}
	return fields
}

// writeFigure3 runs the grid and writes runs, means and the chart.
func (p Paper) writeFigure3(ctx context.Context, from reader, dir *durable.Dir) ([]string, error) {
	all, err := newRuns(p.Earlier, "figure3-runs", figure3Keys, figure3Fields())
	if err != nil {
		return nil, err
	}
	for _, name := range p.Corpora {
		data, err := findPaperData(name)
		if err != nil {
			return nil, err
		}
		if err := p.runFigure3(ctx, from, data, all); err != nil {
			return nil, fmt.Errorf("figure 3, %s: %w", name, err)
		}
	}
	if err := all.save(dir); err != nil {
		return nil, err
	}
	if err := all.summarize("figure3", []string{"corpus", "items", "pipeline", "topics"}, figure3Measures).save(dir); err != nil {
		return nil, err
	}
	panels := p.figure3Panels(all.table)
	if err := dir.WriteFile("figure3.svg", func(w io.Writer) error { return writeChart(w, panels) }); err != nil {
		return nil, err
	}
	return slices.Concat(agreement(all.table), unfinished(all.table), all.takenOver()), nil
}

// takenOver says how many runs earlier results gave.
func (r *runs) takenOver() []string {
	if r.taken == 0 {
		return nil
	}
	return []string{fmt.Sprintf("- %d of the %d rows of `%s` were taken over from earlier results, times included: they are the work of the program as it was then.", r.taken, len(r.rows), r.name)}
}

// runFigure3 runs the grid on one docs, in a fixed order.
func (p Paper) runFigure3(ctx context.Context, from reader, data paperData, all *runs) (err error) {
	d, err := from.openDense(ctx, data, p.Base)
	if err != nil {
		return err
	}
	defer func() {
		if closing := d.docs.Close(); err == nil {
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
			if !p.wants(k, data.name, pipeline) {
				continue
			}
			first, last := 0, 0
			if pipeline == randomised {
				first, last = 1, p.Seeds
			}
			for seed := first; seed <= last; seed++ {
				if err := p.runPipeline(ctx, d, all, pipeline, k, seed, start); err != nil {
					return fmt.Errorf("%s with %d topics: %w", pipeline, k, err)
				}
			}
		}
	}
	return nil
}

// runPipeline makes one run and measures it against the C that was counted.
func (p Paper) runPipeline(ctx context.Context, d *denseCorpus, all *runs, pipeline string, k, seed int, start func() (*exactStart, error)) error {
	run := []any{d.data.name, int64(len(d.p)), pipeline, int64(k), int64(seed)}
	if all.reuse(run...) {
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
	row := append(run, d.marginals.Documents, int64(o.iterations), yesNo(o.converged),
		distances.Recovery.Value, distances.RelativeRecovery.Value, distances.RelativeApproximation.Value,
		metric.RelativeDominancy(t.TopicJoint), metric.Specificity(t.Items, d.p), metric.Dissimilarity(t.Prominent(topItems)),
		metric.JointSum(t.TopicJoint), math.Log10(o.seconds()), o.start, o.rectify, o.infer)
	all.add(row...)
	p.Log.Info("figure 3", "corpus", d.data.name, "pipeline", pipeline, "topics", k, "seed", seed, "recovery", distances.Recovery.Value,
		"relative_approximation", distances.RelativeApproximation.Value, "iterations", o.iterations, "seconds", o.seconds())
	return nil
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// figure3Panels lays the runs out: a row per docs, a column per measure.
func (p Paper) figure3Panels(all *table) [][]panel {
	var rows [][]panel
	for _, docs := range p.Corpora {
		data, err := findPaperData(docs)
		of := all.where("corpus", docs)
		if err != nil || len(of) == 0 {
			continue
		}
		var row []panel
		for i, column := range figure3Drawn {
			drawn := panel{x: "Topics K", y: axisOf(figure3Measures, column), logX: true}
			if i == 0 {
				at := func(column string) int64 { return of[0][all.index(column)].(int64) }
				drawn.title = fmt.Sprintf("%s, M = %d, N = %d", data.title, at("documents"), at("items"))
			}
			for _, k := range distinct[int64](all, "topics", of) {
				drawn.ticks = append(drawn.ticks, float64(k))
			}
			for style, pipeline := range pipelineNames {
				s := series{name: pipeline, style: style}
				for _, k := range drawn.ticks {
					if runs := all.where("corpus", docs, "pipeline", pipeline, "topics", int64(k)); len(runs) > 0 {
						c := all.mean(column, runs)
						s.points = append(s.points, point{k, c.mean, c.deviation})
					}
				}
				if len(s.points) > 0 {
					drawn.series = append(drawn.series, s)
				}
			}
			row = append(row, drawn)
		}
		rows = append(rows, row)
	}
	return rows
}

func axisOf(measures []measure, column string) string {
	for _, m := range measures {
		if m.column == column {
			return m.axis
		}
	}
	return column
}

// unfinished says which pipelines were stopped by the limit of iterations.
func unfinished(all *table) []string {
	var lines []string
	for _, pipeline := range pipelineNames {
		stopped, ran := len(all.where("pipeline", pipeline, "converged", "no")), len(all.where("pipeline", pipeline))
		if stopped > 0 {
			lines = append(lines, fmt.Sprintf("- The rectification of %s was stopped by the limit of iterations in %d of %d runs.", pipeline, stopped, ran))
		}
	}
	return lines
}

// comparisons are pairs of pipelines: the second is held against the first.
var comparisons = [][2]string{{"AP+AW", "PALM+LAW"}, {"AP+AW", "ENN+LAW"}, {"AP+AW", "LR-JSMF"}, {"ENN+LAW", "LR-JSMF"}}

// agreement says, per docs, how far the figures of pipelines lie from each other, on average over K.
func agreement(all *table) []string {
	compared := []string{"recovery", "relative_approximation", "relative_dominancy", "specificity_nats", "dissimilarity"}
	lines := []string{"Mean over K of |figure − that of the other pipeline| / that of the other one, for the K that both were run with:", "",
		"| corpus | pipeline | against | K | " + strings.ReplaceAll(strings.Join(compared, " | "), "_", " ") + " | times as fast |",
		"| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"}
	found := false
	for _, docs := range distinct[string](all, "corpus", all.rows) {
		for _, pair := range comparisons {
			if line := compare(all, docs, pair[0], pair[1], compared); line != "" {
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
func compare(all *table, docs, against, pipeline string, compared []string) string {
	off, faster := make([]float64, len(compared)), 0.0
	var topics []string
	for _, k := range distinct[int64](all, "topics", all.rows) {
		base := all.where("corpus", docs, "pipeline", against, "topics", k)
		other := all.where("corpus", docs, "pipeline", pipeline, "topics", k)
		if len(base) == 0 || len(other) == 0 {
			continue
		}
		for i, column := range compared {
			reference := all.mean(column, base).mean
			off[i] += math.Abs(all.mean(column, other).mean-reference) / reference
		}
		faster += all.mean("log10_seconds", base).mean - all.mean("log10_seconds", other).mean
		topics = append(topics, fmt.Sprint(k))
	}
	if len(topics) == 0 {
		return ""
	}
	count := float64(len(topics))
	line := fmt.Sprintf("| %s | %s | %s | %s |", docs, pipeline, against, strings.Join(topics, ", "))
	for _, sum := range off {
		line += fmt.Sprintf(" %.1f %% |", 100*sum/count)
	}
	return line + fmt.Sprintf(" %.1f |", math.Pow(10, faster/count))
}
