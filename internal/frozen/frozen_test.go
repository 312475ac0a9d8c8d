package frozen

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/sealed"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/transform"
	"anchorage/shard"
	"anchorage/store"
	"anchorage/stream"
)

// freeze writes testdata/frozen with the program as it is: go test ./internal/frozen -freeze. It is for new layouts
// only.
var freeze = flag.Bool("freeze", false, "write testdata/frozen again")

// folder is where the frozen bytes are, from this package.
var folder = filepath.Join("..", "..", "testdata", "frozen")

// The names in the folder. The shards of the first two days are in the store, and that of the third is new to it.
var (
	days   = []string{"day-1.txt", "day-2.txt", "day-3.txt"}
	golden = "golden.json"
)

// themes are the items of which a document's theme has most.
var themes = []string{"apple pear plum cherry quince fig grape melon", "hammer saw drill plane chisel file clamp anvil",
	"violin flute oboe harp cello horn organ drum", "cod perch trout pike carp eel herring sprat"}

// document returns the items of a document: eight of its theme, and two of another.
func document(number int) string {
	state := uint64(number)*0x9e3779b97f4a7c15 + 1
	next := func(n int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state>>33) % n
	}
	theme, other := strings.Fields(themes[number%len(themes)]), strings.Fields(themes[next(len(themes))])
	var items []string
	for range 8 {
		items = append(items, theme[next(len(theme))])
	}
	return strings.Join(append(items, other[next(len(other))], other[next(len(other))]), " ")
}

// options are those of all fits.
func options() fit.Options {
	return fit.Options{Topics: len(themes), Seed: 1, Run: &fit.Run{Workers: 1}, Refine: fit.RefineOptions{Passes: 2}}
}

// limits keep all items of the documents.
var limits = corpus.Options{Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}, MinItems: 2, MinTokens: 2}

func must[T any](t *testing.T) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func discovered(t *testing.T, names ...string) []shard.Shard {
	t.Helper()
	return must[[]shard.Shard](t)(shard.Discover(t.Context(), names, shard.Options{Format: shard.Baskets}))
}

// night updates the store in the working folder with the shards of some days.
func night(t *testing.T, names ...string) *store.Generated {
	t.Helper()
	ctx := t.Context()
	w := must[*store.Writer](t)(store.Begin(ctx, "store", store.Options{Workers: 1}))
	defer w.Close()
	plan := must[*store.Plan](t)(w.Plan(ctx, discovered(t, names...),
		store.PlanOptions{Names: must[store.DatePattern](t)(store.ParseDatePattern(""))}))
	added := must[*store.Added](t)(w.Add(ctx, plan, store.AddOptions{Reading: "baskets"}))
	return must[*store.Generated](t)(w.Generate(ctx, plan, added, store.GenerateOptions{Fit: options(), Corpus: limits,
		Retain: 2, Options: map[string]string{"topics": "4"}}))
}

