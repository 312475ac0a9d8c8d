// This file scores topics. All systems are scored by the same steps, from p(item | topic) only.

package topics

import (
	"context"

	"anchorage/bayes/infer"
	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/systems"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/metric"
	"anchorage/model/fit"
	"anchorage/model/items"
)

const (
	smoothing  = 0.01 // the share of p(item) in each topic when documents are inferred: no token is impossible then
	inferred   = 3000 // documents that topics' joint probabilities are estimated from, and that are completed, at most
	baskets    = 3000 // that are completed, at most
	priorTotal = 5.0  // the concentration of the Dirichlet prior under which the first are inferred
)

// score scores the topics B, N×K, and the lists of their items; nil lists are those of the most probable items.
func (m *material) score(ctx context.Context, j *run.Job, b *matrix.Tall, lists [][]int) error {
	counted, facts, err := fit.Count(ctx, m.Learning, m.Learning.Pass)
	if err != nil {
		return err
	}
	p := make([]float64, b.Rows()) // p(item)
	for i, tokens := range counted.TermFrequency {
		p[i] = float64(tokens) / float64(facts.Tokens)
	}
	probable := leading(b)
	for name, lists := range map[string][][]int{"": lists, "_probable": probable} {
		if lists == nil {
			lists = probable
		}
		pairs, err := metric.CountPairs(ctx, m.Learning.Pass, b.Rows(), lists, j.Workers)
		if err != nil {
			return err
		}
		j.Row("npmi"+name, metric.NPMI(pairs), "diversity"+name, metric.TopicDiversity(lists))
	}
	smooth := smoothed(b, p)
	joint, err := m.joint(ctx, smooth)
	if err != nil {
		return err
	}
	t, err := infer.New(b.Rows(), b.Cols(), func(dst []float64, i int) { copy(dst, smooth.Row(i)) }, joint,
		infer.Options{})
	if err != nil {
		return err
	}
	test, err := documents.First(ctx, documents.Pass(m.Test), inferred)
	if err != nil {
		return err
	}
	held, err := documents.First(ctx, documents.Pass(m.Held), inferred)
	if err != nil {
		return err
	}
	j.Row("log_likelihood", documents.Predict(smooth, t, test, held).LogLikelihood, "impossible",
		documents.Predict(b, t, test, held).Impossible)
	shares := infer.Shares(joint, b.Cols())
	if m.drawn != nil {
		row := func(dst []float64, r int) { copy(dst, b.Row(r)) }
		r := m.drawn.Truth.Recover(synth.Estimate{Items: m.items, Row: row, Correlations: joint})
		j.Row("error_b", r.ErrorB, "cosine", r.Cosine)
	}
	if m.labels != nil {
		j.Row("agreement", agreement(b, shares, m.labels.Items, m.labels.Labels))
	}
	if m.Learning.Account.Kind == corpus.Baskets {
		return m.retrieve(ctx, j, b, shares, joint, counted.DocumentFrequency)
	}
	return nil
}

// leading returns the most probable items of each topic. A topic that was given up has none, and counts as none.
func leading(b *matrix.Tall) (lists [][]int) {
	for _, list := range (&metric.Topics{Items: b}).Prominent(systems.TopItems) {
		if len(list) > 0 {
			lists = append(lists, list)
		}
	}
	return lists
}

// smoothed mixes p(item) into topics. A topic that was given up becomes p(item).
func smoothed(b *matrix.Tall, p []float64) *matrix.Tall {
	rest := make([]float64, b.Cols())
	for k := range rest {
		rest[k] = 1
	}
	for i := range b.Rows() {
		for k, v := range b.Row(i) {
			rest[k] -= (1 - smoothing) * v
		}
	}
	result := matrix.Like(b)
	for i := range b.Rows() {
		row := result.Row(i)
		for k, v := range b.Row(i) {
			row[k] = (1-smoothing)*v + rest[k]*p[i]
		}
	}
	return result
}

// joint estimates A: the mean of θ·θᵀ over documents, inferred under a symmetric prior.
func (m *material) joint(ctx context.Context, b *matrix.Tall) ([]float64, error) {
	k := b.Cols()
	joint, alpha := make([]float64, k*k), priorTotal/float64(k)
	for x := range k {
		for y := range k {
			joint[x*k+y] = alpha * alpha / (priorTotal * (priorTotal + 1))
		}
		joint[x*k+x] += alpha / (priorTotal * (priorTotal + 1))
	}
	t, err := infer.New(b.Rows(), k, func(dst []float64, i int) { copy(dst, b.Row(i)) }, joint, infer.Options{})
	if err != nil {
		return nil, err
	}
	clear(joint)
	docs, err := documents.First(ctx, m.Learning.Pass, inferred)
	w, mixture := t.Worker(), make([]float32, k)
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		w.Infer(mixture, items, counts)
		for x, share := range mixture {
			for y, other := range mixture {
				joint[x*k+y] += float64(share) * float64(other)
			}
		}
	}
	for e := range joint {
		joint[e] /= float64(docs.Documents())
	}
	return joint, err
}

// agreement compares the most probable topics of items with their labels. Items without a topic count as a group.
func agreement(b *matrix.Tall, shares []float64, items, labels []int32) float64 {
	groups := make([]int32, len(items))
	for x, i := range items {
		best := 0.0
		groups[x] = int32(b.Cols()) // without a topic
		for k, v := range b.Row(int(i)) {
			if v*shares[k] > best {
				best, groups[x] = v*shares[k], int32(k)
			}
		}
	}
	return metric.Agree(groups, labels).Adjusted
}

// retrieve looks for the held-out halves of baskets by topics.
func (m *material) retrieve(ctx context.Context, j *run.Job, b *matrix.Tall, shares, joint []float64,
	frequencies []int64) error {
	mixtures := matrix.Like(b)
	for i := range b.Rows() {
		sum, row := 0.0, mixtures.Row(i)
		for k, v := range b.Row(i) {
			row[k] = v * shares[k]
			sum += row[k]
		}
		for k := range row {
			if row[k] /= sum; sum == 0 {
				row[k] = shares[k]
			}
		}
	}
	sample, err := items.Draw(ctx, documents.Pass(m.Others), baskets, 1, items.DefaultMaxItems, seed)
	if err != nil {
		return err
	}
	scores, err := items.Evaluate(ctx, []items.Method{items.ByTopics(items.NewTopics(mixtures, b, joint))},
		sample.Divide(items.HeldOutHalf, seed), frequencies, m.count, j.Workers)
	if err != nil {
		return err
	}
	j.Row("recall_20", scores[0].Recall20, "ndcg_100", scores[0].NDCG100)
	return nil
}
