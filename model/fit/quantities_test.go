package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bayes/refine"
)

// TestQuantities draws baskets of items of a few groups, with quantities of several families. Topics are refined for
// prediction, whatever the burstiness, and tell the groups apart at least as well as those for reading.
func TestQuantities(t *testing.T) {
	const groups, each = 8, 40
	for name, quantity := range map[string]func(r *rand.Rand) int{
		"packs":     func(r *rand.Rand) int { return []int{1, 1, 2, 4, 6, 6, 12, 24}[r.IntN(8)] },
		"a few":     func(r *rand.Rand) int { return []int{1, 1, 1, 2, 2, 3}[r.IntN(6)] },
		"one in 20": func(r *rand.Rand) int { return []int{1, 50}[r.IntN(20)/19] },
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 8))
			var text strings.Builder
			text.WriteString("order,item,qty\n")
			for order := range 2500 {
				of := []int{r.IntN(groups), r.IntN(groups)}
				seen := make(map[string]bool)
				for range 2 + min(25, int(r.ExpFloat64()*6)) {
					item := fmt.Sprintf("g%di%d", of[r.IntN(2)], int(float64(each)*math.Pow(r.Float64(), 1.5)))
					if !seen[item] {
						seen[item] = true
						fmt.Fprintf(&text, "%d,%s,%d\n", order, item, quantity(r))
					}
				}
			}
			path := filepath.Join(t.TempDir(), "orders.csv")
			if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			right := make(map[refine.Purpose]float64) // share of items whose topic is that of most of their group
			for _, purpose := range []refine.Purpose{"", refine.ForReading} {
				options := Options{Topics: groups, Seed: 1}
				options.Refine.For = purpose
				f, err := Fit(t.Context(), openCorpus(t, 0, nil, path), options)
				if err != nil {
					t.Fatal(err)
				}
				if purpose == "" && f.Manifest.Refine.For != refine.ForPrediction {
					t.Errorf("refined for %s, with a burstiness of %.3g", f.Manifest.Refine.For, f.Manifest.Refine.Burstiness)
				}
				votes := make(map[string]map[int32]float64)
				m := f.Overview()
				for i := range m.Vocabulary.Len() {
					group := m.Vocabulary.ID(i)[:2]
					if votes[group] == nil {
						votes[group] = make(map[int32]float64)
					}
					votes[group][m.TopTopic(i)]++
				}
				taken := make(map[int32]bool)
				for _, of := range votes {
					best, most := int32(-1), 0.0
					for topic, count := range of {
						if count > most {
							best, most = topic, count
						}
					}
					if !taken[best] {
						right[purpose] += most / float64(m.Vocabulary.Len())
					}
					taken[best] = true
				}
			}
			t.Logf("share of items in the topic of their group: %.3f, for reading %.3f", right[""], right[refine.ForReading])
			if right[""] < 0.8 || right[""] < right[refine.ForReading] {
				t.Errorf("only %.3f of the items are in the topic of their group, for reading %.3f", right[""],
					right[refine.ForReading])
			}
		})
	}
}
