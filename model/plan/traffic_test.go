package plan

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/internal/kernel"
	"anchorage/internal/long"
	"anchorage/internal/visit"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/stream"
)

// counted returns what ranks send together while they do something.
func counted(t *testing.T, ranks int, do func(ctx context.Context) error) (sent collective.Traffic) {
	t.Helper()
	all := make([]collective.Traffic, ranks)
	if err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
		c := collective.From(ctx)
		c.Begin("this")
		err := do(ctx)
		_, moved := c.Moved()
		all[c.Rank()] = moved["this"]
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, rank := range all {
		sent.Bytes += rank.Bytes
		sent.Messages += rank.Messages
	}
	return sent
}

// near reports whether a figure is within 5 % of another, and says so if it is not.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.05*want {
		t.Errorf("%s: %.0f bytes were sent, and the formula says %.0f", what, got, want)
	}
}

// TestTrafficOfOperations compares the formulas of what stages are made of with what ranks count.
func TestTrafficOfOperations(t *testing.T) {
	const n, k = 6*matrix.BlockRows + 100, 7
	for _, ranks := range []int{2, 3, 4} {
		of := traffic{ranks: ranks, items: n, topics: k}
		for name, test := range map[string]struct {
			do   func(ctx context.Context) error
			want load
		}{
			"share": {func(ctx context.Context) error {
				return collective.Share(ctx, collective.From(ctx), make([]float64, n))
			}, of.share(8 * n)},
			"long": {func(ctx context.Context) error {
				return collective.SumLong(ctx, collective.From(ctx), make([]float64, n))
			}, of.sumLong(8 * n)},
			"gather": {func(ctx context.Context) error {
				_, err := kernel.RowsOf(ctx, matrix.NewShared[float64](collective.From(ctx).Layout(), n, k), make([]int, 100))
				return err
			}, of.gather(8 * 100 * k)},
			"gram": {func(ctx context.Context) error {
				x := matrix.NewShared[float64](collective.From(ctx).Layout(), n, k)
				kernel.Gram(ctx, x, x, 1)
				return nil
			}, of.gram(k, k, false)},
			"single gram": {func(ctx context.Context) error {
				x := matrix.NewShared[float32](collective.From(ctx).Layout(), n, k)
				kernel.Gram(ctx, x, x, 1)
				return nil
			}, of.gram(k, k, true)},
			"sections": {func(ctx context.Context) error {
				sum := kernel.NewTreeSum(matrix.Sections(n), 500)
				first, last := collective.From(ctx).Rows(n)
				for s := range matrix.Sections(n) {
					if low, _ := matrix.Section(n, s); low >= first && low < last {
						sum.Add(s, make([]float64, 500))
					}
				}
				_, err := sum.Total(ctx, collective.From(ctx))
				return err
			}, of.sections(500)},
		} {
			near(t, fmt.Sprintf("%d ranks, %s", ranks, name), float64(counted(t, ranks, test.do).Bytes), test.want.bytes)
		}
	}
}

// meets are the visits of a corpus whose law is known: those that were counted.
func meets(t *testing.T, folder string, ranks, rowBytes int) (met visited, entries, items float64) {
	t.Helper()
	all := make([]visited, ranks)
	sizes := make([][2]float64, ranks)
	counted(t, ranks, func(ctx context.Context) error {
		docs, err := openDivided(ctx, folder)
		if err != nil {
			return err
		}
		defer docs.Close()
		r := collective.From(ctx).Rank()
		sizes[r][1] = float64(docs.Vocabulary.Len())
		return visit.Batches(ctx, docs.Layout(), docs.Pass, docs.Vocabulary.Len(), rowBytes, func(b *visit.Batch) error {
			all[r].batches++
			all[r].items += float64(len(b.Items))
			sizes[r][0] += float64(len(b.Documents.Items))
			return nil
		})
	})
	for r := range all {
		met.batches = max(met.batches, all[r].batches)
		met.items += all[r].items
		entries += sizes[r][0]
	}
	return met, entries, sizes[0][1]
}

