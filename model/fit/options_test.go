package fit

import (
	"errors"
	"math"
	"strings"
	"testing"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/rectify"
	"anchorage/sketch"
)

func TestCheckOptions(t *testing.T) {
	for _, test := range []struct {
		option string // that is refused; "" for none
		set    func(*Options)
	}{
		{"", func(o *Options) {}},
		{"", func(o *Options) { o.Method = RAW }},
		{"", func(o *Options) { o.Sketch.Columns = 5 }},
		{"Method", func(o *Options) { o.Method = "magic" }},
		{"Topics", func(o *Options) { o.Topics = 1 }},
		{"Topics", func(o *Options) { o.Topics = -3 }},
		{"Sketch.Passes", func(o *Options) { o.Sketch.Passes = -1 }},
		{"Sketch.Form", func(o *Options) { o.Sketch.Form = sketch.LeastSquares }},
		{"Sketch.Columns", func(o *Options) { o.Sketch.Columns = 4 }},
		{"Rectify.Iterations", func(o *Options) { o.Rectify.Iterations = -1 }},
		{"Rectify.Iterations", func(o *Options) { o.Rectify.Iterations = math.MaxInt }},
		{"Rectify.Tolerance", func(o *Options) { o.Rectify.Tolerance = math.NaN() }},
		{"Topics", func(o *Options) { o.Topics = math.MaxInt }},
		{"Sketch.Passes", func(o *Options) { o.Sketch.Passes = math.MaxInt }},
		{"Sketch.Columns", func(o *Options) { o.Sketch.Columns = 1 << 31 }},
		{"Sketch.Columns", func(o *Options) { o.Sketch.Columns = -1 }},
		{"Anchor.MinDF", func(o *Options) { o.Anchor.MinDF = -1 }},
		{"Refine.Passes", func(o *Options) { o.Refine.Passes = math.MaxInt }},
		{"Run.Workers", func(o *Options) { o.Run = &Run{Workers: math.MaxInt} }},
		{"Run.Workers", func(o *Options) { o.Run = &Run{Workers: -1} }},
		{"Run.MemoryLimit", func(o *Options) { o.Run = &Run{MemoryLimit: -1} }},
		{"Anchor.Relevance", func(o *Options) { o.Anchor.Relevance = 1.5 }},
		{"Anchor.Relevance", func(o *Options) { o.Anchor.Relevance = math.NaN() }},
	} {
		o := Options{Topics: 5}
		test.set(&o)
		err := o.Check()
		var refused *model.OptionError
		if errors.As(err, &refused) != (test.option != "") || refused != nil && refused.Option != test.option {
			t.Errorf("%+v: %v, want %q", o, err, test.option)
		}
		if err != nil && !strings.HasPrefix(err.Error(), test.option+": ") {
			t.Errorf("message %q", err)
		}
	}
}

func TestColumns(t *testing.T) {
	for _, test := range []struct {
		passes, columns, want int
	}{{0, 0, 50}, {6, 0, 50}, {1, 0, 320}, {1, 33, 33}, {0, 33, 33}} {
		o := Options{Topics: 20, Sketch: SketchOptions{Passes: test.passes, Columns: test.columns}}
		if got := o.columns(); got != test.want {
			t.Errorf("%+v: %d columns, want %d", test, got, test.want)
		}
	}
}

// TestPublished checks the options of the papers, and their number of iterations.
func TestPublished(t *testing.T) {
	for _, m := range Methods() {
		o := Published(m)
		if o.Method != m || o.Sketch.ItemWeights != WeightsNone || !o.Sketch.NoEvidence ||
			o.Rectify.Normalization != NormalizeUniform ||
			o.Anchor.RowSums != anchor.RowSumsFactor || o.Anchor.Relevance != 1 || !o.Anchor.NoEvidence || !o.Anchor.NoPolish {
			t.Errorf("%s: %+v", m, o)
		}
		want := 0
		if m.RectifiesByENN() {
			want = rectify.PublishedIterations
		}
		if o.Rectify.Iterations != want {
			t.Errorf("%s: %d iterations, want %d", m, o.Rectify.Iterations, want)
		}
	}
}

func TestPreparedOptions(t *testing.T) {
	o := Options{Topics: 3}.prepared()
	if o.Method != LRJSMF || o.Run == nil || o.Run.started.IsZero() || o.normalization() != NormalizeMarginal {
		t.Errorf("%+v", o)
	}
	run := &Run{Workers: 3}
	if o = (Options{Run: run, Method: RAW,
		Rectify: RectifyOptions{Normalization: NormalizeUniform}}).prepared(); o.Run != run || o.Method != RAW ||
		o.normalization() != NormalizeUniform {
		t.Errorf("%+v", o)
	}
}

// TestWeigh checks that ω = ln(2·D/df), D the greatest df, if there are counts and weights are asked for.
func TestWeigh(t *testing.T) {
	counted := corpus.NewVocabulary()
	for id, df := range map[string]int64{"often": 8, "rare": 1, "never": 0} {
		counted.DocumentFrequency[counted.Intern([]byte(id))] = df
	}
	counted.Counted = true
	uncounted := corpus.NewVocabulary()
	uncounted.Intern([]byte("a"))
	for _, test := range []struct {
		weights ItemWeights
		v       *corpus.Vocabulary
		chosen  ItemWeights
		err     error
	}{
		{"", counted, WeightsIDF, nil}, {WeightsAuto, counted, WeightsIDF, nil}, {WeightsIDF, counted, WeightsIDF, nil},
		{WeightsNone, counted, WeightsNone, nil},
		{"", uncounted, WeightsNone, nil}, {WeightsAuto, nil, WeightsNone, nil}, {WeightsIDF, uncounted, WeightsIDF,
			ErrUncounted}, {WeightsIDF, nil, WeightsIDF, ErrUncounted},
		{WeightsNone, nil, WeightsNone, nil},
	} {
		weights, chosen, err := test.weights.weigh(test.v)
		if chosen != test.chosen || !errors.Is(err, test.err) || (weights != nil) != (test.chosen == WeightsIDF &&
			test.err == nil) {
			t.Errorf("%q of %v: %v, %s, %v", test.weights, test.v != nil && test.v.Counted, weights, chosen, err)
		}
		for i, w := range weights {
			if want := math.Log(16 / float64(max(test.v.DocumentFrequency[i], 1))); math.Abs(w-want) > 1e-15 {
				t.Errorf("ω of %s is %v, want %v", test.v.ID(i), w, want)
			}
		}
	}
	var option *model.OptionError
	if _, _, err := ItemWeights("tfidf").weigh(counted); !errors.As(err, &option) {
		t.Errorf("unknown weights: %v", err)
	}
}

func TestCollectorPercent(t *testing.T) {
	for _, test := range []struct {
		modelled int64
		want     int
	}{
		{0, unknownPercent}, {1, 100}, {processBytes + 2000<<20, 5}, {processBytes + 2*leastGarbage, 100}, {processBytes +
			3*leastGarbage, 50},
	} {
		if got := collectorPercent(test.modelled); got != test.want {
			t.Errorf("%d MiB modelled: %d %%, want %d", test.modelled>>20, got, test.want)
		}
	}
}
