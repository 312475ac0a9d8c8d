// This file adds to a model what it has beside its topics: diagnostics, example documents, pairs of items, the topics
// of its documents, and a report.

package fit

import (
	"context"
	"io"
	"slices"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/diagnose"
	"anchorage/model/fold"
	"anchorage/model/items"
	"anchorage/model/report"
	"anchorage/model/transform"
	"anchorage/shard"
	"anchorage/stream"
)

// Extras say what a model gets beside its topics. The zero value is nothing.
type Extras struct {
	// Output is the directory that the model will be saved into, which Levels and Documents need.
	Output *model.Output
	// Shards are where the documents come from. Documents reads them again, and so does naming examples.
	Shards []shard.Shard
	// Diagnose computes figures about each topic in one more pass; see package diagnose. Where the documents are read only
	// once, or where Run.MemoryLimit leaves no room, those that need documents stay unknown.
	Diagnose bool
	Examples Examples // what diagnostics show of example documents
	// Report lets SaveTo write report.html.
	Report bool
	// Pairs says how pairs of items are counted, in one more pass; with 0 Neighbours they are not.
	Pairs items.Options
	// Documents writes the topics of all documents of Shards into Output, with their times if TimeColumn names a column of
	// Shards.
	Documents  bool
	TimeColumn string
	// NoFoldIn leaves the items that pruning left out without topics. Otherwise one more pass gives them some, if there is
	// an Output and the corpus has them; see package fold.
	NoFoldIn bool
	// NoCertificate leaves out the certificate. Otherwise topics that are refined take four more passes, by which their
	// errors are predicted.
	NoCertificate bool
}

// Examples says how much of its example documents a model shows.
type Examples string

// What a model can show of example documents. The default is their ids; without Shards it is where they are only.
const (
	ExampleTexts Examples = "texts" // ids, and how the documents begin
	NoExamples   Examples = "none"
)

// Add gives a model what extras ask for. Fit and Bayes do so for those in their options. docs are the documents that
// the topics were learned from; with nil, what needs them stays unknown.
func (f *Fitted) Add(ctx context.Context, docs *corpus.Corpus, e Extras) error {
	if e.Diagnose {
		if err := f.diagnose(ctx, docs, &e); err != nil {
			return err
		}
	}
	return f.addRest(ctx, docs, &e)
}

// diagnose sets Diagnostics, in one pass over the documents. With docs nil, what needs documents stays unknown.
func (f *Fitted) diagnose(ctx context.Context, docs *corpus.Corpus, e *Extras) error {
	defer f.run.Stage("diagnostics")()
	var from *diagnose.Documents
	if docs != nil {
		from = &diagnose.Documents{Pass: f.run.watched(docs, "diagnostics"), Inputs: docs.Inputs}
	}
	d, record, err := diagnose.Topics(ctx, f.Overview(), from, f.run.Workers)
	if err != nil {
		return err
	}
	f.Diagnostics, f.Manifest.Diagnostics = d, record
	f.run.found("documents", record.Documents, "sampled", record.Sampled)
	record.Texts = e.Examples == ExampleTexts
	if e.Examples == NoExamples {
		d.Examples = make([][]model.ExampleDocument, len(d.Examples))
	}
	readOnce := func(s shard.Shard) bool { return s.Path == "-" } // standard input
	if slices.ContainsFunc(e.Shards, readOnce) {
		return nil
	}
	var wanted []*model.ExampleDocument
	var places []stream.Place
	for k := range d.Examples {
		for at := range d.Examples[k] {
			one := &d.Examples[k][at]
			if in := slices.IndexFunc(e.Shards, func(s shard.Shard) bool { return s.Path == one.Shard }); in >= 0 {
				wanted, places = append(wanted, one), append(places, stream.Place{Shard: in, Row: one.Row})
			}
		}
	}
	shaped := func(id []byte) bool { _, known := f.Vocabulary.Lookup(id); return known } // unlike "the" and "of"
	found, err := stream.Beginnings(ctx, e.Shards, places, e.Examples == ExampleTexts, shaped)
	for i, one := range found {
		wanted[i].ID, wanted[i].Text = one.ID, one.Text
	}
	return err
}

// addRest adds what comes after the diagnostics.
func (f *Fitted) addRest(ctx context.Context, docs *corpus.Corpus, e *Extras) (err error) {
	if e.Pairs.Neighbours > 0 {
		if f.Recommendation, err = Learn(ctx, f.Model, docs, RecommendOptions{Count: e.Pairs, Run: f.run}); err != nil {
			return err
		}
	}
	if err := f.foldIn(ctx, docs, e); err != nil {
		return err
	}
	f.reported = e.Report
	if !e.Documents {
		return nil
	}
	if e.Output == nil {
		return badOption("Output", "the topics of documents need an output")
	}
	defer f.run.Stage("documents")()
	m := f.Overview()
	t, err := transform.New(m, infer.Options{})
	if err != nil {
		return err
	}
	record, err := transform.Documents(ctx, t, e.Shards, e.Output, "documents",
		transform.Options{TimeColumn: e.TimeColumn, Workers: f.run.Workers, Progress: f.run.Progress})
	if err != nil {
		return err
	}
	if f.Manifest.Fold != nil { // the items of training documents are known, or left out
		record.Folded, record.Unknown = record.Unknown, 0
	}
	record.Names = transform.Names(m)
	f.Manifest.Documents = &record
	f.run.log().Info("documents transformed", "documents", record.Documents, "known_tokens", record.Known,
		"folded_tokens", record.Folded, "unknown_tokens", record.Unknown, "log_likelihood", record.LogLikelihood)
	return nil
}

// foldIn gives the items that were left out a place.
func (f *Fitted) foldIn(ctx context.Context, docs *corpus.Corpus, e *Extras) (err error) {
	if e.Output == nil || docs == nil || docs.LeftItems() == 0 {
		return nil
	}
	defer f.run.Stage("fold")()
	var rows *fold.Rows
	if !e.NoFoldIn {
		if err := f.describe(ctx); err != nil {
			return err
		}
		t, whole := f.Topics, f.thinning(ctx)
		rows = &fold.Rows{Table: t.Mixtures, Of: func(dst []float64, i int) {
			for k := range dst {
				dst[k] = dst[k] * t.RowSums[i] / t.Masses[k]
			}
			whole.Row(dst, i)
		}}
	}
	f.Manifest.Fold, err = fold.Items(ctx, f.Model, rows, docs, docs.PassWithLeft, e.Output, f.run.Workers)
	f.run.found("items", docs.LeftItems())
	return err
}

// report writes the report into the directory of the model.
func (f *Fitted) report(out *model.Output) error {
	defer f.run.Stage("report")()
	return out.WriteFile(report.File, func(w io.Writer) error {
		return report.Write(out.Context(), w, f.Model, report.Options{Workers: f.run.Workers})
	})
}
