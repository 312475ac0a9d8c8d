// This file defines the tables of all directories. docs/format/model.md documents them.

package model

import (
	"errors"
	"io"
	"slices"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// The files of the directories.
const (
	manifestFile     = "manifest.json"
	runFile          = "run.json"
	vocabularyFile   = "vocabulary.parquet"
	marginalsFile    = "marginals.parquet"
	spectrumFile     = "spectrum.parquet"
	eigenvectorsFile = "eigenvectors.parquet"
	sketchFile       = "sketch.parquet"
	factorFile       = "factor.parquet"
	evidenceFile     = "evidence.parquet"
	halvesFile       = "halves.parquet"
)

func vocabularyTable(v *corpus.Vocabulary) table {
	return table{file: vocabularyFile, by: func(w io.Writer) error { return stream.WriteVocabulary(w, v) }}
}

// marginalsTable has the marginals of n items as sums over the documents, so that sketches can be merged. row_sum divided by the
// number of documents is p.
func marginalsTable(m *sketch.Marginals, n int, weighted bool) table {
	return table{file: marginalsFile, rows: n, columns: []column{
		numbered("index"), values("df", &m.DocumentFrequency), values("tf", &m.TermFrequency),
		values("row_sum", &m.RowSums), values("diagonal", &m.Diagonal), orOnes("weight", &m.Weights, weighted),
	}}
}

func spectrumTable(eigenvalues, residuals *[]float64, k int) table {
	return table{file: spectrumFile, rows: k, whole: true, columns: []column{
		numbered("rank"), values("eigenvalue", eigenvalues), values("residual", residuals),
	}}
}

// evidenceTables are the evidence of n items, and the rows of halved of them by halves of the documents. For reading, halved is -1.
func evidenceTables(e *sketch.Evidence, n, halved, k int) []table {
	h := &e.Halves
	increasing := items("index", &h.Items, n)
	take := increasing.read
	increasing.read = func(values any) error {
		if err := take(values); err != nil {
			return err
		}
		if !slices.IsSorted(h.Items) || len(slices.Compact(slices.Clone(h.Items))) < len(h.Items) {
			return errors.New("has items out of order")
		}
		return nil
	}
	return []table{
		{file: evidenceFile, rows: n, columns: []column{
			numbered("index"), values("noise", &e.SamplingVariance), values("support", &e.EffectiveSampleSize),
		}},
		{file: halvesFile, rows: halved, columns: []column{
			numbered("row"), increasing,
			values("first_sum", &h.Sums[0]), values("second_sum", &h.Sums[1]),
			lists("first", k, &h.Rows[0]), lists("second", k, &h.Rows[1]),
		}},
	}
}

// stageTables are the common tables of sketch and factor directories.
func stageTables(v *corpus.Vocabulary, m *sketch.Marginals, e *sketch.Evidence, eigenvalues, residuals []float64) []table {
	tables := []table{vocabularyTable(v), marginalsTable(m, len(m.RowSums), true), spectrumTable(&eigenvalues, &residuals, len(eigenvalues))}
	if e != nil {
		tables = append(tables, evidenceTables(e, len(e.SamplingVariance), len(e.Halves.Items), len(eigenvalues))...)
	}
	return tables
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

// listing is the content of topics.parquet: one row per topic, kind and rank.
type listing struct {
	topics, ranks []int32
	kinds         []string
	items         []int
	probabilities []float64
}

func (l *listing) add(topic int, kind string, list []anchor.Scored) {
	for rank, scored := range list {
		l.topics, l.kinds, l.ranks = append(l.topics, int32(topic)), append(l.kinds, kind), append(l.ranks, int32(rank))
		l.items, l.probabilities = append(l.items, scored.Item), append(l.probabilities, scored.Probability)
	}
}

// table has as many rows as the listing. For reading, rows is -1.
func (l *listing) table(v *corpus.Vocabulary, rows int) table {
	return table{file: "topics.parquet", rows: rows, whole: true, columns: []column{
		values("topic", &l.topics), texts("kind", &l.kinds), values("rank", &l.ranks),
		ids(v, func(row int) int { return l.items[row] }, func(item int) { l.items = append(l.items, item) }),
		values("probability", &l.probabilities),
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

// pairsTable has one row per pair of topics.
func pairsTable(file, name string, of *[]float64, k int) table {
	var firsts, seconds []int32
	for i := range k {
		for j := range k {
			firsts, seconds = append(firsts, int32(i)), append(seconds, int32(j))
		}
	}
	return table{file: file, rows: k * k, whole: true, columns: []column{
		expected("topic_a", firsts), expected("topic_b", seconds), values(name, of),
	}}
}
