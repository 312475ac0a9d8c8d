// This file computes the first row of Figure 2 of Lee et al. (ICML 2021): words and the anchors' hull in two
// dimensions, before and after the rectification.

package paper

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/rectify"
)

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
