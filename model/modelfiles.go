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

// Load loads a model from a directory, or from the URL of an object store. The error is an *InputError, or a *shard.Error for a table
// that cannot be read.
func Load(ctx context.Context, path string) (*Model, error) {
	manifest, err := ReadManifest(ctx, path, KindModel)
	if err != nil {
		return nil, err
	}
	from := manifest.in(ctx, path)
	m := &Model{Manifest: manifest, from: from, near: new(nearby), recommending: new(recommending)}
	if m.Vocabulary, err = loadVocabulary(ctx, path, &manifest); err != nil {
		return nil, err
	}
	n, k := m.Vocabulary.Len(), manifest.Sketch.Topics
	if err := manifest.checkTopicIDs(k); err != nil {
		return nil, &InputError{Path: objects.Join(path, manifestFile), Reason: err.Error()}
	}
	m.TopicIDs, m.TopicNames = manifest.topicIDs(k), manifest.TopicNames
	if m.Levels, err = manifest.readLevels(ctx, from, k); err != nil {
		return nil, err
	}
	if err := process.Reserve(2 * matrix.Bytes[float64](n, k)); err != nil {
		return nil, err
	}
	m.Mixtures, m.Items = matrix.NewTall(n, k), matrix.NewTall(n, k)
	m.itemRow = func(dst []float64, i int) { copy(dst, m.Items.Row(i)) }
	if from.has(factorFile) {
		m.factor = func(ctx context.Context) (*matrix.Single, error) { return readFactor(ctx, from, n, manifest.rank()) }
	}
	var lists listing
	tables := []table{m.itemsTable(), m.topicItemsTable(), pairsTable("correlations.parquet", "probability", &m.TopicJoint, k),
		lists.table(m.Vocabulary, -1)}
	if manifest.Bayes == nil {
		tables = append(tables, m.anchorsTable())
	}
	if from.has(spectrumFile) {
		residuals := []float64{}
		tables = append(tables, spectrumTable(&m.Eigenvalues, &residuals, -1))
	}
	for _, t := range tables {
		if err := t.read(ctx, from); err != nil {
			return nil, err
		}
	}
	if from.has(driftFile) {
		if m.Drift, err = storedDrift(ctx, from); err != nil {
			return nil, err
		}
	}
	if manifest.Diagnostics != nil {
		if m.Diagnostics, err = readDiagnostics(ctx, from, k, n); err != nil {
			return nil, err
		}
	}
	for i, weight := range m.Weights {
		if !(weight > 0) || math.IsInf(weight, 1) {
			return nil, &InputError{Path: path, Reason: fmt.Sprintf("has the weight %v for item %q", weight, m.Vocabulary.ID(i))}
		}
	}
	if err := m.takeLists(path, &lists); err != nil {
		return nil, err
	}
	if m.Anchors == nil { // no table has the shares
		m.Shares = make([]float64, k)
		for at, a := range m.TopicJoint {
			m.Shares[at/k] += a
		}
	}
	return m, nil
}

// takeLists sets the prominent and characteristic items.
func (m *Model) takeLists(path string, l *listing) error {
	m.Prominent = make([][]Listed, m.Topics())
	if m.Anchors != nil {
		m.Characteristic = make([][]Listed, m.Topics())
	}
	kinds := map[string][][]Listed{"prominent": m.Prominent, "characteristic": m.Characteristic}
	for row, topic := range l.topics {
		lists, known := kinds[l.kinds[row]]
		if !known || topic < 0 || int(topic) >= len(lists) {
			return &InputError{Path: objects.Join(path, "topics.parquet"), Reason: fmt.Sprintf("has a %s item of topic %d, which the model does not have", l.kinds[row], topic)}
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

// Save writes the model as a directory at path, which may be a URL of an object store. The directory appears complete or not at all.
// The error wraps ErrExists if path exists.
func (f *Fitted) Save(ctx context.Context, path string) error {
	return save(ctx, path, f.run, f.SaveTo)
}

// SaveTo writes the model into a directory that Create began, and completes it.
func (f *Fitted) SaveTo(out *Output) error {
	if f.levelsTo != nil && f.levelsTo != out {
		return errOtherOutput
	}
	f.settleWishes()
	m, err := f.overview(out.ctx)
	if err != nil {
		return err
	}
	f.shared = m
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
	tables = append(tables, leadingTables(f.Leading)...)
	if f.Evidence != nil {
		tables = append(tables, evidenceTable(f.Evidence, len(f.Evidence.SamplingVariance)))
	}
	if m.Anchors != nil {
		tables = append(tables, m.anchorsTable())
	}
	if m.Diagnostics != nil {
		tables = append(tables, m.Diagnostics.tables(k, m.Vocabulary.Len())...)
	}
	if f.Drift != nil {
		tables = append(tables, driftTable(f.Drift))
	}
	tables = append(tables, levelTables(f.Levels)...)
	if f.bayes != nil {
		tables = append(tables, f.bayes.tables(m.Shares)...)
	}
	if f.Recommendation != nil {
		if err := f.Recommendation.saveTo(out); err != nil {
			return err
		}
	}
	return out.saveTables(tables, &f.Manifest, f.run)
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
