// This file writes and reads what a model learned by variational inference has besides the tables of all models.

package model

import (
	"fmt"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/shard"
	"anchorage/svi"
)

// The files of such models.
const (
	variationalFile  = "variational.parquet"
	parametersFile   = "topic_parameters.parquet"
	heldOutFile      = "held_out.parquet"
	boundsFile       = "bounds.parquet"
	correlationsFile = "location_correlations.parquet"
)

// writeBayes writes the variational parameters and the course of the fit.
func (s *State) writeBayes(dir *durable.Dir) error {
	if s.bayes == nil {
		return nil
	}
	for _, write := range []func(*durable.Dir) error{
		s.writeVariational, s.writeParameters, s.writeHeldOut, s.writeBounds, s.writeLocationCorrelations,
	} {
		if err := write(dir); err != nil {
			return err
		}
	}
	return nil
}

func (s *State) writeVariational(dir *durable.Dir) error {
	v := s.bayes.state
	k := v.Options.Topics
	return writeTable(dir, variationalFile, tallFields("g", k), func(write func(...any) error) error {
		var values []float64
		return groups(v.Corpus.Items, func(first, last int) error {
			values = values[:0]
			for i := first; i < last; i++ {
				values = append(values, make([]float64, k)...)
				v.Row(values[len(values)-k:], i)
			}
			return write(indices(first, last), values)
		})
	})
}

// parameterFields are those of topic_parameters: h is NaN for lda, which has none, and ℓ is there for cnmf only.
func parameterFields(o svi.Options) []shard.Field {
	fields := []shard.Field{{Name: "topic", Type: shard.Int32}, {Name: "share", Type: shard.Float64}, {Name: "rate", Type: shard.Float64}}
	if o.Model == svi.CNMF {
		fields = append(fields, shard.Field{Name: "location", Type: shard.Float64List, Width: o.Latent})
	}
	return fields
}

func (s *State) writeParameters(dir *durable.Dir) error {
	v := s.bayes.state
	return writeTable(dir, parametersFile, parameterFields(v.Options), func(write func(...any) error) error {
		var rates, locations []float64
		for k := range v.Options.Topics {
			rates, locations = append(rates, v.Rate(k)), append(locations, v.Location(k)...)
		}
		columns := []any{indices(0, v.Options.Topics), s.Topics.Prior, rates}
		if v.Options.Model == svi.CNMF {
			columns = append(columns, locations)
		}
		return write(columns...)
	})
}

func (s *State) writeHeldOut(dir *durable.Dir) error {
	fields := []shard.Field{{Name: "step", Type: shard.Int64}, {Name: "documents", Type: shard.Int64}, {Name: "tokens", Type: shard.Int64},
		{Name: "log_likelihood", Type: shard.Float64}}
	if len(s.bayes.scores) == 0 {
		return nil
	}
	return writeTable(dir, heldOutFile, fields, func(write func(...any) error) error {
		var steps, documents, tokens []int64
		var scores []float64
		for _, h := range s.bayes.scores {
			steps, documents = append(steps, h.Step), append(documents, h.Documents)
			tokens, scores = append(tokens, h.Tokens), append(scores, h.LogLikelihood)
		}
		return write(steps, documents, tokens, scores)
	})
}

func (s *State) writeBounds(dir *durable.Dir) error {
	if len(s.bayes.bounds) == 0 {
		return nil
	}
	fields := []shard.Field{{Name: "iteration", Type: shard.Int32}, {Name: "bound", Type: shard.Float64}}
	return writeTable(dir, boundsFile, fields, func(write func(...any) error) error {
		return write(indices(0, len(s.bayes.bounds)), s.bayes.bounds)
	})
}

func (s *State) writeLocationCorrelations(dir *durable.Dir) error {
	v := s.bayes.state
	if v.Options.Model != svi.CNMF {
		return nil
	}
	fields := []shard.Field{{Name: "topic_a", Type: shard.Int32}, {Name: "topic_b", Type: shard.Int32}, {Name: "correlation", Type: shard.Float64}}
	return writeTable(dir, correlationsFile, fields, func(write func(...any) error) error {
		var a, b []int32
		var values []float64
		for i := range v.Options.Topics {
			for j := range v.Options.Topics {
				a, b, values = append(a, int32(i)), append(b, int32(j)), append(values, v.Correlation(i, j))
			}
		}
		return write(a, b, values)
	})
}

// LoadBayes loads the variational state of a model and its items, to score or infer documents under it.
func LoadBayes(path string, workers int) (*svi.State, *corpus.Vocabulary, Manifest, error) {
	manifest, err := ReadManifest(path, KindModel)
	if err != nil {
		return nil, nil, manifest, err
	}
	record := manifest.Bayes
	if record == nil {
		return nil, nil, manifest, &InputError{Path: path, Reason: "was not made by bayes fit, and has no variational state"}
	}
	if err := record.Check(); err != nil || manifest.Sketch.Topics != record.Topics {
		return nil, nil, manifest, &InputError{Path: objects.Join(path, "manifest.json"), Reason: "cannot be understood: its options cannot be"}
	}
	vocabulary, err := loadVocabulary(path, &manifest)
	if err != nil {
		return nil, nil, manifest, err
	}
	g, err := readTall(objects.Join(path, variationalFile), "g", vocabulary.Len(), record.Topics)
	if err != nil {
		return nil, nil, manifest, err
	}
	var rates, locations []float64
	parameters := objects.Join(path, parametersFile)
	err = readRows(parameters, parameterFields(record.Options), func(columns []any) error {
		rates = append(rates, columns[2].([]float64)...)
		if record.Model == svi.CNMF {
			locations = append(locations, columns[3].([]float64)...)
		}
		return nil
	})
	if err == nil && len(rates) != record.Topics {
		err = &InputError{Path: parameters, Reason: fmt.Sprintf("has %d rows for %d topics", len(rates), record.Topics)}
	}
	if err != nil {
		return nil, nil, manifest, err
	}
	m := &Model{}
	m.Manifest = manifest
	if err := m.readCorrelations(objects.Join(path, "correlations.parquet"), record.Topics); err != nil {
		return nil, nil, manifest, err
	}
	options := record.Options
	options.Workers = workers
	corpus := svi.Totals{Items: vocabulary.Len(), Documents: manifest.Corpus.Documents, Tokens: manifest.Corpus.Tokens, Key: vocabulary.Key}
	state := svi.RestoreState(options, corpus, func(dst []float64, v int) { copy(dst, g.Row(v)) }, rates, locations, m.TopicJoint)
	state.Step, state.Seen = record.Steps, record.Documents
	return state, vocabulary, manifest, nil
}
