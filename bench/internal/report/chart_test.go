package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

// someChart has two rows of two panels, with bars, dashes, a fitted line, and values that cannot be drawn.
func someChart() Chart {
	measured := Series{Name: "measured", Points: []Point{{X: 1, Y: 2}, {X: 10, Y: 3, Below: 1, Above: 0.5}, {X: 100, Y: math.NaN()}}}
	fitted := Series{Name: "fitted", Style: 1, Points: measured.Points, Line: []Point{{X: 1, Y: 1}, {X: 100, Y: 4}}}
	guide := Series{Name: "guide", Style: GuideStyle, Dashed: true, Points: []Point{{X: 1, Y: 1}, {X: 100, Y: 1}}}
	whole := Series{Name: "whole", Style: WholeStyle, Points: []Point{{X: 1, Y: -1}, {X: 100, Y: math.Inf(1)}}}
	panel := func(title, y string, log bool) Panel {
		return Panel{Title: title, X: "items", Y: y, LogX: true, LogY: log, Ticks: []float64{1, 10, 100}, Series: []Series{measured, fitted, guide, whole}}
	}
	return Chart{Rows: [][]Panel{{panel("first row", "seconds", true), panel("", "bytes", false)}, {panel("second row", "seconds", false), panel("", "bytes", true)}}}
}

// drawn returns the text of a chart, which must be well-formed.
func drawn(t *testing.T, chart Chart) string {
	t.Helper()
	var svg strings.Builder
	if err := chart.Write(&svg); err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(strings.NewReader(svg.String())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return svg.String()
		} else if err != nil {
			t.Fatalf("the chart is not well-formed: %v", err)
		}
	}
}

