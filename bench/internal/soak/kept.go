// This file makes and reads what is damaged of runs that go on: checkpoints of fits, stores, drift, and the topics of documents.

package soak

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/model"
	"anchorage/model/transform"
	"anchorage/shard"
	"anchorage/store"
)

// checkpointOf opens a checkpoint and its only chain.
func checkpointOf(ctx context.Context, folder string) (*checkpoint.Folder, *checkpoint.Chain, error) {
	f, err := checkpoint.Open(ctx, folder, checkpoint.Options{Resume: checkpoint.Auto, Every: -1})
	if err != nil {
		return nil, nil, err
	}
	f.Know(checkpoint.Fact{Name: "what", Value: "soak"})
	return f, f.Chain("fit"), nil
}

// values are those of a state.
func values() (floats []float64, ints []int) {
	for i := range 300 {
		floats, ints = append(floats, 1/float64(i+1)), append(ints, i*i)
	}
	return floats, ints
}

func makeState(ctx context.Context, folder string) (string, error) {
	path := filepath.Join(folder, "made")
	f, chain, err := checkpointOf(ctx, path)
	if err != nil {
		return "", err
	}
	floats, ints := values()
	chain.Point("soak", nil, nil).Reached(func(v *checkpoint.Values) {
		v.Take(&floats, &ints)
	})
	return path, f.Close()
}

func readState(ctx context.Context, path string) (text string, err error) {
	states, err := checkpoint.States(path)
	if err != nil || len(states) != 1 {
		return "", errors.Join(err, fmt.Errorf("%d states", len(states)))
	}
	verified := checkpoint.VerifyState(ctx, states[0])
	f, chain, err := checkpointOf(ctx, path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	loaded, err := chain.Load()
	if err != nil {
		return "", err
	}
	if loaded == nil {
		return "", errors.New("no state")
	}
	var floats []float64
	var ints []int
	loaded.Take(&floats, &ints)
	return digest(func(s *sum) { s.add(verified, loaded.Kind, floats, ints) }), loaded.Close()
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
	run := &model.Run{Workers: 1}
	options := settings
	options.Run = run
	_, err = w.Generate(ctx, plan, added, store.GenerateOptions{Run: run, Retain: 1, Options: map[string]string{"topics": "3"},
		Corpus: corpus.Options{MinItems: 3, MinTokens: 5, Pruning: corpus.Pruning{MinDF: 2}},
		Fit: func(ctx context.Context, docs *corpus.Corpus, _ *model.Output, _ *store.Before) (*model.Fitted, error) {
			return model.Fit(ctx, docs, options)
		}})
	return err
}

func makeStore(ctx context.Context, folder string) (string, error) {
	if _, err := open(ctx, folder); err != nil { // it writes the shard
		return "", err
	}
	path := filepath.Join(folder, "made")
	return path, night(ctx, path, filepath.Join(folder, "shard.parquet"))
}

func readStore(ctx context.Context, path string) (string, error) {
	found, err := store.Verify(ctx, path)
	if err != nil {
		return "", err
	}
	if len(found.Problems) > 0 {
		return "", errors.New(found.Problems[0].Reason)
	}
	s, err := store.Open(ctx, path)
	if err != nil {
		return "", err
	}
	place, err := s.Model()
	if err != nil {
		return "", err
	}
	text, err := readModel(ctx, place)
	return digest(func(d *sum) {
		d.json(s.State)
		d.add(text, found.Files)
	}), err
}

// makeDrift makes the second generation of a store, whose topics are compared with those of the first.
func makeDrift(ctx context.Context, folder string) (string, error) {
	path, err := makeStore(ctx, folder)
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(filepath.Join(folder, "shard.parquet"))
	if err != nil {
		return "", err
	}
	second := filepath.Join(folder, "later.txt")
	text := []byte{}
	for i := range 60 {
		text = fmt.Appendf(text, "item-%d item-%d item-%d item-%d item-%d\n", i, (i+3)%60, (i+6)%60, (i+9)%60, int(content[i])%60)
	}
	if err := os.WriteFile(second, text, 0o666); err != nil {
		return "", err
	}
	if err := night(ctx, path, second); err != nil {
		return "", err
	}
	s, err := store.Open(ctx, path)
	if err != nil {
		return "", err
	}
	place, err := s.Model()
	if err == nil {
		_, err = os.Stat(filepath.Join(place, "drift.parquet"))
	}
	return place, err
}

func readDrift(ctx context.Context, path string) (string, error) {
	found, err := model.Verify(ctx, path)
	return verified(path, found, err)
}

// verified returns the digest of the files of a directory, if they are what its manifest says.
func verified(path string, found model.Verification, err error) (string, error) {
	for _, file := range found.Files {
		err = errors.Join(err, file.Err)
	}
	if err != nil {
		return "", err
	}
	sums, err := digests(path)
	return digest(func(s *sum) { s.json(sums) }), err
}

func makeDocuments(ctx context.Context, folder string) (string, error) {
	fitted, err := makeModel(ctx, folder)
	if err != nil {
		return "", err
	}
	m, err := model.Load(ctx, fitted)
	if err != nil {
		return "", err
	}
	t, err := m.Transformer(infer.Options{})
	if err != nil {
		return "", err
	}
	found, err := shard.Discover(ctx, []string{filepath.Join(folder, "shard.parquet")}, shard.Options{})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "documents")
	_, err = transform.Write(ctx, m, t, found, path, transform.Options{Workers: 1})
	return path, err
}

func readDocuments(ctx context.Context, path string) (string, error) {
	found, err := model.Verify(ctx, path)
	text, err := verified(path, found, err)
	if err != nil {
		return "", err
	}
	record, err := transform.ReadRecord(ctx, path)
	return digest(func(s *sum) {
		s.add(text)
		s.json(record)
	}), err
}
