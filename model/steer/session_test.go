package steer

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/model/fit"
)

// fitted saves a model of six topics of a drawn corpus, and returns its path. Item i has the id i.
func fitted(t testing.TB, refined bool) string {
	t.Helper()
	all, _ := synth.Model{Items: 400, Topics: 6, Documents: 3000, Tokens: 40, AnchorStrength: 0.9, Seed: 5}.Draw()
	var documents []corpus.Document
	for d := range all.Documents() {
		items, counts := all.Row(d)
		one := corpus.Document{Counts: slices.Clone(counts)}
		for _, i := range items {
			one.Items = append(one.Items, strconv.Itoa(int(i)))
		}
		documents = append(documents, one)
	}
	docs, err := corpus.FromDocuments(t.Context(), documents, corpus.Everything())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	options := fit.Options{Topics: 6, Seed: 1}
	if !refined {
		options.Refine.Passes = fit.NoRefinement
	}
	f, err := fit.Fit(t.Context(), docs, options)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := f.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string, workers int) *Session {
	t.Helper()
	s, err := Open(t.Context(), path, &fit.Run{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func steps(t *testing.T, lines ...string) Script {
	t.Helper()
	script, err := Parse(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return script
}

func run(t *testing.T, s *Session, lines ...string) *model.Model {
	t.Helper()
	if err := s.Run(t.Context(), steps(t, lines...)); err != nil {
		t.Fatal(err)
	}
	return s.Model()
}

// difference returns the greatest difference of values that belong together.
func difference(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	worst := 0.0
	for j := range a {
		worst = max(worst, math.Abs(a[j]-b[j]))
	}
	return worst
}

// distance returns the Hellinger distance of topic k of a and topic l of b, models of the same items.
func distance(a, b *model.Model, k, l int) float64 {
	affinity := 0.0
	for i := range a.Items.Rows() {
		affinity += math.Sqrt(a.Items.At(i, k) * b.Items.At(i, l))
	}
	return math.Sqrt(max(1-affinity, 0))
}

// TestNoSteps wants a model that no step has changed to be saved as it is.
func TestNoSteps(t *testing.T) {
	for _, refined := range []bool{false, true} {
		path := fitted(t, refined)
		s := open(t, path, 0)
		out := filepath.Join(t.TempDir(), "same")
		if err := s.Save(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		was, err := model.Load(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		is, err := model.Load(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		for i := range was.Items.Rows() {
			if d := difference(was.Mixtures.Row(i), is.Mixtures.Row(i)); d > 0 {
				t.Fatalf("refined %v: the mixture of item %d differs by %v", refined, i, d)
			}
			if d := difference(was.Items.Row(i), is.Items.Row(i)); d > 1e-6 {
				t.Fatalf("refined %v: row %d of B differs by %v", refined, i, d)
			}
		}
		if d := max(difference(was.TopicJoint, is.TopicJoint), difference(was.Shares, is.Shares),
			difference(was.Probability, is.Probability)); d > 1e-6 {
			t.Errorf("refined %v: A, shares or probabilities differ by %v", refined, d)
		}
		if !slices.Equal(was.Anchors, is.Anchors) || !slices.Equal(was.Names(was.Prominent[0]), is.Names(is.Prominent[0])) ||
			!slices.Equal(was.Names(was.Characteristic[1]), is.Names(is.Characteristic[1])) {
			t.Errorf("refined %v: anchors or lists differ", refined)
		}
	}
}

// TestUntouched wants steps to leave other topics what they are, and names, pins and bans from lists to leave every
// number.
func TestUntouched(t *testing.T) {
	for _, refined := range []bool{false, true} {
		path := fitted(t, refined)
		base := open(t, path, 0).Model()
		for _, c := range []struct {
			line  string
			about []int
			most  float64
		}{
			{"name 2 two", nil, 0}, {"pin 2", nil, 0}, {"ban item " + base.Vocabulary.ID(base.Prominent[1][0].Item), nil, 0},
			{"merge 0 3", []int{0, 3}, 1e-9}, {"split 4", []int{4}, 0.12},
			{"seed 5 " + strings.Join(base.Names(base.Prominent[5][1:5]), " "), []int{5}, 0.12},
			{"ban anchor " + base.Vocabulary.ID(base.Anchors[1]), []int{1}, 0.05},
		} {
			s := open(t, path, 0)
			for _, change := range s.Changes(run(t, s, c.line)) {
				if change.Before >= 0 && !slices.Contains(c.about, change.Before) && change.Distance > max(c.most, 1e-7) {
					t.Errorf("refined %v, %s: topic %d moved by %v", refined, c.line, change.ID, change.Distance)
				}
			}
		}
	}
}

// TestMerge wants the shares of merged topics to add up, in mixtures, A and shares.
func TestMerge(t *testing.T) {
	s := open(t, fitted(t, true), 0)
	was := s.Model()
	is := run(t, s, "merge 4 1 2")
	if !slices.Equal(is.TopicIDs, []int{0, 3, 4, 5}) {
		t.Fatalf("the topics are %v", is.TopicIDs)
	}
	into := []int{0, 2, 2, 1, 2, 3}
	for i := range was.Mixtures.Rows() {
		sum := make([]float64, 4)
		for k, share := range was.Mixtures.Row(i) {
			sum[into[k]] += share
		}
		if d := difference(sum, is.Mixtures.Row(i)); d > 1e-12 {
			t.Fatalf("the mixture of item %d is off by %v", i, d)
		}
	}
	joint, shares := make([]float64, 16), make([]float64, 4)
	for k := range 6 {
		shares[into[k]] += was.Shares[k]
		for l := range 6 {
			joint[into[k]*4+into[l]] += was.TopicJoint[k*6+l]
		}
	}
	if d := max(difference(joint, is.TopicJoint), difference(shares, is.Shares)); d > 1e-6 {
		t.Errorf("A or the shares are off by %v", d)
	}
}

// TestSplitAndSeedFindTopics merges two topics, and wants a split, and a seed, to find them again.
func TestSplitAndSeedFindTopics(t *testing.T) {
	for _, refined := range []bool{false, true} {
		path := fitted(t, refined)
		was := open(t, path, 0).Model()
		for _, line := range []string{"split 0", "seed new " + strings.Join(was.Names(was.Prominent[3][:6]), " ")} {
			s := open(t, path, 0)
			merged := run(t, s, "merge 0 3")
			is := run(t, s, line)
			k := slices.Index(is.TopicIDs, 6)
			if k < 0 || len(is.TopicIDs) != 6 {
				t.Fatalf("%s: the topics are %v", line, is.TopicIDs)
			}
			d := min(distance(was, is, 3, k), distance(was, is, 0, k))
			alone := min(distance(was, merged, 3, 0), distance(was, merged, 0, 0))
			if d > 0.6*alone {
				t.Errorf("refined %v, %s: the new topic is %.3f from the nearest that was merged, and the merged one %.3f", refined,
					line, d, alone)
			}
		}
	}
}

// seedOf returns the step that makes a topic of prominent items of topic k of a model.
func seedOf(m *model.Model, k int) string {
	return "seed new " + strings.Join(m.Names(m.Prominent[k][:3]), " ")
}

// TestUndo wants the model before every step back, bit for bit.
func TestUndo(t *testing.T) {
	s := open(t, fitted(t, true), 0)
	models := []*model.Model{s.Model()}
	lines := []string{"split 1", "merge 6 2", "remove 1 2 3", seedOf(s.Model(), 3), "ban anchor 7", "name 4 four"}
	for _, step := range steps(t, lines...) {
		if err := s.Apply(t.Context(), step); err != nil {
			t.Fatal(err)
		}
		models = append(models, s.Model())
	}
	for at := len(lines) - 1; at >= 0; at-- {
		if err := s.Undo(t.Context()); err != nil {
			t.Fatal(err)
		}
		same(t, models[at], s.Model())
		if len(s.Script()) != at {
			t.Fatalf("%d steps are left, not %d", len(s.Script()), at)
		}
	}
	if err := s.Undo(t.Context()); err != nil || s.Model() != models[0] {
		t.Errorf("an undo without steps: %v", err)
	}
}

func sameModels(a, b *model.Model) bool {
	if a.Mixtures.Rows() != b.Mixtures.Rows() || !slices.Equal(a.TopicIDs, b.TopicIDs) ||
		!slices.Equal(a.TopicJoint, b.TopicJoint) || !slices.Equal(a.Shares, b.Shares) {
		return false
	}
	for i := range a.Mixtures.Rows() {
		if !slices.Equal(a.Mixtures.Row(i), b.Mixtures.Row(i)) {
			return false
		}
	}
	return true
}

func same(t *testing.T, a, b *model.Model) {
	t.Helper()
	if !sameModels(a, b) {
		t.Fatal("the models differ")
	}
}

// TestSameBytes wants the same files of a script, whatever the workers, and whether the steps come one by one.
func TestSameBytes(t *testing.T) {
	path := fitted(t, true)
	script := steps(t, "split 1", "merge 6 2", `remove 1 2 3`, seedOf(open(t, path, 0).Model(), 3), "seed 4 60 61", "ban anchor 7",
		"ban item 8", "name 4 'four'", "pin 0")
	var first string
	for _, workers := range []int{1, 3} {
		s := open(t, path, workers)
		if workers == 1 {
			if err := s.Run(t.Context(), script); err != nil {
				t.Fatal(err)
			}
		} else {
			for _, step := range script {
				if err := s.Apply(t.Context(), step); err != nil {
					t.Fatal(err)
				}
			}
		}
		out := filepath.Join(t.TempDir(), "steered")
		if err := s.Save(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = out
			continue
		}
		files, err := os.ReadDir(first)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			a, _ := os.ReadFile(filepath.Join(first, file.Name()))
			b, err := os.ReadFile(filepath.Join(out, file.Name()))
			if err != nil || file.Name() != "run.json" && !slices.Equal(a, b) {
				t.Errorf("%s differs: %v", file.Name(), err)
			}
		}
		m, err := model.Load(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		again := open(t, out, 0) // what was steered can be steered again
		if record := m.Manifest.Steer; record.Script != script.String() || record.Rank != 6 ||
			m.TopicName(slices.Index(m.TopicIDs, 4)) != "'four'" {
			t.Errorf("the manifest has %+v", record)
		}
		if err := again.Run(t.Context(), steps(t, "merge 0 1")); err == nil ||
			!strings.Contains(err.Error(), "topic 0 is pinned") {
			t.Errorf("a pin was forgotten: %v", err)
		}
		run(t, again, "merge 3 5")
	}
}

// TestRemove wants items to vanish, and the mixtures of others to stay.
func TestRemove(t *testing.T) {
	s := open(t, fitted(t, false), 0)
	was := s.Model()
	anchor := was.Vocabulary.ID(was.Anchors[2])
	is := run(t, s, "remove 5 17 "+anchor)
	if is.Vocabulary.Len() != was.Vocabulary.Len()-3 {
		t.Fatalf("%d items are left", is.Vocabulary.Len())
	}
	sums, total := make([]float64, 6), 0.0
	for i := range is.Vocabulary.Len() {
		from, known := was.Vocabulary.Lookup([]byte(is.Vocabulary.ID(i)))
		if !known || difference(was.Mixtures.Row(int(from)), is.Mixtures.Row(i)) > 0 {
			t.Fatalf("item %s changed", is.Vocabulary.ID(i))
		}
		for k, p := range is.Items.Row(i) {
			sums[k] += p
		}
		total += is.Probability[i]
	}
	if d := difference(sums, []float64{1, 1, 1, 1, 1, 1}); d > 1e-9 || math.Abs(total-1) > 1e-9 {
		t.Errorf("B or p(item) are %v and %v from 1", d, total-1)
	}
	if _, known := is.Vocabulary.Lookup([]byte(anchor)); known || is.Anchors[2] < 0 ||
		is.Mixtures.Row(is.Anchors[2])[2] < 0.5 {
		t.Errorf("the topic of a removed anchor has the anchor %s", is.Vocabulary.ID(is.Anchors[2]))
	}
}

// TestImpossible wants every impossible step refused, with the line and the reason, and the session unchanged.
func TestImpossible(t *testing.T) {
	path := fitted(t, false)
	m := open(t, path, 0).Model()
	var mainly []string // all items that topic 2 has for the most part
	for i := range m.Mixtures.Rows() {
		if m.Mixtures.Row(i)[2] >= 0.3 {
			mainly = append(mainly, m.Vocabulary.ID(i))
		}
	}
	all := strings.Join(mainly, " ")
	for _, c := range []struct{ script, reason string }{
		{"name 9 nine", "line 1 of the script, \"name 9 nine\": there is no topic 9: there are 0, 1, 2, 3, 4, 5"},
		{"name x y", `no topic is called "x"`},
		{"merge 3 1\nname 1 one", "there is no topic 1: there are 0, 2, 3, 4, 5"},
		{"merge 0 2\nmerge 0 5\nname 2 two", "there is no topic 2: there are 0, 1, 3, 4"},
		{"name 0 same\nname 1 same", "line 2 of the script, \"name 1 same\": topic 0 has this name already"},
		{"merge 3 3", "topic 3 is to be merged with itself"},
		{"merge 0 1 2 3 4 5", "fewer than two topics would be left"},
		{"pin 3\nmerge 3 1", "topic 3 is pinned"},
		{"pin 3\nsplit 3", "topic 3 is pinned"},
		{"pin 2\nseed 2 10", "topic 2 is pinned"},
		{"seed 3 nosuch", `the model has no item "nosuch"`},
		{"ban anchor 10\nseed 3 10", `item "10" is banned as an anchor`},
		{"seed 3 " + m.Vocabulary.ID(m.Prominent[3][0].Item) + "\nban anchor " + m.Vocabulary.ID(m.Prominent[3][0].Item),
			"is in the seed of topic 3"},
		{"ban anchor " + all, "topic 2 has no other item that could be its anchor"},
		{"remove " + all, "topic 2 has no other item that could be its anchor"},
		{"remove 10\nremove 10", `item "10" was removed`},
		{"seed new 10 11\nseed new 10 11", "its corner would be that of topic 6"},
	} {
		s := open(t, path, 0)
		before := s.Model()
		err := s.Run(t.Context(), steps(t, c.script))
		if failed := (*Error)(nil); !errors.As(err, &failed) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%.60q: %v", c.script, err)
		}
		if s.Model() != before || len(s.Script()) != 0 {
			t.Errorf("%.60q changed the session", c.script)
		}
	}
	s := open(t, path, 0)
	err := s.Apply(t.Context(), Step{Kind: Seed, Topics: []string{"0"}, Items: []string{"1234x"}})
	if unknown := (*model.UnknownItemError)(nil); !errors.As(err, &unknown) || unknown.ID != "1234x" {
		t.Errorf("an unknown item: %v", err)
	}
	for _, step := range []Step{{}, {Kind: "frob"}, {Kind: Merge, Topics: []string{"1"}},
		{Kind: Ban, Items: []string{"1"}}, {Kind: Name, Topics: []string{"1"}, Name: "7"}} {
		if err := s.Apply(t.Context(), step); err == nil {
			t.Errorf("%+v was applied", step)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Apply(ctx, steps(t, "split 1")[0]); !errors.Is(err, context.Canceled) || len(s.Script()) != 0 {
		t.Errorf("an interrupted step: %v", err)
	}
}

// TestRepeat wants scripts as wishes for the next fit.
func TestRepeat(t *testing.T) {
	path := fitted(t, false)
	before := open(t, path, 0).Model()
	anchor := before.Vocabulary.ID(before.Anchors[2])
	got, err := steps(t, "name 2 two", "pin two", "seed new 10 11", "seed 4 20", "ban anchor 30", "ban item 31",
		"remove 32").Repeat(before)
	if err != nil {
		t.Fatal(err)
	}
	want := []model.TopicWish{{ID: 2, Name: "two", Pinned: true, Corner: []string{anchor}},
		{ID: -1, Seed: []string{"10", "11"}, Corner: []string{"10", "11"}},
		{ID: 4, Seed: []string{"20"}, Corner: []string{"20"}}}
	fallback := got.Wishes.Topics[0].Fallback
	if len(fallback) == 0 || slices.Contains(fallback, anchor) || slices.Contains(fallback, "30") ||
		slices.Contains(fallback, "32") {
		t.Errorf("the anchor %s of a pinned topic falls back on %q", anchor, fallback)
	}
	for i, wish := range got.Wishes.Topics {
		if i >= len(want) || wish.ID != want[i].ID || wish.Name != want[i].Name ||
			!slices.Equal(wish.Corner, want[i].Corner) || !slices.Equal(wish.Seed, want[i].Seed) {
			t.Errorf("wish %d is %+v", i, wish)
		}
	}
	if _, removed := got.Removed["32"]; !removed || len(got.Wishes.Topics) != len(want) ||
		!slices.Equal(got.Wishes.BannedAnchors, []string{"30"}) || !slices.Equal(got.Wishes.BannedItems, []string{"31"}) {
		t.Errorf("%+v", got)
	}
	for line, reason := range map[string]string{"merge 1 2": "cannot be repeated", "split 1": "cannot be repeated",
		"pin 9":                  "has no topic 9",
		"seed new 1 2\nremove 2": "is to be removed", "ban anchor 2\nseed new 1 2": "is banned",
		"name 1 x\nname 2 x": "has this name"} {
		if _, err := steps(t, line).Repeat(before); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v", line, err)
		}
	}
	if _, err := steps(t, "pin 1").Repeat(nil); err == nil {
		t.Error("a topic was pinned that no generation has")
	}
}

// TestPreview wants a preview to leave the session as it is, to say what Changes says after the step, and to save the
// step nothing but time.
func TestPreview(t *testing.T) {
	s, plain := open(t, fitted(t, true), 0), open(t, fitted(t, true), 0)
	for at, line := range []string{"merge 1 2", "remove " + s.Model().Vocabulary.ID(5), "split 4"} {
		step, err := ParseStep(line)
		if err != nil {
			t.Fatal(err)
		}
		before := s.Model()
		if _, _, err := s.Preview(t.Context(), Step{Kind: Merge, Topics: []string{"0", "nothing"}}); err == nil {
			t.Fatal("an impossible step has a preview")
		}
		changes, would, err := s.Preview(t.Context(), step)
		if err != nil || s.Model() != before || len(s.Script()) != at {
			t.Fatalf("%s: %v, %d steps", line, err, len(s.Script()))
		}
		is := run(t, plain, line)
		if !slices.Equal(would.Shares, is.Shares) || would.Vocabulary.Fingerprint() != is.Vocabulary.Fingerprint() {
			t.Errorf("%s: the preview has shares of %v, the step of %v", line, would.Shares, is.Shares)
		}
		if want := plain.Changes(is); at == 0 && !slices.Equal(changes, want) {
			t.Errorf("%s: %v, want %v", line, changes, want)
		}
		for _, change := range changes { // by the step only, not by those before it
			if at == 2 && change.ID != 4 && change.Before >= 0 && change.Distance > 0.12 {
				t.Errorf("%s: %+v", line, change)
			}
		}
		if err := s.Apply(t.Context(), step); err != nil || s.Model() != would || len(s.Script()) != at+1 {
			t.Errorf("%s: the step was computed again: %v", line, err)
		}
	}
	for range 3 {
		if err := s.Undo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(s.Model().Shares, open(t, fitted(t, true), 0).Model().Shares) {
		t.Error("undoing all steps does not lead back")
	}
}