// write makes the frozen bytes in the working folder.
func write(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	for day, name := range days {
		var lines strings.Builder
		for number := range 80 {
			fmt.Fprintln(&lines, document(80*day+number))
		}
		if err := os.WriteFile(name, []byte(lines.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	open := func() *corpus.Corpus {
		return must[*corpus.Corpus](t)(stream.Open(ctx, discovered(t, days[0], days[1]), limits))
	}
	sketched := must[*fit.Sketched](t)(fit.Sketch(ctx, open(), options()))
	err := sketched.SaveTo(must[*model.Output](t)(model.Create(ctx, "sketch", nil)))
	rectified := must[*fit.Rectified](t)(sketched.Rectify(ctx, options()))
	err = errors.Join(err, rectified.SaveTo(must[*model.Output](t)(model.Create(ctx, "factor", nil))))
	docs, levels := open(), options()
	out := must[*model.Output](t)(model.Create(ctx, "model", nil))
	levels.Levels, levels.Output = []int{2}, out
	fitted := must[*fit.Fitted](t)(fit.Fit(ctx, docs, levels))
	fitted.Recommendation = must[*model.Recommendation](t)(fit.Learn(ctx, fitted.Model, docs,
		fit.RecommendOptions{Run: options().Run}))
	if err := errors.Join(err, fitted.SaveTo(out)); err != nil {
		t.Fatal(err)
	}
	night(t, days[0])
	night(t, days[0], days[1])
	if err := os.Remove(filepath.Join("store", "current")); err != nil { // not every system checks links out
		t.Fatal(err)
	}
}

// topicAnswer is what a model says of a topic.
type topicAnswer struct {
	Share         float64
	Anchor        string
	Items         []string
	Probabilities []float64
}

func topics(m *model.Model) (list []topicAnswer) {
	for k := range m.Topics() {
		one := topicAnswer{Share: m.Shares[k], Anchor: m.Vocabulary.ID(m.Anchors[k])}
		for _, listed := range m.Prominent[k][:5] {
			one.Items, one.Probabilities = append(one.Items, m.Vocabulary.ID(listed.Item)), append(one.Probabilities,
				listed.Probability)
		}
		list = append(list, one)
	}
	return list
}

// answers returns what the frozen directories in the working folder answer.
func answers(t *testing.T) map[string]any {
	t.Helper()
	ctx, all := t.Context(), map[string]any{}
	sketched := must[*fit.Sketched](t)(fit.LoadSketched(ctx, "sketch", nil))
	rectified := must[*fit.Rectified](t)(sketched.Rectify(ctx, options()))
	all["topics of the sketch"] = topics(must[*fit.Fitted](t)(rectified.Anchor(ctx, options())).Overview())
	rectified = must[*fit.Rectified](t)(fit.LoadRectified(ctx, "factor", nil))
	all["topics of the factor"] = topics(must[*fit.Fitted](t)(rectified.Anchor(ctx, options())).Overview())

	m := must[*model.Model](t)(model.Load(ctx, "model"))
	all["topics of the model"] = topics(m)
	all["coarser topics"] = topics(must[*model.Model](t)(m.Level(ctx, 2)))
	all["similar to flute"] = must[[]model.Neighbour](t)(m.Similar(ctx, "flute", 3))
	all["with pear and saw"] = must[[]model.Complement](t)(m.With(ctx, []string{"pear", "saw"}, 3, nil))
	var found transform.DocumentTopics
	must[*transform.Transformer](t)(transform.New(m, infer.Options{})).Transform(&found, strings.Fields("cod eel harp"), nil)
	all["topics of a document"] = found.Mixture

	generated := night(t, days...)
	all["generation"] = []any{generated.Number, generated.Documents, generated.Drift.Summary.String()}
	all["topics of the next generation"] = topics(must[*model.Model](t)(model.Load(ctx, generated.Path)))
	return all
}

// TestFrozen compares what the frozen directories answer with what they answered when they were written.
func TestFrozen(t *testing.T) {
	place := must[string](t)(filepath.Abs(folder))
	if *freeze {
		if err := errors.Join(os.RemoveAll(place), os.MkdirAll(place, 0o777)); err != nil {
			t.Fatal(err)
		}
		t.Chdir(place)
		write(t)
	}
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(place)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	text := must[[]byte](t)(json.MarshalIndent(answers(t), "", "  "))
	if *freeze {
		if err := os.WriteFile(filepath.Join(place, golden), append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(text, &got), json.Unmarshal(must[[]byte](t)(os.ReadFile(golden)),
		&want)); err != nil {
		t.Fatal(err)
	}
	compare(t, "", got, want)
	if found := must[*store.Verified](t)(store.Verify(t.Context(), "store")); len(found.Problems) > 0 || found.Files < 10 {
		t.Errorf("the updated store: %+v", found)
	}
}

// TestForged exchanges a table of a model together with its manifest. Checksums show damage and not a forger, so the
// model is taken as it is; but a store knows the manifests of its generations.
func TestForged(t *testing.T) {
	from := must[string](t)(filepath.Abs(folder))
	t.Chdir(t.TempDir())
	if err := os.CopyFS("store", os.DirFS(filepath.Join(from, "store"))); err != nil {
		t.Fatal(err)
	}
	s := must[*store.Store](t)(store.Open(t.Context(), "store"))
	first, second := s.GenerationPath(1), s.GenerationPath(2)
	before := topics(must[*model.Model](t)(model.Load(t.Context(), first)))
	const table = "topics.parquet"
	forged := must[[]byte](t)(os.ReadFile(filepath.Join(second, table)))
	path := filepath.Join(first, "manifest.json")
	text, _, err := sealed.Open(must[[]byte](t)(os.ReadFile(path)))
	var manifest map[string]any
	if err := errors.Join(err, json.Unmarshal(text, &manifest)); err != nil {
		t.Fatal(err)
	}
	for _, output := range manifest["outputs"].([]any) {
		if of := output.(map[string]any); of["name"] == table {
			of["size"], of["sha256"] = len(forged), fmt.Sprintf("%x", sha256.Sum256(forged))
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(first, table), forged, 0o666),
		os.WriteFile(path, must[[]byte](t)(sealed.Encode(manifest)), 0o666)); err != nil {
		t.Fatal(err)
	}
	if now := topics(must[*model.Model](t)(model.Load(t.Context(), first))); fmt.Sprint(now) == fmt.Sprint(before) {
		t.Error("the forged model is the one from before")
	}
	var damaged error
	_, err = model.Verify(t.Context(), first, func(_ string, _ int64, err error) { damaged = errors.Join(damaged, err) })
	if err = errors.Join(err, damaged); err != nil {
		t.Errorf("a forged model looks damaged: %v", err)
	}
	found := must[*store.Verified](t)(store.Verify(t.Context(), "store"))
	if len(found.Problems) != 1 || !strings.HasSuffix(found.Problems[0].Path, "000001/manifest.json") {
		t.Errorf("a forged generation: %+v", found)
	}
	w := must[*store.Writer](t)(store.Begin(t.Context(), "store", store.Options{}))
	defer w.Close()
	if _, err := w.Rollback(t.Context(), 1); err == nil {
		t.Error("a forged generation is current")
	}
}

// tolerance is how far numbers may differ: processors round differently.
const tolerance = 1e-4

// compare fails the test where two values of JSON differ.
func compare(t *testing.T, where string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		of, _ := got.(map[string]any)
		if len(of) != len(want) {
			t.Errorf("%s has %d members, not %d", where, len(of), len(want))
		}
		for name, value := range want {
			compare(t, where+"/"+name, of[name], value)
		}
	case []any:
		of, _ := got.([]any)
		if len(of) != len(want) {
			t.Errorf("%s has %d values, not %d", where, len(of), len(want))
			return
		}
		for i, value := range want {
			compare(t, fmt.Sprintf("%s/%d", where, i), of[i], value)
		}
	case float64:
		if of, ok := got.(float64); !ok || math.Abs(of-want) > tolerance*max(math.Abs(want), 0.1) {
			t.Errorf("%s is %v, not %v", where, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s is %v, not %v", where, got, want)
		}
	}
}
