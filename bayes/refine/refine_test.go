package refine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"anchorage/corpus"
	"anchorage/internal/random"
	"anchorage/internal/synth"
	"anchorage/matrix"
)

// blurred returns a start between the truth and no knowledge: each mixture has so much of the true one.
func blurred(truth *synth.Truth, docs *corpus.Documents, sharp float64) *Start {
	s := &Start{Mixtures: matrix.NewTall(truth.Items, truth.Topics), Frequency: make([]int64, truth.Items),
		Joint:     slices.Clone(truth.Correlations),
		Documents: int64(docs.Documents())}
	for i, item := range docs.Items {
		s.Frequency[item] += int64(docs.Counts[i])
	}
	for i := range truth.Items {
		row := s.Mixtures.Row(i)
		for k := range row {
			row[k] = (1 - sharp) * truth.Prior[k]
		}
		topics, values := truth.Row(i)
		for j, k := range topics {
			row[k] += sharp * values[j] * truth.Prior[k] / truth.Probabilities[i]
		}
	}
	return s
}

// inPasses returns the documents as a pass, n at a time.
func inPasses(docs *corpus.Documents, size int) corpus.Pass {
	return func(_ context.Context, fn func(*corpus.Documents) error) error {
		for first := 0; first < docs.Documents(); first += size {
			part := &corpus.Documents{Offsets: []int32{0}}
			for d := first; d < min(first+size, docs.Documents()); d++ {
				part.Append(docs.Row(d))
			}
			if err := fn(part); err != nil {
				return err
			}
		}
		return nil
	}
}

// errorOf returns the mean l1 error of B.
func errorOf(s *Start, truth *synth.Truth) float64 {
	total := 0.0
	for _, f := range s.Frequency {
		total += float64(f)
	}
	shares := make([]float64, truth.Topics)
	for i, f := range s.Frequency {
		for k, p := range s.Mixtures.Row(i) {
			shares[k] += p * float64(f) / total
		}
	}
	row := func(dst []float64, i int) {
		for k, p := range s.Mixtures.Row(i) {
			dst[k] = p * float64(s.Frequency[i]) / total / shares[k]
		}
	}
	return truth.Recover(synth.Estimate{Row: row, Correlations: s.Joint, Anchors: make([]int, truth.Topics)}).ErrorB
}

