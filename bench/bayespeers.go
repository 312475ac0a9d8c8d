// This file writes a corpus for other programs to learn from, in one split for all, with our own scores and times on it.

package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/svi"
)

// peerTests is how many documents are predicted, and peerDocuments how many are learned from unless Bayes.Documents says so.
const (
	peerTests     = 2000
	peerDocuments = 50_000
)

// peerResult is what one program has reached.
type peerResult struct {
	Program            string  `json:"program"`
	Workers            int     `json:"workers"`
	Seconds            float64 `json:"seconds"` // of learning
	DocumentsPerSecond float64 `json:"documents_per_second"`
	LogLikelihood      float64 `json:"log_likelihood"`
	Tokens             int64   `json:"tokens"`
}

// WritePeers writes into a folder, which it makes:
//
//	train.txt, test.txt, held.txt   a document per line, as item:count; test.txt has two thirds of the test documents'
//	                                tokens and held.txt the others
//	settings.json                   V, K, |C|, the priors and the step size
//	anchorage.json                  our scores and times, learning from train.txt in its order, once
func (b *Bayes) WritePeers(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	docs, err := b.open(ctx, folder)
	if err != nil {
		return err
	}
	defer docs.close()
	documents := b.Documents
	if documents == 0 {
		documents = peerDocuments
	}
	train, rest, err := docs.take(ctx, int(documents), peerTests)
	if err != nil {
		return err
	}
	test, held := svi.Split(rest, b.Seed)
	for name, docs := range map[string]*corpus.Documents{"train.txt": train, "test.txt": test, "held.txt": held} {
		if err := durable.WriteFile(filepath.Join(folder, name), func(w io.Writer) error { return writeDocuments(w, docs) }); err != nil {
			return err
		}
	}
	facts := docs.facts
	facts.Documents, facts.Tokens = int64(train.Documents()), 0
	for _, c := range train.Counts {
		facts.Tokens += int64(c)
	}
	topics, size := b.Topics[len(b.Topics)/2], 1000
	settings := map[string]any{"items": facts.Items, "topics": topics, "batch_size": size, "documents": facts.Documents,
		"eta": 0.05, "alpha": 1 / float64(topics), "t0": 1, "kappa": 0.5, "seed": b.Seed}
	if err := writePeerJSON(folder, "settings.json", settings); err != nil {
		return err
	}
	var results []peerResult
	for _, name := range b.Models {
		for _, workers := range []int{1, 2} {
			options := svi.Options{Model: svi.Model(name), Topics: topics, BatchSize: size, Seed: b.Seed, Workers: workers}
			result, err := learnPeer(ctx, options, facts, train, test, held)
			if err != nil {
				return err
			}
			b.Log.Info("learned", "model", name, "workers", workers,
				"documents_per_second", result.DocumentsPerSecond, "log_likelihood", result.LogLikelihood)
			results = append(results, result)
		}
	}
	return writePeerJSON(folder, "anchorage.json", results)
}

// take returns the first documents of the random order: those to learn from, and those to test.
func (c *bayesCorpus) take(ctx context.Context, learn, test int) (train, rest *corpus.Documents, err error) {
	train, rest = &corpus.Documents{Offsets: []int32{0}}, &corpus.Documents{Offsets: []int32{0}}
	if int64(learn+test) > c.facts.Documents {
		return nil, nil, fmt.Errorf("there are %d documents, and %d are wanted to learn from and %d to test", c.facts.Documents, learn, test)
	}
	err = c.shuffled.Epoch(ctx, 0, 0, 0, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			to := train
			if train.Documents() == learn {
				to = rest
			}
			if rest.Documents() == test {
				return errEnough
			}
			items, counts := docs.Row(d)
			to.Items, to.Counts = append(to.Items, items...), append(to.Counts, counts...)
			to.Offsets = append(to.Offsets, int32(len(to.Items)))
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return train, rest, err
}

// learnPeer learns from the documents once and scores the others.
func learnPeer(ctx context.Context, o svi.Options, facts svi.Totals, train, test, held *corpus.Documents) (peerResult, error) {
	pass := func(_ context.Context, fn func(*corpus.Documents) error) error { return fn(train) }
	start := time.Now()
	f, err := svi.NewFitter(svi.NewState(o, facts), svi.Plan{InOrder: true, TestEvery: svi.NoTests}, svi.Source{Pass: pass})
	if err != nil {
		return peerResult{}, err
	}
	defer f.Close()
	if err := f.Run(ctx); err != nil {
		return peerResult{}, err
	}
	seconds := time.Since(start).Seconds()
	score := svi.Predict(f.State, test, held)
	return peerResult{Program: "anchorage " + string(o.Model), Workers: o.Workers, Seconds: seconds,
		DocumentsPerSecond: float64(facts.Documents) / seconds, LogLikelihood: score.LogLikelihood, Tokens: score.Tokens}, nil
}

func writePeerJSON(folder, name string, value any) error {
	return durable.WriteFile(filepath.Join(folder, name), func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(value)
	})
}

func writeDocuments(w io.Writer, docs *corpus.Documents) error {
	out := bufio.NewWriter(w)
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		for i, item := range items {
			if i > 0 {
				out.WriteByte(' ')
			}
			fmt.Fprintf(out, "%d:%d", item, counts[i])
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}
