// This file writes README.md and the chart of drawn corpora.

package choosing

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
)

// WriteResults writes README.md and the chart of all records of a folder.
func WriteResults(results string) error {
	records, err := runLog.Read(results)
	if err != nil {
		return err
	}
	real, err := readReal(results)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(introduction)
	if len(records) > 0 {
		if err := durable.WriteFile(filepath.Join(results, "drawn.svg"), drawnChart(records).Write); err != nil {
			return err
		}
		writeDrawn(&b, records)
	}
	if len(real.Rows) > 0 {
		if err := writeReal(&b, results, real); err != nil {
			return err
		}
	}
	return report.WriteText(filepath.Join(results, "README.md"), b.String())
}

// kind is what a row of the table of drawn corpora is of.
type kind struct {
	items, multiple, tokens int
	concentration, strength float64
	topics                  int
}

func kindOf(r *Record) kind {
	return kind{r.Items, r.Multiple, r.Tokens, r.Concentration, r.Strength, r.Topics}
}

// writeDrawn writes how often the choice is right, in all and by kind.
func writeDrawn(b *strings.Builder, records []Record) {
	right, covered, seconds := 0, 0, 0.0
	for i := range records {
		right += one(records[i].right())
		covered += one(records[i].covered())
		seconds += records[i].Seconds
	}
	n := len(records)
	fmt.Fprintf(b, "\n## Drawn corpora\n\nThe number is within a tenth of the truth in %d of %d corpora, %.0f %%. The interval holds the truth in %d, %.0f %%. A choice took %.1f seconds on average.\n\n![Chosen numbers against the truth](drawn.svg)\n\n",
		right, n, 100*float64(right)/float64(n), covered, 100*float64(covered)/float64(n), seconds/float64(n))
	report.MarkdownHeader(b, "items:", "documents per item:", "tokens:", "concentration:", "strength:", "topics:", "right:", "in the interval:", "chosen", "intervals")
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Items, b.Items), cmp.Compare(a.Multiple, b.Multiple), cmp.Compare(a.Tokens, b.Tokens), cmp.Compare(a.Concentration, b.Concentration),
			cmp.Compare(a.Strength, b.Strength), cmp.Compare(a.Topics, b.Topics), cmp.Compare(a.Seed, b.Seed))
	})
	for len(sorted) > 0 {
		of := kindOf(&sorted[0])
		count := slices.IndexFunc(sorted, func(r Record) bool { return kindOf(&r) != of })
		if count < 0 {
			count = len(sorted)
		}
		right, covered := 0, 0
		var chosen, intervals []string
		for i := range sorted[:count] {
			r := &sorted[i]
			right, covered = right+one(r.right()), covered+one(r.covered())
			chosen, intervals = append(chosen, strconv.Itoa(r.Chosen)), append(intervals, fmt.Sprintf("%d–%d", r.Low, r.High))
		}
		report.MarkdownRow(b, strconv.Itoa(of.items), strconv.Itoa(of.multiple), strconv.Itoa(of.tokens), fmt.Sprint(of.concentration), fmt.Sprint(of.strength), strconv.Itoa(of.topics),
			fmt.Sprintf("%d of %d", right, count), fmt.Sprintf("%d of %d", covered, count), strings.Join(chosen, ", "), strings.Join(intervals, ", "))
		sorted = sorted[count:]
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// drawnChart draws chosen numbers against the truth, a series for each number of documents per item and strength.
func drawnChart(records []Record) report.Chart {
	panel := report.Panel{Title: "drawn corpora", X: "true number of topics", Y: "chosen number"}
	var names []string
	points := make(map[string][]report.Point)
	for i := range records {
		r := &records[i]
		name := fmt.Sprintf("%d documents per item, strength %g", r.Multiple, r.Strength)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		points[name] = append(points[name], report.Point{X: float64(r.Topics), Y: float64(r.Chosen)})
	}
	slices.Sort(names)
	for i, name := range names {
		of := points[name]
		slices.SortStableFunc(of, func(a, b report.Point) int { return cmp.Compare(a.X, b.X) })
		panel.Series = append(panel.Series, report.Series{Name: name, Style: i, Points: means(of)})
	}
	return report.Chart{Rows: [][]report.Panel{{panel}}, Zoom: 2}
}

// means returns a point for every x, at the mean of its y; x does not decrease.
func means(of []report.Point) []report.Point {
	var out []report.Point
	for len(of) > 0 {
		n, sum := 0, 0.0
		for n < len(of) && of[n].X == of[0].X {
			sum += of[n].Y
			n++
		}
		out = append(out, report.Point{X: of[0].X, Y: sum / float64(n)})
		of = of[n:]
	}
	return out
}

// realFigures are the columns of the tables of real corpora.
var realFigures = []string{"topics", "recommended", "above_noise", "explained", "log_likelihood", "npmi", "diversity", "stable", "thin", "duplicates"}

// writeReal writes a table per real corpus.
func writeReal(b *strings.Builder, results string, real *report.Table) error {
	b.WriteString("\n## Real corpora\n\nNobody knows their numbers of topics. The tables show what the figures by which readers judge say at other numbers.\n")
	for _, row := range real.Rows {
		name := row[0].(string)
		fmt.Fprintf(b, "\n### %s\n\n%d documents, %d items, range %d to %d: **%d topics**, from %d to %d", name, row[1], row[2], row[3], row[4], row[5], row[6], row[7])
		if row[8].(int64) == 1 {
			b.WriteString(" or more")
		}
		fmt.Fprintf(b, ": %s.\n\n", row[10])
		rows, err := readFigures(filepath.Join(results, "real-"+name+".csv"))
		if err != nil {
			return err
		}
		header := slices.Clone(realFigures)
		for i := range header {
			header[i] += ":"
		}
		report.MarkdownHeader(b, header...)
		for _, cells := range rows {
			report.MarkdownRow(b, cells...)
		}
	}
	return nil
}

// readFigures reads the columns of the tables from the CSV of a choice, with three digits.
func readFigures(path string) ([][]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	all, err := csv.NewReader(file).ReadAll()
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrInvalid)
	}
	var rows [][]string
	for _, of := range all[1:] {
		var row []string
		for _, name := range realFigures {
			at := slices.Index(all[0], name)
			if at < 0 {
				return nil, fmt.Errorf("%s has no column %s", path, name)
			}
			cell := of[at]
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				cell = report.Minus(strconv.FormatFloat(v, 'g', 3, 64))
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// introduction begins README.md.
const introduction = `# How the number of topics is chosen

Made by runs of

` + "```" + `
go run ./bench choose -o RESULTS
go run ./bench choose -o RESULTS --seeds 0 --data DATA
` + "```" + `

RESULTS is this folder, and DATA a folder with a folder per real corpus. ` + "`runs.csv`" + ` has a row per drawn corpus, with its eigenvalues in parts of the
edge of the noise; ` + "`real.csv`" + ` a row per real one. What has a row is not made again. docs/choose.md describes the method.

A drawn corpus has items with Zipf frequencies, and each document a mixture of topics from a Dirichlet distribution of the given concentration per topic.
Strength is the share of an anchor's row in its own topic: 1 is separable, less is not. The range of numbers is from 2 to 100. Right means
within a tenth of the truth.
`
