// This file makes the runs of Figures 2, 3 and 4: words and the anchors' hull in two dimensions, before and after the
// rectification (the first row of Figure 2 of Lee et al., ICML 2021); pipelines by the number of topics, at a
// vocabulary for which C can be held; and LR-JSMF as the vocabulary grows, with the panels of Figure 4.2 of Dong's
// thesis.

package paper

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"anchorage/anchor"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/metric"
	"anchorage/rectify"
)

// topItems is how many items of a topic dissimilarity looks at.
const topItems = 20

// measureFigure3 runs a pipeline and judges it by the counted C.
func measureFigure3(ctx context.Context, j *run.Job, c *opened) error {
	d, workers := c.dense, j.Workers
	o, err := d.fit(ctx, j.Text("pipeline"), j.Int("topics"), j.Seed("seed"), workers)
	if err != nil {
		return err
	}
	t := metric.Of(o.topics)
	distances, err := metric.DenseDistances(ctx, d.c, d.p, t, nil, workers)
	if err != nil {
		return err
	}
	c.describe(j)
	j.Row("settings", o.settings, "iterations", len(o.course), "converged", o.converged, "recovery",
		distances.Recovery.Value, "relative_recovery", distances.RelativeRecovery.Value, "relative_approximation",
		distances.RelativeApproximation.Value,
		"dominancy", metric.Dominancy(t.TopicJoint), "diagonal_dominancy", metric.DiagonalDominancy(t.TopicJoint),
		"relative_dominancy", metric.RelativeDominancy(t.TopicJoint),
		"specificity_nats", metric.Specificity(t.Items, d.p), "dissimilarity", metric.Dissimilarity(t.Prominent(topItems)),
		"sum_A", metric.JointSum(t.TopicJoint),
		"seconds", o.seconds(), "start_seconds", o.start, "rectify_seconds", o.rectify, "infer_seconds", o.infer)
	squares := 0.0
	if slices.Contains([]string{palmed, palmedLong, palmedFast}, j.Text("pipeline")) {
		for i := range d.c.Rows() {
			for _, v := range d.c.Row(i) {
				squares += v * v
			}
		}
		factor, err := d.factorApproximation(ctx, o.factor, squares, workers)
		if err != nil {
			return err
		}
		restarts := 0
		for _, i := range o.course {
			if i.Restarted {
				restarts++
			}
		}
		j.Row("products", o.products, "restarts", restarts, "factor_approximation", factor, "cpu_seconds", o.cpu)
	}
	addCourse(j, o.course, len(d.p), squares)
	return nil
}

// Of long rectifications not all iterations are kept: the first courseRows, every courseStride-th of the others, and
// the last.
const (
	courseRows   = 150
	courseStride = 25
)

// addCourse reports iterations. A mean entry of C is 1/N². The objective of PALM is relative to ½‖C‖², of which twice
// is given; 0 for other rectifiers.
func addCourse(j *run.Job, course []rectify.Iteration, items int, squares float64) {
	for at, i := range course {
		if i.Number > courseRows && i.Number%courseStride != 0 && at < len(course)-1 {
			continue
		}
		cells := []any{"iteration", i.Number, "change", i.Change, "epsilon_in_mean_entries",
			i.Epsilon * float64(items) * float64(items), "corrections_sum", i.CorrectionsSum, "density", i.Density}
		if squares > 0 {
			cells = append(cells, "objective", 1+2*i.Objective/squares, "coupling", i.Coupling, "apart", i.Apart, "factor_sum",
				i.FactorSum)
		}
		j.Add("iterations", cells...)
	}
}

// factorApproximation returns ‖C − X·Xᵀ‖_F/‖C‖_F of a factor: the square is ‖C‖² − 2·tr(XᵀC·X) + ‖XᵀX‖².
func (d *denseCorpus) factorApproximation(ctx context.Context, x *matrix.Tall, squares float64,
	workers int) (float64, error) {
	product := matrix.Like(x)
	if err := d.operator(workers)(ctx, product, x); err != nil {
		return 0, err
	}
	off := squares
	for _, v := range kernel.Gram(ctx, x, x, workers) {
		off += v * v
	}
	k := x.Cols()
	cross := kernel.Gram(ctx, product, x, workers)
	for j := range k {
		off -= 2 * cross[j*k+j]
	}
	return math.Sqrt(max(off, 0) / squares), ctx.Err()
}

// measureFigure4 makes one factor, and topics with row sums as published and exact ones, since rare items break the
// published form.
func measureFigure4(ctx context.Context, j *run.Job, c *opened) error {
	c.describe(j)
	fit, err := fitSketched(ctx, c.corpus, j.Int("topics"), j.Seed("seed"), j.Workers)
	if err != nil {
		return err
	}
	var base []int
	for _, id := range c.base {
		if i, ok := c.corpus.Vocabulary.Lookup([]byte(id)); ok {
			base = append(base, int(i))
		}
	}
	for _, form := range []struct {
		name string
		sums anchor.RowSums
	}{{"exact", anchor.RowSumsExact}, {"published", anchor.RowSumsFactor}} {
		o, err := fit.infer(ctx, form.sums)
		if err != nil {
			return err
		}
		report, err := metric.Score(ctx, c.corpus.Pass, metric.Of(o.topics), metric.Options{DenseBytes: metric.NeverDense,
			ProjectionBytes: 1 << 30,
			Base:            base, Seed: j.Seed("seed"), Key: c.corpus.Vocabulary.Key, Workers: j.Workers})
		if err != nil {
			return err
		}
		cells := []any{"row_sums", form.name, "iterations", len(o.course)}
		for _, figure := range []string{"log_relative_volume", "mst_incoherence", "relative_recovery", "base_recovery",
			"relative_approximation", "anchor_quality", "sparsity"} {
			if e, ok := report.Get(figure); ok {
				cells = append(cells, figure, e.Value)
				if figure == "relative_recovery" {
					cells = append(cells, "relative_recovery_standard_error", e.StandardError)
				}
			}
		}
		j.Add("vocabularies", append(cells, "largest_pivot", o.topics.Pivots[0], "sketch_seconds", o.start, "enn_seconds",
			o.rectify, "law_seconds", o.infer)...)
		j.Row("settings", o.settings)
	}
	return nil
}

