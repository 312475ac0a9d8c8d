// This file makes and reads what is damaged: one of each kind, small, so that thousands can be read.

package soak

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/shard/tablefile"
	"anchorage/stream"
)

// Artefacts returns one of each kind.
func Artefacts() []Artefact {
	return []Artefact{
		{"vocabulary", makeVocabulary, readVocabulary},
		{"copy", makeCopy, readCopy},
		{"sketch", makeSketch, readSketch},
		{"factor", makeFactor, readFactor},
		{"model", makeModel, readModel},
		{"neighbours", makeModel, readNeighbours},
		{"checkpoint", makeCheckpoint, readCheckpoint},
		{"state", makeState, readState},
		{"store", makeStore, readStore},
		{"drift", makeDrift, readDrift},
		{"documents", makeDocuments, readDocuments},
	}
}

const topics = 3

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
	return corpus.Open(ctx, stream.Reading(shards, false), corpus.Options{MinItems: 3, MinTokens: 5, Pruning: corpus.Pruning{MinDF: 2}})
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

var settings = model.Options{Topics: topics, Seed: 1}

func makeVocabulary(ctx context.Context, folder string) (string, error) {
	return made(ctx, folder, func(docs *corpus.Corpus, path string) error {
		return durable.WriteFile(path, func(w io.Writer) error { return stream.WriteVocabulary(w, docs.Vocabulary) })
	})
}

func readVocabulary(ctx context.Context, path string) (string, error) {
	v, err := stream.ReadVocabulary(ctx, path)
	if err != nil {
		return "", err
	}
	return digest(func(s *sum) { s.vocabulary(v) }), nil
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

func readCopy(ctx context.Context, path string) (string, error) {
	c, err := corpus.OpenCopy(path)
	if err != nil {
		return "", err
	}
	defer c.Close()
	s := sum{sha256.New()}
	_, err = c.Pass(ctx, 1, nil, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			s.add(items, counts)
		}
		return nil
	})
	s.add(c.Documents(), c.Entries(), c.Tokens(), c.Items())
	return s.text(), err
}

func makeSketch(ctx context.Context, folder string) (string, error) {
	return made(ctx, folder, func(docs *corpus.Corpus, path string) error {
		s, err := model.Sketch(ctx, docs, settings)
		if err != nil {
			return err
		}
		return s.Save(ctx, path)
	})
}

func readSketch(ctx context.Context, path string) (string, error) {
	l, err := model.LoadSketched(ctx, path, nil)
	if err != nil {
		return "", err
	}
	return digest(func(s *sum) {
		s.vocabulary(l.Vocabulary)
		s.json(l.Manifest)
		s.add(l.Marginals, l.Evidence != nil, l.Eigen.Values, l.Eigen.Residuals)
		if l.Evidence != nil {
			s.add(*l.Evidence)
		}
		s.rows(l.Eigen.Vectors)
	}), nil
}

