// This file defines Model, a fitted model as a directory stores it, and reads and writes it.

package model

import (
	"context"
	"fmt"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/matrix"
	"anchorage/stream"
)

// TopItems is the number of prominent and of characteristic items that a model lists per topic.
const TopItems = 20

// Model is a fitted model as a directory stores it. On disk, N×K matrices have single precision. Topic k is at index k everywhere.
// Several goroutines may read a Model.
type Model struct {
	Manifest          Manifest
	Vocabulary        *corpus.Vocabulary // N items
	DocumentFrequency []int64            // of each item, among the documents that count
	TermFrequency     []int64
	Probability       []float64         // p(item), sums to 1
	Weights           []float64         // ω of every item; nil if all are 1
	Reliability       []float64         // ρ of every item, from 0 to 1: the share of its mixture that comes from its own row
	Mixtures          *matrix.Tall      // N×K: row i is p(topic | item i) and sums to 1
	Items             *matrix.Tall      // B, N×K: column k is p(item | topic k) and sums to 1
	Anchors           []int             // the anchor item of each topic; nil if there are none
	Pivots, Margins   []float64         // of each anchor; see anchor.Topics
	AnchorSampleSizes []float64         // of each anchor: the number of documents that its row rests on
	InHalves          []int32           // of each anchor: in how many halves of the documents its topic is found; -1 means unknown
	TopicJoint        []float64         // A, K×K row-major: the joint probabilities of topics
	Prominent         [][]anchor.Scored // most relevant items of each topic, in order of relevance, with p(item | topic)
	Characteristic    [][]anchor.Scored // items of each topic that co-occur most with its anchor; nil if there are no anchors

	itemRow func(dst []float64, i int) // sets dst to row i of B
}

// Topics returns K.
func (m *Model) Topics() int { return m.Mixtures.Cols() }

// Names returns the ids of items.
func (m *Model) Names(list []anchor.Scored) []string {
	names := make([]string, len(list))
	for i, scored := range list {
		names[i] = m.Vocabulary.ID(scored.Item)
	}
	return names
}

// Load loads a model from a directory, or from the URL of an object store. The error is an *InputError, or a *shard.Error for a table
// that cannot be read.
func Load(ctx context.Context, path string) (*Model, error) {
	manifest, err := ReadManifest(ctx, path, KindModel)
	if err != nil {
		return nil, err
	}
	m := &Model{Manifest: manifest}
	if m.Vocabulary, err = loadVocabulary(ctx, path, &manifest); err != nil {
		return nil, err
	}
	n, k := m.Vocabulary.Len(), manifest.Sketch.Topics
	m.Mixtures, m.Items = matrix.NewTall(n, k), matrix.NewTall(n, k)
	m.itemRow = func(dst []float64, i int) { copy(dst, m.Items.Row(i)) }
	var lists listing
	tables := []table{m.itemsTable(), m.topicItemsTable(), pairsTable("correlations.parquet", "probability", &m.TopicJoint, k),
		lists.table(m.Vocabulary, -1)}
	if manifest.Bayes == nil {
		tables = append(tables, m.anchorsTable())
	}
	for _, t := range tables {
		if err := t.read(ctx, path); err != nil {
			return nil, err
		}
	}
	return m, m.takeLists(path, &lists)
}

// takeLists sets the prominent and characteristic items.
func (m *Model) takeLists(path string, l *listing) error {
	m.Prominent = make([][]anchor.Scored, m.Topics())
	if m.Anchors != nil {
		m.Characteristic = make([][]anchor.Scored, m.Topics())
	}
	kinds := map[string][][]anchor.Scored{"prominent": m.Prominent, "characteristic": m.Characteristic}
	for row, topic := range l.topics {
		lists, known := kinds[l.kinds[row]]
		if !known || topic < 0 || int(topic) >= len(lists) {
			return &InputError{Path: objects.Join(path, "topics.parquet"), Reason: fmt.Sprintf("has a %s item of topic %d, which the model does not have", l.kinds[row], topic)}
		}
		lists[topic] = append(lists[topic], anchor.Scored{Item: l.items[row], Probability: l.probabilities[row]})
	}
	return nil
}

// loadVocabulary reads a directory's vocabulary and checks that it is the one of the manifest.
func loadVocabulary(ctx context.Context, path string, manifest *Manifest) (*corpus.Vocabulary, error) {
	v, err := stream.ReadVocabulary(ctx, objects.Join(path, vocabularyFile))
	if err != nil {
		return nil, err
	}
	if v.Fingerprint() != manifest.Corpus.VocabularySHA256 {
		return nil, &InputError{Path: path, Reason: "has a vocabulary that is not the one of its manifest"}
	}
	return v, nil
}

// Model returns the model that Load would read, but in double precision. B is computed anew and takes as much memory as the mixtures;
// everything else is shared with f.
func (f *Fitted) Model() *Model {
	m := f.model()
	m.Items = matrix.Like(f.Topics.Mixtures)
	for i := range m.Items.Rows() {
		f.Topics.BRow(m.Items.Row(i), i)
	}
	return m
}

// model is Model without B; itemRow computes its rows on demand.
func (f *Fitted) model() *Model {
	t := f.Topics
	m := &Model{Manifest: f.Manifest, Vocabulary: f.Vocabulary, DocumentFrequency: f.Marginals.DocumentFrequency,
		TermFrequency: f.Marginals.TermFrequency, Probability: f.Marginals.Probabilities(), Weights: f.Marginals.Weights,
		Reliability: t.Reliability, Mixtures: t.Mixtures, Anchors: t.Anchors, Pivots: t.Pivots, Margins: t.Margins,
		TopicJoint: t.TopicJoint, Prominent: f.Prominent(), itemRow: t.BRow}
	if t.Anchors != nil {
		m.Characteristic = t.Characteristic(TopItems)
	}
	sizes := f.effectiveSampleSizes()
	for k, i := range t.Anchors {
		m.AnchorSampleSizes = append(m.AnchorSampleSizes, sizes[i])
		halves := int32(-1) // unknown
		if t.InHalves != nil {
			halves = int32(t.InHalves[k])
		}
		m.InHalves = append(m.InHalves, halves)
	}
	return m
}

// Save writes the model as a directory at path, which may be a URL of an object store. The directory appears complete or not at all.
// The error wraps ErrExists if path exists.
func (f *Fitted) Save(ctx context.Context, path string) error {
	return save(ctx, path, f.run, f.SaveTo)
}

// SaveTo writes the model into a directory that Create began, and completes it.
func (f *Fitted) SaveTo(out *Output) error {
	m := f.model()
	k := m.Topics()
	var lists listing
	for topic := range k {
		lists.add(topic, "prominent", m.Prominent[topic])
		if m.Characteristic != nil {
			lists.add(topic, "characteristic", m.Characteristic[topic])
		}
	}
	tables := []table{vocabularyTable(f.Vocabulary), m.itemsTable(), lists.table(m.Vocabulary, len(lists.topics)), m.topicItemsTable(),
		pairsTable("correlations.parquet", "probability", &m.TopicJoint, k)}
	if len(f.Values) > 0 {
		tables = append(tables, spectrumTable(&f.Values, &f.Residuals, len(f.Values)))
	}
	if f.Factor != nil {
		tables = append(tables, tallTable(factorFile, "y", f.Factor))
	}
	if m.Anchors != nil {
		tables = append(tables, m.anchorsTable())
	}
	if f.bayes != nil {
		tables = append(tables, f.bayes.tables(f.Topics.Prior)...)
	}
	return out.saveTables(tables, f.Manifest, f.run)
}