const (
	hullTopics = 10  // K of the figure
	hullDots   = 300 // words that a panel shows, at most
	hullReach  = 2.0 // a word farther from the hull's middle than this many times the hull's extent is not drawn
)

// hullView is what one panel shows.
type hullView struct {
	pipeline string
	points   []point // of all items; those of items without a row are not
	anchors  []int
}

// measureFigure2 runs the pipelines, the baseline first. The rows before are those of the empirical C̄, and those after
// of what each pipeline has made of it; the baseline, which makes nothing of it, is shown in the space of the first of
// the others. All panels of a row have the axes of its first space.
func measureFigure2(ctx context.Context, j *run.Job, c *opened) error {
	c.describe(j)
	d, k := c.dense, min(j.Int("topics"), len(c.dense.p))
	empirical := space{multiply: rectify.Dense(d.c, j.Workers), sums: d.p, workers: j.Workers}
	axes, err := empirical.axes(ctx)
	if err != nil {
		return err
	}
	counted, err := empirical.project(ctx, axes)
	if err != nil {
		return err
	}
	axes = nil
	var before, after []hullView
	for _, pipeline := range append([]string{baseline}, j.List("pipelines")...) {
		o, err := d.fit(ctx, pipeline, k, j.Seed("seed"), j.Workers)
		if err != nil {
			return fmt.Errorf("%s: %w", pipeline, err)
		}
		before = append(before, hullView{pipeline, counted, o.topics.Anchors})
		after = append(after, hullView{pipeline: pipeline, anchors: o.topics.Anchors})
		if pipeline == baseline {
			continue
		}
		of := o.space(j.Workers)
		if axes == nil {
			if axes, err = of.axes(ctx); err != nil {
				return err
			}
		}
		if after[len(after)-1].points, err = of.project(ctx, axes); err != nil {
			return err
		}
	}
	after[0].points = after[min(1, len(after)-1)].points
	for i := range before {
		d.addHull(j, "before", before[i], before)
		d.addHull(j, "after", after[i], after)
	}
	return nil
}

// addHull reports a view; others are those that its anchors are compared with: the first that rectifies.
func (d *denseCorpus) addHull(j *run.Job, rows string, v hullView, others []hullView) {
	var at []point
	for _, s := range v.anchors {
		if v.points[s].known() {
			at = append(at, v.points[s])
		}
	}
	corners := convexHull(at)
	add := func(kind, word string, at point) {
		j.Add("points", "by", v.pipeline, "rows", rows, "kind", kind, "word", word, "x", at.x, "y", at.y)
	}
	inside, count := 0.0, 0.0
	for _, at := range v.points {
		if at.known() {
			count++
			if contains(corners, at) {
				inside++
			}
		}
	}
	for _, s := range v.anchors {
		if at := v.points[s]; at.known() {
			add("anchor", d.corpus.Vocabulary.ID(s), at)
		}
	}
	for _, at := range corners {
		add("corner", "", at)
	}
	reach := reachOf(corners, hullReach)
	for i := 0; i < len(v.points); i += max(len(v.points)/hullDots, 1) {
		if at := v.points[i]; at.known() && reach(at) {
			add("word", "", at)
		}
	}
	j.Add("hulls", "by", v.pipeline, "rows", rows, "area", area(corners), "words_inside", inside/count, "corners",
		len(corners), "shared_anchors", run.Common(v.anchors, others[min(1, len(others)-1)].anchors))
}

// drawHulls draws the words and the hulls over them: a row of panels before and one after the rectification.
func drawHulls(file string, v show.View) (string, error) {
	if v.Empty() {
		return "", nil
	}
	var rows [][]show.Panel
	for _, state := range v.Sort("-rows").By("corpus,rows") {
		var row []show.Panel
		for _, of := range state.By("by") {
			name := of.Rows[0]["by"]
			panel := show.Panel{X: show.Axis{Label: name}, Series: []show.Series{{Name: "words", Dots: true},
				{Name: "anchors of " + name, Dots: true}, {Name: "hull of " + name}}}
			for _, r := range of.Rows {
				x, _ := strconv.ParseFloat(r["x"], 64)
				y, _ := strconv.ParseFloat(r["y"], 64)
				series := &panel.Series[slices.Index([]string{"word", "anchor", "corner"}, r["kind"])]
				series.Points = append(series.Points, show.Point{X: x, Y: y})
			}
			if hull := &panel.Series[2]; len(hull.Points) > 0 {
				hull.Points = append(hull.Points, hull.Points[0])
			}
			row = append(row, panel)
		}
		row[0].Title = fmt.Sprintf("%s, N = %s, K = %s, %s rectification", state.Rows[0]["corpus"], state.Rows[0]["items"],
			state.Rows[0]["topics"], state.Rows[0]["rows"])
		rows = append(rows, row)
	}
	return v.Save(file, func(w io.Writer) error { return show.Draw(w, rows) })
}
