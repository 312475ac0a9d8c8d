// This file groups fits that differ in their number of topics and their seed alone, and says what more topics are worth.

package bayes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"anchorage/bayes"
	"anchorage/bench/internal/report"
)

// modelNames are what models are called in tables and charts.
var modelNames = map[string]string{"bnmf": "Bayesian NMF", "cnmf": "correlated NMF", "lda": "online LDA"}

// setting is the fits of a Run but for its number of topics and its seed.
type setting struct {
	Run   // Topics and Seed are 0
	at    map[int]map[uint64]*Record
	topic []int // the numbers of topics, increasing
}

// settings groups records, in the order of the tables.
func settings(records []Record) []*setting {
	var list []*setting
	for i := range records {
		r := &records[i]
		of := r.Run
		of.Topics, of.Seed = 0, 0
		at := slices.IndexFunc(list, func(s *setting) bool { return s.Run == of })
		if at < 0 {
			at = len(list)
			list = append(list, &setting{Run: of, at: make(map[int]map[uint64]*Record)})
		}
		s := list[at]
		if s.at[r.Topics] == nil {
			s.at[r.Topics] = make(map[uint64]*Record)
			s.topic = append(s.topic, r.Topics)
			slices.Sort(s.topic)
		}
		s.at[r.Topics][r.Seed] = r
	}
	slices.SortStableFunc(list, func(a, b *setting) int {
		return cmp.Or(cmp.Compare(a.Corpus, b.Corpus), cmp.Compare(a.Items, b.Items), cmp.Compare(a.MaxDFRatio, b.MaxDFRatio), cmp.Compare(a.Piece, b.Piece),
			cmp.Compare(a.Model, b.Model), place(AllAlgorithms, a.Algorithm, b.Algorithm), place(AllPriors, a.Priors, b.Priors),
			cmp.Compare(a.Delay, b.Delay), cmp.Compare(a.any().Documents, b.any().Documents), cmp.Compare(a.BatchSize, b.BatchSize),
			cmp.Compare(a.Epochs, b.Epochs), place(AllBeginnings, a.Beginning, b.Beginning))
	})
	return list
}

// place compares by the places in a list.
func place(list []string, a, b string) int {
	return cmp.Compare(slices.Index(list, a), slices.Index(list, b))
}

// any returns one of the records.
func (s *setting) any() *Record {
	for _, r := range s.at[s.topic[0]] {
		return r
	}
	panic("bayes: a setting without records")
}

// score returns the mean over seeds of ln p of the documents set aside.
func (s *setting) score(topics int) report.Mean {
	var values []float64
	for _, seed := range seeds(s.at[topics]) {
		values = append(values, s.at[topics][seed].Apart)
	}
	return report.MeanOf(values)
}

// seeds returns the seeds of records, increasing.
func seeds(at map[uint64]*Record) []uint64 {
	var list []uint64
	for seed := range at {
		list = append(list, seed)
	}
	slices.Sort(list)
	return list
}

// gain returns by how much ln p is greater with some topics than with fewer, over the seeds that both have.
func (s *setting) gain(from, to int) (gain report.Mean, ok bool) {
	var values []float64
	for _, seed := range seeds(s.at[to]) {
		if s.at[from][seed] != nil {
			values = append(values, s.at[to][seed].Apart-s.at[from][seed].Apart)
		}
	}
	if len(values) == 0 {
		return report.Mean{}, false
	}
	return report.MeanOf(values), true
}

// meanText is a mean with its standard deviation, if it is of several fits.
func meanText(m report.Mean, sign bool) string {
	format := "%.3f"
	if sign {
		format = "%+.3f"
	}
	text := fmt.Sprintf(format, m.Mean)
	if m.Runs > 1 {
		text += fmt.Sprintf(" ± %.3f", m.Deviation)
	}
	return report.Minus(text)
}

