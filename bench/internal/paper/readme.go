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
	{"figure2.csv", "Figure 2 of the ICML paper: the anchors in the plane, before and after rectification"},
	{"figure2-hulls.csv", "the hulls of Figure 2: area, share of the words inside, anchors shared with the first pipeline that rectifies"},
	{"figure3.csv", "Figure 3 of the ICML paper: figures of four pipelines by the number of topics, mean and standard deviation over seeds"},
	{"figure3-runs.csv", "every run of Figure 3, with iterations and the seconds of its stages"},
	{"figure3-iterations.csv", "every iteration of the rectifications of Figure 3, of long ones the first and every 25th: change, ε of ENN, the corrections"},
	{"palm-runs.csv", "every run of PALM and iPALM: its objective, how far apart X and Y are, the sum of X·Xᵀ, products with C, CPU seconds"},
	{"palm-iterations.csv", "their iterations, of long runs the first and every 25th"},
	{"figure4.csv", "Figure 4 of the ICML paper and Figure 4.2 of the thesis: LR-JSMF by the size of the vocabulary, mean and standard deviation over seeds"},
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
	for _, name := range []string{"figure2", "figure3", "figure4", "figure4.2"} {
		if slices.Contains(names, name+".svg") {
			fmt.Fprintf(b, "\n![%s](%s.svg)\n", name, name)
		}
	}
	if len(r.short) > 0 {
		fmt.Fprintf(b, "\n## In short\n\n%s\n", strings.TrimRight(strings.Join(r.short, "\n"), "\n"))
	}
	b.WriteString(r.sections.String())
	p.describeGrid(b)
	p.describeMethod(b, r.sources)
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
	for _, name := range slices.Concat(AllCorpora, knownPipelines) {
		if only, ok := p.Reduced[name]; ok {
			left = append(left, fmt.Sprintf("for %s all K but %s", name, strings.Join(ints(only), ", ")))
		}
	}
	if p.Share > 0 && p.Share < 1 {
		left = append(left, fmt.Sprintf("all documents and items of drawn stand-ins but %g %%", 100*p.Share))
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

// describeMethod says what was run, as far as the papers leave it open, and where it differs from them.
func (p Grid) describeMethod(b *strings.Builder, corpora []source) {
	fmt.Fprintf(b, "\n## What was run\n\nDocuments count that have at least %d distinct items and %d tokens.\n\n", minItems, minTokens)
	report.MarkdownHeader(b, "corpus", "items of Figure 3", "items elsewhere")
	for _, d := range corpora {
		fixed := fmt.Sprintf("the first %d of those", p.Base)
		switch {
		case d.standsIn:
			fixed = "all"
		case d.items > 0:
			fixed = fmt.Sprintf("the first %d of those", d.items)
		case d.vocabulary != "":
			fixed = "those of `" + d.vocabulary + "`"
		}
		report.MarkdownRow(b, d.title, fixed, d.itemsRule())
	}
	for _, d := range corpora {
		if d.standsIn {
			fmt.Fprintf(b, `
**%s** is drawn from a known model: %d documents with %d tokens on average, %d items, %d topics. The original is not in DATA/%s;
the stand-in has its shape as published, and nothing else of it. docs/papers.md says how to run on the original.
`, d.title, d.drawn.Documents, d.drawn.Tokens, d.drawn.Items, d.drawn.Topics, d.shards)
		}
	}
	if p.Stopwords != "" {
		b.WriteString("\nStop words are those of the file WORDS.\n")
	} else {
		b.WriteString("\nStop words are those of `bench/internal/paper/stopwords.txt`, and for NIPS those that the authors' list has taken out of the\nreference vocabulary.\n")
	}
	fmt.Fprintf(b, `
- **AP+AW**: alternating projection on C, %d iterations as in the authors' program; then the anchor word algorithm.
- **PALM+LAW**: from exact eigenpairs, s = 1e-4, %d iterations as in the thesis; then LAW.
- **PALM-converged+LAW** (if it is asked for): the same until the factors move by at most 1e-4 in an iteration, as in the ICML paper.
- **iPALM+LAW**: the same J, by columns, with inertia, and with an s that adapts, until it has converged (docs/decisions/palm.md); then LAW.
- **ENN+LAW**: from exact eigenpairs, %d iterations as in the thesis; then LAW.
- **LR-JSMF**: eigenpairs from passes over the documents, then the same ENN and LAW.
- **baseline** (Figure 2): the anchor word algorithm on C as it was counted.

LAW takes row sums as published, d = Y·(Yᵀe), does not know how noisy rows are, and does not compute mixtures a second time. Figure 4
shows exact row sums as well, counted with the documents.

`, publishedAP, publishedPALM, publishedENN)
	report.MarkdownHeader(b, "what differs from the papers", "why")
	for _, row := range [][]string{
		{"ENN multiplies a block of K+10 vectors with the corrected matrix once per iteration, instead of computing eigenpairs anew", "the figures agree with those of exact eigenpairs to 4 digits (docs/decisions/enn.md)"},
		{"the sketch of LR-JSMF makes as many passes as its residuals need, instead of one or of 50 power iterations", "K = 5 to 100 need different numbers"},
		{"PALM flips eigenvectors so that their longer part is positive", "the papers leave the signs to chance (docs/decisions/palm.md)"},
		{"rows of the factor with negative sums are corrected", "they cannot be divided by their sums"},
	} {
		report.MarkdownRow(b, row...)
	}
	b.WriteString(`
The C that was counted judges all figures. Those of Figure 3 are exact. In Figure 4 relative recovery is an estimate, with its
standard error in the table, and the run's seed draws the random hulls: those of the anchors of a C̄ whose rows are drawn from the
simplex. Characteristic words, in Table 1 and in MST-Incoherence, are those of the anchors' rows of the C̄ that was counted. Low is good
of recovery, approximation, dominancy and incoherence; high of specificity, dissimilarity, volume, quality and sparsity. There are three
forms of dominancy: by A's row sums (the authors' program), by the norm of A (ICML), and of the diagonal alone (thesis). ε is the greatest
‖y_i‖² of a row that ENN does not look for negative entries: no entry that it leaves is below −ε.

BaseRecovery is recovery over the items of the smallest vocabulary. AnchorQuality is a mean rank, so it grows with N by itself.

The runtime in Figure 3 is that of eigenpairs, rectification and inference. Counting C is in none of them; reading the
documents is in that of LR-JSMF. Exact eigenpairs and PALM multiply with C through the documents where those are sparse. ENN
and PALM share the eigenpairs, and each is charged with their time.
`)
}