// dividedItems is the number of items of the corpus that ranks share: four blocks, the last of them short.
const dividedItems = 13_000

// divided writes shards of baskets whose items belong to a few topics, and returns their folder.
func divided(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for s := range 4 {
		var text []byte
		for d := range 2500 + 500*s {
			topic := random.IntN(5)
			for range 8 + random.IntN(8) {
				item := 5*int(float64(dividedItems/5)*random.Float64()*random.Float64()) + topic
				if random.IntN(8) == 0 {
					item = random.IntN(dividedItems)
				}
				text = fmt.Appendf(text, "item%d ", item)
			}
			if s == 0 { // every item occurs, and twice
				for j := range 11 {
					text = fmt.Appendf(text, "item%d ", (d*11+j)%dividedItems)
				}
			}
			text = append(text, '\n')
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("part-%d.dat", s)), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// openDivided opens the shards of a folder.
func openDivided(ctx context.Context, folder string) (*corpus.Corpus, error) {
	shards, err := shard.Discover(ctx, []string{folder}, shard.Options{Format: shard.Baskets})
	if err != nil {
		return nil, err
	}
	return stream.Open(ctx, shards, corpus.Everything())
}

// fitDivided fits the shards of a folder, by the ranks of ctx, and saves the model.
func fitDivided(ctx context.Context, folder, path string) error {
	run := &fit.Run{Workers: 1}
	out, err := run.Create(ctx, path)
	if err != nil {
		return err
	}
	defer out.Abort()
	end := run.Stage("read")
	docs, err := openDivided(ctx, folder)
	if err != nil {
		return err
	}
	defer docs.Close()
	end()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 5, Seed: 3,
		Refine: fit.RefineOptions{Passes: fit.NoRefinement}, Run: run})
	if err != nil {
		return err
	}
	return fitted.SaveTo(out)
}

// TestTrafficOfFits compares the formulas of the stages with run.json, where visits meet as many items as were counted.
func TestTrafficOfFits(t *testing.T) {
	long.Test(t, "it fits on two, three and four ranks; TestFitOfRanks makes such fits as well")
	folder, top := divided(t), t.TempDir()
	for _, ranks := range []int{2, 3, 4} {
		path := filepath.Join(top, fmt.Sprint(ranks))
		if err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
			return fitDivided(ctx, folder,
				path)
		}); err != nil {
			t.Fatal(err)
		}
		record, err := fit.ReadRun(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		manifest, err := model.ReadManifest(t.Context(), path, model.KindModel)
		if err != nil {
			t.Fatal(err)
		}
		met, entries, items := meets(t, folder, ranks, 1)
		own := entries / float64(ranks)
		of := traffic{ranks: ranks, items: int(items), topics: 5, columns: manifest.Sketch.Columns, entries: entries}
		of.growth = math.Log(items/(met.items/float64(ranks))) / math.Log(entries/own)
		c := course{passes: manifest.Sketch.Passes, iterations: manifest.Rectify.Iterations, evidence: true,
			distinctWords: met.items}
		c.products = 1 + 1/float64(c.iterations) // of a corpus that is so small, once each but twice in the first
		c.words = words(t, path)
		for _, stage := range traffics {
			if stage.stage == "refine" || stage.stage == "write" { // none, and TestTrafficOfTables
				continue
			}
			got := 0.0
			for _, s := range record.Ranks.Stages {
				if s.Name == stage.stage {
					got = float64(s.Bytes)
				}
			}
			near(t, fmt.Sprintf("%d ranks, %s", ranks, stage.stage), got, stage.sent(of, c).bytes)
		}
	}
}

// words returns the bytes of the ids of a model's items.
func words(t *testing.T, path string) (sum float64) {
	t.Helper()
	m, err := model.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Vocabulary.Len() {
		sum += float64(len(m.Vocabulary.ID(i)))
	}
	return sum
}