func makeFactor(ctx context.Context, folder string) (string, error) {
	return made(ctx, folder, func(docs *corpus.Corpus, path string) error {
		s, err := model.Sketch(ctx, docs, settings)
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

func readFactor(ctx context.Context, path string) (string, error) {
	l, err := model.LoadRectified(ctx, path, nil)
	if err != nil {
		return "", err
	}
	return digest(func(s *sum) {
		s.vocabulary(l.Vocabulary)
		s.json(l.Manifest)
		s.add(l.Marginals, l.Evidence != nil, l.Eigenvalues, l.Residuals)
		if l.Evidence != nil {
			s.add(*l.Evidence)
		}
		s.rows(l.Factor)
	}), nil
}

func makeModel(ctx context.Context, folder string) (string, error) {
	return made(ctx, folder, func(docs *corpus.Corpus, path string) error {
		f, err := model.Fit(ctx, docs, settings)
		if err != nil {
			return err
		}
		if f.Recommendation, err = model.CountPairs(ctx, docs, model.RecommendOptions{}); err != nil {
			return err
		}
		return f.Save(ctx, path)
	})
}

func readModel(ctx context.Context, path string) (string, error) {
	m, err := model.Load(ctx, path)
	if err != nil {
		return "", err
	}
	factor, err := m.Vectors(ctx, model.ByProfile)
	if err != nil {
		return "", err
	}
	return digest(func(s *sum) {
		s.vocabulary(m.Vocabulary)
		s.json(m.Manifest)
		s.add(m.Anchors, m.TopicJoint, m.Shares, m.Probability, m.WeightedProbability, m.Weights, m.Prominent, m.Characteristic)
		s.rows(m.Items)
		s.rows(m.Mixtures)
		for i := range factor.Rows() {
			s.add(factor.Row(i))
		}
	}), nil
}

// readNeighbours reads what a model recommends by.
func readNeighbours(ctx context.Context, path string) (string, error) {
	m, err := model.Load(ctx, path)
	if err != nil {
		return "", err
	}
	_, record, err := m.Recommender(ctx)
	if err != nil {
		return "", err
	}
	var texts []any
	for i := range m.Vocabulary.Len() {
		near, err := m.Similar(ctx, m.Vocabulary.ID(i), 5, "")
		if err != nil {
			return "", err
		}
		texts = append(texts, near)
	}
	return digest(func(s *sum) {
		s.json(record)
		s.add(texts...)
	}), nil
}

// fitter returns a fit by variational inference of the documents of all artefacts.
func fitter() (*bayes.Fitter, error) {
	docs := drawn()
	tokens := int64(0)
	for _, count := range docs.Counts {
		tokens += int64(count)
	}
	totals := bayes.Totals{Items: 60, Documents: int64(docs.Documents()), Tokens: tokens, Key: func(i int) uint64 { return uint64(i) }}
	options := bayes.Options{Model: bayes.CNMF, Topics: topics, BatchSize: 32, Workers: 1}
	pass := func(_ context.Context, fn func(*corpus.Documents) error) error { return fn(docs) }
	return bayes.NewFitter(bayes.NewState(options, totals), bayes.Plan{InOrder: true, Epochs: 1}, bayes.Source{Pass: pass})
}

func makeCheckpoint(ctx context.Context, folder string) (string, error) {
	f, err := fitter()
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := f.Run(ctx); err != nil {
		return "", err
	}
	path := filepath.Join(folder, "made")
	return path, durable.WriteFile(path, func(w io.Writer) error { return f.Save(w, "input") })
}

func readCheckpoint(_ context.Context, path string) (string, error) {
	f, err := fitter()
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	verifying := bayes.VerifyCheckpoint(bytes.NewReader(text))
	restoring := f.Restore(bytes.NewReader(text), "input")
	if restoring != nil {
		return "", restoring
	}
	s := sum{sha256.New()}
	err = f.Save(s, "input")
	s.add(verifying)
	return s.text(), err
}

// sum is a digest of values.
type sum struct{ hash.Hash }

func digest(add func(*sum)) string {
	s := sum{sha256.New()}
	add(&s)
	return s.text()
}

func (s sum) text() string { return hex.EncodeToString(s.Sum(nil)) }

// add adds values as %v shows them, which is without loss for numbers.
func (s sum) add(values ...any) {
	for _, v := range values {
		fmt.Fprintf(s, "%v\n", v)
	}
}

func (s sum) json(v any) {
	if err := json.NewEncoder(s).Encode(v); err != nil {
		panic(err) // it was JSON before
	}
}

func (s sum) rows(t *matrix.Tall) {
	for i := range t.Rows() {
		s.add(t.Row(i))
	}
}

func (s sum) vocabulary(v *corpus.Vocabulary) {
	for i := range v.Len() {
		s.add(v.ID(i))
	}
	s.add(v.DocumentFrequency, v.TermFrequency, v.Counted)
}
