// This file makes and reads what is damaged: one of each kind, small, so that thousands can be read.

package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/durable"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/shard/tablefile"
	"anchorage/store"
	"anchorage/stream"
)

// artefacts are one of each kind.
var artefacts = []artefact{
	{"vocabulary", makeVocabulary, func(ctx context.Context, path string) (any, error) { return stream.ReadVocabulary(ctx, path) }},
	{"copy", makeCopy, readCopy},
	{"sketch", makeSketch, readSketch},
	{"factor", makeFactor, readFactor},
	{"model", makeModel, readModel},
	{"neighbours", makeModel, readNeighbours},
	{"state", makeState, readState},
	{"store", makeStore, readStore},
}

const topics = 3

var settings = fit.Options{Topics: topics, Seed: 1}

// drawn are the documents of all artefacts.
func drawn() *corpus.Documents {
	docs, _ := synth.Model{Items: 60, Topics: topics, Documents: 200, Tokens: 25, Concentration: 0.1, Seed: 1}.Draw()
	return docs
}

// open writes the documents as a shard and opens them as a corpus in memory.
func open(ctx context.Context, folder string) (*corpus.Corpus, error) {
	path := filepath.Join(folder, "shard.parquet")
	docs := drawn()
	err := durable.WriteFile(path, func(w io.Writer) error {
		writer, err := tablefile.NewDocumentWriter(w)
		if err != nil {
			return err
		}
		for d := range docs.Documents() {
			indices, counts := docs.Row(d)
			items := make([]string, len(indices))
			for i, index := range indices {
				items[i] = fmt.Sprintf("item-%d", index)
			}
			if err := writer.Write(fmt.Sprint(d), items, counts); err != nil {
				return err
			}
		}
		return writer.Close()
	})
	if err != nil {
		return nil, err
	}
	shards, err := shard.Discover(ctx, []string{path}, shard.Options{})
	if err != nil {
		return nil, err
	}
	return corpus.Open(ctx, stream.Reading(shards, false), corpus.Options{MinItems: 3, MinTokens: 5, Pruning: corpus.Pruning{MinDF: 2, MaxDFRatio: 1}})
}

// made opens the documents and makes a directory named "made" from them.
func made(ctx context.Context, folder string, save func(docs *corpus.Corpus, path string) error) (string, error) {
	docs, err := open(ctx, folder)
	if err != nil {
		return "", err
	}
	defer docs.Close()
	path := filepath.Join(folder, "made")
	return path, save(docs, path)
}

func makeVocabulary(ctx context.Context, folder string) (string, error) {
	return made(ctx, folder, func(docs *corpus.Corpus, path string) error {
		return durable.WriteFile(path, func(w io.Writer) error { return stream.WriteVocabulary(w, docs.Vocabulary) })
	})
}

func makeCopy(_ context.Context, folder string) (string, error) {
	path := filepath.Join(folder, "made")
	w, err := corpus.NewCopyWriter(path)
	if err != nil {
		return "", err
	}
	defer w.Abort()
	if err := w.Append(drawn()); err != nil {
		return "", err
	}
	return path, w.Close()
}

func readCopy(ctx context.Context, path string) (any, error) {
	c, err := corpus.OpenCopy(path)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	all := &corpus.Documents{}
	_, err = c.Pass(ctx, 1, nil, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			all.Append(docs.Row(d))
		}
		return nil
	})
	return []any{all, c.Documents(), c.Entries(), c.Tokens(), c.Items()}, err
}

func makeSketch(ctx context.Context, folder string) (string, error) {
	return made(ctx, folder, func(docs *corpus.Corpus, path string) error {
		s, err := fit.Sketch(ctx, docs, settings)
		if err != nil {
			return err
		}
		return s.Save(ctx, path)
	})
}

