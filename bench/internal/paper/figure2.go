// This file computes the first row of Figure 2 of Lee et al. (ICML 2021): words and the anchors' hull in two dimensions, before and after
// the rectification.

package paper

import (
	"context"
	"fmt"
	"slices"

	"anchorage/bench/internal/report"
	"anchorage/rectify"
)

const (
	hullTopics = 10  // K of the figure
	hullDots   = 700 // words that a panel shows, at most
	hullReach  = 2.0 // a word farther from the hull's middle than this many times the hull's extent is not drawn
)

// hullView is what one panel shows.
type hullView struct {
	pipeline string
	points   []point // of all items; those of items without a row are not
	anchors  []int
}

// writeFigure2 adds the hulls of the first corpus as tables and a chart.
func (p Grid) writeFigure2(ctx context.Context, r *results) (err error) {
	data := r.sources[0]
	d, err := r.from.openDense(ctx, data, p.Base)
	if err != nil {
		return fmt.Errorf("figure 2, %s: %w", data.name(), err)
	}
	defer func() {
		if closing := d.corpus.Close(); err == nil {
			err = closing
		}
	}()
	before, after, err := p.hullViews(ctx, d)
	if err != nil {
		return fmt.Errorf("figure 2, %s: %w", data.name(), err)
	}
	anchors := report.NewTable("figure2", report.Texts("corpus"), report.Ints("items"), report.Texts("pipeline", "rows"), report.Ints("topic"),
		report.Texts("anchor"), report.Floats("x", "y"), report.Texts("corner"))
	hulls := report.NewTable("figure2-hulls", report.Texts("corpus"), report.Ints("items"), report.Texts("pipeline", "rows"),
		report.Floats("area", "words_inside"), report.Ints("corners", "shared_anchors"))
	var panels [][]report.Panel
	for _, state := range []struct {
		name  string
		views []hullView
	}{{"before", before}, {"after", after}} {
		var row []report.Panel
		for style, v := range state.views {
			d.addHull(anchors, hulls, state.name, v, state.views)
			row = append(row, v.panel(style))
		}
		row[0].Title = fmt.Sprintf("%s, N = %d, K = %d, %s rectification", data.title, len(d.p), min(hullTopics, len(d.p)), state.name)
		panels = append(panels, row)
	}
	r.short = append(r.short, hullFindings(hulls)...)
	if err := r.AddTables(anchors, hulls); err != nil {
		return err
	}
	return r.AddChart("figure2.svg", report.Chart{Rows: panels})
}

// hullViews runs the pipelines, the baseline first. The rows before are those of the empirical C̄, and those after of what each pipeline
// has made of it; the baseline, which makes nothing of it, is shown in the space of the first of the others. All panels of a row have the axes
// of its first space.
func (p Grid) hullViews(ctx context.Context, d *denseCorpus) (before, after []hullView, err error) {
	k := min(hullTopics, len(d.p))
	var exact *exactStart
	start := func() (_ *exactStart, err error) {
		if exact == nil {
			exact, err = d.exactStart(ctx, k, p.Workers)
		}
		return exact, err
	}
	empirical := space{multiply: rectify.Dense(d.c, p.Workers), sums: d.p, workers: p.Workers}
	axes, err := empirical.axes(ctx)
	if err != nil {
		return nil, nil, err
	}
	counted, err := empirical.project(ctx, axes)
	if err != nil {
		return nil, nil, err
	}
	var rectified []point // those of the first pipeline that rectifies
	axes = nil
	for _, pipeline := range append([]string{baseline}, p.Pipelines...) {
		o, err := d.fit(ctx, pipeline, k, 1, p.Workers, start)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", pipeline, err)
		}
		p.Log.Info("figure 2", "corpus", d.data.name(), "pipeline", pipeline)
		before = append(before, hullView{pipeline, counted, o.topics.Anchors})
		after = append(after, hullView{pipeline: pipeline, anchors: o.topics.Anchors})
		if pipeline == baseline {
			continue
		}
		of := o.space(p.Workers)
		if axes == nil {
			if axes, err = of.axes(ctx); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", pipeline, err)
			}
		}
		view := &after[len(after)-1]
		if view.points, err = of.project(ctx, axes); err != nil {
			return nil, nil, err
		}
		if rectified == nil {
			rectified = view.points
		}
	}
	after[0].points = rectified
	return before, after, nil
}

// addHull adds a view to the tables; others are those that its anchors are compared with: the first that rectifies.
func (d *denseCorpus) addHull(anchors, hulls *report.Table, rows string, v hullView, others []hullView) {
	corners := v.hull()
	for k, s := range v.anchors {
		at := v.points[s]
		anchors.Add(d.data.name(), int64(len(d.p)), v.pipeline, rows, int64(k), d.corpus.Vocabulary.ID(s), at.x, at.y, yesNo(slices.Contains(corners, at)))
	}
	inside, count, shared := 0.0, 0.0, int64(0)
	for _, at := range v.points {
		if at.known() {
			count++
			if contains(corners, at) {
				inside++
			}
		}
	}
	for _, s := range v.anchors {
		if slices.Contains(others[min(1, len(others)-1)].anchors, s) {
			shared++
		}
	}
	hulls.Add(d.data.name(), int64(len(d.p)), v.pipeline, rows, area(corners), inside/count, int64(len(corners)), shared)
}

// hull returns the corners of the anchors' hull.
func (v hullView) hull() []point {
	var at []point
	for _, s := range v.anchors {
		if v.points[s].known() {
			at = append(at, v.points[s])
		}
	}
	return convexHull(at)
}

// panel draws the words, and the hull over them.
func (v hullView) panel(style int) report.Panel {
	corners := v.hull()
	closed, marks := []report.Point{}, []report.Point{}
	for _, at := range append(slices.Clone(corners), corners[:min(1, len(corners))]...) {
		closed = append(closed, report.Point{X: at.x, Y: at.y})
	}
	for _, s := range v.anchors {
		if at := v.points[s]; at.known() {
			marks = append(marks, report.Point{X: at.x, Y: at.y})
		}
	}
	reach := reachOf(corners, hullReach)
	var dots []report.Point
	step := max(len(v.points)/hullDots, 1)
	for i := 0; i < len(v.points); i += step {
		if at := v.points[i]; at.known() && reach(at) {
			dots = append(dots, report.Point{X: at.x, Y: at.y})
		}
	}
	return report.Panel{X: v.pipeline, Series: []report.Series{
		{Name: "words", Style: report.DotStyle, Points: dots, Line: []report.Point{}},
		{Name: "anchors and hull of " + v.pipeline, Style: style, Points: marks, Line: closed},
	}}
}

// hullFindings says what rectification does to the hulls.
func hullFindings(hulls *report.Table) []string {
	lines := []string{"", "Hulls of the anchors in two dimensions, and how many of the anchors are those of the first pipeline that rectifies:", "",
		"| pipeline | words inside, before | words inside, after | shared anchors |", "| --- | ---: | ---: | ---: |"}
	for _, pipeline := range report.Distinct[string](hulls, "pipeline", hulls.Rows) {
		share := func(rows string) float64 {
			return hulls.Mean("words_inside", hulls.Where("pipeline", pipeline, "rows", rows)).Mean
		}
		shared := report.Distinct[int64](hulls, "shared_anchors", hulls.Where("pipeline", pipeline, "rows", "after"))
		lines = append(lines, fmt.Sprintf("| %s | %.1f %% | %.1f %% | %d |", pipeline, 100*share("before"), 100*share("after"), shared[0]))
	}
	return append(lines, "")
}