// course returns how the score of the batches tested changes from the second fifth of a fit to the last one, the mean over seeds; NaN if it is not known.
func (s *setting) course(topics int) float64 {
	sum := 0.0
	for _, seed := range seeds(s.at[topics]) {
		r := s.at[topics][seed]
		all := float64(r.Documents) * float64(r.Epochs)
		var second, last []bayes.HeldOut
		for _, score := range r.curve {
			switch at := float64(score.Documents) / all; {
			case at >= 0.2 && at < 0.4:
				second = append(second, score)
			case at >= 0.8:
				last = append(last, score)
			}
		}
		sum += meanScore(last) - meanScore(second)
	}
	return sum / float64(len(s.at[topics]))
}

// heading is what the settings of one table have in common.
func (s *setting) heading() string {
	text := s.Corpus
	if s.Piece > 0 {
		text += fmt.Sprintf(" in pieces of %d tokens", s.Piece)
	}
	return text
}

// writeSettings writes a table for each corpus: a row per setting, a column per number of topics.
func writeSettings(b *strings.Builder, list []*setting) {
	for len(list) > 0 {
		first := list[0]
		n := 1
		for n < len(list) && list[n].heading() == first.heading() && list[n].Items == first.Items && list[n].MaxDFRatio == first.MaxDFRatio {
			n++
		}
		writeCorpus(b, list[:n])
		list = list[n:]
	}
}

func writeCorpus(b *strings.Builder, list []*setting) {
	var topics []int
	for _, s := range list {
		topics = append(topics, s.topic...)
	}
	slices.Sort(topics)
	topics = slices.Compact(topics)
	one := list[0].any()
	fmt.Fprintf(b, "\n### %s\n\nV = %d items in at most %g %% of the documents; %.1f tokens a document. %d tokens of documents that were set aside are predicted.\n\n",
		list[0].heading(), one.Vocabulary, 100*one.MaxDFRatio, float64(one.Tokens)/float64(one.Documents), one.ApartTokens)
	header := []string{"model", "hyperparameters", "D:", "|C|:", "t₀:", "epochs:", "beginning", "tokens a parameter:"}
	for _, k := range topics {
		header = append(header, fmt.Sprintf("K = %d:", k))
	}
	report.MarkdownHeader(b, append(header, "least to most topics:", "second to last fifth:")...)
	for _, s := range list {
		most := s.topic[len(s.topic)-1]
		size, delay := fmt.Sprint(s.BatchSize), fmt.Sprintf("%g", s.Delay)
		if s.Algorithm == batch {
			size, delay = "all", "–"
		}
		row := []string{modelNames[s.Model], s.Priors, fmt.Sprint(s.any().Documents), size, delay, fmt.Sprint(s.Epochs), s.Beginning, fmt.Sprintf("%.2f", s.at[most][seeds(s.at[most])[0]].tokensPerParameter())}
		for _, k := range topics {
			text := "–"
			if s.at[k] != nil {
				text = meanText(s.score(k), false)
			}
			row = append(row, text)
		}
		text := "–"
		if gain, ok := s.gain(s.topic[0], most); ok && most > s.topic[0] {
			text = meanText(gain, true)
		}
		course := "–"
		if change := s.course(most); !math.IsNaN(change) {
			course = report.Minus(fmt.Sprintf("%+.3f", change))
		}
		report.MarkdownRow(b, append(row, text, course)...)
	}
}

// writeLearned writes what became of the hyperparameters: means over seeds.
func writeLearned(b *strings.Builder, list []*setting) {
	report.MarkdownHeader(b, "corpus", "model", "D:", "|C|:", "t₀:", "K:", "a₀ in the chapter:", "a₀:", "b₀:", "c₀ in the chapter:", "c₀:")
	for _, s := range list {
		if s.Priors != learned {
			continue
		}
		for _, k := range s.topic {
			row := []string{s.heading(), modelNames[s.Model], fmt.Sprint(s.any().Documents), fmt.Sprint(s.BatchSize), fmt.Sprintf("%g", s.Delay), fmt.Sprint(k), report.Readable(1 / float64(k))}
			for i, of := range []func(r *Record) float64{func(r *Record) float64 { return r.A0 }, func(r *Record) float64 { return r.B0 }, func(r *Record) float64 { return r.C0 }} {
				var values []float64
				for _, r := range s.at[k] {
					values = append(values, of(r))
				}
				slices.Sort(values) // so that the sum is the same in every order
				if i == 2 {
					row = append(row, report.Readable(0.05*float64(s.any().Vocabulary)))
				}
				text := "–"
				if mean := report.MeanOf(values).Mean; mean > 0 {
					text = report.Readable(mean)
				}
				row = append(row, text)
			}
			report.MarkdownRow(b, row...)
		}
	}
}

