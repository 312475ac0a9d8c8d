// This file writes the results: a table per way to divide baskets, and all figures as CSV.

package items

import (
	"fmt"
	"math"

	"anchorage/bench/internal/report"
	"anchorage/model/items"
)

// mean is a method's score over the seeds, with the standard error of the mean over baskets and seeds.
type mean struct {
	items.Score
	seeds float64
}

// means averages records of one split over the seeds, in the order of the methods.
func means(records []Record, split items.Split) []*mean {
	var list []*mean
	byName := map[string]*mean{}
	for _, r := range records {
		if r.Split != split {
			continue
		}
		m := byName[r.Name]
		if m == nil {
			m = &mean{Score: items.Score{Name: r.Name}}
			byName[r.Name] = m
			list = append(list, m)
		}
		m.add(r.Score)
	}
	for _, m := range list {
		for _, v := range m.values() {
			*v /= m.seeds
		}
		for _, v := range m.errors() {
			*v = math.Sqrt(*v) / m.seeds
		}
	}
	return list
}

func (m *mean) values() []*float64 {
	list := []*float64{&m.Recall20, &m.Recall50, &m.NDCG100, &m.Rarer20, &m.Coverage, &m.Novelty}
	for d := range m.ByDecile {
		list = append(list, &m.ByDecile[d])
	}
	return list
}

func (m *mean) errors() []*float64 { return []*float64{&m.Error20, &m.Error50, &m.ErrorN, &m.ErrorR} }

// add adds the values and the squares of the errors.
func (m *mean) add(s items.Score) {
	m.seeds++
	m.Baskets += s.Baskets
	other := mean{Score: s}
	for x, v := range other.values() {
		*m.values()[x] += *v
	}
	for x, v := range other.errors() {
		*m.errors()[x] += *v * *v
	}
}

// Write writes scores.csv, deciles.csv, weights.csv and README.md.
func (o *Options) Write(folder *report.Folder, result *Result, origin report.Origin) error {
	b := origin.Begin("Recommendations: "+o.Name, "")
	first := result.Learned[0]
	fmt.Fprintf(b, "\n%d items, %d documents to learn from, K = %d, %d neighbours, %d seeds, each with up to %d baskets held out and weights learned on %d others. ± is twice the standard error of the mean over the baskets of all seeds. ",
		result.Items, result.Documents, o.Topics, o.Neighbours, o.Seeds, o.Baskets, first.Baskets)
	b.WriteString("Recall over all items is the mean over baskets; over the rarer half it is the share of all held-out items of the rarer half of sales. Items that no document to learn from has are left out of the baskets.\n")
	for _, split := range []items.Split{items.HeldOutHalf, items.LeaveOneOut} {
		title := "Half of each basket held out"
		if split == items.LeaveOneOut {
			title = "One item of each basket held out"
		}
		fmt.Fprintf(b, "\n## %s\n\n", title)
		report.MarkdownHeader(b, "method", "recall@20:", "rarer half:", "recall@50:", "NDCG@100:", "coverage@20:", "novelty@20, bits:")
		list := means(result.Records, split)
		for _, m := range list {
			report.MarkdownRow(b, m.Name, interval(m.Recall20, m.Error20), interval(m.Rarer20, m.ErrorR), interval(m.Recall50, m.Error50),
				interval(m.NDCG100, m.ErrorN), fmt.Sprintf("%.3f", m.Coverage), fmt.Sprintf("%.2f", m.Novelty))
		}
		b.WriteString("\n" + verdict(list) + "\n\nShare of held-out items found among 20, by decile of sales, the most frequent items first:\n\n")
		header := []string{"method"}
		for d := range items.Deciles {
			header = append(header, fmt.Sprintf("%d:", d+1))
		}
		report.MarkdownHeader(b, header...)
		for _, m := range list {
			row := []string{m.Name}
			for _, v := range m.ByDecile {
				row = append(row, fmt.Sprintf("%.3f", v))
			}
			report.MarkdownRow(b, row...)
		}
	}
	b.WriteString("\n## Learned weights\n\n")
	weights := report.NewTable("weights", report.Ints("seed"), report.Floats("shrink", "certainty", "peculiar", "rarity", "topics", "prior", "blend", "before", "after"), report.Ints("trials"))
	for s, l := range result.Learned {
		w := l.Weights
		weights.Add(int64(o.Seed)+int64(s), w.Shrink, w.Certainty, w.Peculiar, w.Rarity, w.Topics, w.Prior, w.Blend, l.Before, l.After, int64(l.Trials))
	}
	weights.WriteMarkdown(b)
	if err := folder.AddTables(scoresTable(result), weights); err != nil {
		return err
	}
	return folder.AddText("README.md", b.String())
}

func interval(value, deviation float64) string {
	return fmt.Sprintf("%.4f ± %.4f", value, 2*deviation)
}

// verdict compares our method with the best of the others in each column.
func verdict(list []*mean) string {
	var us, all, rarer *mean
	for _, m := range list {
		switch {
		case m.Name == ours:
			us = m
		case isOurs(m.Name):
		default:
			if all == nil || m.Recall20 > all.Recall20 {
				all = m
			}
			if rarer == nil || m.Rarer20 > rarer.Rarer20 {
				rarer = m
			}
		}
	}
	return fmt.Sprintf("The best of the others over all items is %s: ours reaches %.3f times its recall@20. The best over the rarer half is %s: ours reaches %.3f times its recall@20 there.",
		all.Name, us.Recall20/all.Recall20, rarer.Name, us.Rarer20/rarer.Rarer20)
}

// isOurs reports whether a method is a variant of ours.
func isOurs(name string) bool { return len(name) > 5 && name[:5] == "pairs" }

// scoresTable has all figures.
func scoresTable(result *Result) *report.Table {
	deciles := []string{}
	for d := range items.Deciles {
		deciles = append(deciles, fmt.Sprintf("recall_20_decile_%d", d+1))
	}
	t := report.NewTable("scores", report.Ints("seed"), report.Texts("split", "method"), report.Ints("baskets"), report.Floats("recall_20", "recall_20_error",
		"rarer_20", "rarer_20_error", "recall_50", "recall_50_error", "ndcg_100", "ndcg_100_error", "coverage_20", "novelty_20"), report.Floats(deciles...))
	for _, r := range result.Records {
		row := []any{int64(r.Seed), r.Split.String(), r.Name, int64(r.Baskets), r.Recall20, r.Error20, r.Rarer20, r.ErrorR, r.Recall50, r.Error50,
			r.NDCG100, r.ErrorN, r.Coverage, r.Novelty}
		for _, v := range r.ByDecile {
			row = append(row, v)
		}
		t.Add(row...)
	}
	return t
}
