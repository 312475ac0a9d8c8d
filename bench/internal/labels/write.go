// This file writes the results: a table for each level and class of items, and all figures as CSV.

package labels

import (
	"fmt"

	"anchorage/bench/internal/report"
)

// Write writes scores.csv, links.csv of drawn catalogues, and README.md.
func (o *Options) Write(folder *report.Folder, result *Result, origin report.Origin) error {
	b := origin.Begin("Topics of items against labels: "+o.Name, "")
	fmt.Fprintf(b, "\n%d items in %d documents, %d seeds; all levels in %.0f s, reading left out. The topic of an item is its most probable one. NMI is the normalized mutual information with the mean of the entropies, AMI the same adjusted for chance.\n",
		result.Items, result.Documents, o.Seeds, result.Seconds)
	scores := report.NewTable("scores", report.Texts("method"), report.Ints("seed", "topics", "least_df", "observations", "labels", "groups"), report.Floats("nmi", "ami"))
	for _, r := range result.Records {
		scores.Add("anchorage", int64(r.Seed), int64(r.Topics), r.LeastDF, int64(r.Observations), int64(r.Labels), int64(r.Groups), r.Normalized, r.Adjusted)
	}
	for _, least := range LeastDF {
		fmt.Fprintf(b, "\n## Items in %d documents or more\n\n", least)
		report.MarkdownHeader(b, "topics:", "labels:", "items and labels:", "NMI:", "AMI:")
		for _, m := range means(result.Records, least) {
			report.MarkdownRow(b, fmt.Sprint(m.Topics), fmt.Sprint(m.Labels), fmt.Sprint(m.Observations), fmt.Sprintf("%.4f", m.Normalized), fmt.Sprintf("%.4f", m.Adjusted))
		}
	}
	tables := []*report.Table{scores}
	if len(result.Links) > 0 {
		b.WriteString("\n## Parents of topics\n\np(parent | topic) by three ways: the mean of p(parent | item) over the items of a topic; counts of the tokens of all documents, whose topics are inferred under both levels; and what a model holds, which takes coarse topics apart into fine ones. Only topics count that are a drawn one (affinity from 0.7), as is the topic that should be their parent.\n\n")
		links := report.NewTable("links", report.Texts("by"), report.Ints("seed", "topics", "parents", "compared"), report.Floats("true_parent", "right"))
		report.MarkdownHeader(b, "topics:", "parents:", "way", "compared:", "p(true parent):", "greatest parent is the true one:")
		for _, l := range result.Links {
			links.Add(l.By, int64(l.Seed), int64(l.Topics), int64(l.Parents), int64(l.Compared), l.True, l.Right)
			report.MarkdownRow(b, fmt.Sprint(l.Topics), fmt.Sprint(l.Parents), l.By, fmt.Sprint(l.Compared), fmt.Sprintf("%.3f", l.True), fmt.Sprintf("%.3f", l.Right))
		}
		tables = append(tables, links)
	}
	if err := folder.AddTables(tables...); err != nil {
		return err
	}
	return folder.AddText("README.md", b.String())
}

// means averages the records of a class over the seeds, level by level.
func means(records []Record, least int64) []Record {
	var list []Record
	counts := make(map[int]float64)
	place := make(map[int]int)
	for _, r := range records {
		if r.LeastDF != least {
			continue
		}
		at, known := place[r.Topics]
		if !known {
			place[r.Topics], counts[r.Topics] = len(list), 1
			list = append(list, r)
			continue
		}
		list[at].Normalized += r.Normalized
		list[at].Adjusted += r.Adjusted
		counts[r.Topics]++
	}
	for at := range list {
		list[at].Normalized /= counts[list[at].Topics]
		list[at].Adjusted /= counts[list[at].Topics]
	}
	return list
}
