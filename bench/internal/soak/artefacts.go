// This file makes and reads what is damaged: one of each kind, small, so that thousands can be read. Most are the
// frozen bytes of testdata.

package soak

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/store"
	"anchorage/stream"
)

// artefacts are one of each kind.
var artefacts = []artefact{
	{"vocabulary", frozen("model/vocabulary.parquet"),
		func(ctx context.Context, path string) (any, error) { return stream.ReadVocabulary(ctx, path) }},
	{"copy", frozen("store/shards/*/corpus"), readCopy},
	{"sketch", frozen("sketch"), readSketch},
	{"factor", frozen("factor"), readFactor},
	{"model", frozen("model"), readModel},
	{"neighbours", frozen("model"), readNeighbours},
	{"state", makeState, readState},
	{"store", frozen("store"), readStore},
}

// frozen makes a copy of what is at a pattern in testdata/frozen of this module, in which the program must run.
func frozen(pattern string) func(context.Context, string) (string, error) {
	return func(_ context.Context, folder string) (string, error) {
		here, err := os.Getwd()
		for err == nil {
			found, _ := filepath.Glob(filepath.Join(here, "testdata", "frozen", pattern))
			if path := filepath.Join(folder, "made"); len(found) > 0 {
				if content, err := os.ReadFile(found[0]); err == nil {
					return path, os.WriteFile(path, content, 0o666)
				}
				return path, os.CopyFS(path, os.DirFS(found[0]))
			}
			if here == filepath.Dir(here) {
				err = errors.New("run the program in the folder of the module: it damages what is in testdata/frozen")
			}
			here = filepath.Dir(here)
		}
		return "", err
	}
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

// readSketch reads all but run.json, which no digest covers.
func readSketch(ctx context.Context, path string) (any, error) {
	l, err := fit.LoadSketched(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	return []any{l.Vocabulary, l.Manifest, l.Marginals, l.Evidence, l.Eigen}, nil
}

func readFactor(ctx context.Context, path string) (any, error) {
	l, err := fit.LoadRectified(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	return []any{l.Vocabulary, l.Manifest, l.Marginals, l.Evidence, l.Eigenvalues, l.Residuals, l.Factor}, nil
}

func readModel(ctx context.Context, path string) (any, error) {
	m, err := model.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	factor, err := m.Vectors(ctx)
	return []any{m, factor}, err
}

// readNeighbours reads what a model recommends by.
func readNeighbours(ctx context.Context, path string) (any, error) {
	m, err := model.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	pairs, err := m.Pairs(ctx)
	return []any{pairs, m.ItemTopics()}, err
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
