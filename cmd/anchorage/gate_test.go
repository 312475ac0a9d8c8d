package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"anchorage/metric"
	"anchorage/model"
	"anchorage/model/fit"
)

// The page for operators says which figures fits of each kind have.
func TestFiguresOfMethods(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile("(?m)^\\| (`--[^|]*) \\|([^\n]*)\\|$").FindAllStringSubmatch(string(page), -1)
	if len(table) < 8 {
		t.Fatalf("the table has %d rows", len(table))
	}
	inCorpus(t, 1)
	missing := fit.Methods()
	for _, row := range table {
		cells := strings.Fields(strings.ReplaceAll(row[2], "|", " "))
		for _, match := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[1], -1) {
			flags := strings.Fields(match[1])
			if len(flags) == 2 && flags[0] == "--method" {
				missing = slices.DeleteFunc(missing, func(m fit.Method) bool { return string(m) == flags[1] })
			}
			output := strings.Join(flags, "")
			execute(t, exitDone, append([]string{"fit", "shards", "-k", "4", "--min-df", "1", "--max-items", "120", "--refine",
				"none", "-o", output, "-q"}, flags...)...)
			m, err := model.ReadManifest(t.Context(), output, model.KindModel)
			if err != nil {
				t.Fatal(err)
			}
			for i, figure := range m.Certificate.Figures {
				known, want := map[bool]string{true: "yes", false: "no"}[figure.Verdict != model.Unknown], "no"
				if i >= 2 { // the first are of refined topics
					want = cells[i-2]
				}
				if figure.Name != metric.Defined(metric.OfCertificate)[i].Name || known != want {
					t.Errorf("%s: that there is %s is documented as %s, and is %s", match[1], figure.Name, want, known)
				}
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("the table lacks the methods %v", missing)
	}
}
