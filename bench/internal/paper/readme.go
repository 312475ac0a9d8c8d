// This file writes the README.md of the papers' results: what every file holds, what the runs show, and what was left out of
// the full grid.

package paper

import (
	"fmt"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
)

// fileNotes say what the files hold.
var fileNotes = []struct{ name, note string }{
	{"figure3.csv", "Figure 3 of the ICML paper: figures of four pipelines by the number of topics, mean and standard deviation over seeds"},
	{"figure3-runs.csv", "every run of Figure 3, with iterations and the seconds of its stages"},
	{"figure4.csv", "Figure 4 of the ICML paper: LR-JSMF by the size of the vocabulary, mean and standard deviation over seeds"},
	{"figure4-runs.csv", "every run of Figure 4"},
	{"table1.csv", "Table 1 of the ICML paper: topics by prominent and characteristic words"},
	{"figure4.3.csv", "Figure 4.3 of the thesis: words lost and gained as the vocabulary grows"},
}

// readme returns the text of README.md.
func (p Grid) readme(r *results) string {
	b := report.NewOrigin(p.Command(), p.Workers).Begin("The tables and figures of the papers",
		"DATA is a folder with `data/` and `reference/`, RESULTS this one;")
	b.WriteString("\nTimes are wall-clock times; other work on the machine makes them longer. A second run gives all other numbers again.\n\n")
	names := r.Names()
	report.MarkdownHeader(b, "file", "what it holds")
	for _, f := range fileNotes {
		if slices.Contains(names, f.name) {
			report.MarkdownRow(b, "`"+f.name+"`", f.note)
		}
	}
	for _, name := range []string{"figure3", "figure4"} {
		if slices.Contains(names, name+".svg") {
			fmt.Fprintf(b, "\n![%s](%s.svg)\n", name, name)
		}
	}
	if len(r.short) > 0 {
		fmt.Fprintf(b, "\n## In short\n\n%s\n", strings.TrimRight(strings.Join(r.short, "\n"), "\n"))
	}
	b.WriteString(r.sections.String())
	p.describeGrid(b)
	p.describeMethod(b)
	return b.String()
}

// describeGrid says what was left out of the full grid.
func (p Grid) describeGrid(b *strings.Builder) {
	var left []string
	leftOut := func(what string, all, some []string) {
		if missing := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) }); len(missing) > 0 {
			left = append(left, what+" "+strings.Join(missing, ", "))
		}
	}
	leftOut("the corpora", AllCorpora, p.Corpora)
	leftOut("the parts", AllFigures, p.Figures)
	leftOut("the pipelines", AllPipelines, p.Pipelines)
	ints := func(list []int) []string { return strings.Split(joinInts(list), ",") }
	leftOut("K of", ints(AllTopics), ints(p.Topics))
	if slices.Contains(p.Figures, Figure4) {
		leftOut("in Figure 4 K of", ints(AllTopics), ints(p.GrowthTopics))
		leftOut("vocabularies of", ints(AllSizes), ints(p.Sizes))
	}
	for _, name := range slices.Concat(AllCorpora, AllPipelines) {
		if only, ok := p.Reduced[name]; ok {
			left = append(left, fmt.Sprintf("for %s all K but %s", name, strings.Join(ints(only), ", ")))
		}
	}
	if p.MaxItems > 0 {
		left = append(left, fmt.Sprintf("vocabularies of more than %d items", p.MaxItems))
	}
	if p.Seeds < AllSeeds {
		left = append(left, fmt.Sprintf("all seeds but %d", p.Seeds))
	}
	if slices.Contains(p.Figures, Figure4) && p.GrowthSeeds < p.Seeds {
		left = append(left, fmt.Sprintf("in Figure 4 all seeds but %d", p.GrowthSeeds))
	}
	b.WriteString("\n## The grid\n\n")
	if len(left) == 0 {
		b.WriteString("This is the full grid.\n")
		return
	}
	fmt.Fprintf(b, "`go run ./bench paper --data DATA -o RESULTS` makes the full grid. Left out of it here:\n\n- %s\n", strings.Join(left, "\n- "))
}

// describeMethod says what was run, as far as the papers leave it open.
func (p Grid) describeMethod(b *strings.Builder) {
	fmt.Fprintf(b, "\n## What was run\n\nDocuments count that have at least %d distinct items and %d tokens.\n\n", minItems, minTokens)
	report.MarkdownHeader(b, "corpus", "items of Figure 3", "items elsewhere")
	for _, d := range sources {
		if slices.Contains(p.Corpora, d.name) {
			fixed := fmt.Sprintf("the first %d of those", p.Base)
			if d.vocabulary != "" {
				fixed = "those of `" + d.vocabulary + "`"
			}
			report.MarkdownRow(b, d.title, fixed, d.items())
		}
	}
	b.WriteString(`
- **AP+AW**: alternating projection on C until C moves by less than 1e-4, relative, or for 150 iterations; then the anchor
  word algorithm.
- **PALM+LAW**: from exact eigenpairs, s = 1e-4, until the factors move by less than 1e-4 or for 150 iterations; then LAW.
- **ENN+LAW**: from exact eigenpairs, at least 50 iterations, until Y·Yᵀ moves by less than 1e-4; then LAW.
- **LR-JSMF**: eigenpairs from passes over the documents, with the program's defaults, then ENN and LAW.

LAW takes row sums as published, d = Y·(Yᵀe). Figure 4 shows exact row sums as well, counted with the documents.

The C that was counted judges all figures. Those of Figure 3 are exact. In Figure 4 relative recovery is an estimate, with its
standard error in the table, and the run's seed draws the random hulls. Low is good of recovery, approximation, dominancy and
incoherence; high of specificity, dissimilarity and volume.

The runtime in Figure 3 is that of eigenpairs, rectification and inference. Counting C is in none of them; reading the
documents is in that of LR-JSMF. Exact eigenpairs and PALM multiply with C through the documents where those are sparse. ENN
and PALM share the eigenpairs, and each is charged with their time.
`)
}
