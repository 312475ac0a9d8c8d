package fit

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"anchorage/bayes"
	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/internal/long"
	"anchorage/internal/synth"
	"anchorage/model"
)

// nights opens the first documents of a drawn corpus, and all of them.
func nights(t *testing.T, first, all int) (then, now *corpus.Corpus) {
	t.Helper()
	drawn, _ := synth.Model{Items: 400, Topics: 6, Documents: all, Tokens: 40, Concentration: 0.1, Seed: 4}.Draw()
	documents := named(drawn, strconv.Itoa)
	open := func(documents []corpus.Document) *corpus.Corpus {
		docs, err := corpus.FromDocuments(t.Context(), documents, corpus.Options{Pruning: corpus.Pruning{MinDF: 2,
			MaxDFRatio: 1}, MinItems: 1, MinTokens: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { docs.Close() })
		return docs
	}
	return open(documents[:first]), open(documents)
}

// named returns drawn documents with ids for their items.
func named(drawn *corpus.Documents, id func(item int) string) (documents []corpus.Document) {
	for d := range drawn.Documents() {
		items, counts := drawn.Row(d)
		one := corpus.Document{Counts: slices.Clone(counts)}
		for _, i := range items {
			one.Items = append(one.Items, id(int(i)))
		}
		documents = append(documents, one)
	}
	return documents
}

func mustFit(t *testing.T, docs *corpus.Corpus, opts Options) *Fitted {
	t.Helper()
	f, err := Fit(t.Context(), docs, opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// started saves a model and reads it as a start.
func started(t *testing.T, f *Fitted) (*model.Start, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model")
	if err := f.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	start, err := model.ReadStart(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return start, path
}

// TestWarmStart fits with 1 % and 10 % new documents from the model of the others: the anchors are those of the fit
// from nothing, the figures are within 1 %, and passes are saved. Equal fits give equal bytes, whatever the workers.
func TestWarmStart(t *testing.T) {
	for _, first := range long.Grid(1, 2700, 2970) {
		then, now := nights(t, first, 3000)
		opts := Options{Topics: 6, Seed: 2}
		start, _ := started(t, mustFit(t, then, opts))
		cold := mustFit(t, now, opts)
		opts.Start = start
		warm := mustFit(t, now, opts)
		if !slices.Equal(warm.Topics.Anchors, cold.Topics.Anchors) {
			t.Errorf("%d: anchors %v, %v from nothing", first, warm.Topics.Anchors, cold.Topics.Anchors)
		}
		of, from := warm.Manifest, cold.Manifest
		if of.Sketch.Passes >= from.Sketch.Passes || of.Refine.Epochs != 0 ||
			of.Refine.Passes >= from.Refine.Epochs+from.Refine.Passes {
			t.Errorf("%d: %d passes and refined in %+v; %d and %+v from nothing", first, of.Sketch.Passes, of.Refine,
				from.Sketch.Passes, from.Refine)
		}
		if s := of.Start; s == nil || s.SHA256 != start.SHA256 || s.Topics != 6 || s.Items != start.Vocabulary.Len() ||
			s.Vectors != 6+14 {
			t.Errorf("%d: the manifest says %+v", first, of.Start)
		}
		if a, b := of.Refine.LogLikelihood, from.Refine.LogLikelihood; math.Abs(a-b) > 0.01*math.Abs(b) {
			t.Errorf("%d: log-likelihood %v, %v from nothing", first, a, b)
		}
		for i, figure := range of.Certificate.Figures {
			most := 1e-3
			if figure.Name == "residual" { // fewer passes leave more, far below the limit of 0.2
				most = 5e-3
			}
			if want := from.Certificate.Figures[i].Value; figure.Name != "settled" &&
				math.Abs(figure.Value-want) > 0.01*want+most {
				t.Errorf("%d: %s is %v, %v from nothing", first, figure.Name, figure.Value, want)
			}
		}
		m, n := warm.Loaded(), cold.Loaded()
		for k := range 6 {
			distance := 0.0
			for i := range m.Vocabulary.Len() {
				distance += math.Abs(m.Items.Row(i)[k] - n.Items.Row(i)[k])
			}
			if distance > 0.06 {
				t.Errorf("%d: topic %d of anchor %s is %v away from that from nothing", first, k,
					m.Vocabulary.ID(m.Anchors[k]), distance)
			}
		}
		_, one := started(t, warm)
		opts.Run = &Run{Workers: 3}
		_, other := started(t, mustFit(t, now, opts))
		for _, name := range []string{model.ManifestFile, "items.parquet", "topic_items.parquet", "leading.parquet"} {
			if a, b := mustRead(t, filepath.Join(one, name)), mustRead(t, filepath.Join(other, name)); !bytes.Equal(a, b) {
				t.Errorf("%d: equal fits differ in %s", first, name)
			}
		}
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestWarmStartElsewhere starts where little fits: other numbers of topics, other item weights, another purpose, a
// model without refinement, and one whose leading vectors are missing. The anchors are those of a fit from nothing.
func TestWarmStartElsewhere(t *testing.T) {
	long.Test(t, "it fits a dozen models")
	then, now := nights(t, 2700, 3000)
	for name, c := range map[string]struct {
		change func(o *Options, s *model.Start)
		topics int // that are continued
	}{
		"fewer":   {func(o *Options, s *model.Start) { o.Topics = 4 }, 4},
		"more":    {func(o *Options, s *model.Start) { o.Topics = 7 }, 6},
		"weights": {func(o *Options, s *model.Start) { o.Sketch.ItemWeights = WeightsNone }, 6},
		"purpose": {func(o *Options, s *model.Start) { o.Refine.For = refine.ForReading }, 6},
		"rough":   {func(o *Options, s *model.Start) { s.Refined = "" }, 0},
		"narrow":  {func(o *Options, s *model.Start) { o.Sketch.Columns = 7 }, 6},
		"limit":   {func(o *Options, s *model.Start) { o.Run = &Run{MemoryLimit: 400 << 20} }, 6},
	} {
		t.Run(name, func(t *testing.T) {
			start, _ := started(t, mustFit(t, then, Options{Topics: 6, Seed: 2}))
			opts := Options{Topics: 6, Seed: 2}
			c.change(&opts, start)
			cold := mustFit(t, now, opts)
			opts.Start = start
			warm := mustFit(t, now, opts)
			got, want := slices.Sorted(slices.Values(warm.Topics.Anchors)), slices.Sorted(slices.Values(cold.Topics.Anchors))
			if name != "more" && !slices.Equal(got,
				want) { // the seventh of six topics is noise; pivots that are nearly as great may change places
				t.Errorf("anchors %v, %v from nothing", got, want)
			}
			if continued := warm.Manifest.Start.Topics; continued > c.topics || c.topics > 0 && continued < c.topics-1 {
				t.Errorf("%d topics are continued, want %d", continued, c.topics)
			}
			if r := warm.Manifest.Refine; (r.Epochs == 0) != (c.topics > 0) { // a fit for reading has none anyway
				t.Errorf("refined in %+v", r)
			}
			checkDistributions(t, warm)
		})
	}
}

// TestStartRefuses wants errors that name the option where nothing can start.
func TestStartRefuses(t *testing.T) {
	then, now := nights(t, 500, 550)
	start, _ := started(t, mustFit(t, then, Options{Topics: 4, Seed: 2}))
	other, err := corpus.FromDocuments(t.Context(), slices.Repeat([]corpus.Document{{Items: []string{"x", "y", "z", "u",
		"v", "w"}}}, 60), corpus.Everything())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for name, c := range map[string]struct {
		docs *corpus.Corpus
		opts Options
	}{
		"dense":       {now, Options{Topics: 4, Method: RAW, Start: start}},
		"single pass": {now, Options{Topics: 4, Sketch: SketchOptions{Passes: 1}, Start: start}},
		"empty":       {now, Options{Topics: 4, Start: new(model.Start)}},
		"no items":    {other, Options{Topics: 2, Start: start}},
	} {
		var option *model.OptionError
		if _, err := Fit(t.Context(), c.docs, c.opts); !errors.As(err, &option) || option.Option != "Start" {
			t.Errorf("%s: %v", name, err)
		}
	}
	bayesian, err := Bayes(t.Context(), now, BayesOptions{Options: bayes.Options{Model: bayes.LDA, Topics: 4}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bayes")
	if err := bayesian.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	var input *model.InputError
	for name, path := range map[string]string{"bayes": path, "nothing": t.TempDir()} {
		if _, err := model.ReadStart(t.Context(), path); !errors.As(err, &input) || input.Path != path {
			t.Errorf("%s: %v", name, err)
		}
	}
}
