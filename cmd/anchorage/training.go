// This file transforms the documents that a model was learned from, in the same run.

package main

import (
	"context"
	"errors"

	"anchorage/bayes/infer"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/transform"
)

// trainingFlags say whether the training documents are transformed.
type trainingFlags struct {
	documents  bool
	timeColumn string
}

// rows are the flags.
func (f *trainingFlags) rows() []row {
	return []row{
		{name: "documents", group: outputGroup, layer: advanced, to: &f.documents, values: boolean, help: "also write the topics of all documents into the model, as transform does"},
		timeRow(&f.timeColumn),
	}
}

// check checks the flags.
func (f *trainingFlags) check() error {
	if f.timeColumn != "" && !f.documents {
		return &usageError{errors.New("--time-column is for --documents: give both, or neither")}
	}
	return nil
}

// transform writes the topics of the documents of the shards that source has found, if the flags ask for it.
func (f *trainingFlags) transform(ctx context.Context, p *program, run *fit.Run, fitted *fit.Fitted, source *sourceFlags, out *model.Output) error {
	if !f.documents {
		return nil
	}
	defer run.Stage("documents")()
	m := fitted.Overview()
	t, err := m.Transformer(infer.Options{})
	if err != nil {
		return err
	}
	record, err := transform.Documents(ctx, t, source.found, out, "documents", p.transformOptions(f.timeColumn))
	if err != nil {
		return err
	}
	record.Names = transform.Names(m)
	fitted.Manifest.Documents = &record
	p.log.Info("documents transformed", "documents", record.Documents, "known_tokens", record.Known, "unknown_tokens", record.Unknown,
		"log_likelihood", record.LogLikelihood)
	return nil
}
