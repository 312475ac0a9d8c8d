// This file saves models, and the sketches and factors that they begin as, as directories, and loads them.

package model

import (
	"context"
	"errors"
	"math"
	"slices"

	"anchorage/internal/objects"
	"anchorage/internal/process"
	"anchorage/matrix"
	"anchorage/sketch"
	"anchorage/stream"
)

// part is a table of a directory.
type part struct {
	file   string
	in     kinds               // the directories that may have it
	needed kinds               // those that are not written or read without it
	listed kinds               // those of which it is read if the manifest lists it
	held   func(m *Model) bool // whether what is written has it; nil for always
	table  func(m *Model) table
}

// kinds are kinds of directories.
type kinds int

const (
	sketches kinds = 1 << iota
	factors
	models
	rounds // the part of a pass by tasks
	stages = sketches | factors
	all    = stages | models | rounds
)

// parts are the tables of directories, in the order in which they are written.
var parts = []part{
	{vocabularyFile, all, 0, 0, func(m *Model) bool { return m.Vocabulary != nil },
		func(m *Model) table { return vocabularyTable(m.Vocabulary) }},
	{namesFile, all, 0, 0, func(m *Model) bool { return m.Vocabulary != nil && m.Vocabulary.Names != nil },
		func(m *Model) table { return namesTable(m.Vocabulary) }},
	{marginalsFile, stages | rounds, stages, 0, func(m *Model) bool { return m.RowSums != nil },
		func(m *Model) table { return m.marginalsTable(m.Vocabulary.Len()) }},
	{basisFile, rounds, 0, 0, func(m *Model) bool { return m.Sums == nil },
		func(m *Model) table { return matrixTable(basisFile, "q", m.Iteration.Basis) }},
	{itemsFile, models, models, 0, nil, (*Model).itemsTable},
	{topicsFile, models, models, 0, nil, (*Model).topicsTable},
	{topicItemsFile, models, models, 0, nil, (*Model).topicItemsTable},
	{jointFile, models, models, 0, nil, (*Model).jointTable},
	{spectrumFile, stages | models, stages, models, func(m *Model) bool { return len(m.Eigen.Values) > 0 },
		(*Model).spectrumTable},
	{eigenvectorsFile, sketches, sketches, 0, func(m *Model) bool { return m.Eigen.Vectors != nil },
		func(m *Model) table { return m.rowsTable(eigenvectorsFile, "v", &m.Eigen.Vectors) }},
	{factorFile, factors | models, factors, 0, func(m *Model) bool { return m.Factor != nil },
		func(m *Model) table { return m.rowsTable(factorFile, "y", &m.Factor) }},
	{leadingFile, stages | models, 0, stages, func(m *Model) bool { return m.Eigen.Leading != nil },
		func(m *Model) table {
			return matrixTable(leadingFile, "v", sized(&m.Eigen.Leading, m.Vocabulary.Len(), m.Manifest.Sketch.Leading))
		}},
	{evidenceFile, stages | models, 0, stages, func(m *Model) bool { return m.Evidence != nil },
		func(m *Model) table { return evidenceTable(made(&m.Evidence), m.Vocabulary.Len()) }},
	{refinementFile, models, 0, 0, func(m *Model) bool { return m.Manifest.Refinement.Begun() }, (*Model).refinementTable},
	{anchorsFile, models, 0, models, func(m *Model) bool { return m.Anchors != nil }, (*Model).anchorsTable},
	{diagnosticsFile, models, 0, models, diagnosed,
		func(m *Model) table { return made(&m.Diagnostics).table(m.Topics()) }},
	{examplesFile, models, 0, models, diagnosed, (*Model).examplesTable},
	{courseFile, factors | models, 0, factors | models,
		func(m *Model) bool { return len(m.Course) > 0 && (m.Manifest.Kind == KindFactor || diagnosed(m)) },
		func(m *Model) table { return courseTable(&m.Course) }},
	{mapFile, models, 0, models, func(m *Model) bool { return diagnosed(m) && m.Diagnostics.Map != nil },
		func(m *Model) table { return made(&made(&m.Diagnostics).Map).table(m.Vocabulary.Len()) }},
	{driftFile, models, 0, models, func(m *Model) bool { return m.Drift != nil },
		func(m *Model) table { return driftTable(made(&m.Drift)) }},
	{levelsFile, models, 0, models, func(m *Model) bool { return len(m.Levels) > 0 }, (*Model).levelsTable},
}

// kind returns the kind of the directory.
func (m *Manifest) kind() kinds {
	switch {
	case m.Kind == KindModel:
		return models
	case m.Kind == KindFactor:
		return factors
	case m.Round != nil && m.Round.Holds != sketch.RoundPairs:
		return rounds
	}
	return sketches
}

