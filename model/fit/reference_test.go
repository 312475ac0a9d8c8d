// This file holds the pipeline and the figures against results of an independent implementation.

package fit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/metric"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// reference is a file of reference results.
type reference struct {
	Items   int64 `json:"N"`
	M       int64 `json:"M"`
	Results map[string]struct {
		Eigenvalues []float64          `json:"eigenvalues"`
		Anchors     []string           `json:"anchors"`
		Norm        float64            `json:"norm_YYt"`
		Metrics     map[string]float64 `json:"metrics"`
	} `json:"results"`
}

// referenceRoot returns the folder with data/ and reference/, which ANCHORAGE_REFERENCE names, or skips the test.
func referenceRoot(t *testing.T) string {
	t.Helper()
	root := os.Getenv("ANCHORAGE_REFERENCE")
	if root == "" {
		t.Skip("ANCHORAGE_REFERENCE is not set: it names the folder with the reference data and results")
	}
	return root
}

// readReference reads a file of reference results.
func readReference(t *testing.T, root, name string) reference {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "reference", name))
	if err != nil {
		t.Fatal(err)
	}
	var results reference
	if err := json.Unmarshal(content, &results); err != nil {
		t.Fatal(err)
	}
	return results
}

// TestAgainstReference runs the whole pipeline on NIPS and retail, from the data that the reference results were
// computed from.
func TestAgainstReference(t *testing.T) {
	root := referenceRoot(t)
	for _, data := range []struct{ name, shard, items, results string }{
		{"nips", "data/nips/docword.nips.txt.gz", "nips-n5000.dict", "nips-n5000.json"},
		{"retail", "data/retail/retail.dat.gz", "retail-n5000.items", "retail-n5000.json"},
	} {
		t.Run(data.name, func(t *testing.T) {
			want := readReference(t, root, data.results)
			r := open(t, filepath.Join(root, data.shard), filepath.Join(root, "reference", data.items))
			if r.marginals.Documents != want.M {
				t.Fatalf("%d documents, want %d", r.marginals.Documents, want.M)
			}
			for _, k := range []int{25, 50} {
				t.Run(fmt.Sprint(k), func(t *testing.T) {
					result := want.Results[fmt.Sprint(k)]
					t.Run("exact", func(t *testing.T) {
						s := r.fit(t, k, 1, fit.SketchOptions{Passes: 8}, 50)
						for i, value := range result.Eigenvalues {
							checkNear(t, fmt.Sprintf("eigenvalue %d", i), s.Eigen.Values[i], value, 1e-3)
						}
						checkNear(t, "norm of Y·Yᵀ", s.Manifest.Rectify.Norm, result.Norm, 1e-3)
						r.checkAnchors(t, s.Topics, result.Anchors, k-2)
						r.checkFigures(t, s.Topics, result.Metrics, 0.01, nil)
						r.checkEstimates(t, s.Topics)
					})
					t.Run("defaults", func(t *testing.T) {
						s := r.fit(t, k, 1, fit.SketchOptions{}, 50)
						r.checkAnchors(t, s.Topics, result.Anchors, k-2)
						r.checkFigures(t, s.Topics, result.Metrics, 0.01, nil)
					})
					t.Run("published", func(t *testing.T) {
						s := r.fitPublished(t, k)
						checkNear(t, "norm of Y·Yᵀ", s.Manifest.Rectify.Norm, result.Norm, 1e-4)
						r.checkAnchors(t, s.Topics, result.Anchors, k-2)
						// which counts words
						r.checkFigures(t, s.Topics, result.Metrics, 0.005, map[string]float64{"dissimilarity": 0.03})
					})
				})
			}
		})
	}
}

// opened is a set of documents and its dense C.
type opened struct {
	*corpus.Corpus
	c         *matrix.Tall
	marginals *sketch.Marginals
	log       *slog.Logger
}

