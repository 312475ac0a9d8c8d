// This file writes the README.md of a results folder: the command, the day and the machine that made it, what every file
// holds, and what was left out of the full grid.

package bench

import (
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/model"
)

// machine describes where results were made, line by line.
func machine(workers int) []string {
	lines := []string{
		fmt.Sprintf("%s, %d processors, %s/%s, kernels in %s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, kernel.Instructions()),
		fmt.Sprintf("anchorage %s, %s, %d workers", model.Version, runtime.Version(), kernel.Workers(workers)),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return lines
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = " with changes"
		}
	}
	if revision != "" {
		lines = append(lines, "commit "+revision[:min(12, len(revision))]+modified)
	}
	return lines
}

// processor returns the processor's name, where the system tells.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "processor of unknown name"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "processor of unknown name"
}

// fileNotes say what the files hold, by the name without its ending.
var fileNotes = []struct{ name, note string }{
	{"figure3", "Figure 3 of the ICML paper: figures of four pipelines by the number of topics, mean and standard deviation over seeds"},
	{"figure3-runs", "every run of Figure 3, with iterations and the seconds of its stages"},
	{"figure4", "Figure 4 of the ICML paper: LR-JSMF by the size of the vocabulary, mean and standard deviation over seeds"},
	{"figure4-runs", "every run of Figure 4"},
	{"table1", "Table 1 of the ICML paper: topics by prominent and characteristic words"},
	{"figure4.3", "Figure 4.3 of the thesis: words lost and gained as the vocabulary grows"},
}

// readme returns a function that writes the README.md for what dir holds; findings are lines that the parts have to add.
func (p Paper) readme(dir *durable.Dir, findings []string) func(io.Writer) error {
	endings := make(map[string][]string)
	for _, file := range dir.Files() {
		ending := path.Ext(file.Name)
		name := strings.TrimSuffix(file.Name, ending)
		endings[name] = append(endings[name], ending[1:])
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# The tables and figures of the papers\n\nMade on %s by\n\n```\n%s\n```\n\n", time.Now().UTC().Format(time.DateOnly), p.Command())
	b.WriteString("where DATA is a folder with `data/` and `reference/` and RESULTS this one, on\n\n")
	for _, line := range machine(p.Workers) {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteString("\nTimes are wall-clock times, and suffer from whatever else the machine was doing. All other numbers come out the same again.\n\n| file | what it holds |\n| --- | --- |\n")
	for _, f := range fileNotes {
		if len(endings[f.name]) > 0 {
			slices.Sort(endings[f.name])
			fmt.Fprintf(&b, "| `%s` (%s) | %s |\n", f.name, strings.Join(endings[f.name], ", "), f.note)
		}
	}
	for _, name := range []string{"figure3", "figure4"} {
		if slices.Contains(endings[name], "svg") {
			fmt.Fprintf(&b, "\n![%s](%s.svg)\n", name, name)
		}
	}
	if len(findings) > 0 {
		fmt.Fprintf(&b, "\n## In short\n\n%s\n", strings.TrimRight(strings.Join(findings, "\n"), "\n"))
	}
	p.describeGrid(&b)
	p.describeMethod(&b)
	return func(w io.Writer) error {
		_, err := io.WriteString(w, b.String())
		return err
	}
}

// describeGrid says what was left out of the full grid.
func (p Paper) describeGrid(b *strings.Builder) {
	var left []string
	leftOut := func(what string, all, some []string) {
		if missing := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) }); len(missing) > 0 {
			left = append(left, what+" "+strings.Join(missing, ", "))
		}
	}
	leftOut("the corpora", PaperCorpora, p.Corpora)
	leftOut("the parts", PaperFigures, p.Figures)
	leftOut("the pipelines", pipelineNames, p.Pipelines)
	ints := func(list []int) []string { return strings.Split(joinInts(list), ",") }
	leftOut("K of", ints(PaperTopics), ints(p.Topics))
	if slices.Contains(p.Figures, Figure4) {
		leftOut("in Figure 4 K of", ints(PaperTopics), ints(p.GrowthTopics))
		leftOut("vocabularies of", ints(PaperSizes), ints(p.Sizes))
	}
	for _, name := range slices.Concat(PaperCorpora, pipelineNames) {
		if only, ok := p.Reduced[name]; ok {
			left = append(left, fmt.Sprintf("for %s all K but %s", name, strings.Join(ints(only), ", ")))
		}
	}
	if p.MaxItems > 0 {
		left = append(left, fmt.Sprintf("vocabularies of more than %d items", p.MaxItems))
	}
	if p.Seeds < PaperSeeds {
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
	fmt.Fprintf(b, "Of the full grid, `anchorage bench paper --data DATA -o RESULTS`, there were left out:\n\n- %s\n", strings.Join(left, "\n- "))
}

// describeMethod says what was run, as far as the papers leave it open.
func (p Paper) describeMethod(b *strings.Builder) {
	fmt.Fprintf(b, `
## What was run

Documents count that have at least %d distinct items and %d tokens.

| corpus | items of Figure 3 | items elsewhere |
| --- | --- | --- |
`, paperMinItems, paperMinTokens)
	for _, d := range paperCorpora {
		if slices.Contains(p.Corpora, d.name) {
			fixed := fmt.Sprintf("the first %d of those", p.Base)
			if d.vocabulary != "" {
				fixed = "those of `" + d.vocabulary + "`"
			}
			fmt.Fprintf(b, "| %s | %s | %s |\n", d.title, fixed, d.items())
		}
	}
	b.WriteString(`
- **AP+AW**: alternating projection on C until it moves by less than 1e-4, relative, or for 150 iterations; the anchor word algorithm.
- **PALM+LAW**: from exact eigenpairs, s = 1e-4, until the factors move by less than 1e-4 or for 150 iterations; LAW.
- **ENN+LAW**: from exact eigenpairs, at least 50 iterations, until Y·Yᵀ moves by less than 1e-4; LAW.
- **LR-JSMF**: eigenpairs from passes over the documents, with the program's defaults, then ENN and LAW.

LAW takes row sums as published, d = Y·(Yᵀe); Figure 4 shows exact ones as well, which are the program's default. Figures are
against the C that was counted: in Figure 3 exact, in Figure 4 relative recovery is an estimate (its standard error is in
the table) and random hulls are drawn with the run's seed. Low is good of recovery, approximation, dominancy and incoherence; high
of specificity, dissimilarity and volume. The runtime in Figure 3 is that of eigenpairs, rectification and inference; what
it takes to count C is in none of them, and reading the documents is in that of LR-JSMF. Exact eigenpairs and PALM multiply with C
through the documents where those are sparse. ENN and PALM share the eigenpairs, and each is charged with the time.
`)
}
