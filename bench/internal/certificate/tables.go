// This file sums up how often certificates are right, and writes the results.

package certificate

import (
	"fmt"
	"math"
	"slices"

	"anchorage/bench/internal/report"
	"anchorage/model"
)

// within are the multiples of the floor that the tables count corpora within.
var within = []float64{2, 2.5, 3}

// Write writes what Run has returned into a folder.
func Write(folder *report.Folder, records []Record, origin report.Origin) error {
	verdicts, figures, ends, rough := verdictsTable(records), figuresTable(records), thresholdsTable(records), roughTable(records)
	if err := folder.AddTables(recordsTable(records), verdicts, figures, ends, rough); err != nil {
		return err
	}
	b := origin.Begin("Whether certificates are right", "")
	fmt.Fprintf(b, `
%d corpora were drawn: 200 to 2,000 items, 4 to 12 topics, 500 to 8,000 documents of 10 to 100 tokens, mixtures of concentration 0.05
to 0.3 per topic, and anchors of which from all to half lies in their own topic. Errors are the mean ℓ1 error of a column of B, from 0
to 2: floor is that of an oracle who knows the topic of every token, fit that of a fit without
refinement, and refined that of a whole one, whose certificate it is. `+"`records.csv`"+` has a row per corpus.

## Verdicts

within_x is the share of corpora whose refined error is at most x times the floor; fit_within the share whose fit has an error of at
most the floor plus 0.35. The others are quantiles.

`, len(records))
	verdicts.WriteMarkdown(b)
	fmt.Fprint(b, `
## Figures

Each figure by its own threshold: the median of refined/floor where it is good and where it worries, and Spearman's rank correlation of
the figure with refined/floor. Halved is what the certificates of fits with half as many topics say is explained.

`)
	figures.WriteMarkdown(b)
	fmt.Fprint(b, `
## Thresholds

Where the threshold of one figure would be elsewhere, with the others at their place: the share of corpora that are good, and the share
of these whose refined error is within 2.5 times the floor.

`)
	ends.WriteMarkdown(b)
	fmt.Fprint(b, `
## Rough fits

Corpora with a good certificate were fitted again without refinement, with eigenpairs from two or three passes, of K+30 and of K columns, and with one to
eight iterations of the rectification: the error of these fits relative to that of the usual one, by what the figure of their
certificate says. From and below bound the figure.

`)
	rough.WriteMarkdown(b)
	return folder.AddText("README.md", b.String())
}

// ratio is the refined error relative to the floor.
func (r *Record) ratio() float64 { return r.Refined / r.Floor }

// recordsTable has a row per corpus.
func recordsTable(records []Record) *report.Table {
	var names []string
	for _, figure := range records[0].Certificate.Figures {
		names = append(names, figure.Name)
	}
	t := report.NewTable("records", report.Ints("items", "topics", "documents", "tokens"), report.Floats("anchor_strength", "concentration"),
		report.Ints("seed"), report.Floats("floor", "fit", "refined"), report.Texts("verdict"), report.Floats(names...), report.Floats("explained_halved"))
	for _, r := range records {
		m := r.Model
		row := []any{int64(m.Items), int64(m.Topics), int64(m.Documents), int64(m.Tokens), m.AnchorStrength, m.Concentration, int64(m.Seed),
			r.Floor, r.Error, r.Refined, string(r.Certificate.Verdict)}
		for _, figure := range r.Certificate.Figures {
			row = append(row, figure.Value)
		}
		t.Add(append(row, r.Halved)...)
	}
	return t
}

// verdictsTable has a row per verdict.
func verdictsTable(records []Record) *report.Table {
	t := report.NewTable("verdicts", report.Texts("verdict"), report.Ints("corpora"), report.Floats("ratio_median", "ratio_90"),
		report.Floats("within_2", "within_2.5", "within_3"), report.Floats("fit_within"))
	for _, verdict := range []model.Verdict{model.Good, model.Worry} {
		var ratios []float64
		near := 0.0
		for _, r := range records {
			if r.Certificate.Verdict == verdict {
				ratios = append(ratios, r.ratio())
				if r.Error <= r.Floor+0.35 {
					near++
				}
			}
		}
		row := []any{string(verdict), int64(len(ratios)), quantile(ratios, 0.5), quantile(ratios, 0.9)}
		for _, most := range within {
			row = append(row, shareWithin(ratios, most))
		}
		t.Add(append(row, near/float64(len(ratios)))...)
	}
	return t
}

