package items

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"anchorage/corpus"
	"anchorage/internal/random"
	"anchorage/internal/synth"
	"anchorage/matrix"
)

// withTopics returns documents, their pairs, and the topics that they were drawn from.
func withTopics(t *testing.T, documents, neighbours int) (*corpus.Documents, *Pairs, *Topics) {
	t.Helper()
	docs, truth := synth.Model{Items: 300, Topics: 6, Documents: documents, Seed: 3, Tokens: 12}.Draw()
	p, err := Count(t.Context(), passOf(docs, 200), 300, Options{Neighbours: neighbours})
	if err != nil {
		t.Fatal(err)
	}
	dense := make([]float64, 300*6)
	for i := range 300 {
		truth.CopyRow(dense[i*6:][:6], i)
	}
	b, mixtures := matrix.NewTall(300, 6), matrix.NewTall(300, 6)
	for i := range 300 {
		sum := 0.0
		for k := range 6 {
			b.Row(i)[k] = dense[i*6+k]
			for l := range 6 {
				mixtures.Row(i)[k] += truth.Correlations[k*6+l] * dense[i*6+k]
			}
			sum += mixtures.Row(i)[k]
		}
		for k := range 6 {
			mixtures.Row(i)[k] /= sum
		}
	}
	return docs, p, NewTopics(mixtures, b, truth.Correlations)
}

