// Package topics compares topics of systems, ours with many settings and other programs, on the same documents and
// items: what they cost, how they read and how they predict, within no limits but those of time and
// memory.
package topics

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/bench/internal/systems"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/stream"
)

//go:embed page.md
var page string

// figures are what topics are scored by, where it applies.
var figures = []string{"npmi", "diversity", "npmi_probable", "diversity_probable", "log_likelihood", "impossible",
	"error_b", "cosine", "agreement", "recall_20", "ndcg_100"}

// Part runs systems on corpora.
var Part = &run.Part{
	Name: "topics", Title: "Topics of programs on the same documents",
	About: "Compare topics of ours with those of other settings and other programs",
	Settings: append([]run.Setting{
		{Name: "data", Default: "data", Help: "folder whose folders are the corpora", How: true},
		{Name: "corpus", Default: "drawn", Help: "folders of the data, drawn or drawn-tweets"},
		{Name: "vocabulary", Default: "5000", Help: "numbers of items, those of greatest tf·idf; 0 for all"},
		{Name: "topics", Default: "50", Help: "numbers of topics, K"},
		{Name: "system", Default: "anchorage,anchorage-no-refine,anchorage-published,sklearn-nmf",
			Help: "systems, as the table of README.md lists them", Among: systems.Names()},
		{Name: "repeat", Default: "1", Help: "numbers of repeats, which are seeds"},
		{Name: "min-df", Default: "-1", Help: "fewest documents of an item that is kept; -1 by the kind of the corpus"},
		{Name: "max-df-ratio", Default: "-1.0",
			Help: "largest share of documents of an item that is kept; -1 by the kind of the corpus"},
	}, systems.Settings...),
	Keys:   []string{"corpus", "vocabulary", "topics", "repeat", "system", "flags"},
	Shared: []string{"corpus", "vocabulary", "topics", "flags"}, Prepare: prepare,
	Hopeless: func(j *run.Job, rows []show.Row) string {
		return systems.Hopeless(j, rows, []string{"corpus", "system", "flags"}, []string{"vocabulary", "topics"})
	},
	Measure: func(ctx context.Context, j *run.Job) error {
		m := j.State.(*material)
		j.Row("items", m.Learning.Vocabulary.Len(), "documents", m.count, "entries", m.entries)
		for _, figure := range figures {
			j.Row(figure, "")
		}
		found, err := systems.Try(ctx, j, j.Text("system"), m.Learning.Vocabulary.Len(), j.Int("topics"), j.Seed("repeat"))
		if err != nil {
			return err
		}
		return m.score(ctx, j, found.B, found.Lists)
	},
	Notes: systems.Notes(),
	Page:  page,
}

// drawn is the name of the corpora with a known truth, of documents of 100 tokens, two for each item. Their vocabulary
// is as large as the setting says, and they have as many topics as are looked for.
const drawn = "drawn"

// tweets is the name of others, whose documents are nearly those that tensorly/tlda (commit 3d8ca470fee9) tests online
// tensor LDA with: 15 tokens each, 20 documents for each item, α = 0.01 and shares of items in topics from Dirichlet
// distributions of 0.1. With 100 items and 2 topics there is their number of them too. Frequencies follow Zipf's law.
const tweets = "drawn-tweets"

// seed divides documents and draws corpora.
const seed = 1

// material is a corpus with one vocabulary, as systems get it, and what their topics are scored with.
type material struct {
	*documents.Division
	entries, count int64          // of the documents to learn from
	drawn          *synth.Drawn   // nil for other corpora
	items          []int32        // the drawn item of each item
	labels         *stream.Labels // nil without labels
}

// Close closes the documents to learn from.
func (m *material) Close() error { return m.Learning.Close() }

// prepare reads or draws a corpus, holds every tenth document out, and writes the others for the systems.
func prepare(ctx context.Context, j *run.Job) (err error) {
	m, vocabulary := new(material), j.Int("vocabulary")
	whole, limits, err := m.open(ctx, j)
	if err != nil {
		return err
	}
	limits.Dir, limits.Workers = j.Shared, j.Workers
	m.Division, err = documents.Divide(ctx, whole, limits, seed)
	if err := errors.Join(err, whole.Close()); err != nil {
		return err
	}
	j.State = m
	if n := m.Learning.Vocabulary.Len(); n < vocabulary && m.drawn == nil {
		return &run.Absent{Reason: fmt.Sprintf("there are only %d items", n)}
	}
	if m.drawn != nil {
		if m.items, err = synth.ItemsOf(m.Learning.Vocabulary); err != nil {
			return err
		}
		m.labels = m.homes()
	} else if path := filepath.Join(j.Text("data"), j.Text("corpus"), documents.LabelsFile); exists(path) {
		m.labels, err = stream.ReadLabels(ctx, path, stream.LabelColumns{Item: "item", Label: "label"}, m.Learning.Vocabulary)
		if err != nil {
			return err
		}
	}
	m.count, m.entries, err = systems.Write(ctx, m.Learning, j.Shared)
	return err
}

func exists(path string) bool { _, err := os.Stat(path); return !errors.Is(err, fs.ErrNotExist) }

// open opens all documents of a corpus, and says what is learned from.
func (m *material) open(ctx context.Context, j *run.Job) (*corpus.Corpus, corpus.Options, error) {
	everything := corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 2, Workers: j.Workers, Dir: j.Shared}
	name, vocabulary := j.Text("corpus"), j.Int("vocabulary")
	if name == drawn || name == tweets {
		model := synth.Model{Items: vocabulary, Topics: j.Int("topics"), Documents: 2 * vocabulary, Tokens: 100, Seed: seed,
			Workers: j.Workers}
		if name == tweets {
			model.Documents, model.Tokens, model.Length = 20*vocabulary, 15, synth.Fixed
			model.Concentration, model.Spread = 0.01, 0.1*float64(model.Topics)
		}
		if err := model.Check(); err != nil {
			return nil, everything, err
		}
		m.drawn = model.Plant()
		whole, err := corpus.FromSeq(ctx, documents.Named(ctx, m.drawn.Pass, m.drawn.Vocabulary()), everything)
		return whole, corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 2}, err
	}
	limits := corpus.Options{Pruning: corpus.Pruning{MinDF: max(int64(j.Int("min-df")), 0),
		MaxDFRatio: max(j.Float("max-df-ratio"), 0), MaxItems: vocabulary}}
	whole, err := documents.Open(ctx, filepath.Join(j.Text("data"), name), everything)
	return whole, limits, err
}

// homes labels each item of a drawn corpus with its true topic.
func (m *material) homes() *stream.Labels {
	labels := new(stream.Labels)
	for i, item := range m.items {
		labels.Items, labels.Labels = append(labels.Items, int32(i)), append(labels.Labels,
			int32(m.drawn.Truth.Home(int(item))))
	}
	return labels
}