// figuresTable has a row per figure.
func figuresTable(records []Record) *report.Table {
	t := report.NewTable("figures", report.Texts("figure"), report.Floats("threshold"), report.Ints("good", "worry"),
		report.Floats("ratio_good", "ratio_worry", "rank_correlation", "median", "halved"))
	for at, figure := range records[0].Certificate.Figures {
		var ratios, values, good, worry, halved []float64
		for _, r := range records {
			of := r.Certificate.Figures[at]
			ratios, values = append(ratios, r.ratio()), append(values, of.Value)
			halved = append(halved, r.Halved)
			if of.Verdict == model.Good {
				good = append(good, r.ratio())
			} else {
				worry = append(worry, r.ratio())
			}
		}
		if at > 0 {
			halved = nil
		}
		t.Add(figure.Name, figure.Threshold, int64(len(good)), int64(len(worry)), quantile(good, 0.5), quantile(worry, 0.5),
			correlation(ranks(values), ranks(ratios)), quantile(values, 0.5), quantile(halved, 0.5))
	}
	return t
}

// elsewhere are other thresholds of the figures that tell corpora apart.
var elsewhere = map[string][]float64{"explained": {0, 0.5, 0.7, 0.8, 0.9, 0.95}, "own_mixtures": {0, 0.5, 0.7, 0.8, 0.9, 0.95}, "in_both_halves": {0, 0.6, 0.7, 0.8, 0.9, 1}}

// thresholdsTable has a row per figure and threshold.
func thresholdsTable(records []Record) *report.Table {
	t := report.NewTable("thresholds", report.Texts("figure"), report.Floats("threshold", "good", "within_2.5"))
	for at, figure := range records[0].Certificate.Figures {
		for _, threshold := range elsewhere[figure.Name] {
			var ratios []float64
			for _, r := range records {
				good := r.Certificate.Figures[at].Value >= threshold
				for other, of := range r.Certificate.Figures {
					good = good && (other == at || of.Verdict == model.Good)
				}
				if good {
					ratios = append(ratios, r.ratio())
				}
			}
			t.Add(figure.Name, threshold, float64(len(ratios))/float64(len(records)), shareWithin(ratios, 2.5))
		}
	}
	return t
}

// bounds are where the rows of roughTable begin, by figure.
var bounds = []struct {
	figure string
	from   []float64
}{{"residual", []float64{0, 0.01, 0.05, 0.2, 0.5}}, {"settled", []float64{0, 1e-5, 1e-4, 1e-3, 1e-2}},
	{"negative", []float64{0, 1e-3, 5e-3, 0.02, 0.05}}}

// roughTable has a row per figure and range of its values.
func roughTable(records []Record) *report.Table {
	t := report.NewTable("rough", report.Texts("figure"), report.Floats("from", "below"), report.Ints("fits"), report.Floats("error_median", "error_90"))
	for _, of := range bounds {
		for at, from := range of.from {
			below := math.Inf(1)
			if at+1 < len(of.from) {
				below = of.from[at+1]
			}
			var errors []float64
			for _, r := range records {
				for _, rough := range r.Rough {
					if rough.Figure == of.figure && rough.Value >= from && rough.Value < below {
						errors = append(errors, rough.Error)
					}
				}
			}
			t.Add(of.figure, from, below, int64(len(errors)), quantile(errors, 0.5), quantile(errors, 0.9))
		}
	}
	return t
}

// shareWithin returns the share of values that are at most so large; NaN of none.
func shareWithin(values []float64, most float64) float64 {
	count := 0.0
	for _, v := range values {
		if v <= most {
			count++
		}
	}
	return count / float64(len(values))
}

// quantile returns the smallest value that is at least as large as a share q of all; NaN of none.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(math.Ceil(q*float64(len(sorted))))-1, len(sorted)-1)]
}

// ranks returns the ranks of the values; equal ones share their mean.
func ranks(values []float64) []float64 {
	ranked := make([]float64, len(values))
	for i, v := range values {
		for _, other := range values {
			switch {
			case other < v:
				ranked[i]++
			case other == v:
				ranked[i] += 0.5
			}
		}
	}
	return ranked
}

// correlation returns Pearson's correlation; NaN where one of the two does not vary.
func correlation(a, b []float64) float64 {
	n, meanA, meanB := float64(len(a)), 0.0, 0.0
	for i := range a {
		meanA, meanB = meanA+a[i]/n, meanB+b[i]/n
	}
	both, squareA, squareB := 0.0, 0.0, 0.0
	for i := range a {
		both += (a[i] - meanA) * (b[i] - meanB)
		squareA += (a[i] - meanA) * (a[i] - meanA)
		squareB += (b[i] - meanB) * (b[i] - meanB)
	}
	return both / math.Sqrt(squareA*squareB)
}