func open(t *testing.T, path, items string) *opened {
	t.Helper()
	ctx, log := context.Background(), slog.New(slog.NewTextHandler(io.Discard, nil))
	vocabulary, err := stream.ReadVocabulary(ctx, items)
	if err != nil {
		t.Fatal(err)
	}
	shards, err := shard.Discover(context.Background(), []string{path}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	source := corpus.Options{Vocabulary: vocabulary, MinItems: 3, MinTokens: 5, Dir: t.TempDir(), Log: log}
	r := &opened{log: log}
	if r.Corpus, err = stream.Open(ctx, shards, source); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if r.c, r.marginals, err = sketch.Dense(ctx, r.Pass, vocabulary.Len(), nil, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	return r
}

// fit runs the pipeline with everything as published, except the sketch.
func (r *opened) fit(t *testing.T, k int, seed uint64, sketching fit.SketchOptions, iterations int) *fit.Fitted {
	t.Helper()
	opts := fit.Published(fit.LRJSMF)
	opts.Topics, opts.Seed, opts.Sketch.Passes, opts.Sketch.Columns, opts.Sketch.Power = k, seed, sketching.Passes,
		sketching.Columns, sketching.Power
	opts.Rectify.Iterations = iterations
	s, err := fit.Fit(context.Background(), r.Corpus, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fitPublished runs the pipeline with everything as published. Its power iterations leave residuals of 10⁻⁴ of the
// greatest eigenvalue on retail with K = 50, which moves a word or two.
func (r *opened) fitPublished(t *testing.T, k int) *fit.Fitted {
	t.Helper()
	opts := fit.Published(fit.LRJSMF)
	opts.Topics, opts.Seed = k, 1
	s, err := fit.Fit(context.Background(), r.Corpus, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (r *opened) checkAnchors(t *testing.T, topics *anchor.Topics, want []string, least int) {
	t.Helper()
	same := 0
	for _, item := range topics.Anchors {
		if slices.Contains(want, r.Vocabulary.ID(item)) {
			same++
		}
	}
	t.Logf("%d of %d anchors", same, len(want))
	if same < least {
		t.Errorf("%d of the %d reference anchors, want %d or more", same, len(want), least)
	}
}

// checkFigures holds all figures of the reference against those of the topics. Those of others have another tolerance.
func (r *opened) checkFigures(t *testing.T, topics *anchor.Topics, want map[string]float64, tolerance float64,
	others map[string]float64) {
	t.Helper()
	report, err := metric.Score(context.Background(), r.Pass, metric.Of(topics), metric.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		got, ok := report.Get(name)
		if !ok {
			t.Errorf("no figure %s", name)
		}
		within := tolerance
		if own, known := others[name]; known {
			within = own
		}
		checkNear(t, name, got.Value, want[name], within)
	}
	text, err := json.Marshal(report)
	t.Logf("%s %v", text, err)
}

// checkEstimates holds the estimates without a dense C against the exact figures: each of some to what it says itself,
// which is up to 0.8 % of the recoveries, and their mean to 1 %.
func (r *opened) checkEstimates(t *testing.T, topics *anchor.Topics) {
	t.Helper()
	ctx, described := context.Background(), metric.Of(topics)
	exact, err := metric.DenseDistances(ctx, r.c, r.marginals.Probabilities(), described, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, diagonal, err := sketch.CountMarginals(ctx, r.Pass, r.c.Rows(), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	const estimates = 4
	means := make(map[string]float64)
	for seed := range uint64(estimates) {
		got, err := metric.ProjectedDistances(ctx, r.Pass, m, diagonal, described, metric.Options{Seed: seed,
			Key: r.Vocabulary.Key})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []struct {
			name       string
			got, exact metric.Estimate
		}{
			{"recovery", got.Recovery, exact.Recovery},
			{"relative recovery", got.RelativeRecovery, exact.RelativeRecovery},
			{"approximation", got.Approximation, exact.Approximation},
			{"relative approximation", got.RelativeApproximation, exact.RelativeApproximation},
			{"off-diagonal approximation", got.OffDiagonalApproximation, exact.OffDiagonalApproximation},
		} {
			off := f.got.Value - f.exact.Value
			means[f.name] += off / f.exact.Value / estimates
			if math.Abs(off) > 4*f.got.StandardError {
				t.Errorf("%s is estimated at %.6g ± %.2g and is %.6g", f.name, f.got.Value, f.got.StandardError, f.exact.Value)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(means)) {
		t.Logf("%-27s %d estimates are off by %+.2g %% on average", name, estimates, 100*means[name])
		if math.Abs(means[name]) > 0.01 {
			t.Errorf("%s: %d estimates are off by %+.2g %% on average", name, estimates, 100*means[name])
		}
	}
}

// checkNear fails unless got differs from want by at most the given part of it.
func checkNear(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	off := math.Abs(got-want) / math.Abs(want)
	t.Logf("%-24s %.9g, reference %.9g, off by %.2g %%", name, got, want, 100*off)
	if !(off <= tolerance) {
		t.Errorf("%s is %.6g, %.2f %% off %.6g: at most %g %% is allowed", name, got, 100*off, want, 100*tolerance)
	}
}
