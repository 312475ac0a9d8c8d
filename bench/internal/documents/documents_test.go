package documents

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/matrix"
)

var errBroken = errors.New("broken")

// Documents get the ids of their items; a caller can end the pass, and an error of it comes through.
func TestNamed(t *testing.T) {
	vocabulary := corpus.NewVocabulary()
	for _, id := range []string{"a", "b", "c"} {
		vocabulary.Intern([]byte(id))
	}
	pass := func(_ context.Context, fn func(*corpus.Documents) error) error {
		if err := fn(&corpus.Documents{Items: []int32{0, 2, 1}, Counts: []int32{1, 5, 2},
			Offsets: []int32{0, 2, 3}}); err != nil {
			return err
		}
		return errBroken
	}
	for most, want := range map[int]string{1: "[[a c] [1 5] <nil>]",
		9: "[[a c] [1 5] <nil>] [[b] [2] <nil>] [[] [] broken]"} {
		var got []string
		for d, err := range Named(t.Context(), pass, vocabulary) {
			if got = append(got, fmt.Sprint([]any{d.Items, d.Counts, err})); len(got) == most {
				break
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A token to which the topics give no probability counts as an improbable one.
func TestPredict(t *testing.T) {
	b := matrix.NewTall(3, 2)
	copy(b.Row(0), []float64{0.5, 0.5})
	copy(b.Row(1), []float64{0.5, 0.5})
	inferrer, err := infer.New(3, 2, func(dst []float64, i int) { copy(dst, b.Row(i)) }, []float64{0.25, 0.25, 0.25, 0.25},
		infer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	test := &corpus.Documents{Items: []int32{0, 1}, Counts: []int32{2, 1}, Offsets: []int32{0, 1, 2}}
	held := &corpus.Documents{Items: []int32{1, 2}, Counts: []int32{3, 1}, Offsets: []int32{0, 2, 2}}
	got := Predict(b, inferrer, test, held)
	if want := (3*math.Log(0.5) + math.Log(1e-12)) / 4; math.Abs(got.LogLikelihood-want) > 1e-6 ||
		got.Impossible != 0.25 || got.Tokens != 4 {
		t.Errorf("%+v, want %v", got, want)
	}
	if got := Predict(b, inferrer, test, &corpus.Documents{Offsets: []int32{0, 0, 0}}); !math.IsNaN(got.LogLikelihood) ||
		got.Tokens != 0 {
		t.Errorf("%+v of no tokens", got)
	}
}
