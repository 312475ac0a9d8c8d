// This file saves and loads the results of the first two stages.

package model

import (
	"context"
	"errors"

	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/sketch"
)

// Save writes the sketch as a directory at path; see Fitted.Save. A dense C cannot be saved.
func (s *Sketched) Save(ctx context.Context, path string) error {
	return save(ctx, path, orNew(s.run), s.SaveTo)
}

// SaveTo writes the sketch into a directory that Create began, and completes it.
func (s *Sketched) SaveTo(out *Output) error {
	if s.Eigen.Vectors == nil {
		return errors.New("model: the sketch has no eigenvectors to save")
	}
	tables := append(stageTables(s.Vocabulary, &s.Marginals, s.Evidence, s.Eigen.Values, s.Eigen.Residuals),
		tallTable(eigenvectorsFile, "v", s.Eigen.Vectors))
	tables = append(tables, leadingTables(s.Eigen.Leading)...)
	return out.saveTables(tables, &s.Manifest, orNew(s.run))
}

// Save writes the factor as a directory at path; see Fitted.Save. A dense C cannot be saved.
func (r *Rectified) Save(ctx context.Context, path string) error {
	return save(ctx, path, orNew(r.run), r.SaveTo)
}

// SaveTo writes the factor into a directory that Create began, and completes it. A factor that no run made can be saved too.
func (r *Rectified) SaveTo(out *Output) error {
	if r.Factor == nil {
		return errors.New("model: there is no factor to save")
	}
	tables := append(stageTables(r.Vocabulary, &r.Marginals, r.Evidence, r.Values, r.Residuals), tallTable(factorFile, "y", r.Factor))
	tables = append(tables, leadingTables(r.Leading)...)
	tables = append(tables, courseTables(r.course)...)
	return out.saveTables(tables, &r.Manifest, orNew(r.run))
}

// LoadSketched loads a saved sketch. run is the Run of the stages to come; it may be nil.
func LoadSketched(ctx context.Context, path string, run *Run) (*Sketched, error) {
	run = orNew(run)
	defer run.Stage("load")()
	c, err := loadStage(ctx, path, KindSketch)
	if err != nil {
		return nil, err
	}
	vectors := matrix.NewTall(c.vocabulary.Len(), len(c.values))
	if err := tallTable(eigenvectorsFile, "v", vectors).read(ctx, c.manifest.in(ctx, path)); err != nil {
		return nil, err
	}
	leading, err := readLeading(ctx, path, &c.manifest)
	if err != nil {
		return nil, err
	}
	run.found("items", c.vocabulary.Len(), "topics", len(c.values))
	return &Sketched{Manifest: c.manifest, Vocabulary: c.vocabulary, Marginals: c.marginals, Evidence: c.evidence,
		Eigen: sketch.Eigen{Values: c.values, Vectors: vectors, Leading: leading, Residuals: c.residuals,
			Passes: c.manifest.Sketch.Passes, Estimated: c.manifest.Sketch.ResidualEstimated}, run: run, path: path}, nil
}

// LoadRectified loads a saved factor. run is the Run of the stage to come; it may be nil.
func LoadRectified(ctx context.Context, path string, run *Run) (*Rectified, error) {
	run = orNew(run)
	defer run.Stage("load")()
	c, err := loadStage(ctx, path, KindFactor)
	if err != nil {
		return nil, err
	}
	factor := matrix.NewTall(c.vocabulary.Len(), len(c.values))
	if err := tallTable(factorFile, "y", factor).read(ctx, c.manifest.in(ctx, path)); err != nil {
		return nil, err
	}
	leading, err := readLeading(ctx, path, &c.manifest)
	if err != nil {
		return nil, err
	}
	var course courseRows
	if c.manifest.in(ctx, path).has(courseFile) {
		if err := course.table(-1).read(ctx, c.manifest.in(ctx, path)); err != nil {
			return nil, err
		}
	}
	run.found("items", c.vocabulary.Len(), "topics", len(c.values))
	return &Rectified{Manifest: c.manifest, Vocabulary: c.vocabulary, Marginals: c.marginals, Evidence: c.evidence,
		Values: c.values, Residuals: c.residuals, Factor: factor, Leading: leading, run: run, course: course.course()}, nil
}

func orNew(run *Run) *Run {
	if run == nil {
		return new(Run)
	}
	return run
}

// stageContent is the common content of sketch and factor directories.
type stageContent struct {
	manifest          Manifest
	vocabulary        *corpus.Vocabulary
	marginals         sketch.Marginals
	evidence          *sketch.Evidence
	values, residuals []float64
}

func loadStage(ctx context.Context, path, kind string) (*stageContent, error) {
	manifest, err := ReadManifest(ctx, path, kind)
	if err != nil {
		return nil, err
	}
	c := &stageContent{manifest: manifest}
	if c.vocabulary, err = loadVocabulary(ctx, path, &manifest); err != nil {
		return nil, err
	}
	n, k := c.vocabulary.Len(), manifest.Sketch.Topics
	if c.marginals, err = loadMarginals(ctx, path, &manifest, n); err != nil {
		return nil, err
	}
	tables := []table{spectrumTable(&c.values, &c.residuals, k)}
	from := manifest.in(ctx, path)
	if from.has(evidenceFile) {
		c.evidence = new(sketch.Evidence)
		tables = append(tables, evidenceTables(c.evidence, n, -1, k)...)
	}
	for _, t := range tables {
		if err := t.read(ctx, from); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func loadMarginals(ctx context.Context, path string, manifest *Manifest, n int) (sketch.Marginals, error) {
	m := sketch.Marginals{Documents: manifest.Corpus.Documents, Surplus: manifest.Sketch.DocumentSurplus}
	err := marginalsTable(&m, n, manifest.Sketch.ItemWeights != WeightsNone).read(ctx, manifest.in(ctx, path))
	return m, err
}
