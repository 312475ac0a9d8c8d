// This file defines Model, a fitted model as a directory stores it: its fields, how a fit fills them, and the tables that hold them.

package model

import (
	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/shard"
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
		TopicJoint: t.TopicJoint, Prominent: f.Prominent(), Characteristic: f.characteristic, itemRow: t.BRow}
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

// itemsTable has a row per item: its frequencies in the documents that count, its probability, and its mixture of topics.
func (m *Model) itemsTable() table {
	n, k := m.Vocabulary.Len(), m.Mixtures.Cols()
	mixture := func(dst []float64, i int) { copy(dst, m.Mixtures.Row(i)) }
	top := column{Field: shard.Field{Name: "top_topic", Type: shard.Int32}, write: func(first, last int) any {
		best := make([]int32, last-first)
		for i := range best {
			row := m.Mixtures.Row(first + i)
			for k, v := range row {
				if v > row[best[i]] {
					best[i] = int32(k)
				}
			}
		}
		return best
	}}
	return table{file: "items.parquet", rows: n, columns: []column{
		ids(m.Vocabulary, func(row int) int { return row }, nil), numbered("index"),
		values("df", &m.DocumentFrequency), values("tf", &m.TermFrequency), values("probability", &m.Probability),
		orOnes("weight", &m.Weights, m.Manifest.Sketch.ItemWeights != WeightsNone), orOnes("reliability", &m.Reliability, true),
		top, singleColumn("mixture", m.Mixtures, k, mixture),
	}}
}

// topicItemsTable has B, a row per item.
func (m *Model) topicItemsTable() table {
	return table{file: "topic_items.parquet", rows: m.Vocabulary.Len(), columns: []column{
		numbered("index"), singleColumn("loadings", m.Items, m.Mixtures.Cols(), m.itemRow),
	}}
}

// anchorsTable has one row per topic.
func (m *Model) anchorsTable() table {
	df := column{Field: shard.Field{Name: "df", Type: shard.Int64}, write: func(first, last int) any {
		var of []int64
		for _, i := range m.Anchors[first:last] {
			of = append(of, m.DocumentFrequency[i])
		}
		return of
	}}
	return table{file: "anchors.parquet", rows: m.Mixtures.Cols(), whole: true, columns: []column{
		numbered("topic"), ids(m.Vocabulary, func(row int) int { return m.Anchors[row] }, nil), items("index", &m.Anchors, m.Vocabulary.Len()),
		values("pivot", &m.Pivots), df, values("support", &m.AnchorSampleSizes), values("margin", &m.Margins), values("stable", &m.InHalves),
	}}
}
