package fold_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/fold"
	"anchorage/shard"
	"anchorage/stream"
)

const items, kept = 9_000, 5_000

// baskets writes baskets of items of three topics, whose last items are the rarest.
func baskets(t *testing.T) string {
	folder, random := t.TempDir(), rand.New(rand.NewPCG(4, 5))
	for s := range 4 {
		var text strings.Builder
		for range 600 {
			topic := random.IntN(3)
			for range 12 {
				fmt.Fprintf(&text, "i%d ", 3*int(items/3*math.Pow(random.Float64(), 1.5))+topic)
			}
			text.WriteByte('\n')
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(s)), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// learn fits the baskets by the ranks of ctx.
func learn(ctx context.Context, folder, path string) error {
	shards, err := shard.Discover(ctx, []string{folder}, shard.Options{Format: shard.Baskets})
	if err != nil {
		return err
	}
	keep := corpus.Everything()
	keep.KeepLeft, keep.Pruning.MaxItems = true, kept
	docs, err := stream.Open(ctx, shards, keep)
	if err != nil {
		return err
	}
	defer docs.Close()
	run := &fit.Run{Workers: 1}
	out, err := run.Create(ctx, path)
	if err != nil {
		return err
	}
	defer out.Abort()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 3, Seed: 1, Run: run, Extras: fit.Extras{Output: out},
		Refine: fit.RefineOptions{Passes: fit.NoRefinement}})
	if err != nil {
		return err
	}
	return fitted.SaveTo(out)
}

// mixtures returns the topics of the items that were folded into the model at path.
func mixtures(t *testing.T, path string) map[string][]float32 {
	t.Helper()
	m, err := model.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]float32)
	if err := m.EachFolded(t.Context(), func(ids []string, values []float32) error {
		for j, id := range ids {
			all[id] = append([]float32(nil), values[3*j:][:3]...)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// Several ranks give items the topics that one process gives them, with sums in memory and in a file.
func TestFoldOfRanks(t *testing.T) {
	folder, top := baskets(t), t.TempDir()
	for _, dense := range []int{64 << 20, 8 * 5 * 300} {
		defer fold.SetDenseBytes(dense)()
		var want map[string][]float32
		for _, ranks := range []int{1, 3} {
			path := filepath.Join(top, fmt.Sprint(dense, "-", ranks))
			if err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
				return learn(ctx, folder, path)
			}); err != nil {
				t.Fatal(err)
			}
			got := mixtures(t, path)
			if ranks == 1 {
				want = got
			}
			if len(got) != len(want) || len(got) < 2000 {
				t.Errorf("%d ranks: %d items, not %d", ranks, len(got), len(want))
			}
			for id, p := range want {
				for k := range p {
					if math.Abs(float64(got[id][k]-p[k])) > 1e-6 {
						t.Fatalf("%d ranks, %d bytes: %s has %v, not %v", ranks, dense, id, got[id], p)
					}
				}
			}
		}
	}
}
