package metric_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"anchorage/metric"
)

// pageOfFigures is the page that lists the register.
const pageOfFigures = "../docs/figures.md"

// TestPageOfFigures compares docs/figures.md with the register. With UPDATE=1 it writes the page.
func TestPageOfFigures(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Figures\n\nThe register in `metric/register.go` has every figure; `UPDATE=1 go test ./metric -run " +
		"PageOfFigures` writes this page from it.\n" +
		"B is p(item | topic), A the joint probabilities of topics, C the co-occurrences, p the probabilities of items.\n")
	titles := map[metric.Scope]string{metric.OfModel: "Of a model on documents (`anchorage eval`)",
		metric.OfTopic:       "Of each topic (`diagnostics.parquet`, report)",
		metric.OfCertificate: "Of the certificate (`fit`, `--require`)",
		metric.OfUpdate:      "Of new shards (`update --require`)"}
	for _, scope := range []metric.Scope{metric.OfModel, metric.OfTopic, metric.OfCertificate, metric.OfUpdate} {
		fmt.Fprintf(&b,
			"\n## %s\n\n| figure | what it says | formula | better | good | more |\n|---|---|---|---|---|---|\n", titles[scope])
		for _, d := range metric.Defined(scope) {
			good, more := "", ""
			if !math.IsNaN(d.Good) {
				good = map[metric.Better]string{metric.High: "from ", metric.Low: "up to "}[d.Better] + fmt.Sprint(d.Good)
			}
			if d.Page != "" {
				more = fmt.Sprintf("[%s](%s)", strings.TrimSuffix(strings.Split(d.Page, "#")[0], ".md"), d.Page)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", d.Name, d.Note, strings.ReplaceAll(d.Formula, "|", "\\|"),
				d.Better, good, more)
		}
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(pageOfFigures, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(pageOfFigures)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != b.String() {
		t.Error("docs/figures.md is not what the register says: write it with UPDATE=1")
	}
}

func TestRegister(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range metric.Register {
		key := string(d.Scope) + " " + d.Name
		if seen[key] || d.Note == "" || !regexp.MustCompile(`^[a-zA-Z0-9_]+$`).MatchString(d.Name) {
			t.Errorf("%s is there twice, says nothing, or has a bad name", key)
		}
		seen[key] = true
		if d.Scope == metric.OfCertificate && math.IsNaN(d.Good) {
			t.Errorf("%s has no value from which on it is good", key)
		}
	}
	high, low := metric.Define(metric.OfCertificate, "found_again"), metric.Define(metric.OfCertificate, "residual")
	if !high.IsGood(high.Good) || high.IsGood(high.Good-1e-9) || !low.IsGood(low.Good) || low.IsGood(low.Good+1e-9) {
		t.Error("the bound of a figure is good, and what is worse is not")
	}
}