// TestRefineFindsTruth begins near the truth and comes nearer, with the prior and A of the documents.
func TestRefineFindsTruth(t *testing.T) {
	docs, truth := synth.Model{Items: 300, Topics: 5, Documents: 4000, Tokens: 60, Concentration: 0.2, Seed: 3}.Draw()
	s := blurred(truth, docs, 0.3)
	before := errorOf(s, truth)
	found, err := Topics(t.Context(), inPasses(docs, 1000), s, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	after := errorOf(s, truth)
	if before < 0.5 || after > 0.16 {
		t.Errorf("the error is %.3f after %.3f", after, before)
	}
	if found.For != ForPrediction || found.Burstiness < 0.5 || found.Burstiness > 1.5 || !found.Settled ||
		found.Passes < 3 {
		t.Errorf("%s, burstiness %.2f, settled %v after %d passes", found.For, found.Burstiness, found.Settled, found.Passes)
	}
	concentration := 0.0
	for _, a := range found.Alpha {
		concentration += a
	}
	if concentration < 0.8 || concentration > 1.35 { // 5·0.2, of which the posterior knows less than all
		t.Errorf("the concentration is %.3f", concentration)
	}
	difference, sum := 0.0, 0.0
	for i, a := range found.Joint {
		difference = max(difference, math.Abs(a-truth.Correlations[i]))
		sum += a
	}
	if difference > 0.02 || math.Abs(sum-1) > 1e-9 {
		t.Errorf("A is off by %.3f, and sums to %v", difference, sum)
	}
	for n := 1; n < len(found.LogLikelihood)-found.Epochs; n++ {
		at := found.Epochs + n
		if found.LogLikelihood[at] < found.LogLikelihood[at-1]-1e-3 {
			t.Errorf("the likelihood falls: %v", found.LogLikelihood)
		}
	}
}

// TestSamples draws topics in the last passes, which many short documents bring nearer the truth, unless the passes are
// counted or words come in bursts.
func TestSamples(t *testing.T) {
	docs, truth := synth.Model{Items: 300, Topics: 10, Documents: 12000, Tokens: 20, Seed: 4}.Draw()
	refined := func(o Options) (float64, *Result) {
		s := blurred(truth, docs, 0.3)
		found, err := Topics(t.Context(), inPasses(docs, 1000), s, o)
		if err != nil {
			t.Fatal(err)
		}
		return errorOf(s, truth), found
	}
	with, found := refined(Options{For: ForPrediction, Seed: 1})
	without, other := refined(Options{For: ForPrediction, Seed: 1, Passes: found.Epochs + found.Passes})
	t.Logf("error %.4f with %d passes that draw topics, %.4f without", with, found.Samples, without)
	if found.Samples != mostSamples || other.Samples != 0 || with > 0.85*without {
		t.Errorf("error %.4f with %d passes that draw topics, %.4f with %d", with, found.Samples, without, other.Samples)
	}
	if _, found := refined(Options{For: ForReading, Seed: 1}); found.Samples != 0 {
		t.Errorf("%d passes for reading draw topics", found.Samples)
	}
}

// TestRefineDeterminism: the numbers of workers, and how documents come, do not show in any bit.
func TestRefineDeterminism(t *testing.T) {
	docs, truth := synth.Model{Items: 200, Topics: 4, Documents: 3000, Tokens: 30, Seed: 5}.Draw()
	want := ""
	for _, purpose := range []Purpose{ForPrediction, ForReading} {
		want = ""
		for workers, size := range map[int]int{1: 3000, 2: 7, 5: 501} {
			s := blurred(truth, docs, 0.5)
			s.Reliability, s.Weights = slices.Repeat([]float64{0.5}, 200), slices.Repeat([]float64{2}, 200)
			s.Weights[0] = 0.7
			o := Options{For: purpose, Passes: 2, Seed: 9, Errors: true, Workers: workers}
			if purpose == ForPrediction {
				o.Passes = 0 // with passes that draw topics
			}
			found, err := Topics(t.Context(), inPasses(docs, size), s, o)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(*found, s.Reliability)
			for i := range 200 {
				got += fmt.Sprint(s.Mixtures.Row(i))
			}
			if want != "" && got != want {
				t.Errorf("%s: %d workers, %d documents at a time: another result", purpose, workers, size)
			}
			want = got
			for i := range 200 {
				if row := s.Mixtures.Row(i); math.Abs(total(row)-1) > 1e-6 || slices.Min(row) < 0 {
					t.Fatalf("mixture %d is %v", i, row)
				}
				if r := s.Reliability[i]; s.Frequency[i] > 100 && !(r > 0.6 && r <= 1) {
					t.Errorf("%s: item %d of %d tokens has reliability %v", purpose, i, s.Frequency[i], r)
				}
			}
		}
	}
}

func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// naiveDispersion is the s of naivePass.
const naiveDispersion = 100.0

// TestRefineAgainstNaive compares a pass with the formulas of Refine, token by token in double precision.
func TestRefineAgainstNaive(t *testing.T) {
	defer func(least, most float64) { leastDispersion, mostDispersion = least, most }(leastDispersion, mostDispersion)
	leastDispersion, mostDispersion = naiveDispersion, naiveDispersion
	docs, truth := synth.Model{Items: 40, Topics: 3, Documents: 60, Tokens: 20, Seed: 2}.Draw()
	for _, purpose := range []Purpose{ForPrediction, ForReading} {
		start := blurred(truth, docs, 0.4)
		start.Weights = make([]float64, 40)
		for i := range start.Weights {
			start.Weights[i] = 1 + float64(i%3)
		}
		want, likelihood := naivePass(blurred(truth, docs, 0.4), start.Weights, docs, purpose)
		found, err := Topics(t.Context(), inPasses(docs, 9), start, Options{For: purpose, Passes: 1, Epochs: -1})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(found.LogLikelihood[0]-likelihood) > 2e-3 {
			t.Errorf("%s: the likelihood is %v, want %v", purpose, found.LogLikelihood[0], likelihood)
		}
		for i, row := range want {
			for k, p := range row {
				// The local step ends a little before its fixed point, and takes entries by pairs: with real counts that shows
				// more.
				if got := start.Mixtures.Row(i)[k]; math.Abs(got-p) > map[Purpose]float64{ForPrediction: 0.02,
					ForReading: 0.05}[purpose] {
					t.Errorf("%s: p(topic %d | item %d of %d) is %.4f, want %.4f", purpose, k, i, start.Frequency[i], got, p)
				}
			}
		}
	}
}

// naivePass returns the mixtures after one pass, and the mean log-likelihood. α is that of the start, which Refine
// matches to A.
func naivePass(s *Start, weights []float64, docs *corpus.Documents,
	purpose Purpose) (mixtures [][]float64, likelihood float64) {
	const n, k = 40, 3
	r, err := newRefiner(context.Background(), inPasses(docs, 100), s, Options{For: purpose, Epochs: -1})
	if err != nil {
		panic(err)
	}
	var tokens, weighted, entries, distinct float64
	for e, item := range docs.Items {
		tokens += float64(docs.Counts[e])
		weighted += weights[item] * float64(docs.Counts[e])
		entries++
		distinct += weights[item]
	}
	var b [][]float64 // the topics that the pass begins with
	given := func(mean, x float64) float64 { return mean * (mathext.Digamma(mean+x) - mathext.Digamma(mean)) }
	count := func(e int32) float64 {
		switch purpose {
		case ForPrediction:
			q := 0.0
			for j, p := range b[docs.Items[e]] {
				q += p * r.alpha[j] / total(r.alpha)
			}
			return given(naiveDispersion*q, float64(docs.Counts[e]))
		}
		return weights[docs.Items[e]] / (weighted / tokens)
	}
	shares, blurredRow := make([]float64, k), make([][]float64, n)
	b = make([][]float64, n)
	all := 0.0
	frequency := make([]float64, n)
	for i := range n {
		frequency[i] = float64(s.Frequency[i])
		if purpose == ForReading {
			frequency[i] *= weights[i]
		}
		all += frequency[i]
	}
	for i := range n {
		b[i], blurredRow[i] = make([]float64, k), make([]float64, k)
		row := s.Mixtures.Row(i)
		for j := range k {
			blurredRow[i][j] = (1-blur)*row[j] + blur*truthShares(s)[j]
			b[i][j] = blurredRow[i][j]
			shares[j] += frequency[i] / all * b[i][j]
		}
	}
	for i := range n {
		for j := range k {
			b[i][j] *= frequency[i] / all / shares[j]
		}
	}
	sums := make([][]float64, n)
	for i := range sums {
		sums[i] = make([]float64, k)
	}
	counted := 0.0
	for d := range docs.Documents() {
		first, last := docs.Offsets[d], docs.Offsets[d+1]
		gamma, a, length := make(map[int32][]float64), slices.Clone(r.alpha), 0.0
		for e := first; e < last; e++ {
			length += count(e)
			gamma[e] = make([]float64, k)
			sum := 0.0
			for j := range k {
				gamma[e][j] = b[docs.Items[e]][j] * r.alpha[j]
				sum += gamma[e][j]
			}
			for j := range k {
				gamma[e][j] /= sum
				a[j] += count(e) * gamma[e][j]
			}
		}
		for range 500 {
			for e := first; e < last; e++ {
				next, sum := make([]float64, k), 0.0
				for j := range k {
					next[j] = b[docs.Items[e]][j] * max(a[j]-gamma[e][j], r.alpha[j])
					sum += next[j]
				}
				for j := range k {
					next[j] /= sum
					a[j] += count(e) * (next[j] - gamma[e][j])
				}
				gamma[e] = next
			}
		}
		for e := first; e < last; e++ {
			p, weight := 0.0, 1.0
			if purpose == ForReading {
				weight = distinct / (weighted / tokens) / float64(docs.Documents()) / length
			}
			for j := range k {
				p += b[docs.Items[e]][j] * a[j] / total(a)
				sums[docs.Items[e]][j] += weight * count(e) * gamma[e][j]
			}
			if purpose == ForPrediction {
				x := float64(docs.Counts[e])
				likelihood += lgamma(naiveDispersion*p+x) - lgamma(naiveDispersion*p)
				counted += x
				continue
			}
			likelihood += count(e) * math.Log(p)
			counted += count(e)
		}
		if purpose == ForPrediction {
			x := 0.0
			for _, c := range docs.Counts[first:last] {
				x += float64(c)
			}
			likelihood += lgamma(naiveDispersion) - lgamma(naiveDispersion+x)
		}
	}
	for i := range n {
		of, strength := total(sums[i]), concentration
		if purpose == ForReading {
			strength += hold * of
		}
		row := make([]float64, k)
		for j := range k {
			centre := shares[j]
			if purpose == ForReading {
				centre = (1-blur)*s.Mixtures.Row(i)[j] + blur*shares[j]
			}
			row[j] = (sums[i][j] + strength*centre) / (of + strength)
		}
		mixtures = append(mixtures, row)
	}
	return mixtures, likelihood / counted
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// truthShares returns p(topic) of a start.
func truthShares(s *Start) []float64 {
	k := s.Mixtures.Cols()
	shares := make([]float64, k)
	for a := range k {
		shares[a] = total(s.Joint[a*k : (a+1)*k])
	}
	return shares
}

// TestRefinePurpose: documents whose items are repeated are bursty, and sets of items are not.
func TestRefinePurpose(t *testing.T) {
	docs, truth := synth.Model{Items: 300, Topics: 4, Documents: 800, Tokens: 30, Seed: 6}.Draw()
	bursty, single := &corpus.Documents{Offsets: docs.Offsets, Items: docs.Items}, &corpus.Documents{Offsets: docs.Offsets,
		Items: docs.Items}
	for e, c := range docs.Counts {
		bursty.Counts = append(bursty.Counts, c)
		if random.Uniform(1, random.Test, uint64(e), 0) < 0.2 {
			bursty.Counts[e] += 6
		}
		single.Counts = append(single.Counts, 1)
	}
	for name, test := range map[string]struct {
		docs *corpus.Documents
		want Purpose
	}{"bursty": {bursty, ForReading}, "single": {single, ForPrediction}, "drawn": {docs, ForPrediction}} {
		found, err := Topics(t.Context(), inPasses(test.docs, 500), blurred(truth, test.docs, 0.9), Options{Passes: 1})
		if err != nil {
			t.Fatal(err)
		}
		if found.For != test.want || name == "single" && found.Burstiness != 0 {
			t.Errorf("%s: for %s, burstiness %.2f", name, found.For, found.Burstiness)
		}
	}
}

// TestRefineFails: failing passes are errors, and leave the start as it was.
func TestRefineFails(t *testing.T) {
	docs, truth := synth.Model{Items: 60, Topics: 3, Documents: 600, Tokens: 20, Seed: 6}.Draw()
	broken := errors.New("broken")
	for _, least := range []int{1, 3, 40, 45} {
		s, reads := blurred(truth, docs, 0.5), 0
		pass := func(ctx context.Context, fn func(*corpus.Documents) error) error {
			if reads++; reads >= least {
				return broken
			}
			return inPasses(docs, 100)(ctx, fn)
		}
		if _, err := Topics(t.Context(), pass, s, Options{Passes: 50}); !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
		if fmt.Sprint(s.Mixtures.Row(7)) != fmt.Sprint(blurred(truth, docs, 0.5).Mixtures.Row(7)) {
			t.Error("a failed refinement has changed the mixtures")
		}
	}
	empty := &corpus.Documents{Offsets: make([]int32, 11)}
	if _, err := Topics(t.Context(), inPasses(empty, 3), blurred(truth, docs, 0.5), Options{}); err == nil {
		t.Error("documents without items can be learned from")
	}
}

// TestRefineLongDocuments: a document with more entries than are held at a time says what it says in parts.
func TestRefineLongDocuments(t *testing.T) {
	docs, truth := synth.Model{Items: 9000, Topics: 3, Documents: 12, Tokens: 60000, Length: synth.Fixed, Seed: 6}.Draw()
	s := blurred(truth, docs, 0.5)
	before := errorOf(s, truth)
	for _, purpose := range []Purpose{ForPrediction, ForReading} {
		s := blurred(truth, docs, 0.5)
		found, err := Topics(t.Context(), inPasses(docs, 5), s, Options{For: purpose, Passes: 3})
		if err != nil {
			t.Fatal(err)
		}
		// Presence says little of documents that hold nearly everything, but nothing may be lost in it.
		if after := errorOf(s, truth); purpose == ForPrediction && !(after < before) || !(after < 1.5*before) {
			t.Errorf("for %s the error is %.3f after %.3f", purpose, after, before)
		}
		if found.For != purpose || !(found.Burstiness > 0.5 && found.Burstiness < 1.5) {
			t.Errorf("for %s, burstiness %.2f", found.For, found.Burstiness)
		}
	}
}

// TestNotSettledWhileFalling wants passes to continue where the likelihood falls first, as with short documents, whose
// α changes much: the pass at which the fall turns gains little, and so do the passes of a fall itself.
func TestNotSettledWhileFalling(t *testing.T) {
	docs, truth := synth.Model{Items: 1000, Topics: 40, Documents: 4000, Tokens: 20, Seed: 1}.Draw()
	start := blurred(truth, docs, 1)
	for at := range start.Joint { // documents of hardly more than one topic
		start.Joint[at] *= 0.1
	}
	for k := range truth.Topics {
		start.Joint[k*truth.Topics+k] += 0.9 * truth.Prior[k]
	}
	found, err := Topics(t.Context(), inPasses(docs, 70), start, Options{For: ForPrediction, Epochs: -1})
	if err != nil {
		t.Fatal(err)
	}
	l := found.LogLikelihood
	t.Logf("settled %v: %.4f", found.Settled, l)
	if slices.Min(l) >= l[0] {
		t.Fatal("the likelihood has not fallen, so this tests nothing")
	}
	if last := len(l) - 1; l[last] <= slices.Min(l)+0.001 {
		t.Errorf("the passes ended where the likelihood had fallen to: %.4f", l)
	}
}
