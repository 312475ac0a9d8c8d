package fit

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/anchor"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/sketch"
)

// leveled fits and loads a model of three levels of a drawn tree.
func leveled(t *testing.T) (*model.Model, *synth.Drawn, string) {
	t.Helper()
	drawn := synth.Model{Items: 600, Topics: 12, Tree: []int{3, 2, 2}, TreeConcentration: []float64{0.1, 0.4, 0.6},
		Documents: 6000, Tokens: 30, Spread: 0.5, Seed: 4}
	shard := filepath.Join(t.TempDir(), "a.parquet")
	writeDrawn(t, shard, "i%07d", drawn)
	path := filepath.Join(t.TempDir(), "model")
	if err := fitInto(t.Context(), openCorpus(t, 0, nil, shard), Options{Topics: 12, Levels: []int{3, 6}, Seed: 1},
		path); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return m, drawn.Plant(), path
}

// homes returns which drawn topic of a depth each topic has most of.
func homes(m *model.Model, drawn *synth.Drawn, depth int) []int {
	items, _ := synth.ItemsOf(m.Vocabulary)
	best := make([]int, m.Topics())
	for k := range best {
		sums := make(map[int]float64)
		for i, item := range items {
			sums[drawn.Model.Above(drawn.Truth.Home(int(item)), depth)] += m.Items.Row(i)[k]
		}
		for node, sum := range sums {
			if sum > sums[best[k]] {
				best[k] = node
			}
		}
	}
	return best
}

// The levels of a fit are those of the drawn tree.
func TestLevels(t *testing.T) {
	m, drawn, path := leveled(t)
	if len(m.Levels) != 3 || m.Levels[2].Folder != "" || m.Levels[0].Within != nil {
		t.Fatalf("the levels are %+v", m.Levels)
	}
	above := homes(m, drawn, 3)
	for at := 2; at > 0; at-- {
		level := &m.Levels[at]
		coarse, err := m.Level(t.Context(), m.Levels[at-1].Topics)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := model.Load(t.Context(), filepath.Join(path, m.Levels[at-1].Folder)); err != nil ||
			other.Topics() != m.Levels[at-1].Topics {
			t.Fatalf("the folder of a level holds %v, %v", other, err)
		}
		parents := homes(coarse, drawn, at)
		for k := range level.Topics {
			sum := 0.0
			for _, p := range level.Shares(k) {
				sum += p
			}
			parent, share := level.Parent(k)
			if math.Abs(sum-1) > 1e-9 || share < 0.7 || parents[parent] != above[k]/2 {
				t.Errorf("topic %d of %d: parents %.2v, of which %d is drawn topic %d and not %d", k, level.Topics, level.Shares(k),
					parent, parents[parent], above[k]/2)
			}
		}
		above = parents
	}
	var input *model.InputError
	if _, err := m.Level(t.Context(), 7); !errors.As(err, &input) || input.Fault != model.NoLevel ||
		!strings.Contains(err.Error(), "3, 6 and 12") {
		t.Errorf("level 7: %v", err)
	}
	if same, err := m.Level(t.Context(), 12); same != m || err != nil {
		t.Errorf("the finest level is %p, %v", same, err)
	}
	damagedLevels(t, path)
}