// TestScores computes scores as the formula of Setting says.
func TestScores(t *testing.T) {
	_, p, topics := withTopics(t, 400, 8)
	if err := p.Invert(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	setting := Setting{Pairs: 0.5, Inverse: 0.3, Topics: 0.2, Peculiar: 0.3}
	r := NewRecommender(p, topics, setting)
	basket := []int32{2, 5, 40}
	scores := make([]float64, 300)
	r.NewQuery().Scores(scores, basket)
	for j := range int32(300) {
		counts, inverse, expected := 0.0, float64(p.Counts[j])/400, 0.0
		for _, i := range basket {
			others, _, weights := r.Pairs().Row(int(i))
			for x, o := range others {
				if o == j {
					counts += float64(weights[x]) / (p.Weighted[i] + 5) / 3
				}
			}
			for k := range 6 {
				for l := range 6 {
					expected += float64(p.Companions[i]) / float64(p.Counts[i]) / 3 * topics.mixtures.Row(int(i))[k] *
						topics.next[k*6+l] * topics.items.Row(int(j))[l]
				}
			}
		}
		own, _, _ := p.Row(int(j))
		for x, i := range own {
			known := float64(p.Counts[i]) / 400
			given := 0.0
			if slices.Contains(basket, i) {
				given = 1
			}
			inverse += float64(p.Inverse[p.Offsets[j]+int64(x)]) * (given - known)
		}
		want := (0.5*counts + 0.3*inverse + 0.2*expected) / math.Pow(p.Weighted[j]+5, 0.3)
		if math.Abs(scores[j]-want) > 1e-5*math.Abs(want)+1e-8 {
			t.Fatalf("item %d has the score %v, want %v", j, scores[j], want)
		}
	}
}

// TestInvert holds coefficients against the normal equations, and those of one inverse of all against those of an item
// and all of its neighbours.
func TestInvert(t *testing.T) {
	docs := drawn(2000)
	p, err := Count(t.Context(), passOf(docs, 500), 300, Options{Neighbours: All})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Invert(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	together := make([][]float64, 300)
	for i := range together {
		together[i] = make([]float64, 300)
		together[i][i] = float64(p.Counts[i])
		others, counts, _ := p.Row(i)
		for x, k := range others {
			together[i][k] = float64(counts[x])
		}
	}
	covariance := func(i, k int) float64 {
		return together[i][k] - float64(p.Counts[i])*float64(p.Counts[k])/float64(p.Documents)
	}
	scale := func(i int) float64 { return math.Pow(covariance(i, i), 0.25) }
	for _, j := range []int{0, 7, 120} {
		b := make([]float64, 300)
		others, _, _ := p.Row(j)
		for x, i := range others {
			b[i] = float64(p.Inverse[p.Offsets[j]+int64(x)])
		}
		if len(others) != 299 { // a pair that is in no document has a coefficient too, which is not kept
			continue
		}
		for i := range 300 {
			if i == j {
				continue
			}
			sum := 30 * b[i] * scale(i) / scale(j)
			for k, v := range b {
				sum += covariance(i, k) / scale(i) * v / scale(j)
			}
			if want := covariance(i, j) / (scale(i) * scale(j)); math.Abs(sum-want) > 1e-4*(1+math.Abs(want)) {
				t.Fatalf("item %d: the equation of item %d gives %v, want %v", j, i, sum, want)
			}
		}
	}
	few, err := Count(t.Context(), passOf(docs, 500), 300, Options{Neighbours: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := few.Invert(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	for j := range 300 { // of one neighbour the regression is a division
		others, _, _ := few.Row(j)
		i := int(others[0])
		want := covariance(i, j) / (scale(i) * scale(j)) / (math.Sqrt(covariance(i, i)) + 30) * scale(j) / scale(i)
		if got := float64(few.Inverse[j]); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Fatalf("item %d and its neighbour %d have %v, want %v", j, i, got, want)
		}
	}
}

// TestSolver holds conjugate gradients against the Cholesky factorization: on matrices that they solve, on one that needs
// too many steps, and on one that is not positive definite.
func TestSolver(t *testing.T) {
	const m = 150
	noise := func(a, b int) float64 { return random.Normal(1, random.Test, uint64(a), uint64(b)) / m }
	for _, c := range []struct {
		name              string
		diagonal          func(a int) float64
		below             func(a, b int) float64
		iterates, factors bool
	}{
		{"usual", func(a int) float64 { return 1 + float64(a)/50 }, noise, true, true},
		{"chain", func(int) float64 { return 2 }, func(a, b int) float64 {
			if a-b == 1 {
				return -1
			}
			return 0
		}, false, true},
		{"indefinite", func(int) float64 { return 1 }, func(int, int) float64 { return -0.5 }, false, false},
	} {
		s, x := &solver{gram: make([]float64, m*m)}, make([]float64, m)
		for a := range m {
			x[a] = 1 + noise(a, a)
			for b := range a {
				v := c.below(a, b)
				s.gram[a*m+b], s.gram[b*m+a] = v, v
			}
			s.gram[a*m+a] = c.diagonal(a)
		}
		s.x = slices.Clone(x)
		if got := s.iterate(m); got != c.iterates {
			t.Fatalf("%s: conjugate gradients end: %v", c.name, got)
		}
		iterated := slices.Clone(s.x)
		if !c.iterates && !slices.Equal(iterated, x) {
			t.Fatalf("%s: the right side changed", c.name)
		}
		s.x = slices.Clone(x)
		if got := s.factorize(m); got != c.factors {
			t.Fatalf("%s: factorized: %v", c.name, got)
		}
		for a := range iterated {
			if c.iterates && math.Abs(iterated[a]-s.x[a]) > 1e-5*floats.Norm(s.x, 2) {
				t.Fatalf("%s: x_%d is %g, want %g", c.name, a, iterated[a], s.x[a])
			}
		}
	}
}

// TestValidate wants the chosen setting to be no worse than any single method on the same baskets, about as good as
// the best on others, and the same for any workers.
func TestValidate(t *testing.T) {
	docs, _, topics := withTopics(t, 3000, 20)
	sample, err := Draw(t.Context(), passOf(docs, 500), 400, 1, 1000, 4)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Count(t.Context(), sample.Without(passOf(docs, 500)), 300, Options{Neighbours: 20})
	if err != nil {
		t.Fatal(err)
	}
	if p.Documents != 2600 {
		t.Fatalf("%d documents without the sample", p.Documents)
	}
	if err := p.Invert(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	r := NewRecommender(p, topics, DefaultSetting)
	var first *Validation
	for _, workers := range []int{1, 3} {
		v, err := r.Validate(t.Context(), sample.Divide(HeldOutHalf, 1), nil, workers)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = v
		}
		if !reflect.DeepEqual(v, first) {
			t.Errorf("%d workers: %+v, want %+v", workers, v, first)
		}
	}
	if len(first.Candidates) != 60 || first.Baskets != 400 {
		t.Fatalf("%d candidates on %d baskets", len(first.Candidates), first.Baskets)
	}
	of := func(s Setting) (c Candidate) {
		for _, c = range first.Candidates {
			if c.Setting == s {
				return c
			}
		}
		t.Fatalf("%+v is no candidate", s)
		return c
	}
	balanced, rare := of(first.Chosen[Balanced]), of(first.Chosen[Rare])
	if rare.Rarer20 < balanced.Rarer20 {
		t.Errorf("for rare %v of the rarer half, balanced %v", rare.Rarer20, balanced.Rarer20)
	}
	popular := of(first.Chosen[Popular])
	for _, aim := range Aims {
		c := of(first.Chosen[aim.Name])
		if c.Recall20 < popular.Recall20*(1-aim.Cost) || c.NDCG100 < popular.NDCG100*(1-aim.Cost) ||
			c.Rarer20 < popular.Rarer20 {
			t.Errorf("%s has %+v, popular %+v", aim.Name, c, popular)
		}
	}
	for _, c := range first.Candidates {
		if c.Single() && c.Recall20 > balanced.Recall20*1.05 {
			t.Errorf("recall %v, but %+v has %v", balanced.Recall20, c.Setting, c.Recall20)
		}
	}
	// What is measured on the items that can be among the best is what dense scores of all reach.
	for _, got := range first.Candidates {
		scores, err := Evaluate(t.Context(), []Method{r.With(got.Setting).Method("")}, sample.Divide(HeldOutHalf, 1),
			p.Counts, p.Documents, 2)
		if err != nil {
			t.Fatal(err)
		}
		zeros := 1e-3
		if got.Pairs == 1 {
			zeros = 1e-2 // the list of all goes on with items of no score
		}
		if want := scores[0]; math.Abs(want.Recall20-got.Recall20) > 1e-6 ||
			math.Abs(want.NDCG100-got.NDCG100) > zeros || math.Abs(float64(want.Rarer20)-got.Rarer20) > 1e-6 {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// TestJudge holds the figures against counting by hand: of three held-out items one is second and one is twenty-first.
func TestJudge(t *testing.T) {
	counts := make([]int64, 60)
	for i := range counts {
		counts[i] = int64(100 - i)
	}
	method := Method{"order", func() Scorer {
		return func(dst []float64, _ []int32) {
			for j := range dst {
				dst[j] = -float64(j)
			}
		}
	}}
	// Item 0 is given. So item 2 is second, item 21 is twenty-first, and 59 is last.
	scores, err := Evaluate(t.Context(), []Method{method}, []Basket{{Given: []int32{0}, Held: []int32{2, 21, 59}}}, counts,
		200, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := scores[0]
	ndcg := (1/math.Log2(3) + 1/math.Log2(22) + 1/math.Log2(60)) / (1 + 1/math.Log2(3) + 0.5)
	if s.Recall20 != 1.0/3 || math.Abs(s.Recall50-2.0/3) > 1e-12 || math.Abs(s.NDCG100-ndcg) > 1e-12 ||
		s.Coverage != 20.0/60 || s.Rarer20 != 0 {
		t.Errorf("%+v, want NDCG %v", s, ndcg)
	}
}

// TestEASE holds EASE against what it must do: with a great λ it orders by c_ij.
func TestEASE(t *testing.T) {
	docs := drawn(2000)
	p, err := Count(t.Context(), passOf(docs, 500), 300, Options{Neighbours: All})
	if err != nil || !p.Complete() {
		t.Fatal(err, p.Complete())
	}
	ease, err := EASE(p, 1e9, 300)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, 300)
	ease.New()(dst, []int32{7})
	others, together, _ := p.Row(7)
	best := 0
	for x := range others {
		if together[x] > together[best] {
			best = x
		}
	}
	for j, v := range dst {
		if j != 7 && v > dst[others[best]] {
			t.Errorf("EASE puts item %d before item %d", j, others[best])
		}
	}
}
