// This file compares ways to find which coarser topic a topic belongs to, on drawn catalogues, where that is known.

package labels

import (
	"context"
	"math"

	"anchorage/bayes/infer"
	"anchorage/bench/internal/run"
	"anchorage/corpus"
	"anchorage/internal/assignment"
	"anchorage/internal/synth"
	"anchorage/model"
)

// clearAffinity is the affinity with a drawn topic from which a topic counts as that one.
const clearAffinity = 0.7

// links scores all ways between neighbouring levels: the mean probability of the true parent, and the share of the
// topics whose greatest parent is the true one, among the topics whose home is clear: those of which a drawn topic of
// either level has most.
func (c *catalogue) links(ctx context.Context, j *run.Job, models []*model.Model) error {
	finest := models[len(models)-1]
	for at := 1; at < len(models); at++ {
		coarse, fine := models[at-1], models[at]
		byDocuments, err := documentLinks(ctx, c.docs, fine, coarse)
		if err != nil {
			return err
		}
		truth, clear := matched(c.drawn, fine, at+1)
		parents, found := matched(c.drawn, coarse, at)
		isFound := make([]bool, len(parents))
		for p, drawn := range parents {
			isFound[drawn] = found[p]
		}
		for _, way := range []struct {
			by    string
			links []float64
		}{{"items", itemLinks(fine, coarse)}, {"documents", byDocuments}, {"model", finest.Levels[at].Within}} {
			trueParent, right, compared, l := 0.0, 0.0, 0.0, coarse.Topics()
			for f, drawn := range truth {
				above := drawn / c.drawn.Model.Tree[at]
				if !clear[f] || !isFound[above] {
					continue
				}
				row, best := way.links[f*l:(f+1)*l], 0
				for p, share := range row {
					if share > row[best] {
						best = p
					}
					if parents[p] == above {
						trueParent += share
					}
				}
				compared++
				if parents[best] == above {
					right++
				}
			}
			j.Add("links", "by", way.by, "topics", fine.Topics(), "parents", l, "compared", compared,
				"true_parent", trueParent/max(compared, 1), "right", right/max(compared, 1))
		}
	}
	return nil
}

// matched returns the drawn topic of a depth of the tree that each topic of a model is paired with, by Σ_i
// √(p(i|k)·p(i|l)).
func matched(drawn *synth.Drawn, m *model.Model, depth int) (pairs []int, clear []bool) {
	k, truth := m.Topics(), drawn.Truth
	items, _ := synth.ItemsOf(m.Vocabulary)
	affinity := make([]float64, k*k)
	row := make([]float64, k)
	prior := make([]float64, k)
	for leaf, p := range truth.Prior {
		prior[drawn.Model.Above(leaf, depth)] += p
	}
	for i, item := range items {
		for l := range row {
			row[l] = 0
		}
		topics, values := truth.Row(int(item))
		for j, leaf := range topics {
			node := drawn.Model.Above(int(leaf), depth)
			row[node] += values[j] * truth.Prior[leaf] / prior[node]
		}
		for f, p := range m.Items.Row(i) {
			for l, q := range row {
				if p > 0 && q > 0 {
					affinity[f*k+l] -= math.Sqrt(p * q)
				}
			}
		}
	}
	pairs, clear = assignment.Least(affinity, k), make([]bool, k)
	for f, l := range pairs {
		clear[f] = -affinity[f*k+l] >= clearAffinity
	}
	return pairs, clear
}

// itemLinks returns Σ_i p(i | fine)·p(coarse | i).
func itemLinks(fine, coarse *model.Model) []float64 {
	k, l := fine.Topics(), coarse.Topics()
	sums := make([]float64, k*l)
	for i := range fine.Vocabulary.Len() {
		for f, p := range fine.Items.Row(i) {
			for c, q := range coarse.Mixtures.Row(i) {
				sums[f*l+c] += p * q
			}
		}
	}
	normalizeRows(sums, l)
	return sums
}

// documentLinks counts the tokens of all documents by their topics under both models.
func documentLinks(ctx context.Context, docs *corpus.Corpus, fine, coarse *model.Model) ([]float64, error) {
	k, l := fine.Topics(), coarse.Topics()
	one, err := fine.Transformer(infer.Options{})
	if err != nil {
		return nil, err
	}
	two, err := coarse.Transformer(infer.Options{})
	if err != nil {
		return nil, err
	}
	a, b := one.Inferrer().Worker(), two.Inferrer().Worker()
	x, y := make([]float32, k), make([]float32, l)
	p, q := make([]float64, k), make([]float64, l)
	sums := make([]float64, k*l)
	err = docs.Pass(ctx, func(docs *corpus.Documents) error {
		for m := range docs.Documents() {
			items, counts := docs.Row(m)
			a.Infer(x, items, counts)
			b.Infer(y, items, counts)
			for t, item := range items {
				responsibilities(p, x, fine.Items.Row(int(item)))
				responsibilities(q, y, coarse.Items.Row(int(item)))
				for f, v := range p {
					if v < 1e-6 {
						continue
					}
					for c, w := range q {
						sums[f*l+c] += float64(counts[t]) * v * w
					}
				}
			}
		}
		return nil
	})
	normalizeRows(sums, l)
	return sums, err
}

// responsibilities sets dst to p(topic | item, document) ∝ θ_k·B_ik.
func responsibilities(dst []float64, theta []float32, row []float64) {
	sum := 0.0
	for k, p := range row {
		dst[k] = float64(theta[k]) * p
		sum += dst[k]
	}
	for k := range dst {
		if sum > 0 {
			dst[k] /= sum
		}
	}
}

// normalizeRows makes rows of a length sum to 1.
func normalizeRows(values []float64, length int) {
	for first := 0; first < len(values); first += length {
		row, sum := values[first:first+length], 0.0
		for _, v := range row {
			sum += v
		}
		for c := range row {
			if sum > 0 {
				row[c] /= sum
			}
		}
	}
}
