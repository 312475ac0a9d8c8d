package ranks

import (
	"path/filepath"
	"testing"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model/fit"
)

// fitted fits a drawn corpus with a seed and saves the model.
func fitted(t *testing.T, seed uint64) string {
	t.Helper()
	drawn := synth.Model{Items: 200, Topics: 4, Documents: 400, Tokens: 30, Seed: 1}.Plant()
	docs, err := corpus.FromSeq(t.Context(), documents.Named(t.Context(), drawn.Pass, drawn.Vocabulary()),
		corpus.Everything())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	f, err := fit.Fit(t.Context(), docs, fit.Options{Topics: 4, Seed: seed, Run: &fit.Run{}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := f.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

// A model is equal to itself, and one of another seed is not.
func TestCompare(t *testing.T) {
	one, other := fitted(t, 1), fitted(t, 2)
	for path, same := range map[string]bool{one: true, other: false} {
		j := new(run.Job)
		if err := compare(t.Context(), j, one, path); err != nil {
			t.Fatal(err)
		}
		row := j.Reported()
		if equal := row["files"] == row["equal_files"] && row["difference_b"] == "0" &&
			row["eigenvalues"] == "0"; equal != same {
			t.Errorf("%v", row)
		}
	}
}
