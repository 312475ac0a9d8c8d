// This file defines the tables of all directories. docs/format/model.md and drift.md document them.

package model

import (
	"context"
	"io"

	"anchorage/corpus"
	"anchorage/model/drift"
	"anchorage/shard/tablefile"
	"anchorage/sketch"
	"anchorage/stream"
)

// ManifestFile is the name of the manifest of a directory.
const ManifestFile = "manifest.json"

// The files of the directories.
const (
	runFile          = "run.json"
	itemsFile        = "items.parquet"
	topicsFile       = "topics.parquet"
	topicItemsFile   = "topic_items.parquet"
	jointFile        = "correlations.parquet"
	anchorsFile      = "anchors.parquet"
	diagnosticsFile  = "diagnostics.parquet"
	examplesFile     = "examples.parquet"
	courseFile       = "course.parquet"
	mapFile          = "map.parquet"
	driftFile        = "drift.parquet"
	vocabularyFile   = "vocabulary.parquet"
	marginalsFile    = "marginals.parquet"
	spectrumFile     = "spectrum.parquet"
	eigenvectorsFile = "eigenvectors.parquet"
	sketchFile       = "sketch.parquet"
	basisFile        = "basis.parquet"
	sumsFile         = "sums.parquet"
	totalsFile       = "totals.parquet"
	refinementFile   = "refinement.parquet"
	factorFile       = "factor.parquet"
	leadingFile      = "leading.parquet"
	evidenceFile     = "evidence.parquet"
	scatterFile      = "scatter.parquet"
	namesFile        = "names.parquet"
	levelsFile       = "levels.parquet"
	placesFile       = "places.parquet" // package itemmap writes it; the manifest does not list it
)

func vocabularyTable(v *corpus.Vocabulary) table {
	return table{file: vocabularyFile, rows: v.Len(), items: true, step: stream.VocabularyRows, columns: []column{
		ids(v, func(row int) int { return row }, nil), numbered("index"), values("df", &v.DocumentFrequency), values("tf",
			&v.TermFrequency)}}
}

// namesTable has the names that items have beside their ids.
func namesTable(v *corpus.Vocabulary) table {
	return table{file: namesFile, rows: v.Len(), items: true, columns: []column{numbered("index"),
		values("name", &v.Names)}}
}

// marginalsTable has the marginals of n items as sums over the documents, so that sketches can be merged. row_sum
// divided by the total weight of the documents is p.
func (m *Model) marginalsTable(n int) table {
	weighted := m.Manifest.Sketch.ItemWeights != unweighted
	return table{file: marginalsFile, rows: n, items: true, columns: []column{
		numbered("index"), values("df", &m.DocumentFrequency), values("tf", &m.TermFrequency),
		values("row_sum", &m.RowSums), values("diagonal", &m.Diagonal), orOnes("weight", &m.Weights, weighted),
	}}
}

func (m *Model) spectrumTable() table {
	return table{file: spectrumFile, rows: m.Manifest.Rank(), whole: true, columns: []column{
		numbered("rank"), values("eigenvalue", &m.Eigen.Values), values("residual", &m.Eigen.Residuals),
	}}
}

// evidenceTable is how far the row of each of n items can be trusted.
func evidenceTable(e *sketch.Evidence, n int) table {
	return table{file: evidenceFile, rows: n, items: true, columns: []column{
		numbered("index"), values("noise", &e.SamplingVariance), values("support", &e.EffectiveSampleSize),
	}}
}

// streamedTables are the sketch of a single pass.
func streamedTables(s *sketch.Streamed) []table {
	n := s.Product.Rows()
	return []table{scatterTable(s, n), {file: sketchFile, rows: n, columns: []column{numbered("index"),
		matrixColumn("y", s.Product)}}}
}

// scatterTable is the part of the sketch of n items that has a few numbers for each.
func scatterTable(s *sketch.Streamed, n int) table {
	return table{file: scatterFile, rows: n, columns: []column{numbered("index"),
		values("squares", &s.Scatter.Squares), values("lengths", &s.Scatter.Lengths), orOnes("scale", &s.Scale, true)}}
}

// pairsTable has one row per pair of topics.
func pairsTable(file, name string, of *[]float64, k int) table {
	first, second := func(row int) int { return row / k }, func(row int) int { return row % k }
	return table{file: file, rows: k * k, whole: true, columns: []column{
		expected("topic_a", k*k, first), expected("topic_b", k*k, second), values(name, of),
	}}
}

// WriteDrift writes a drift as Parquet, a row per topic; see docs/format/drift.md. Equal drifts give equal bytes.
func WriteDrift(ctx context.Context, w io.Writer, d *drift.Drift) error {
	t := driftTable(d)
	return t.encode(ctx, w, t.values, nil)
}

// driftTable has a row per topic. The items that rose and fell are not read.
func driftTable(d *drift.Drift) table {
	whole := func(name string, of func(*drift.Topic) *int) column { return field(name, &d.Topics, of) }
	number := func(name string, of func(*drift.Topic) *float64) column { return field(name, &d.Topics, of) }
	columns := []column{
		field("kind", &d.Topics, func(t *drift.Topic) *string { return (*string)(&t.Kind) }),
		whole("then", func(t *drift.Topic) *int { return &t.Then }),
		whole("now", func(t *drift.Topic) *int { return &t.Now }),
		whole("then_id", func(t *drift.Topic) *int { return &t.ThenID }),
		whole("now_id", func(t *drift.Topic) *int { return &t.NowID }),
		whole("whole_id", func(t *drift.Topic) *int { return &t.Whole }),
		number("distance", func(t *drift.Topic) *float64 { return &t.Distance }),
		number("union_distance", func(t *drift.Topic) *float64 { return &t.UnionDistance }),
		number("share_then", func(t *drift.Topic) *float64 { return &t.ShareThen }),
		number("share_now", func(t *drift.Topic) *float64 { return &t.ShareNow }),
		number("outside_then", func(t *drift.Topic) *float64 { return &t.OutsideThen }),
		number("outside_now", func(t *drift.Topic) *float64 { return &t.OutsideNow }),
	}
	columns = append(columns, driftItems(d, "risen", func(t *drift.Topic) []drift.Item { return t.Risen })...)
	columns = append(columns, driftItems(d, "fallen", func(t *drift.Topic) []drift.Item { return t.Fallen })...)
	return table{file: driftFile, rows: len(d.Topics), whole: true, columns: columns,
		taken: func() error { d.Summary.Count(d.Topics); return nil }}
}

// driftItems are the columns of a list of items: their ids, and their probabilities then and now. Shorter lists end in
// empty ids and zeros.
func driftItems(d *drift.Drift, name string, of func(*drift.Topic) []drift.Item) []column {
	return []column{
		itemLists(d, name, tablefile.StringList, of, func(item drift.Item) string { return item.Item }),
		itemLists(d, name+"_then", tablefile.Float64List, of, func(item drift.Item) float64 { return item.Then }),
		itemLists(d, name+"_now", tablefile.Float64List, of, func(item drift.Item) float64 { return item.Now }),
	}
}

// itemLists is a column of lists of as many values as drift.Items.
func itemLists[T any](d *drift.Drift, name string, kind tablefile.Type, of func(*drift.Topic) []drift.Item,
	value func(drift.Item) T) column {
	return column{Field: tablefile.Field{Name: name, Type: kind, Width: drift.Items}, write: func(first, last int) any {
		values := make([]T, (last-first)*drift.Items)
		for i := first; i < last; i++ {
			for rank, item := range of(&d.Topics[i]) {
				values[(i-first)*drift.Items+rank] = value(item)
			}
		}
		return values
	}}
}
