// This file saves states between the stages and loads them again.

package model

import (
	"context"
	"fmt"
	"log/slog"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/matrix"
	"anchorage/sketch"
	"anchorage/stream"
)

// SaveSketch writes the state after the sketch into dir and commits it.
func (s *State) SaveSketch(dir *durable.Dir) error {
	return s.save(dir, s.writeCommon, func(dir *durable.Dir) error { return writeTall(dir, eigenvectorsFile, "v", s.Vectors) })
}

// SaveFactor writes the state after Rectify into dir and commits it.
func (s *State) SaveFactor(dir *durable.Dir) error {
	return s.save(dir, s.writeCommon, func(dir *durable.Dir) error { return writeTall(dir, factorFile, "y", s.Factor) })
}

// save writes the tables, which is a stage of the run too, and commits dir.
func (s *State) save(dir *durable.Dir, tables ...func(*durable.Dir) error) error {
	end := s.Run.Stage("write")
	defer end()
	for _, write := range tables {
		if err := write(dir); err != nil {
			return err
		}
	}
	end()
	return finish(dir, s.Manifest, s.Run)
}

// writeCommon writes what every stage hands on.
func (s *State) writeCommon(dir *durable.Dir) error {
	if err := writeVocabulary(dir, s.Vocabulary); err != nil {
		return err
	}
	if err := writeMarginals(dir, &s.Marginals); err != nil {
		return err
	}
	if err := writeEvidence(dir, s.Evidence, len(s.Values)); err != nil {
		return err
	}
	return writeSpectrum(dir, s.Values, s.Residuals)
}

// LoadSketch loads what SaveSketch wrote.
func LoadSketch(path string, run *Run, log *slog.Logger) (*State, error) {
	defer run.Stage("load")()
	s, err := loadCommon(path, KindSketch, run, log)
	if err != nil {
		return nil, err
	}
	s.Vectors, err = readTall(objects.Join(path, eigenvectorsFile), "v", s.Vocabulary.Len(), len(s.Values))
	return s, err
}

// LoadFactor loads what SaveFactor wrote.
func LoadFactor(path string, run *Run, log *slog.Logger) (*State, error) {
	defer run.Stage("load")()
	s, err := loadCommon(path, KindFactor, run, log)
	if err != nil {
		return nil, err
	}
	s.Factor, err = readTall(objects.Join(path, factorFile), "y", s.Vocabulary.Len(), len(s.Values))
	return s, err
}

func loadCommon(path, kind string, run *Run, log *slog.Logger) (*State, error) {
	s := &State{Run: run, Log: log}
	var err error
	if s.Manifest, err = ReadManifest(path, kind); err != nil {
		return nil, err
	}
	if s.Vocabulary, err = loadVocabulary(path, &s.Manifest); err != nil {
		return nil, err
	}
	if s.Marginals, err = readMarginals(path, &s.Manifest); err != nil {
		return nil, err
	}
	if s.Values, s.Residuals, err = readSpectrum(path); err != nil {
		return nil, err
	}
	if len(s.Marginals.RowSums) != s.Vocabulary.Len() || len(s.Values) != s.Manifest.Sketch.Topics {
		return nil, &InputError{Path: path, Reason: "has tables that do not belong together"}
	}
	s.Evidence, err = readEvidence(path, s.Vocabulary.Len(), len(s.Values))
	return s, err
}

// loadVocabulary reads a directory's vocabulary and checks that it is the one of the manifest.
func loadVocabulary(path string, manifest *Manifest) (*corpus.Vocabulary, error) {
	v, err := stream.ReadVocabulary(context.Background(), objects.Join(path, vocabularyFile))
	if err != nil {
		return nil, err
	}
	if v.Fingerprint() != manifest.Corpus.VocabularySHA256 {
		return nil, &InputError{Path: path, Reason: "has a vocabulary that is not the one of its manifest"}
	}
	return v, nil
}

// SavedSketch is the mergeable sketch of a single pass, as a directory holds it.
type SavedSketch struct {
	Path       string
	Manifest   Manifest
	Vocabulary *corpus.Vocabulary
	Sketch     *sketch.Sketch
}

// SaveGathered returns a function for SketchOptions.Gathered that writes the sketch into dir.
func SaveGathered(dir *durable.Dir) func(*sketch.Sketch) error {
	return func(s *sketch.Sketch) error { return writeTall(dir, sketchFile, "y", s.Product) }
}

// LoadSavedSketch loads the mergeable sketch of a directory; only those of a single pass have one.
func LoadSavedSketch(path string) (*SavedSketch, error) {
	manifest, err := ReadManifest(path, KindSketch)
	if err != nil {
		return nil, err
	}
	mergeable, err := objects.Exists(context.Background(), objects.Join(path, sketchFile))
	if err != nil {
		return nil, &InputError{Path: path, Reason: "cannot be read: " + err.Error()}
	}
	if !mergeable {
		return nil, &InputError{Path: path, Reason: fmt.Sprintf("was made with %d passes and cannot be merged: sketch the shards with --passes 1", manifest.Sketch.Passes)}
	}
	v, err := loadVocabulary(path, &manifest)
	if err != nil {
		return nil, err
	}
	marginals, err := readMarginals(path, &manifest)
	if err != nil {
		return nil, err
	}
	var product *matrix.Tall
	if product, err = readTall(objects.Join(path, sketchFile), "y", v.Len(), manifest.Sketch.Columns); err != nil {
		return nil, err
	}
	restored, err := sketch.Restore(manifest.Sketch.Seed, marginals, product, v)
	if err != nil {
		return nil, &InputError{Path: path, Reason: err.Error()}
	}
	return &SavedSketch{Path: path, Manifest: manifest, Vocabulary: v, Sketch: restored}, nil
}