// damagedLevels damages files of levels one by one: loading or Verify notices.
func damagedLevels(t *testing.T, path string) {
	t.Helper()
	whole, err := verify(t, path)
	if err != nil || anyBroken(whole) {
		t.Fatalf("%+v, %v", whole, err)
	}
	if !slices.ContainsFunc(whole, func(f verified) bool { return f.name == "levels/6/items.parquet" }) {
		t.Fatalf("the files of levels are not verified: %+v", whole)
	}
	for _, name := range []string{"levels/3/topic_items.parquet", "levels/6/manifest.json", "levels.parquet"} {
		file := filepath.Join(path, name)
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(slices.Clone(content[:len(content)/2]), 'x'), 0o644); err != nil {
			t.Fatal(err)
		}
		if v, err := verify(t, path); err != nil || !anyBroken(v) {
			t.Errorf("damaged %s: %v", name, err)
		}
		m, err := model.Load(t.Context(), path)
		for _, k := range []int{3, 6} {
			if err == nil {
				_, err = m.Level(t.Context(), k)
			}
		}
		if !errors.As(err, new(*model.InputError)) {
			t.Errorf("a model with %s damaged loads: %v", name, err)
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Coarse topics that are mixtures of fine ones are taken apart, however much the fine ones overlap.
func TestWithinUndoesOverlap(t *testing.T) {
	const n, k, l = 50, 4, 2
	share := []float64{0.4, 0.3, 0.2, 0.1}
	parents := []float64{1, 0, 0.25, 0.75, 0, 1, 0.6, 0.4} // p(c | f)
	b, p := make([]float64, n*k), make([]float64, n)
	mixtures, coarse := matrix.NewTall(n, k), matrix.NewSingle(n, l)
	total := make([]float64, k)
	for i := range n {
		for f := range k {
			b[i*k+f] = 1 / (2 + math.Abs(float64(i%k-f))) / float64(i+1)
			total[f] += b[i*k+f]
		}
	}
	for i := range n {
		for f := range k {
			b[i*k+f] /= total[f]
			p[i] += b[i*k+f] * share[f]
		}
		for f := range k {
			mixtures.Row(i)[f] = b[i*k+f] * share[f] / p[i]
			for c := range l {
				coarse.Row(i)[c] += float32(mixtures.Row(i)[f] * parents[f*l+c])
			}
		}
	}
	above := make([]float64, l)
	for f, s := range share {
		for c := range l {
			above[c] += s * parents[f*l+c]
		}
	}
	topics := &anchor.Topics{K: k, Mixtures: mixtures, RowSums: p, Masses: share, Prior: share}
	f := newFitted(&model.Model{Marginals: sketch.Marginals{Documents: 1, RowSums: p}}, new(Run))
	f.Topics = topics
	got, err := f.within(context.Background(), coarse, above)
	if err != nil {
		t.Fatal(err)
	}
	_, means, err := f.overlaps(context.Background(), coarse)
	if err != nil {
		t.Fatal(err)
	}
	blurred := 0.0
	for at, want := range parents {
		if math.Abs(got[at]-want) > 1e-3 {
			t.Errorf("p(%d | %d) is %v, want %v", at%l, at/l, got[at], want)
		}
		blurred = math.Max(blurred, math.Abs(means[at]-want))
	}
	if blurred < 0.1 {
		t.Errorf("means over items are off by %v: the topics do not overlap", blurred)
	}
}

func TestLevelsCheck(t *testing.T) {
	for _, o := range []Options{
		{Topics: 10, Levels: []int{10}},
		{Topics: 10, Levels: []int{1}},
		{Topics: 10, Levels: []int{5, 5}},
		{Topics: 10, Levels: []int{6, 5}},
		{Topics: 10, Levels: []int{5}, Method: AW},
	} {
		var option *model.OptionError
		if err := o.Check(); !errors.As(err, &option) || option.Option != "Levels" {
			t.Errorf("%+v: %v", o, err)
		}
	}
	shard := filepath.Join(t.TempDir(), "a.parquet")
	writeDrawn(t, shard, "i%07d", synth.Model{Items: 100, Topics: 4, Documents: 500, Seed: 1})
	docs := openCorpus(t, 0, nil, shard)
	if _, err := Fit(t.Context(), docs, Options{Topics: 4, Levels: []int{2},
		Refine: RefineOptions{Passes: NoRefinement}}); !errors.As(err, new(*model.OptionError)) {
		t.Errorf("levels without an output: %v", err)
	}
	out, err := model.Create(t.Context(), filepath.Join(t.TempDir(), "one"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	f, err := Fit(t.Context(), docs, Options{Topics: 4, Levels: []int{2}, Extras: Extras{Output: out},
		Refine: RefineOptions{Passes: NoRefinement}})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Save(t.Context(), filepath.Join(t.TempDir(), "other")); err == nil {
		t.Error("a model is saved without its coarser levels")
	}
}

// The memory model knows the levels: their stages, the vectors that wait for finer ones, and all disk.
func TestMemoryModelOfLevels(t *testing.T) {
	one, many := Options{Topics: 100}, Options{Topics: 100, Levels: []int{20, 80}}
	one, many = one.prepared(), many.prepared()
	a, b := optionsModel(&one, true, true), optionsModel(&many, true, true)
	a.setSizes(1_000_000, 0)
	b.setSizes(1_000_000, 0)
	bytes := func(m *memoryModel) map[string]int64 {
		of := make(map[string]int64)
		for _, s := range m.alive() {
			of[s.Stage] = s.Bytes
		}
		return of
	}
	alone, levels := bytes(a), bytes(b)
	if more := levels["rectify"] - alone["rectify"]; more < 4*80*1_000_000 || more > 4*100*1_000_000 {
		t.Errorf("the finest level takes %d bytes more, and the mixtures of the one before it 320 MB", more)
	}
	const vectors = 8 * 104 * 1_000_000
	if levels["rectify/80"] < vectors || levels["refine/20"] == 0 || levels["rectify/20"] >= levels["rectify/80"] {
		t.Errorf("the levels take %v", levels)
	}
	limit := resident(levels["refine"]) - 1
	if err := b.restrict(limit, false); b.refined && err == nil {
		t.Errorf("a limit below the refinement of the finest level does not leave it out")
	}
	if many.AllTopics() != 200 {
		t.Errorf("%d topics in all", many.AllTopics())
	}
}
