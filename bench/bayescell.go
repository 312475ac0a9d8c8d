// This file holds a single fit of the measurement of variational inference, and how it is kept for later runs.

package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/model"
	"anchorage/svi"
)

// bayesKey says which fit a cell is.
type bayesKey struct {
	Model     svi.Model `json:"model"`
	Topics    int       `json:"topics"`
	BatchSize int       `json:"batch_size"`
	Delay     float64   `json:"t0"`
	Anchors   bool      `json:"anchors"` // begun with topics found by anchors
}

func (k bayesKey) name() string {
	name := fmt.Sprintf("%s-%d-%d", k.Model, k.Topics, k.BatchSize)
	if k.Delay != 1 {
		name += fmt.Sprintf("-t%g", k.Delay)
	}
	if k.Anchors {
		name += "-anchors"
	}
	return name
}

// bayesCell is a fit: how its score went, and the topics that came of it.
type bayesCell struct {
	bayesKey
	Corpus  string        `json:"corpus"` // vocabulary, documents, limit and seed: a cell of another corpus is not taken
	Scores  []svi.HeldOut `json:"scores"`
	Learned int64         `json:"documents_learned"`
	Seconds float64       `json:"seconds"` // of learning and testing
	Found   []bayesTopic  `json:"found"`   // the most probable first
	// Correlations are those of the locations of the first topics of Found, correlationTopics squared; correlated NMF only.
	Correlations []float64 `json:"correlations,omitempty"`
}

// bayesTopic is a topic as it is read.
type bayesTopic struct {
	Share float64  `json:"share"`
	Words []string `json:"words"`
}

const (
	correlationTopics = 40
	anchorMinDF       = 100 // of the anchors that fits begin with
	tableWords        = 10
)

// errEnough ends a fit that has seen as many documents as it should.
var errEnough = errors.New("enough documents")

// cell returns a fit from the folder, or makes it and puts it there.
func (b *Bayes) cell(ctx context.Context, c *bayesCorpus, key bayesKey) (*bayesCell, error) {
	identity := fmt.Sprintf("%s of %d, %d, seed %d", c.docs.Account.VocabularySHA256, c.facts.Documents, b.Documents, b.Seed)
	path := filepath.Join(b.Cells, key.name()+".json")
	text, err := os.ReadFile(path)
	switch {
	case err == nil:
		cell := &bayesCell{}
		if err := json.Unmarshal(text, cell); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if cell.Corpus != identity || cell.bayesKey != key {
			return nil, fmt.Errorf("%s is of other documents or options: give another --cells", path)
		}
		return cell, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	cell, err := b.fit(ctx, c, key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key.name(), err)
	}
	cell.Corpus = identity
	b.Log.Info("fitted", "cell", key.name(), "seconds", cell.Seconds, "documents", cell.Learned, "held_out", cell.final())
	return cell, durable.WriteFile(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(cell) })
}

// fit learns one model.
func (b *Bayes) fit(ctx context.Context, c *bayesCorpus, key bayesKey) (*bayesCell, error) {
	options := svi.Options{Model: key.Model, Topics: key.Topics, BatchSize: key.BatchSize, Delay: key.Delay,
		Seed: b.Seed, Workers: b.Workers}
	state, err := b.begin(ctx, c, key, options)
	if err != nil {
		return nil, err
	}
	f, err := svi.NewFitter(state, svi.Plan{}, svi.Source{Shuffled: c.shuffled})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.Report = func(p svi.Progress) error {
		if b.Documents > 0 && p.Documents >= b.Documents {
			return errEnough
		}
		return nil
	}
	start := time.Now()
	if err := f.Run(ctx); err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	cell := &bayesCell{bayesKey: key, Scores: f.Scores, Learned: state.Seen, Seconds: time.Since(start).Seconds()}
	cell.read(state, c.docs)
	return cell, nil
}

// begin returns the state before the first step.
func (b *Bayes) begin(ctx context.Context, c *bayesCorpus, key bayesKey, options svi.Options) (*svi.State, error) {
	if !key.Anchors {
		return svi.NewState(options, c.facts), nil
	}
	if c.anchors == nil {
		how := model.FitOptions{
			Sketch:  model.SketchOptions{Topics: key.Topics, Seed: b.Seed, ItemWeights: model.WeightsNone, Workers: b.Workers},
			Rectify: model.RectifyOptions{Workers: b.Workers},
			Anchor:  model.AnchorOptions{MinDF: anchorMinDF, Workers: b.Workers},
		}
		fitted, err := model.Fit(ctx, c.docs, how, model.NewRun(b.Workers), b.Log)
		if err != nil {
			return nil, err
		}
		c.anchors = fitted.Topics
	}
	t := c.anchors
	return svi.NewStateFrom(options, c.facts, func(dst []float64, v int) { t.BRow(dst, v) }, t.Prior), nil
}

// read takes down the topics.
func (cell *bayesCell) read(state *svi.State, docs *corpus.Corpus) {
	t := model.BayesTopics(state)
	order := make([]int, t.K)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Prior[b], t.Prior[a]) })
	prominent := model.Prominent(t, t.RowSums, 1, tableWords)
	for _, k := range order {
		topic := bayesTopic{Share: t.Prior[k]}
		for _, scored := range prominent[k] {
			topic.Words = append(topic.Words, docs.Vocabulary.ID(scored.Item))
		}
		cell.Found = append(cell.Found, topic)
	}
	if state.Options.Model != svi.CNMF {
		return
	}
	first := order[:min(correlationTopics, len(order))]
	for _, i := range first {
		for _, j := range first {
			cell.Correlations = append(cell.Correlations, state.Correlation(i, j))
		}
	}
}

// final returns the mean score per token over the last fifth of the batches tested: a single one is noisy.
func (cell *bayesCell) final() float64 {
	n := len(cell.Scores)
	return meanScore(cell.Scores[n-max(n/5, min(n, 1)):])
}

// meanScore returns the mean over all tokens.
func meanScore(scores []svi.HeldOut) float64 {
	sum, tokens := 0.0, int64(0)
	for _, s := range scores {
		sum += s.LogLikelihood * float64(s.Tokens)
		tokens += s.Tokens
	}
	return sum / float64(tokens)
}
