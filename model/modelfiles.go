// This file saves a fitted model as a directory, and loads it.

package model

import (
	"context"
	"math"

	"anchorage/internal/objects"
	"anchorage/internal/process"
	"anchorage/matrix"
	"anchorage/stream"
)

// part is a table of a model's directory.
type part struct {
	file  string
	read  loading
	held  func(m *Model) bool // whether the model that is written has it; nil for every model
	table func(m *Model) table
}

// loading says which tables Load reads.
type loading int

const (
	never  loading = iota
	always         // a model without it is refused
	listed         // if the manifest lists it
)

// parts are the tables of a model's directory, in the order in which they are written.
var parts = []part{
	{vocabularyFile, never, nil, func(m *Model) table { return vocabularyTable(m.Vocabulary) }},
	{namesFile, never, func(m *Model) bool { return m.Vocabulary.Names != nil },
		func(m *Model) table { return namesTable(m.Vocabulary) }},
	{itemsFile, always, nil, (*Model).itemsTable},
	{topicsFile, always, nil, (*Model).topicsTable},
	{topicItemsFile, always, nil, (*Model).topicItemsTable},
	{jointFile, always, nil, (*Model).jointTable},
	{spectrumFile, listed, func(m *Model) bool { return len(m.Eigenvalues) > 0 },
		func(m *Model) table { return spectrumTable(&m.Eigenvalues, &m.Residuals, len(m.Eigenvalues)) }},
	{factorFile, never, func(m *Model) bool { return m.Factor != nil },
		func(m *Model) table { return matrixTable(factorFile, "y", m.Factor) }},
	{leadingFile, never, func(m *Model) bool { return m.Leading != nil },
		func(m *Model) table { return matrixTable(leadingFile, "v", m.Leading) }},
	{evidenceFile, never, func(m *Model) bool { return m.Evidence != nil },
		func(m *Model) table { return evidenceTable(m.Evidence, len(m.Evidence.SamplingVariance)) }},
	{refinementFile, never, func(m *Model) bool { return m.Manifest.Refinement.Begun() }, (*Model).refinementTable},
	{anchorsFile, listed, func(m *Model) bool { return m.Anchors != nil }, (*Model).anchorsTable},
	{diagnosticsFile, listed, diagnosed, func(m *Model) table { return made(&m.Diagnostics).table(m.Topics()) }},
	{examplesFile, listed, diagnosed, (*Model).examplesTable},
	{courseFile, listed, func(m *Model) bool { return diagnosed(m) && len(m.Course) > 0 },
		func(m *Model) table { return courseTable(&m.Course) }},
	{mapFile, listed, func(m *Model) bool { return diagnosed(m) && m.Diagnostics.Map != nil },
		func(m *Model) table { return made(&made(&m.Diagnostics).Map).table(m.Vocabulary.Len()) }},
	{driftFile, listed, func(m *Model) bool { return m.Drift != nil },
		func(m *Model) table { return driftTable(made(&m.Drift)) }},
	{levelsFile, listed, func(m *Model) bool { return len(m.Levels) > 0 }, (*Model).levelsTable},
}

func diagnosed(m *Model) bool { return m.Diagnostics != nil }

// made returns what p points to, a new one if that is nothing.
func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// Load loads a model from a directory, or from the URL of an object store. The first question about items takes longer
// than others, unless Prepare was called. The error is an *InputError, or a *shard.Error for a table that cannot be
// read.
func Load(ctx context.Context, path string) (*Model, error) {
	m, err := begin(ctx, path, KindModel)
	if err != nil {
		return nil, err
	}
	if err := m.readVocabulary(ctx); err != nil {
		return nil, err
	}
	n, k := m.Vocabulary.Len(), m.Manifest.Sketch.Topics
	if err := m.Manifest.checkTopicIDs(k); err != nil {
		return nil, m.wrong(ManifestFile, "", "%v", err)
	}
	m.TopicIDs, m.TopicNames, m.Documents = m.Manifest.IDs(k), m.Manifest.TopicNames, m.Manifest.Corpus.Documents
	if m.Levels, err = m.Manifest.levels(path, k); err != nil {
		return nil, err
	}
	if err := process.Reserve(2 * matrix.Bytes[float64](n, k)); err != nil {
		return nil, err
	}
	m.Mixtures, m.Items = matrix.NewTall(n, k), matrix.NewTall(n, k)
	for _, p := range parts {
		if p.read == never || p.read == listed && !m.from.has(p.file) {
			continue
		}
		if err := p.table(m).read(ctx, m.from); err != nil {
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
			tables = append(tables, p.table(m))
		}
	}
	if m.Variational != nil {
		tables = append(tables, m.Variational.tables(m.Shares)...)
	}
	if m.Recommendation != nil {
		if err := m.Recommendation.write(out.ctx, out.WriteFile); err != nil {
			return err
		}
	}
	if m.lent != nil && m.Manifest.Fold != nil {
		if err := m.refold(out); err != nil {
			return err
		}
	}
	return out.saveTables(tables, &m.Manifest, how)
}

