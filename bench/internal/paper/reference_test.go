package paper

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"anchorage/bench/internal/show"
)

// authors are the figures of the authors' own program on NIPS with 5,000 words and K = 25, by pipeline: recovery,
// relative recovery, relative approximation, dominancy, relative dominancy, specificity, dissimilarity, ΣA. See the
// README of the reference results.
var authors = map[string][]float64{
	"ENN+LAW":  {0.023942, 0.00923994, 0.314436, 0.427745, 0.149237, 1.467232, 7.60, 1.06981},
	"AP+AW":    {0.023035, 0.00888973, 0.304251, 0.407698, 0.154927, 1.487033, 7.84, 1.01594},
	"LR-JSMF":  {0.023981, 0.00925511, 0.314903, 0.425026, 0.149216, 1.470054, 7.44, 1.07107},
	"PALM+LAW": {0.025786, 0.00995171, 0.323555, 0.374881, 0.134828, 1.519844, 7.08, 1.03552},
}

var authorsColumns = []string{"recovery", "relative_recovery", "relative_approximation", "dominancy",
	"relative_dominancy", "specificity_nats",
	"dissimilarity", "sum_A"}

// signDeviations are what random signs of the eigenvectors make of PALM's figures, in the same order; see
// docs/decisions/palm.md.
var signDeviations = []float64{0.0015, 0.0015 * 0.00995171 / 0.025786, 0.0057, 0.017, 0.012, 0.052, 0.57, 0.022}

// runFigures runs Figure 3 from the reference data, which ANCHORAGE_REFERENCE names, or skips. It returns the runs.
func runFigures(t *testing.T, corpora, topics, pipelines string, seeds int) show.View {
	t.Helper()
	data := os.Getenv("ANCHORAGE_REFERENCE")
	if data == "" {
		t.Skip("ANCHORAGE_REFERENCE is not set: it names the folder with the reference data and results")
	}
	v, o := tiny(t, data)
	v = v.With("figures", Figure3, "corpora", corpora, "topics", topics, "pipelines", pipelines, "seeds", seeds, "base",
		5000)
	if err := Part.Run(t.Context(), v, o); err != nil {
		t.Fatal(err)
	}
	return readRuns(t, o.Folder, "runs")
}

// holds fails unless the mean of a column over the runs of a pipeline is within the given distance of want.
func holds(t *testing.T, runs show.View, corpus, pipeline string, k int, column string, want, within float64) {
	t.Helper()
	of, err := runs.Where(fmt.Sprintf("corpus == '%s' && pipeline == '%s' && topics == %d", corpus, pipeline, k))
	if err != nil || len(of.Rows) == 0 {
		t.Fatalf("%s, %s, K = %d: %d rows, %v", corpus, pipeline, k, len(of.Rows), err)
	}
	got := 0.0
	for _, r := range of.Rows {
		x, err := strconv.ParseFloat(r[column], 64)
		if err != nil {
			t.Fatal(err)
		}
		got += x / float64(len(of.Rows))
	}
	t.Logf("%s %s K = %d: %-22s %.6g, reference %.6g, off by %+.2f %%", corpus, pipeline, k, column, got, want,
		100*(got/want-1))
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s of %s on %s with K = %d is %.6g, the reference %.6g: at most %.2g is allowed", column, pipeline, corpus,
			k, got, want, within)
	}
}

// The figures of ENN+LAW are those of the independent implementation, on both corpora and for both K, within 0.5 %, and
// so are those of the randomised pipeline, except dissimilarity, which counts words: with K = 50 on retail its power
// iterations leave some per mille of them elsewhere, and 3 % are allowed, as beside the authors' one run. The other
// figures of that are within 1 %.
func TestFiguresAgainstReference(t *testing.T) {
	means := runFigures(t, "nips,retail", "25,50", "ENN+LAW,LR-JSMF", 2)
	for _, corpus := range []string{"nips", "retail"} {
		text, err := os.ReadFile(filepath.Join(os.Getenv("ANCHORAGE_REFERENCE"), "reference", corpus+"-n5000.json"))
		if err != nil {
			t.Fatal(err)
		}
		var reference struct {
			Results map[string]struct {
				Metrics map[string]float64 `json:"metrics"`
			} `json:"results"`
		}
		if err := json.Unmarshal(text, &reference); err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{25, 50} {
			metrics := reference.Results[fmt.Sprint(k)].Metrics
			for _, column := range authorsColumns {
				want, ok := metrics[column]
				if !ok {
					t.Fatalf("the reference of %s has no %s", corpus, column)
				}
				within := 0.005
				holds(t, means, corpus, "ENN+LAW", k, column, want, within*want)
				if column == "dissimilarity" {
					within = 0.03
				}
				holds(t, means, corpus, randomised, k, column, want, within*want)
			}
		}
	}
	for i, column := range authorsColumns {
		holds(t, means, "nips", "ENN+LAW", 25, column, authors["ENN+LAW"][i], 0.001*authors["ENN+LAW"][i])
		within := 0.01 // of one run, with eigenpairs that are less exact than these
		if column == "dissimilarity" {
			within = 0.03
		}
		holds(t, means, "nips", randomised, 25, column, authors[randomised][i], within*authors[randomised][i])
	}
}

// AP and PALM have the figures of the authors' program too: AP within 0.1 %, PALM within what signs make of them. It
// takes minutes, and runs when ANCHORAGE_LONG is set.
func TestSlowFiguresAgainstAuthors(t *testing.T) {
	if os.Getenv("ANCHORAGE_LONG") == "" {
		t.Skip("ANCHORAGE_LONG is not set: this takes minutes")
	}
	means := runFigures(t, "nips", "25", "AP+AW,PALM+LAW", 1)
	for i, column := range authorsColumns {
		holds(t, means, "nips", "AP+AW", 25, column, authors["AP+AW"][i], 0.001*authors["AP+AW"][i])
		holds(t, means, "nips", "PALM+LAW", 25, column, authors["PALM+LAW"][i], 3*signDeviations[i])
	}
}

// Once iPALM has converged on NIPS, A sums to 1, and the approximation is that of bench/results/palm, better than after
// 100 iterations of PALM.
func TestConvergedIPALM(t *testing.T) {
	means := runFigures(t, "nips", "25", palmedFast, 1)
	holds(t, means, "nips", palmedFast, 25, "sum_A", 1, 0.01)
	holds(t, means, "nips", palmedFast, 25, "relative_approximation", 0.287, 0.005)
}
