// This file holds ENN's steps against many of the published iterations, on the reference corpora.

package fit_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/model/fit"
	"anchorage/rectify"
)

// TestAcceleration holds steps of ENN against 300 iterations: the distance of Y·Yᵀ, and what negative entries are left.
// The steps are all of the first 19 evaluations, those of the default, which ends where more of them make topics no better,
// and some whose first seven are iterations. With marginals the first seven evaluations shift the matrix, and long steps among them end at another
// limit, up to 1 % away (docs/decisions/enn.md); steps whose first seven are iterations end at the same. Each corpus has
// one of the two normalizations: both on both would take twice as long, and hold the same steps. ANCHORAGE_REFERENCE is a folder with data/ and reference/.
func TestAcceleration(t *testing.T) {
	root := referenceRoot(t)
	tried := []rectify.Options{
		{Stages: []int{1, 1, 1, 2, 2, 4, 8}, Tolerance: 1e-12}, // which none of them meets
		{},
		{Stages: []int{1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 8, 8, 8}, Tolerance: 1e-12},
	}
	for _, c := range []struct {
		shard, items  string
		normalization fit.Normalization
		limits        []float64 // of the distance, for each of tried
	}{
		{"data/nips/docword.nips.txt.gz", "nips-n5000.dict", fit.NormalizeUniform, []float64{0.003, 0.01, 0.003}},
		{"data/retail/retail.dat.gz", "retail-n5000.items", fit.NormalizeMarginal, []float64{0.01, 0.02, 0.003}},
	} {
		t.Run(c.items+"/"+string(c.normalization), func(t *testing.T) {
			r := open(t, filepath.Join(root, c.shard), filepath.Join(root, "reference", c.items))
			rectified := rectifier(t, r, c.normalization)
			want := rectified(rectify.Options{Iterations: 300})
			for i, o := range tried {
				got := rectified(o)
				distance := distanceOf(got.Factor, want.Factor)
				left := got.Iterations[len(got.Iterations)-1].CorrectionsSum / want.Iterations[299].CorrectionsSum
				t.Logf("stages %v: %d products, distance %.5f, ΣE %.2f times", o.Stages, got.Products, distance, left)
				if distance > c.limits[i] {
					t.Errorf("the steps %v end %.2g from 300 iterations, more than %v", o.Stages, distance, c.limits[i])
				}
				if i == 0 && left > 6 {
					t.Errorf("the steps leave %.2g times what 300 iterations do", left)
				}
			}
		})
	}
}

// rectifier returns a function that rectifies 50 eigenpairs of the documents.
func rectifier(t *testing.T, r *opened, normalization fit.Normalization) func(rectify.Options) *rectify.Result {
	t.Helper()
	var opts fit.Options
	if normalization == fit.NormalizeUniform {
		opts = fit.Published(fit.LRJSMF)
	}
	opts.Topics, opts.Seed = 50, 1
	s, err := fit.Sketch(context.Background(), r.Corpus, opts)
	if err != nil {
		t.Fatal(err)
	}
	y := s.Eigen.Factor(0)
	var marginals []float64
	if normalization == fit.NormalizeMarginal {
		marginals = s.Marginals.Probabilities()
	}
	return func(o rectify.Options) *rectify.Result {
		o.Marginals, o.Seed = marginals, 1
		result, err := rectify.ENN(context.Background(), y.Copy(50), o)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// distanceOf returns ‖A·Aᵀ − B·Bᵀ‖_F / ‖B·Bᵀ‖_F.
func distanceOf(a, b *matrix.Tall) float64 {
	square := func(x, y *matrix.Tall) float64 {
		sum := 0.0
		for _, v := range kernel.Gram(context.Background(), x, y, 0) {
			sum += v * v
		}
		return sum
	}
	whole := square(b, b)
	return math.Sqrt(max(square(a, a)+whole-2*square(a, b), 0) / whole)
}
