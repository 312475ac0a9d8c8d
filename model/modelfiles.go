// This file saves a fitted model as a directory, and loads it.

package model

import (
	"context"
	"fmt"
	"math"

	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/internal/process"
	"anchorage/matrix"
	"anchorage/stream"
)

// part is a table of a model's directory.
type part struct {
	held   func(m *Model) bool // whether the model that is written has it; nil for every model
	wanted func(m *Model) bool // whether Load reads it, given the manifest; nil for never
	// table returns the table, to write or to read. taken, unless it is nil, is called when the table was read.
	table func(m *Model, reading bool) (t table, taken func() error)
}

// parts are the tables of a model's directory, in the order in which they are written.
var parts = []part{
	{nil, nil, func(m *Model, _ bool) (table, func() error) { return vocabularyTable(m.Vocabulary), nil }},
	{nil, every, func(m *Model, _ bool) (table, func() error) { return m.itemsTable(), m.checkWeights }},
	{nil, every, (*Model).topicsTable},
	{nil, every, func(m *Model, _ bool) (table, func() error) { return m.topicItemsTable(), nil }},
	{nil, every, func(m *Model, _ bool) (table, func() error) {
		return pairsTable("correlations.parquet", "probability", &m.TopicJoint, m.Topics()), m.sumShares
	}},
	{func(m *Model) bool { return len(m.Eigenvalues) > 0 }, listedAs(spectrumFile), func(m *Model, reading bool) (table, func() error) {
		return spectrumTable(&m.Eigenvalues, &m.Residuals, rowsOr(reading, len(m.Eigenvalues))), nil
	}},
	{func(m *Model) bool { return m.Factor != nil }, nil, func(m *Model, _ bool) (table, func() error) { return tallTable(factorFile, "y", m.Factor), nil }},
	{func(m *Model) bool { return m.Leading != nil }, nil, func(m *Model, _ bool) (table, func() error) { return leadingTables(m.Leading)[0], nil }},
	{func(m *Model) bool { return m.Evidence != nil }, nil, func(m *Model, _ bool) (table, func() error) {
		return evidenceTable(m.Evidence, len(m.Evidence.SamplingVariance)), nil
	}},
	{func(m *Model) bool { return m.Anchors != nil }, func(m *Model) bool { return m.Manifest.Bayes == nil },
		func(m *Model, _ bool) (table, func() error) { return m.anchorsTable(), nil }},
	{hasDiagnostics, wantsDiagnostics, func(m *Model, reading bool) (table, func() error) {
		if reading {
			m.Diagnostics = &Diagnostics{Figures: make([][]float64, len(topicFigures)), Examples: make([][]ExampleDocument, m.Topics())}
		}
		return m.Diagnostics.diagnosticsTable(m.Topics()), nil
	}},
	{hasDiagnostics, wantsDiagnostics, (*Model).examplesTable},
	{func(m *Model) bool { return hasDiagnostics(m) && len(m.Course) > 0 }, func(m *Model) bool { return wantsDiagnostics(m) && m.from.has(courseFile) },
		func(m *Model, reading bool) (table, func() error) { return courseTable(&m.Course, reading) }},
	{func(m *Model) bool { return hasDiagnostics(m) && m.Diagnostics.Map != nil }, func(m *Model) bool { return wantsDiagnostics(m) && m.from.has(mapFile) },
		func(m *Model, reading bool) (table, func() error) {
			if reading {
				m.Diagnostics.Map = new(Map)
			}
			return m.Diagnostics.Map.table(rowsOr(reading, len(m.Diagnostics.Map.Items)), m.Vocabulary.Len()), nil
		}},
	{func(m *Model) bool { return m.Drift != nil }, listedAs(driftFile), func(m *Model, reading bool) (table, func() error) {
		if reading {
			return storedDrift(&m.Drift)
		}
		return driftTable(m.Drift), nil
	}},
	{func(m *Model) bool { return len(m.Levels) > 0 }, func(m *Model) bool { return len(m.Levels) > 0 }, (*Model).levelsTable},
}

func every(*Model) bool { return true }

func listedAs(file string) func(*Model) bool { return func(m *Model) bool { return m.from.has(file) } }

func hasDiagnostics(m *Model) bool { return m.Diagnostics != nil }

func wantsDiagnostics(m *Model) bool { return m.Manifest.Diagnostics != nil }

// rowsOr returns the number of rows to write, or to read: any number.
func rowsOr(reading bool, rows int) int {
	if reading {
		return -1
	}
	return rows
}

