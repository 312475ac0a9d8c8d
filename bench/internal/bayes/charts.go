// This file draws held-out likelihood against documents seen: Figure 11.3.

package bayes

import (
	"fmt"
	"math"
	"slices"

	"anchorage/bayes"
	"anchorage/bench/internal/report"
)

// chartPoints is how many points a curve has: each is the mean over the batches tested in its stretch of documents.
const chartPoints = 16

// modelStyles are the styles of the models, in the order of AllModels; the other styles lie between them.
var modelStyles = []int{3, 0, 2}

// stretches returns the mean score of every stretch of the documents seen. It leaves out scores from before the first twentieth of the
// documents, which would take up all of the scale, and stretches without a test: they are NaN.
func (r *Record) stretches() []float64 {
	means := make([]float64, chartPoints)
	width := float64(r.Documents) / chartPoints
	for i := range means {
		var in []bayes.HeldOut
		for _, score := range r.curve {
			if at := float64(score.Documents); at >= float64(i)*width && at < float64(i+1)*width && at >= float64(r.Documents)/20 {
				in = append(in, score)
			}
		}
		means[i] = meanScore(in)
	}
	return means
}

// curveOf returns the line of fits that differ in their seed alone: the mean over seeds, with a bar of a standard deviation.
func curveOf(fits map[uint64]*Record, name string, style int) report.Series {
	series := report.Series{Name: name, Style: style}
	var all [][]float64
	documents := int64(0)
	for _, seed := range seeds(fits) {
		all = append(all, fits[seed].stretches())
		documents = fits[seed].Documents
	}
	for i := range chartPoints {
		var values []float64
		for _, means := range all {
			if !math.IsNaN(means[i]) {
				values = append(values, means[i])
			}
		}
		if len(values) > 0 {
			series.Points = append(series.Points, report.At((float64(i)+0.5)*float64(documents)/chartPoints, report.MeanOf(values)))
		}
	}
	return series
}

// documentTicks puts a tick at every fourth part of the documents, rounded to one digit.
func documentTicks(learned int64) []float64 {
	step := float64(learned) / 4
	digit := math.Pow(10, math.Floor(math.Log10(step)))
	step = max(math.Round(step/digit), 1) * digit
	var ticks []float64
	for x := step; x < 1.1*float64(learned); x += step {
		ticks = append(ticks, x)
	}
	return ticks
}

// asInChapter says whether fits are as those of the chapter's figure, but for their documents.
func (s *setting) asInChapter() bool {
	return s.Algorithm == stochastic && s.Priors == chapter && s.Delay == 1 && s.Epochs == 1 && s.Beginning == random && s.Piece == 0
}

// figure3 is Figure 11.3 of a corpus: a row per number of topics, a column per size of batches. It shows the number of documents with the most
// fits. It has no rows if there is no such fit.
func figure3(list []*setting, corpus string) report.Chart {
	fits := make(map[int64]int)
	for _, s := range list {
		if s.Corpus == corpus && s.asInChapter() {
			fits[s.any().Documents] += len(s.topic)
		}
	}
	documents := int64(0)
	for d, n := range fits {
		if n > fits[documents] || n == fits[documents] && d > documents {
			documents = d
		}
	}
	var shown []*setting
	var topics, sizes []int
	for _, s := range list {
		if s.Corpus == corpus && s.asInChapter() && s.any().Documents == documents {
			shown, topics, sizes = append(shown, s), append(topics, s.topic...), append(sizes, s.BatchSize)
		}
	}
	slices.Sort(topics)
	slices.Sort(sizes)
	topics, sizes = slices.Compact(topics), slices.Compact(sizes)
	var chart report.Chart
	for _, k := range topics {
		var row []report.Panel
		for i, size := range sizes {
			p := report.Panel{X: fmt.Sprintf("|C| = %d, thousands", size), Thousands: true, Ticks: documentTicks(documents)}
			if i == 0 {
				p.Title, p.Y = fmt.Sprintf("K = %d", k), "ln p per token"
			}
			for _, s := range shown {
				if s.BatchSize == size && s.at[k] != nil {
					p.Series = append(p.Series, curveOf(s.at[k], modelNames[s.Model], modelStyles[slices.Index(AllModels, s.Model)]))
				}
			}
			row = append(row, p)
		}
		chart.Rows = append(chart.Rows, row)
	}
	return chart
}
