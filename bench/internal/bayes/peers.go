// This file writes a corpus for other programs to learn from, split in one way for all, with our scores and times on it.

package bayes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"anchorage/bayes"
	lines "anchorage/bench/internal/documents"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/durable"
)

// peerTests is the number of documents to predict, peerDocuments that of documents to learn from unless Grid.Documents says
// otherwise.
const (
	peerTests     = 2000
	peerDocuments = 50_000
)

// peerResult is what a model has reached.
type peerResult struct {
	seconds float64 // of learning
	score   bayes.HeldOut
}

// WritePeers writes into a folder, which it makes:
//
//	train.txt, test.txt, held.txt   a document per line, as item:count; test.txt has two thirds of the test documents'
//	                                tokens and held.txt the others
//	settings.csv                    V, K, |C|, the priors and the step size
//	anchorage.csv                   our scores and times, learning from train.txt in its order, once
func (g *Grid) WritePeers(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	docs, err := g.open(ctx, g.Corpora, folder)
	if err != nil {
		return err
	}
	defer docs.close()
	documents := g.Documents[0]
	if documents == 0 {
		documents = peerDocuments
	}
	train, rest, err := docs.take(ctx, int(documents), peerTests)
	if err != nil {
		return err
	}
	test, held := bayes.Split(rest, g.Seed)
	for name, docs := range map[string]*corpus.Documents{"train.txt": train, "test.txt": test, "held.txt": held} {
		if err := durable.WriteFile(filepath.Join(folder, name), func(w io.Writer) error { return lines.Write(w, docs) }); err != nil {
			return err
		}
	}
	facts := docs.facts
	facts.Documents, facts.Tokens = int64(train.Documents()), 0
	for _, c := range train.Counts {
		facts.Tokens += int64(c)
	}
	topics, size := g.Topics[len(g.Topics)/2], 1000
	settings := report.NewTable("settings", report.Ints("items", "topics", "batch_size", "documents"),
		report.Floats("eta", "alpha", "t0", "kappa"), report.Ints("seed"))
	settings.Add(int64(facts.Items), int64(topics), int64(size), facts.Documents, 0.05, 1/float64(topics), 1.0, 0.5, int64(g.Seed))
	if err := durable.WriteFile(filepath.Join(folder, "settings.csv"), settings.WriteCSV); err != nil {
		return err
	}
	results := report.NewTable("anchorage", report.Texts("program"), report.Ints("workers"),
		report.Floats("seconds", "documents_per_second", "log_likelihood"), report.Ints("tokens"))
	for _, name := range g.Models {
		for _, workers := range []int{1, 2} {
			options := bayes.Options{Model: bayes.Model(name), Topics: topics, BatchSize: size, Seed: g.Seed, Workers: workers}
			result, err := learnPeer(ctx, options, facts, train, test, held)
			if err != nil {
				return err
			}
			perSecond := float64(facts.Documents) / result.seconds
			g.Log.Info("learned", "model", name, "workers", workers, "documents_per_second", perSecond, "log_likelihood", result.score.LogLikelihood)
			results.Add("anchorage "+name, int64(workers), result.seconds, perSecond, result.score.LogLikelihood, int64(result.score.Tokens))
		}
	}
	return durable.WriteFile(filepath.Join(folder, "anchorage.csv"), results.WriteCSV)
}

// take returns the first documents of the random order: those to learn from, and those to test.
func (c *documents) take(ctx context.Context, learn, test int) (train, rest *corpus.Documents, err error) {
	train, rest = &corpus.Documents{Offsets: []int32{0}}, &corpus.Documents{Offsets: []int32{0}}
	if int64(learn+test) > c.facts.Documents {
		return nil, nil, fmt.Errorf("%d documents are too few: %d are wanted to learn from and %d to test", c.facts.Documents, learn, test)
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
func learnPeer(ctx context.Context, o bayes.Options, facts bayes.Totals, train, test, held *corpus.Documents) (peerResult, error) {
	pass := func(_ context.Context, fn func(*corpus.Documents) error) error { return fn(train) }
	start := time.Now()
	f, err := bayes.NewFitter(bayes.NewState(o, facts), bayes.Plan{InOrder: true, TestEvery: -1}, bayes.Source{Pass: pass})
	if err != nil {
		return peerResult{}, err
	}
	defer f.Close()
	if err := f.Run(ctx); err != nil {
		return peerResult{}, err
	}
	seconds := time.Since(start).Seconds()
	return peerResult{seconds, bayes.Predict(f.State, test, held)}, nil
}