// Load loads a model from a directory, or from the URL of an object store. The first question about items takes longer than others, unless
// Prepare was called. The error is an *InputError, or a *shard.Error for a table that cannot be read.
func Load(ctx context.Context, path string) (*Model, error) {
	manifest, err := ReadManifest(ctx, path, KindModel)
	if err != nil {
		return nil, err
	}
	m := &Model{Manifest: manifest, from: manifest.in(ctx, path), near: new(nearby), recommending: new(recommending)}
	if m.Vocabulary, err = loadVocabulary(ctx, path, &manifest); err != nil {
		return nil, err
	}
	n, k := m.Vocabulary.Len(), manifest.Sketch.Topics
	if err := manifest.checkTopicIDs(k); err != nil {
		return nil, &InputError{Path: objects.Join(path, manifestFile), Reason: err.Error()}
	}
	m.TopicIDs, m.TopicNames, m.Documents = manifest.IDs(k), manifest.TopicNames, manifest.Corpus.Documents
	if m.Levels, err = manifest.levels(path, k); err != nil {
		return nil, err
	}
	if err := process.Reserve(2 * matrix.Bytes[float64](n, k)); err != nil {
		return nil, err
	}
	m.Mixtures, m.Items = matrix.NewTall(n, k), matrix.NewTall(n, k)
	for _, p := range parts {
		if p.wanted == nil || !p.wanted(m) {
			continue
		}
		t, taken := p.table(m, true)
		if err := t.read(ctx, m.from); err != nil {
			return nil, err
		}
		if taken == nil {
			continue
		}
		if err := taken(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// SaveTo writes the model into a directory that Create began, and completes it.
func (m *Model) SaveTo(out *Output, how Saving) error {
	var tables []table
	for _, p := range parts {
		if p.held == nil || p.held(m) {
			t, _ := p.table(m, false)
			tables = append(tables, t)
		}
	}
	if m.Variational != nil {
		tables = append(tables, m.Variational.tables(m.Shares)...)
	}
	if m.Recommendation != nil {
		if err := m.Recommendation.saveTo(out); err != nil {
			return err
		}
	}
	return out.saveTables(tables, &m.Manifest, how)
}

// checkWeights refuses weights that no item can have.
func (m *Model) checkWeights() error {
	for i, weight := range m.Weights {
		if !(weight > 0) || math.IsInf(weight, 1) {
			return &InputError{Path: m.from.path, Reason: fmt.Sprintf("has the weight %v for item %q", weight, m.Vocabulary.ID(i))}
		}
	}
	return nil
}

// sumShares sets the shares of a model without anchors, which no table has.
func (m *Model) sumShares() error {
	if m.Manifest.Bayes == nil {
		return nil
	}
	m.Shares = make([]float64, m.Topics())
	for at, a := range m.TopicJoint {
		m.Shares[at/m.Topics()] += a
	}
	return nil
}

// topicsTable has the lists of items of the topics: a row per topic, kind and rank.
func (m *Model) topicsTable(reading bool) (table, func() error) {
	l := new(listing)
	if !reading {
		for topic := range m.Prominent {
			l.add(topic, "prominent", m.Prominent[topic])
			if m.Characteristic != nil {
				l.add(topic, "characteristic", m.Characteristic[topic])
			}
		}
	}
	return l.table(m.Vocabulary, rowsOr(reading, len(l.topics))), func() error { return m.takeLists(l) }
}

// takeLists sets the prominent and characteristic items.
func (m *Model) takeLists(l *listing) error {
	m.Prominent = make([][]Listed, m.Topics())
	if m.Manifest.Bayes == nil {
		m.Characteristic = make([][]Listed, m.Topics())
	}
	kinds := map[string][][]Listed{"prominent": m.Prominent, "characteristic": m.Characteristic}
	for row, topic := range l.topics {
		lists, known := kinds[l.kinds[row]]
		if !known || topic < 0 || int(topic) >= len(lists) {
			return &InputError{Path: objects.Join(m.from.path, "topics.parquet"), Reason: fmt.Sprintf("has a %s item of topic %d, which the model does not have", l.kinds[row], topic)}
		}
		lists[topic] = append(lists[topic], Listed{Item: l.items[row], Probability: l.probabilities[row], Weighted: l.weighted[row]})
	}
	return nil
}

// loadVocabulary reads a directory's vocabulary and checks that it is the one of the manifest.
func loadVocabulary(ctx context.Context, path string, manifest *Manifest) (*corpus.Vocabulary, error) {
	if err := manifest.in(ctx, path).verify(ctx, vocabularyFile); err != nil {
		return nil, err
	}
	v, err := stream.ReadVocabulary(ctx, objects.Join(path, vocabularyFile))
	if err != nil {
		return nil, err
	}
	if v.Fingerprint() != manifest.Corpus.VocabularySHA256 {
		return nil, &InputError{Path: path, Reason: "has a vocabulary that is not the one of its manifest"}
	}
	return v, nil
}

// listing is the content of topics.parquet: one row per topic, kind and rank.
type listing struct {
	topics, ranks []int32
	kinds         []string
	items         []int
	probabilities []float64
	weighted      []float64
}

func (l *listing) add(topic int, kind string, list []Listed) {
	for rank, listed := range list {
		l.topics, l.kinds, l.ranks = append(l.topics, int32(topic)), append(l.kinds, kind), append(l.ranks, int32(rank))
		l.items = append(l.items, listed.Item)
		l.probabilities, l.weighted = append(l.probabilities, listed.Probability), append(l.weighted, listed.Weighted)
	}
}

// table has as many rows as the listing. For reading, rows is -1.
func (l *listing) table(v *corpus.Vocabulary, rows int) table {
	return table{file: "topics.parquet", rows: rows, whole: true, columns: []column{
		values("topic", &l.topics), texts("kind", &l.kinds), values("rank", &l.ranks),
		ids(v, func(row int) int { return l.items[row] }, func(item int) { l.items = append(l.items, item) }),
		values("probability", &l.probabilities), values("weighted_probability", &l.weighted),
	}}
}