// neighbours calls fn for every two numbers of topics that follow each other in a setting.
func (s *setting) neighbours(fn func(from, to int, gain report.Mean)) {
	for i := range s.topic[1:] {
		if gain, ok := s.gain(s.topic[i], s.topic[i+1]); ok {
			fn(s.topic[i], s.topic[i+1], gain)
		}
	}
}

// writeShort counts comparisons of neighbouring numbers of topics, by model and hyperparameters.
func writeShort(b *strings.Builder, list []*setting) {
	report.MarkdownHeader(b, "model", "hyperparameters", "t₀:", "more topics are better in", "mean change:")
	for _, model := range AllModels {
		for _, priors := range AllPriors {
			for _, delay := range delays(list) {
				better, all, sum := 0, 0, 0.0
				for _, s := range list {
					if s.Model != model || s.Priors != priors || s.Delay != delay {
						continue
					}
					s.neighbours(func(_, _ int, gain report.Mean) {
						all++
						sum += gain.Mean
						if gain.Mean > 0 {
							better++
						}
					})
				}
				if all > 0 {
					text := fmt.Sprintf("%g", delay)
					if delay == 0 {
						text = "– (batch algorithm)"
					}
					report.MarkdownRow(b, modelNames[model], priors, text, fmt.Sprintf("%d of %d comparisons", better, all), report.Minus(fmt.Sprintf("%+.3f", sum/float64(all))))
				}
			}
		}
	}
}

// delays returns t₀ of all settings, increasing.
func delays(list []*setting) []float64 {
	var all []float64
	for _, s := range list {
		all = append(all, s.Delay)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// gainChart draws the gain of twice as many topics against the tokens that the last steps remember for a parameter, a panel for each corpus. It has
// no rows if there is nothing to compare.
func gainChart(list []*setting) report.Chart {
	var chart report.Chart
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].heading() == list[0].heading() {
			n++
		}
		if panel := gainPanel(list[:n]); len(panel.Series) > 0 {
			chart.Rows = append(chart.Rows, []report.Panel{panel})
		}
		list = list[n:]
	}
	return chart
}

func gainPanel(list []*setting) report.Panel {
	panel := report.Panel{Title: list[0].heading(), X: "tokens a parameter", Y: "gain of ln p", LogX: true}
	least, most := math.Inf(1), 0.0
	for style, of := range []struct{ name, algorithm, priors string }{
		{"chapter's", stochastic, chapter}, {"learned", stochastic, learned}, {"window", stochastic, window}, {"batch", batch, chapter}} {
		series := report.Series{Name: of.name, Style: []int{0, 2, 4, 3}[style], Line: []report.Point{}}
		for _, s := range list {
			if s.Model == "cnmf" || s.Algorithm != of.algorithm || s.Priors != of.priors {
				continue
			}
			s.neighbours(func(from, to int, gain report.Mean) {
				if to == 2*from {
					x := s.at[to][seeds(s.at[to])[0]].tokensPerParameter()
					least, most = min(least, x), max(most, x)
					series.Points = append(series.Points, report.At(x, gain))
				}
			})
		}
		if len(series.Points) > 0 {
			panel.Series = append(panel.Series, series)
		}
	}
	for x := 0.1 / 64; x < 2*most; x *= 2 {
		if 2*x > least {
			panel.Ticks = append(panel.Ticks, x)
		}
	}
	return panel
}
