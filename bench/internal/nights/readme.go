// This file writes README.md and the chart: what nights took, beside fits from scratch.

package nights

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
)

// writeResults writes README.md, and the chart if there are several nights, into a folder of records.
func writeResults(results string) error {
	records, err := runLog.Read(results)
	if err != nil {
		return err
	}
	if len(records) > 1 {
		if err := durable.WriteFile(filepath.Join(results, "nights.svg"), chart(records).Write); err != nil {
			return err
		}
	}
	return report.WriteText(filepath.Join(results, "README.md"), readme(records))
}

// chart draws processor time, and topics kept, by night.
func chart(records []Record) report.Chart {
	updates, scratch := report.Series{Name: "update"}, report.Series{Name: "fit from scratch"}
	moved, distance := report.Series{Name: "tokens moved"}, report.Series{Name: "mean distance of topics"}
	for _, r := range records {
		night := float64(r.Number)
		if r.Compared {
			scratch.Points = append(scratch.Points, report.Point{X: night, Y: r.ScratchCPU})
		}
		updates.Points = append(updates.Points, report.Point{X: night, Y: r.CPU})
		if r.Number > 0 {
			moved.Points = append(moved.Points, report.Point{X: night, Y: r.Moved})
			distance.Points = append(distance.Points, report.Point{X: night, Y: r.MeanDistance})
		}
	}
	return report.Chart{Zoom: 1.6, Rows: [][]report.Panel{{
		{Title: "Nights", X: "Night", Y: "Processor time (s)", Series: []report.Series{updates, scratch}},
		{X: "Night", Y: "Share", Series: []report.Series{moved, distance}},
	}}}
}

// readme returns the text.
func readme(records []Record) string {
	b := new(strings.Builder)
	b.WriteString("# Nights of a store\n\n")
	var made []report.Made
	for _, r := range records {
		made = append(made, report.Made{Started: r.Started, Command: r.Command, Machine: r.Machine})
	}
	report.WriteMade(b, made)
	b.WriteString(`
The first night makes the store of most shards. On each of the others one shard comes, in the order of the documents, and an update
starts from the generation before. Every so many nights a fit from scratch of the same shards stands beside the update; then an update
from scratch must have the bytes of that fit in every table, and after it the store goes on with the generation of the night. NPMI and diversity are those of
the ten most prominent items of each topic; times are those of the whole update, without what measures topics. "Moved" is the share of tokens
that the first pass of the refinement moved to other topics.

![processor time, tokens moved and distances by night](nights.svg)

`)
	b.WriteString(summary(records))
	report.MarkdownHeader(b, "night:", "new documents:", "documents:", "CPU s:", "passes:", "moved:", "kept:", "born:", "died:", "split, merged:", "distance:",
		"NPMI:", "diversity:", "same again")
	for _, r := range records {
		row := []string{strconv.Itoa(r.Number), strconv.FormatInt(r.NewDocuments, 10), strconv.FormatInt(r.Documents, 10), fmt.Sprintf("%.1f", r.CPU),
			fmt.Sprintf("%d + %d", r.SketchPasses, r.RefinePasses)}
		if r.Number == 0 {
			row = append(row, "", "", "", "", "", "")
		} else {
			row = append(row, fmt.Sprintf("%.3f", r.Moved), strconv.Itoa(r.Kept), strconv.Itoa(r.Born), strconv.Itoa(r.Died), fmt.Sprintf("%d, %d", r.Split, r.Merged),
				fmt.Sprintf("%.3f", r.MeanDistance))
		}
		report.MarkdownRow(b, append(row, fmt.Sprintf("%.3f", r.NPMI), fmt.Sprintf("%.3f", r.Diversity), r.Again)...)
	}
	b.WriteString("\n## Beside fits from scratch\n\n")
	report.MarkdownHeader(b, "night:", "CPU s, update:", "from scratch:", "ratio:", "passes, update:", "from scratch:", "NPMI, update:", "from scratch:",
		"diversity, update:", "from scratch:", "log-likelihood, update:", "from scratch:", "same anchors:", "equal tables:")
	for _, r := range records {
		if !r.Compared {
			continue
		}
		report.MarkdownRow(b, strconv.Itoa(r.Number), fmt.Sprintf("%.1f", r.CPU), fmt.Sprintf("%.1f", r.ScratchCPU), fmt.Sprintf("%.2f", r.CPU/r.ScratchCPU),
			fmt.Sprintf("%d + %d", r.SketchPasses, r.RefinePasses), fmt.Sprintf("%d + %d", r.ScratchSketchPasses, r.ScratchRefinePasses),
			fmt.Sprintf("%.4f", r.NPMI), fmt.Sprintf("%.4f", r.ScratchNPMI), fmt.Sprintf("%.4f", r.Diversity), fmt.Sprintf("%.4f", r.ScratchDiversity),
			report.Minus(fmt.Sprintf("%.4f", r.LogLikelihood)), report.Minus(fmt.Sprintf("%.4f", r.ScratchLogLikelihood)),
			fmt.Sprintf("%d of %d", r.SameAnchors, r.Topics), fmt.Sprintf("%d of %d", r.EqualFiles, r.Files))
	}
	return b.String()
}

// summary says what all nights took, where some were compared.
func summary(records []Record) string {
	var updates, ratios float64
	nights, compared := 0, 0
	for _, r := range records {
		if r.Number > 0 {
			updates += r.CPU
			nights++
		}
		if r.Compared {
			ratios += r.CPU / r.ScratchCPU
			compared++
		}
	}
	if compared == 0 {
		return ""
	}
	return fmt.Sprintf("%d updates took %.1f s of processor time each, on average; the %d beside a fit from scratch took %.0f %% of its time.\n\n",
		nights, updates/float64(nights), compared, 100*ratios/float64(compared))
}