// readParts reads the tables that Load reads of the kind of directory.
func (m *Model) readParts(ctx context.Context) error {
	kind := m.Manifest.kind()
	for _, p := range parts {
		if p.needed&kind != 0 || p.listed&kind != 0 && m.from.has(p.file) {
			if err := p.table(m).read(ctx, m.from); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReadRest reads what Load leaves on disk of the model: its factor, leading vectors and evidence, if it has them.
func (m *Model) ReadRest(ctx context.Context) error {
	m.Factor, m.Eigen.Leading, m.Evidence = nil, nil, nil
	return m.readFiles(ctx, factorFile, leadingFile, evidenceFile)
}

// readFiles reads those of the files that the directory has.
func (m *Model) readFiles(ctx context.Context, files ...string) error {
	for _, p := range parts {
		if slices.Contains(files, p.file) && m.from.has(p.file) {
			if err := p.table(m).read(ctx, m.from); err != nil {
				return err
			}
		}
	}
	return nil
}

func diagnosed(m *Model) bool { return m.Diagnostics != nil }

// made returns what p points to, a new one if that is nothing.
func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// sized returns the matrix that p points to, a new one of the given size if that is nothing.
func sized[T float32 | float64](p **matrix.TallOf[T], rows, cols int) *matrix.TallOf[T] {
	if *p == nil {
		*p = matrix.New[T](rows, cols)
	}
	return *p
}

// rowsTable has a matrix with as many columns as the factor.
func (m *Model) rowsTable(file, name string, of **matrix.Tall) table {
	return matrixTable(file, name, sized(of, m.Vocabulary.Len(), m.Manifest.Rank()))
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
	return m, m.readParts(ctx)
}

// SaveTo writes the model, or what is known of it so far, into a directory that Create began, and completes it. A
// dense C cannot be saved.
func (m *Model) SaveTo(out *Output, how Saving) error {
	var tables []table
	kind := m.Manifest.kind()
	for _, p := range parts {
		held := p.in&kind != 0 && (p.held == nil || p.held(m))
		if held {
			tables = append(tables, p.table(m))
		} else if p.needed&kind != 0 {
			return errors.New("model: nothing is known for " + p.file)
		}
	}
	if m.Sums != nil {
		tables = append(tables, sumsTables(m.Sums, m.Manifest.Corpus.Items)...)
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

// LoadStage loads a sketch or a factor, of KindSketch or KindFactor: a Model that knows of no topics.
func LoadStage(ctx context.Context, path, kind string) (*Model, error) {
	m, err := begin(ctx, path, kind)
	if err != nil {
		return nil, err
	}
	record := &m.Manifest.Sketch
	if m.Manifest.kind() == rounds {
		return nil, m.wrong("", "", "holds the %s of a pass by tasks, and no eigenpairs yet: make the passes that are left",
			m.Manifest.Round.Holds)
	}
	if err := m.readVocabulary(ctx); err != nil {
		return nil, err
	}
	m.Marginals = m.Manifest.marginals()
	m.Eigen.Passes, m.Eigen.Estimated = record.Passes, record.ResidualEstimated
	return m, m.readParts(ctx)
}

// begin returns a Model of which only the manifest is known yet: that of a directory of a kind.
func begin(ctx context.Context, path, kind string) (*Model, error) {
	manifest, err := ReadManifest(ctx, path, kind)
	if err != nil {
		return nil, err
	}
	m := &Model{Manifest: manifest, from: manifest.in(ctx, path)}
	m.Renew()
	if columns, rank := manifest.Sketch.Leading, manifest.Rank(); m.from.has(leadingFile) &&
		(columns < rank || columns > rank+mostGuards) {
		return nil, m.wrong("", "", "has a manifest with %d leading vectors", columns)
	}
	return m, nil
}

// mostGuards bounds what a manifest may say, so that a damaged one does not ask for all memory.
const mostGuards = 1000

// Rank returns the number of columns of the factor, whatever the number of topics.
func (m *Manifest) Rank() int {
	if m.Steer != nil {
		return m.Steer.Rank
	}
	return m.Sketch.Topics
}

// marginals returns the marginals as far as the manifest has them.
func (m *Manifest) marginals() sketch.Marginals {
	return sketch.Marginals{Documents: m.Corpus.Documents, PairPrior: m.Sketch.PairPrior}
}

// readMarginals reads the marginals of the directory's n items.
func (m *Model) readMarginals(ctx context.Context, n int) error {
	m.Marginals = m.Manifest.marginals()
	return m.marginalsTable(n).read(ctx, m.from)
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