// readSketch reads all but run.json, which no digest covers.
func readSketch(ctx context.Context, path string) (any, error) {
	l, err := fit.LoadSketched(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	return []any{l.Vocabulary, l.Manifest, l.Marginals, l.Evidence, l.Eigen}, nil
}

func makeFactor(ctx context.Context, folder string) (string, error) {
	return made(ctx, folder, func(docs *corpus.Corpus, path string) error {
		s, err := fit.Sketch(ctx, docs, settings)
		if err != nil {
			return err
		}
		r, err := s.Rectify(ctx, settings)
		if err != nil {
			return err
		}
		return r.Save(ctx, path)
	})
}

func readFactor(ctx context.Context, path string) (any, error) {
	l, err := fit.LoadRectified(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	return []any{l.Vocabulary, l.Manifest, l.Marginals, l.Evidence, l.Eigenvalues, l.Residuals, l.Factor}, nil
}

func makeModel(ctx context.Context, folder string) (string, error) {
	return made(ctx, folder, func(docs *corpus.Corpus, path string) error {
		f, err := fit.Fit(ctx, docs, settings)
		if err != nil {
			return err
		}
		if f.Recommendation, err = fit.CountPairs(ctx, docs, fit.RecommendOptions{}); err != nil {
			return err
		}
		return f.Save(ctx, path)
	})
}

func readModel(ctx context.Context, path string) (any, error) {
	m, err := model.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	factor, err := m.Vectors(ctx, "profile")
	return []any{m, factor}, err
}

// readNeighbours reads what a model recommends by.
func readNeighbours(ctx context.Context, path string) (any, error) {
	m, err := model.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	recommender, record, err := m.Recommender(ctx)
	return []any{recommender, record}, err
}

// checkpointOf opens a checkpoint and its only chain.
func checkpointOf(ctx context.Context, folder string) (*checkpoint.Folder, *checkpoint.Chain, error) {
	f, err := checkpoint.Open(ctx, folder, checkpoint.Options{Resume: checkpoint.Auto, Every: -1})
	if err != nil {
		return nil, nil, err
	}
	f.Know(checkpoint.Fact{Name: "what", Value: "soak"})
	return f, f.Chain("fit"), nil
}

func makeState(ctx context.Context, folder string) (string, error) {
	path := filepath.Join(folder, "made")
	f, chain, err := checkpointOf(ctx, path)
	if err != nil {
		return "", err
	}
	var floats []float64
	var ints []int
	for i := range 300 {
		floats, ints = append(floats, 1/float64(i+1)), append(ints, i*i)
	}
	chain.Point("soak", nil, nil).Reached(func(v *checkpoint.Values) {
		v.Take(&floats, &ints)
	})
	return path, f.Close()
}

func readState(ctx context.Context, path string) (_ any, err error) {
	states, err := checkpoint.States(path)
	if err != nil || len(states) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%d states", len(states)))
	}
	verified := checkpoint.VerifyState(ctx, states[0])
	f, chain, err := checkpointOf(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	loaded, err := chain.Load()
	if err != nil {
		return nil, err
	}
	if loaded == nil {
		return nil, errors.New("no state")
	}
	var floats []float64
	var ints []int
	loaded.Take(&floats, &ints)
	return []any{verified, loaded.Kind, floats, ints}, loaded.Close()
}

// night updates a store with the documents of all artefacts, or a part of them.
func night(ctx context.Context, path string, paths ...string) error {
	w, err := store.Begin(ctx, path, store.Options{Workers: 1})
	if err != nil {
		return err
	}
	defer w.Close()
	found, err := shard.Discover(ctx, paths, shard.Options{})
	if err != nil {
		return err
	}
	plan, err := w.Plan(ctx, found, store.PlanOptions{})
	if err != nil {
		return err
	}
	added, err := w.Add(ctx, plan, store.AddOptions{Reading: "soak"})
	if err != nil {
		return err
	}
	run := &fit.Run{Workers: 1}
	options := settings
	options.Run = run
	_, err = w.Generate(ctx, plan, added, store.GenerateOptions{Fit: options, FromScratch: true, Retain: 1, Options: map[string]string{"topics": "3"},
		Corpus: corpus.Options{MinItems: 3, MinTokens: 5, Pruning: corpus.Pruning{MinDF: 2, MaxDFRatio: 1}}})
	return err
}

func makeStore(ctx context.Context, folder string) (string, error) {
	if _, err := open(ctx, folder); err != nil { // it writes the shard
		return "", err
	}
	path := filepath.Join(folder, "made")
	return path, night(ctx, path, filepath.Join(folder, "shard.parquet"))
}

func readStore(ctx context.Context, path string) (any, error) {
	found, err := store.Verify(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(found.Problems) > 0 {
		return nil, errors.New(found.Problems[0].Reason)
	}
	s, err := store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	place, err := s.Model()
	if err != nil {
		return nil, err
	}
	m, err := readModel(ctx, place)
	return []any{s.State, m, found.Files}, err
}
