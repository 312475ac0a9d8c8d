package mixtures

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/bayes/infer"
	"anchorage/bench/internal/report"
)

// TestRun wants errors that fall with the tokens (but for projection, which does not know the other tokens), the default to be better than the others for short documents, the same records for any number
// of workers, and all of them in the results.
func TestRun(t *testing.T) {
	o := Options{Documents: 300, Seed: 1, Workers: 1}
	records, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(methods)*len(compared.tokens) + len(spread)*len(lengths); len(records) != want {
		t.Fatalf("%d records, want %d", len(records), want)
	}
	for i, r := range records {
		if i > 0 && r.Tokens > records[i-1].Tokens && r.Method != string(infer.Projection) && r.Error > 0.95*records[i-1].Error {
			t.Errorf("%+v: the error with fewer tokens is %.3f", r, records[i-1].Error)
		}
		if r.Topics == compared.topics && r.Tokens == 8 && r.Error < records[0].Error {
			t.Errorf("%+v: better than the default, %.3f", r, records[0].Error)
		}
		if r.Topics != compared.topics && (math.Abs(math.Log(r.Stated/r.Top)) > 0.25 || r.Coverage < 0.75) {
			t.Errorf("%+v: what is stated does not hold", r)
		}
	}
	o.Workers = 3
	if again, err := Run(t.Context(), o); err != nil || !slices.Equal(again, records) {
		t.Errorf("three workers find something else (%v)", err)
	}
	path := filepath.Join(t.TempDir(), "results")
	folder, err := report.NewFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(folder, records, report.NewOrigin("bench", 1)); err != nil {
		t.Fatal(err)
	}
	if err := folder.Commit(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(path, "README.md"))
	if err != nil || !strings.Contains(string(text), "| 20 | 2 | collapsed | dirichlet | 8 | 300 | 0.") || !strings.Contains(string(text), "| 40 | 3 | collapsed | dirichlet | 512 | 300 | 0.") {
		t.Errorf("%v:\n%s", err, text)
	}
	o.Documents = 9
	if o.Check() == nil {
		t.Error("nine documents are taken")
	}
}