// checkWeights refuses weights that no item can have.
func (m *Model) checkWeights() error {
	for i, weight := range m.Weights {
		if !(weight > 0) || math.IsInf(weight, 1) {
			return m.wrong("", "", "has the weight %v for item %q", weight, m.Vocabulary.ID(i))
		}
	}
	return nil
}

// jointTable has A, of which the shares are the sums for a model without anchors: no other table has them.
func (m *Model) jointTable() table {
	t := pairsTable(jointFile, "probability", &m.TopicJoint, m.Topics())
	if m.Manifest.Bayes != nil {
		t.taken = func() error {
			m.Shares = make([]float64, m.Topics())
			for at, a := range m.TopicJoint {
				m.Shares[at/m.Topics()] += a
			}
			return nil
		}
	}
	return t
}

// topicItem is a row of topics.parquet: an item of a list of a topic.
type topicItem struct {
	topic, rank int32
	kind        string // prominent or characteristic
	Listed
}

// topicsTable has the lists of items of the topics: a row per topic, kind and rank.
func (m *Model) topicsTable() table {
	var rows []topicItem
	add := func(topic int, kind string, list []Listed) {
		for rank, item := range list {
			rows = append(rows, topicItem{int32(topic), int32(rank), kind, item})
		}
	}
	for topic := range m.Prominent {
		add(topic, "prominent", m.Prominent[topic])
		if m.Characteristic != nil {
			add(topic, "characteristic", m.Characteristic[topic])
		}
	}
	return table{file: topicsFile, rows: len(rows), whole: true, taken: func() error { return m.takeLists(rows) },
		columns: []column{
			field("topic", &rows, func(r *topicItem) *int32 { return &r.topic }),
			field("kind", &rows, func(r *topicItem) *string { return &r.kind }),
			field("rank", &rows, func(r *topicItem) *int32 { return &r.rank }),
			ids(m.Vocabulary, func(row int) int { return rows[row].Item }, func(row, item int) { rows[row].Item = item }),
			field("probability", &rows, func(r *topicItem) *float64 { return &r.Probability }),
			field("weighted_probability", &rows, func(r *topicItem) *float64 { return &r.Weighted }),
		}}
}

// takeLists sets the prominent and characteristic items.
func (m *Model) takeLists(rows []topicItem) error {
	m.Prominent = make([][]Listed, m.Topics())
	if m.Manifest.Bayes == nil {
		m.Characteristic = make([][]Listed, m.Topics())
	}
	kinds := map[string][][]Listed{"prominent": m.Prominent, "characteristic": m.Characteristic}
	for _, r := range rows {
		lists, known := kinds[r.kind]
		if !known || r.topic < 0 || int(r.topic) >= len(lists) {
			return m.wrong(topicsFile, "", "has a %s item of topic %d, which the model does not have", r.kind, r.topic)
		}
		lists[r.topic] = append(lists[r.topic], r.Listed)
	}
	return nil
}

// begin returns a Model of which only the manifest is known yet: that of a directory of a kind.
func begin(ctx context.Context, path, kind string) (*Model, error) {
	manifest, err := ReadManifest(ctx, path, kind)
	if err != nil {
		return nil, err
	}
	m := &Model{Manifest: manifest, from: manifest.in(ctx, path)}
	m.Renew()
	return m, nil
}

// readVocabulary reads the directory's vocabulary and checks that it is the one of the manifest.
func (m *Model) readVocabulary(ctx context.Context) error {
	err := m.from.Verify(ctx, vocabularyFile)
	if err != nil {
		return err
	}
	if m.Vocabulary, err = stream.ReadVocabulary(ctx, objects.Join(m.from.path, vocabularyFile)); err != nil {
		return err
	}
	if m.Vocabulary.Fingerprint() != m.Manifest.Corpus.VocabularySHA256 {
		return m.wrong("", "", "has a vocabulary that is not the one of its manifest")
	}
	if m.from.has(namesFile) {
		return namesTable(m.Vocabulary).read(ctx, m.from)
	}
	return nil
}