func TestChart(t *testing.T) {
	svg := drawn(t, someChart())
	for want, count := range map[string]int{">first row<": 1, ">second row<": 1, ">seconds<": 2, ">bytes<": 2, ">items<": 4,
		">measured<": 1, ">fitted<": 1, ">guide<": 1, ">whole<": 1, ">100<": 4} {
		if got := strings.Count(svg, want); got != count {
			t.Errorf("%q stands in the chart %d times, want %d", want, got, count)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("the chart has numbers that cannot be drawn")
	}
	if drawn(t, someChart()) != svg {
		t.Error("a chart is not the same twice")
	}
	large := someChart()
	large.Zoom = 2
	if drawn(t, large) == svg {
		t.Error("zoom changes nothing")
	}
}

// Panels without a point, or with one, can be drawn.
func TestChartFewPoints(t *testing.T) {
	for _, points := range [][]Point{nil, {{X: 1, Y: 5}}, {{X: 1}, {X: 2, Y: -1}}, {{X: 1, Y: math.NaN()}}} {
		for _, log := range []bool{false, true} {
			panel := Panel{X: "x", Y: "y", LogX: true, LogY: log, Ticks: []float64{1, 2}, Series: []Series{{Name: "few", Points: points}}}
			drawn(t, Chart{Rows: [][]Panel{{panel}}})
		}
	}
}

// An end stands where it is, with and without a line to it, and what has no place on a logarithmic axis is left out.
func TestEnds(t *testing.T) {
	crosses := func(points, ends []Point) int {
		panel := Panel{X: "x", Y: "y", LogX: true, LogY: true, Ticks: []float64{1, 2, 4}, Series: []Series{{Name: "ended", Points: points, Ends: ends}}}
		return strings.Count(drawn(t, Chart{Rows: [][]Panel{{panel}}}), "<path")
	}
	points, end := []Point{{X: 1, Y: 5}, {X: 2, Y: 6}}, []Point{{X: 4, Y: 9}}
	crosses(nil, end)
	none, after := crosses(points, nil), crosses(points, end)
	if after <= none || crosses(points, []Point{{X: 4, Y: math.NaN()}, {X: 4, Y: 0}}) != none {
		t.Errorf("%d paths without an end, %d with one", none, after)
	}
}

// Styles beyond those that there are begin again.
func TestStyles(t *testing.T) {
	if (Series{Style: len(looks)}).look().color != looks[0].color {
		t.Error("styles do not begin again")
	}
	seen := make(map[string]bool)
	for _, look := range append(looks, otherLooks...) {
		seen[fmt.Sprintf("%v %T", look.color, look.glyph)] = true
	}
	if len(seen) != len(looks)+len(otherLooks) {
		t.Errorf("of %d looks %d differ", len(looks)+len(otherLooks), len(seen))
	}
}

func TestAt(t *testing.T) {
	if p := At(3, MeanOf([]float64{1, 3})); p != (Point{3, 2, math.Sqrt2, math.Sqrt2}) {
		t.Errorf("%+v", p)
	}
	if p := At(3, MeanOf([]float64{7})); p != (Point{X: 3, Y: 7}) {
		t.Errorf("a single value has the bar %+v", p)
	}
}

// The last value that was run has a label, and labels keep their distance.
func TestXTicks(t *testing.T) {
	labels := func(p Panel) string {
		var list []string
		for _, tick := range p.xTicks() {
			list = append(list, tick.Label)
		}
		return strings.Join(list, ",")
	}
	if got := labels(Panel{Ticks: []float64{5, 10, 15, 20, 25, 50, 75, 100}}); got != "5,10,,20,,50,,100" {
		t.Errorf("labels %s", got)
	}
	if got := labels(Panel{Ticks: []float64{1250, 100_000}, Thousands: true}); got != "1.25,100" {
		t.Errorf("labels %s", got)
	}
}

func TestRoundTicks(t *testing.T) {
	for _, test := range []struct{ low, high float64 }{{0, 1}, {-3, 7}, {0.013, 0.0171}, {1e6, 3e7}, {-1e-9, 1e-9}} {
		ticks := roundTicks(test.low, test.high)
		if len(ticks) < 2 || len(ticks) > 7 {
			t.Errorf("%v to %v has %d ticks", test.low, test.high, len(ticks))
		}
		for _, tick := range ticks {
			if tick.Value < test.low || tick.Value > test.high || tick.Label == "" {
				t.Errorf("%v to %v has a tick at %v, %q", test.low, test.high, tick.Value, tick.Label)
			}
		}
	}
	if ticks := roundTicks(2, 2); len(ticks) != 1 || ticks[0].Label != "2" {
		t.Errorf("one value has %v", ticks)
	}
}

func TestDecadeRange(t *testing.T) {
	for _, test := range []struct{ low, high, from, to float64 }{
		{1.2, 8, 1, 10}, {0.5, 0.5, 0.3, 1}, {40, 250, 30, 300}, {1000, 1000, 300, 3000}, {0.0031, 2900, 0.001, 10_000}, {3.2e-5, 1, 3e-5, 3},
		{math.Inf(1), math.Inf(-1), 1, 10}, {0, 5, 1, 10}, {math.NaN(), 1, 1, 10},
	} {
		from, to := decadeRange(test.low, test.high)
		if math.Abs(from/test.from-1) > 1e-12 || math.Abs(to/test.to-1) > 1e-12 {
			t.Errorf("%v to %v: %v to %v, want %v to %v", test.low, test.high, from, to, test.from, test.to)
		}
		labels := 0
		for _, tick := range decadeTicks(from, to) {
			if tick.Label != "" {
				labels++
			}
		}
		if labels < 2 || !(from <= test.low) && test.from <= test.low {
			t.Errorf("%v to %v has %d labels", from, to, labels)
		}
	}
}

func TestShortNumber(t *testing.T) {
	for v, want := range map[float64]string{0.003: "0.003", 1: "1", 999: "999", 1000: "1k", 2500: "2.5k", 3e6: "3M"} {
		if got := shortNumber(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}

func TestFitPowerLaw(t *testing.T) {
	e := math.E
	for _, test := range []struct {
		name             string
		points           []Point
		slope, intercept float64
	}{
		{"a law", []Point{{X: 4, Y: 3 * 8}, {X: 25, Y: 3 * 125}, {X: 900, Y: 3 * 27_000}}, 1.5, math.Log(3)},
		{"two points", []Point{{X: 10, Y: 8}, {X: 1000, Y: 0.08}}, -1, math.Log(80)},
		{"a bend", []Point{{X: 1, Y: 1}, {X: e, Y: e}, {X: e * e, Y: 1}}, 0, 1.0 / 3},
		{"uneven", []Point{{X: 1, Y: 1}, {X: e, Y: 1}, {X: e * e * e, Y: e * e}}, 5.0 / 7, -2.0 / 7},
		{"large", []Point{{X: 1e8, Y: 1}, {X: 1.001e8, Y: 1.001}}, 1, -math.Log(1e8)},
		{"none", nil, math.NaN(), math.NaN()},
		{"one", []Point{{X: 3, Y: 4}}, math.NaN(), math.NaN()},
		{"one size", []Point{{X: 3, Y: 4}, {X: 3, Y: 9}}, math.NaN(), math.NaN()},
	} {
		law := FitPowerLaw(test.points)
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
		if !near(law.Slope, test.slope) || !near(law.Intercept, test.intercept) {
			t.Errorf("%s: %+v, want slope %v and intercept %v", test.name, law, test.slope, test.intercept)
		}
		if test.name == "a law" && !near(law.At(16), 3*64) {
			t.Errorf("the law gives %v at 16", law.At(16))
		}
	}
}
