package choose

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/page"
	"anchorage/model"
	"anchorage/model/fit"
)

// The candidates are measured, the recommended one among them, and the same for any number of workers.
func TestTopics(t *testing.T) {
	folder := t.TempDir()
	var earlier []byte
	for _, workers := range []int{1, 3} {
		c, err := Topics(t.Context(), drawn(t, some), Options{From: 2, To: 20, Steps: 4, Model: fit.Options{Seed: 1,
			Run: &fit.Run{Workers: workers}}})
		if err != nil {
			t.Fatal(err)
		}
		var topics []int
		for _, of := range c.Candidates {
			topics = append(topics, of.Topics)
			for _, f := range figures {
				if v := f.value(&of); math.IsNaN(v) {
					t.Errorf("%s of %d topics is unknown", f.name, of.Topics)
				}
			}
			if of.NPMI < -1 || of.NPMI > 1 || of.Diversity <= 0 || of.Diversity > 1 || of.LogLikelihood > -1 ||
				of.LikelihoodError <= 0 || of.Seconds <= 0 {
				t.Errorf("%+v", of)
			}
		}
		if c.Topics != 6 || !slices.Equal(topics, []int{2, 4, 6, 9, 20}) {
			t.Fatalf("chosen %+v of %v", c.ChoiceRecord, topics)
		}
		// Two topics explain held-out documents less well than six; and more topics than there are rest on
		// little.
		if few, right := c.Candidates[0], c.Candidates[2]; few.LogLikelihood >= right.LogLikelihood || right.Gap < 1.5 || right.AboveNoise < 1 {
			t.Errorf("two topics: %+v\nsix: %+v", few, right)
		}
		if right, many := c.Candidates[2], c.Candidates[4]; right.Thin+right.Duplicates > many.Thin+many.Duplicates || many.AboveNoise > 1 {
			t.Errorf("six topics: %+v\ntwenty: %+v", right, many)
		}
		if c.Documents+int64(c.Held) != 6000 || c.Held < 450 || c.Held > 750 {
			t.Errorf("%d documents learned from, %d held out", c.Documents, c.Held)
		}
		path := filepath.Join(folder, string(rune('a'+workers)))
		out, err := model.Create(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.SaveTo(out); err != nil {
			t.Fatal(err)
		}
		var all []byte
		for _, name := range []string{"choose.csv", "choose.json", "index.html"} {
			text, err := os.ReadFile(filepath.Join(path, name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, text...)
		}
		if earlier != nil && string(all) != string(earlier) {
			t.Error("other workers write other bytes")
		}
		earlier = all
		checkSaved(t, path)
	}
}

// checkSaved looks over a directory.
func checkSaved(t *testing.T, path string) {
	t.Helper()
	files := 0
	if _, err := model.Verify(t.Context(), path, func(string, int64, error) { files++ }); err != nil || files != 5 {
		t.Errorf("%d files verified: %v", files, err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var of struct {
		Choice     model.ChoiceRecord
		Candidates []map[string]any
	}
	if err := json.Unmarshal([]byte(read("choose.json")), &of); err != nil || of.Choice.Topics != 6 ||
		len(of.Candidates) != 5 || of.Candidates[2]["topics"] != 6.0 {
		t.Errorf("choose.json: %+v, %v", of, err)
	}
	if lines := strings.Split(strings.TrimSpace(read("choose.csv")), "\n"); len(lines) != 6 ||
		!strings.HasPrefix(lines[3], "6,true,") {
		t.Errorf("choose.csv: %q", lines)
	}
	for _, name := range []string{"choose.csv", "choose.json", "index.html", "manifest.json"} {
		text := strings.ReplaceAll(read(name), page.Script, "")
		if strings.Contains(text, "econds") || strings.Contains(text, "NaN") {
			t.Errorf("%s has seconds, or NaN", name)
		}
	}
	if text := read("index.html"); !strings.Contains(text, "<h1>6 topics</h1>") || strings.Contains(text, "http://") ||
		!strings.Contains(read("run.json"), `"solved"`) {
		t.Error("the page, or the times")
	} else if strings.Count(text, `<div class="step"`) != 5 || strings.Count(text, `data-name="6 topics: `) != 1 ||
		!strings.Contains(text, `class="area k1"`) {
		t.Error("the topics of the candidates are not on the page")
	}
}

func TestTopicsRefuses(t *testing.T) {
	docs := drawn(t, some)
	for _, o := range []Options{{From: 1}, {From: 20, To: 10}, {To: fit.MostTopics + 1}, {Steps: -1}, {From: 500, To: 600},
		{Model: fit.Options{Sketch: fit.SketchOptions{Columns: 3}}}} {
		var option *model.OptionError
		if _, err := Topics(t.Context(), docs, o); !errors.As(err, &option) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	once, err := corpus.FromDocuments(t.Context(), []corpus.Document{{Items: []string{"a", "b"}},
		{Items: []string{"a", "c"}}}, corpus.Options{NoPrune: true, Passes: 1, MinItems: 1, MinTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	var option *model.OptionError
	if _, err := Spectrum(t.Context(), once, Options{}); !errors.As(err, &option) || option.Option != "Sketch.Passes" {
		t.Error(err)
	}
	if err := once.Close(); err != nil {
		t.Error(err)
	}
}

// The steps are evenly spaced, and the recommended number is among them.
func TestSteps(t *testing.T) {
	o := Options{From: 10, To: 200, Steps: 3}
	if got := o.steps(&Count{ChoiceRecord: model.ChoiceRecord{Topics: 45}}); !slices.Equal(got, []int{10, 45, 200}) {
		t.Errorf("steps %v", got)
	}
	o.Steps = 1
	if got := o.steps(&Count{ChoiceRecord: model.ChoiceRecord{Topics: 17}}); !slices.Equal(got, []int{10, 17}) {
		t.Errorf("a step %v", got)
	}
}

// Half of the tokens of a held-out document are hidden, and none is lost.
func TestDeal(t *testing.T) {
	h := &heldOut{known: corpus.Documents{Offsets: []int32{0}}, hidden: corpus.Documents{Offsets: []int32{0}}}
	items, counts := []int32{1, 4, 7, 9}, []int32{1, 2, 3, 1000}
	hidden := 0
	for d := range uint64(400) {
		h.deal(items, counts, 1, d)
		both := make(map[int32]int32)
		for _, part := range []*corpus.Documents{&h.known, &h.hidden} {
			of, n := part.Row(int(d))
			if !slices.IsSorted(of) {
				t.Fatal("items out of order")
			}
			for i := range of {
				both[of[i]] += n[i]
			}
		}
		for i, item := range items {
			if both[item] != counts[i] {
				t.Fatalf("item %d comes %d times", item, both[item])
			}
		}
		if of, _ := h.hidden.Row(int(d)); len(of) > 0 && of[0] == 1 {
			hidden++
		}
	}
	if hidden < 150 || hidden > 250 || h.tokens < 400*502 || h.tokens > 400*504 {
		t.Errorf("single tokens are hidden %d times of 400, and %d tokens are", hidden, h.tokens)
	}
}

func TestRatio(t *testing.T) {
	if v, e := ratio([]float64{2, 4, 6}, []float64{1, 2, 3}); v != 2 || e != 0 {
		t.Errorf("%v ± %v", v, e)
	}
	if v, e := ratio([]float64{1, 3}, []float64{1, 1}); v != 2 || math.Abs(e-math.Sqrt(2)/2) > 1e-12 {
		t.Errorf("%v ± %v", v, e)
	}
}

// Figures that are not finite are unknown in every form.
func TestFiguresNotFinite(t *testing.T) {
	c := Candidate{Topics: 2, LogLikelihood: math.Inf(-1), Gap: math.Inf(1), NPMI: math.NaN()}
	text, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(text), `"gap":null,`) ||
		!strings.Contains(string(text), `"log_likelihood":null,`) {
		t.Errorf("%s, %v", text, err)
	}
	for _, f := range figures {
		if got := f.text(&c); strings.Contains(got, "Inf") || strings.Contains(got, "NaN") {
			t.Errorf("%s is %q", f.name, got)
		}
	}
}

// Documents of six topics give six that can be relied on. Where the number is greater, fewer are taken, and what was
// there is kept; topics that are not refined are not judged.
func TestReadable(t *testing.T) {
	docs := drawn(t, some)
	o := Options{Model: fit.Options{Seed: 1, Run: new(fit.Run)}}
	spectral := o
	spectral.Model.Refine.Passes = fit.NoRefinement
	for name, test := range map[string]struct {
		topics  int
		options Options
		lowered bool
	}{"right": {6, o, false}, "too many": {60, o, true}, "not refined": {60, spectral, false}} {
		c := &Count{ChoiceRecord: model.ChoiceRecord{Topics: test.topics, Reason: "it is said"}}
		if err := c.Readable(t.Context(), docs, test.options); err != nil {
			t.Fatal(err)
		}
		if test.lowered != (c.Topics < test.topics && c.There == test.topics) || !test.lowered && (c.Topics != test.topics ||
			c.There != 0) || c.Topics < 2 || strings.Contains(c.Sentence(), "The documents show") != test.lowered {
			t.Errorf("%s: %d of %d topics: %s", name, c.Topics, c.There, c.Sentence())
		}
	}
}
