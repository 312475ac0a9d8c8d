// This file defines the additional tables of models learned by variational inference.

package model

import (
	"context"

	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/matrix"
)

// The files of such models.
const (
	variationalFile  = "variational.parquet"
	parametersFile   = "topic_parameters.parquet"
	heldOutFile      = "held_out.parquet"
	boundsFile       = "bounds.parquet"
	correlationsFile = "location_correlations.parquet"
)

// tables returns the tables of the variational parameters and of the progress of the fit. shares is p(topic).
func (b *Variational) tables(shares []float64) []table {
	v, k := b.State, b.State.Options.Topics
	p := parameters{shares: shares}
	for topic := range k {
		p.rates, p.locations = append(p.rates, v.Rate(topic)), append(p.locations, v.Location(topic)...)
	}
	tables := []table{
		{file: variationalFile, rows: v.Corpus.Items, columns: []column{
			numbered("index"), rowsColumn("g", v.Corpus.Items, k, v.Row, nil)}},
		p.table(v.Options),
	}
	if len(b.HeldOut) > 0 {
		tables = append(tables, table{file: heldOutFile, rows: len(b.HeldOut), whole: true, columns: []column{
			field("step", &b.HeldOut, func(h *bayes.HeldOut) *int64 { return &h.Step }),
			field("documents", &b.HeldOut, func(h *bayes.HeldOut) *int64 { return &h.Documents }),
			field("tokens", &b.HeldOut, func(h *bayes.HeldOut) *int64 { return &h.Tokens }),
			field("log_likelihood", &b.HeldOut, func(h *bayes.HeldOut) *float64 { return &h.LogLikelihood }),
		}})
	}
	if len(b.Bounds) > 0 {
		tables = append(tables, table{file: boundsFile, rows: len(b.Bounds), whole: true,
			columns: []column{numbered("iteration"), values("bound", &b.Bounds)}})
	}
	if v.Options.Model == bayes.CNMF {
		var correlations []float64
		for i := range k {
			for j := range k {
				correlations = append(correlations, v.Correlation(i, j))
			}
		}
		tables = append(tables, pairsTable(correlationsFile, "correlation", &correlations, k))
	}
	return tables
}

// parameters is the content of topic_parameters.parquet. The rates h are NaN for LDA, which has none. Only correlated
// NMF has locations ℓ.
type parameters struct{ shares, rates, locations []float64 }

func (p *parameters) table(o bayes.Options) table {
	t := table{file: parametersFile, rows: o.Topics, whole: true, columns: []column{
		numbered("topic"), values("share", &p.shares), values("rate", &p.rates)}}
	if o.Model == bayes.CNMF {
		t.columns = append(t.columns, lists("location", o.Latent, &p.locations))
	}
	return t
}

// Variational is the variational state of a model. Documents can be scored and their topics inferred with it.
type Variational struct {
	State   *bayes.State
	HeldOut []bayes.HeldOut // tests on held-out documents during the fit, which a loaded state does not have
	Bounds  []float64       // of the iterations; the same holds
	// Of a state that was loaded.
	Vocabulary *corpus.Vocabulary
	Manifest   Manifest
}

// LoadVariational loads the variational state of a model. workers is the number of goroutines of later inference; 0
// means the number of processors. The error is an *InputError, or a *shard.Error for a table that cannot be read.
func LoadVariational(ctx context.Context, path string, workers int) (*Variational, error) {
	m, err := begin(ctx, path, KindModel)
	if err != nil {
		return nil, err
	}
	record := m.Manifest.Bayes
	if record == nil {
		return nil, m.wrong("", NotBayesian, "was not learned by variational inference, and has no variational state")
	}
	if err := record.Options.Check(); err != nil || m.Manifest.Sketch.Topics != record.Topics {
		return nil, m.wrong(ManifestFile, "", "cannot be read: its options contradict each other")
	}
	if err := m.readVocabulary(ctx); err != nil {
		return nil, err
	}
	n, k := m.Vocabulary.Len(), record.Topics
	g := matrix.NewTall(n, k)
	var p parameters
	var joint []float64
	if err := m.from.read(ctx, matrixTable(variationalFile, "g", g), p.table(record.Options),
		pairsTable(jointFile, "probability", &joint, k)); err != nil {
		return nil, err
	}
	options := record.Options
	options.Workers = workers
	totals := bayes.Totals{Items: n, Documents: m.Manifest.Corpus.Documents, Tokens: m.Manifest.Corpus.Tokens,
		Key: m.Vocabulary.Key}
	state := bayes.RestoreState(options, totals, func(dst []float64, v int) { copy(dst, g.Row(v)) }, p.rates,
		p.locations, joint)
	state.Step, state.Seen = record.Steps, record.Documents
	return &Variational{State: state, Vocabulary: m.Vocabulary, Manifest: m.Manifest}, nil
}
