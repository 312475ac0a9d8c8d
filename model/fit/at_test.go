package fit

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
)

// ranked sketches drawn documents for several numbers of topics.
func ranked(t *testing.T, opts Options) (*corpus.Corpus, *Sketched) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.parquet")
	writeDrawn(t, path, "w%d", synth.Model{Items: 400, Topics: 12, Documents: 6000, Tokens: 30,
		Concentration: 0.1, Seed: 4})
	docs := openCorpus(t, 0, nil, path)
	s, err := Sketch(context.Background(), docs, opts)
	if err != nil {
		t.Fatal(err)
	}
	return docs, s
}

// topicsOf solves a sketch.
func topicsOf(t *testing.T, s *Sketched, opts Options) *Fitted {
	t.Helper()
	r, err := s.Rectify(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.Anchor(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What a sketch for 20 topics says of 6 and 12 is what sketches for as many say.
func TestAtIsASketchOfFewerTopics(t *testing.T) {
	opts := Options{Topics: 20, Levels: []int{6, 12}, Seed: 1}
	docs, s := ranked(t, opts)
	for _, k := range append(slices.Clone(opts.Levels), 20) {
		at, err := s.At(k)
		if err != nil {
			t.Fatal(err)
		}
		alone := Options{Topics: k, Seed: 1}
		want, err := Sketch(context.Background(), docs, alone)
		if err != nil {
			t.Fatal(err)
		}
		for j, value := range want.Eigen.Values {
			if math.Abs(at.Eigen.Values[j]-value) > 1e-5*want.Eigen.Values[0] {
				t.Errorf("K=%d: eigenvalue %d is %v, and %v by itself", k, j, at.Eigen.Values[j], value)
			}
		}
		for i, v := range want.Evidence.SamplingVariance {
			if got := at.Evidence.SamplingVariance[i]; math.Abs(got-v) > 0.02*v {
				t.Fatalf("K=%d: item %d has variance %v, and %v by itself", k, i, got, v)
			}
		}
		got, expected := topicsOf(t, at, alone), topicsOf(t, want, alone)
		if !slices.Equal(sorted(got.Topics.Anchors), sorted(expected.Topics.Anchors)) {
			t.Errorf("K=%d: the anchors are %v, and %v by itself", k, got.Topics.Anchors, expected.Topics.Anchors)
		}
		if got.Manifest.Sketch.Topics != k || got.Topics.K != k {
			t.Errorf("K=%d: the record says %d topics", k, got.Manifest.Sketch.Topics)
		}
	}
	if rows, cols := s.Eigen.Vectors.Dims(); cols != 20 || rows != s.Vocabulary.Len() {
		t.Fatal("the sketch was used up")
	}
}

func sorted(of []int) []int {
	of = slices.Clone(of)
	slices.Sort(of)
	return of
}

func TestAtOfASinglePass(t *testing.T) {
	_, s := ranked(t, Options{Topics: 12, Levels: []int{5}, Sketch: SketchOptions{Passes: 1}})
	at, err := s.At(5)
	if err != nil {
		t.Fatal(err)
	}
	if f := topicsOf(t, at, Options{Topics: 5}); f.Topics.K != 5 || f.Topics.Reliability == nil {
		t.Fatalf("there are %d topics with reliability %v", f.Topics.K, f.Topics.Reliability)
	}
	if at.Manifest.Sketch.EstimatedError >= s.Manifest.Sketch.EstimatedError {
		t.Errorf("the error of the first pairs is %v, and of all %v", at.Manifest.Sketch.EstimatedError,
			s.Manifest.Sketch.EstimatedError)
	}
}

func TestAtRefuses(t *testing.T) {
	_, s := ranked(t, Options{Topics: 12, Levels: []int{5}})
	for _, k := range []int{-1, 1, 6, 13} {
		var option *model.OptionError
		if _, err := s.At(k); !errors.As(err, &option) || option.Option != "Levels" {
			t.Errorf("%d topics give %v", k, err)
		}
	}
	for _, counts := range [][]int{{1}, {5, 5}, {12}, {6, 5}} {
		o := Options{Topics: 12, Levels: counts}
		if o.Check() == nil {
			t.Errorf("the numbers of topics %v up to 12 pass", counts)
		}
	}
}

// The memory of the later stages covers the eigenvectors that wait for other numbers of topics.
func TestMemoryModelHoldsLevels(t *testing.T) {
	one, many := Options{Topics: 100}, Options{Topics: 100, Levels: []int{20, 50}}
	for _, o := range []*Options{&one, &many} {
		*o = o.prepared()
	}
	a, b := optionsModel(&one, true, true), optionsModel(&many, false, true)
	const items = 10_000_000 // so many that documents do not count
	a.setSizes(items, 0)
	b.setSizes(items, 0)
	stages := func(m *memoryModel) map[string]int64 {
		of := make(map[string]int64)
		for _, s := range m.alive() {
			of[s.Stage] = s.Bytes
		}
		return of
	}
	fewer := *b
	fewer.topics = 20
	alone, full, few := stages(a), stages(b), stages(&fewer)
	const vectors = 8 * 104 * items // rows of 100 values are padded to 104
	if more := full["rectify"] - alone["rectify"]; more < vectors || more > 2*vectors {
		t.Errorf("the eigenvectors that wait take %d bytes more, want %d and the evidence", more, vectors)
	}
	if few["rectify"] >= full["rectify"] || few["rectify"] < vectors {
		t.Errorf("20 of 100 topics take %d bytes, and 100 %d", few["rectify"], full["rectify"])
	}
	if more := full["evidence"] - alone["evidence"]; more < 2*2*8*items {
		t.Errorf("two cuts take %d bytes of the evidence", more)
	}
}
