// This file makes a single fit, and keeps it for later runs.

package bayes

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

// key says which fit a cell is.
type key struct {
	Model     svi.Model `json:"model"`
	Topics    int       `json:"topics"`
	BatchSize int       `json:"batch_size"`
	Delay     float64   `json:"t0"`
	Anchors   bool      `json:"anchors"` // begun with topics found by anchors
}

func (k key) name() string {
	name := fmt.Sprintf("%s-%d-%d", k.Model, k.Topics, k.BatchSize)
	if k.Delay != 1 {
		name += fmt.Sprintf("-t%g", k.Delay)
	}
	if k.Anchors {
		name += "-anchors"
	}
	return name
}

// cell is a fit: its scores and its topics.
type cell struct {
	key
	Corpus  string        `json:"corpus"` // vocabulary, documents, limit and seed: another corpus needs other cells
	Scores  []svi.HeldOut `json:"scores"`
	Learned int64         `json:"documents_learned"`
	Seconds float64       `json:"seconds"` // of learning and testing
	Found   []topic       `json:"found"`   // the most probable first
	// Correlations are those of the locations of the first topics of Found, correlationTopics squared; correlated NMF only.
	Correlations []float64 `json:"correlations,omitempty"`
}

// topic is a topic as people read it.
type topic struct {
	Share float64  `json:"share"`
	Words []string `json:"words"`
}

const (
	correlationTopics = 40
	anchorMinDF       = 100 // of the anchors that fits begin with
	tableWords        = 10
)

// errEnough ends a fit that has seen enough documents.
var errEnough = errors.New("enough documents")

// cell returns a fit from the folder, or makes it and keeps it there.
func (b *Grid) cell(ctx context.Context, c *documents, of key) (*cell, error) {
	identity := fmt.Sprintf("%s of %d, %d, seed %d", c.corpus.Account.VocabularySHA256, c.facts.Documents, b.Documents, b.Seed)
	path := filepath.Join(b.Cells, of.name()+".json")
	text, err := os.ReadFile(path)
	switch {
	case err == nil:
		made := &cell{}
		if err := json.Unmarshal(text, made); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if made.Corpus != identity || made.key != of {
			return nil, fmt.Errorf("%s is of other documents or options: name another folder with --cells", path)
		}
		return made, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	made, err := b.fit(ctx, c, of)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", of.name(), err)
	}
	made.Corpus = identity
	b.Log.Info("fitted", "cell", of.name(), "seconds", made.Seconds, "documents", made.Learned, "held_out", made.final())
	return made, durable.WriteFile(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(made) })
}

// fit learns one model.
func (b *Grid) fit(ctx context.Context, c *documents, of key) (*cell, error) {
	options := svi.Options{Model: of.Model, Topics: of.Topics, BatchSize: of.BatchSize, Delay: of.Delay,
		Seed: b.Seed, Workers: b.Workers}
	state, err := b.begin(ctx, c, of, options)
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
	made := &cell{key: of, Scores: f.Scores, Learned: state.Seen, Seconds: time.Since(start).Seconds()}
	made.read(state, c.corpus)
	return made, nil
}

// begin returns the state before the first step.
func (b *Grid) begin(ctx context.Context, c *documents, of key, options svi.Options) (*svi.State, error) {
	if !of.Anchors {
		return svi.NewState(options, c.facts), nil
	}
	if c.anchors == nil {
		fitted, err := model.Fit(ctx, c.corpus, model.Options{Topics: of.Topics, Seed: b.Seed,
			Sketch: model.SketchOptions{ItemWeights: model.WeightsNone},
			Anchor: model.AnchorOptions{MinDF: anchorMinDF},
			Run:    &model.Run{Workers: b.Workers, Log: b.Log}})
		if err != nil {
			return nil, err
		}
		c.anchors = fitted.Topics
	}
	t := c.anchors
	return svi.NewStateFrom(options, c.facts, func(dst []float64, v int) { t.BRow(dst, v) }, t.Prior), nil
}

// read notes the topics of a state.
func (c *cell) read(state *svi.State, docs *corpus.Corpus) {
	t := model.BayesTopics(state)
	order := make([]int, t.K)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Prior[b], t.Prior[a]) })
	prominent := t.Prominent(t.RowSums, 1, tableWords)
	for _, k := range order {
		one := topic{Share: t.Prior[k]}
		for _, scored := range prominent[k] {
			one.Words = append(one.Words, docs.Vocabulary.ID(scored.Item))
		}
		c.Found = append(c.Found, one)
	}
	if state.Options.Model != svi.CNMF {
		return
	}
	first := order[:min(correlationTopics, len(order))]
	for _, i := range first {
		for _, j := range first {
			c.Correlations = append(c.Correlations, state.Correlation(i, j))
		}
	}
}

func (k key) beginning() string {
	if k.Anchors {
		return "anchors"
	}
	return "random"
}

// final returns the mean score per token over the last fifth of the batches tested; a single batch is noisy.
func (c *cell) final() float64 {
	n := len(c.Scores)
	return meanScore(c.Scores[n-max(n/5, min(n, 1)):])
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
