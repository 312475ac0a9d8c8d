package refine

import (
	"math"
	"slices"
	"testing"

	"anchorage/internal/synth"
	"anchorage/matrix"
)

// Predicted errors are near those of topics that are known, fall with more documents, and are less for topics that are
// held to others. Of one topic that is drawn as two, which the documents cannot tell apart, both are far off.
func TestErrors(t *testing.T) {
	for _, documents := range []int{500, 4000} {
		docs, truth := synth.Model{Items: 300, Topics: 5, Documents: documents, Tokens: 60, Concentration: 0.2,
			Seed: 3}.Draw()
		s := blurred(truth, docs, 0.5)
		found, err := Topics(t.Context(), inPasses(docs, 1000), s, Options{For: ForPrediction, Seed: 1, Errors: true})
		if err != nil {
			t.Fatal(err)
		}
		known, predicted := errorOf(s, truth), total(found.Errors)/5
		if len(found.Errors) != 5 || known < LeastError*predicted || known > MostError*predicted {
			t.Errorf("%d documents: the error is %.3f, predicted as %.3f", documents, known, predicted)
		}
		if documents == 500 {
			continue
		}
		double := blurred(truth, docs, 1)
		double.Mixtures = splitFirst(double.Mixtures)
		double.Joint = make([]float64, 36)
		for at := range double.Joint {
			a, b := at/6%5, at%6%5
			double.Joint[at] = truth.Correlations[a*5+b]
			for _, topic := range []int{a, b} {
				if topic == 0 {
					double.Joint[at] /= 2
				}
			}
		}
		found, err = Topics(t.Context(), inPasses(docs, 1000), double, Options{For: ForPrediction, Passes: 1, Seed: 1,
			Errors: true})
		if err != nil {
			t.Fatal(err)
		}
		whole := slices.Max(found.Errors[1:5])
		if math.Min(found.Errors[0], found.Errors[5]) < 1.5*whole {
			t.Errorf("errors of halves of a topic are %.3f and %.3f, and of the others at most %.3f", found.Errors[0],
				found.Errors[5], whole)
		}
	}
}

// Where all documents have the same mixture, other documents would give other topics: their errors are near those of
// unrelated ones.
func TestErrorsOfNoise(t *testing.T) {
	docs, truth := synth.Model{Items: 300, Topics: 5, Documents: 1000, Tokens: 60, Concentration: 1e6, Seed: 3}.Draw()
	found, err := Topics(t.Context(), inPasses(docs, 1000), blurred(truth, docs, 0.5), Options{For: ForPrediction, Seed: 1,
		Errors: true})
	if err != nil {
		t.Fatal(err)
	}
	for k, e := range found.Errors {
		if most := found.Unrelated[k]; e > most || e < 0.7*most {
			t.Errorf("topic %d: error %.3f, of unrelated topics %.3f", k, e, most)
		}
	}
}

// Of few documents one half has no tokens, and errors are unknown.
func TestErrorsUnknown(t *testing.T) {
	docs, truth := synth.Model{Items: 30, Topics: 2, Documents: 1, Tokens: 60, Seed: 3}.Draw()
	found, err := Topics(t.Context(), inPasses(docs, 10), blurred(truth, docs, 0.5), Options{For: ForPrediction,
		Passes: 1, Errors: true})
	if err != nil || found.Errors != nil {
		t.Errorf("errors %v, %v", found.Errors, err)
	}
}

// splitFirst returns mixtures in which half of topic 0 is a new last topic.
func splitFirst(mixtures *matrix.Tall) *matrix.Tall {
	out := matrix.NewTall(mixtures.Rows(), mixtures.Cols()+1)
	for i := range mixtures.Rows() {
		row := out.Row(i)
		copy(row, mixtures.Row(i))
		row[0] /= 2
		row[len(row)-1] = row[0]
	}
	return out
}

// The mean deviation of a Poisson distribution is the sum of |x − λ| by its probabilities.
func TestMeanDeviation(t *testing.T) {
	for _, lambda := range []float64{0, 1e-3, 0.5, 1, 2.7, 40} {
		want, p := 0.0, math.Exp(-lambda)
		for x := range 200 {
			want += math.Abs(float64(x)-lambda) * p
			p *= lambda / float64(x+1)
		}
		if got := meanDeviation(lambda); math.Abs(got-want) > 1e-9*max(want, 1) {
			t.Errorf("of mean %v: %v, want %v", lambda, got, want)
		}
	}
}
