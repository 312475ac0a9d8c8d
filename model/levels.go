// This file defines the levels of a model: coarser models of the same documents inside it, and which of their topics
// each topic belongs to.

package model

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/bayes"
	"anchorage/internal/objects"
	"anchorage/internal/safetext"
)

// levelsFolder is the folder in a model in which the models of its coarser levels are.
const levelsFolder = "levels"

// Level is one of several numbers of topics for the same documents. Fit finds all levels from the same sketch.
type Level struct {
	Topics int    // K of the level
	Folder string // in the model, with slashes; "" for the finest level, which is the model itself
	// Within is p(parent | topic) in whole documents, K×L row-major with the L topics of the next coarser level: rows sum
	// to 1. It is nil for the coarsest level. docs/levels.md says how it is found.
	Within []float64
	// TopicShares and Prominent are Model.Shares and Model.Prominent of the level. A model that was loaded has none:
	// Model.Level loads the level.
	TopicShares []float64
	Prominent   [][]Listed
}

// LevelRecord is a coarser level in a manifest.
type LevelRecord struct {
	Topics int    `json:"topics"`
	Folder string `json:"folder"`
	// Size and SHA256 are those of the manifest in the folder, which lists all other files there.
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// in returns the folder of the level in the model at path, as far as its manifest.
func (r *LevelRecord) in(ctx context.Context, path string) *Directory {
	return &Directory{objects.Join(path, r.Folder), []OutputRecord{{ManifestFile, r.Size, r.SHA256}}, unverified(ctx)}
}

// Parents returns L, the number of topics of the next coarser level; 0 for the coarsest level.
func (l *Level) Parents() int { return len(l.Within) / l.Topics }

// Shares returns p(parent | topic) of a topic, L values.
func (l *Level) Shares(topic int) []float64 {
	parents := l.Parents()
	return l.Within[topic*parents : (topic+1)*parents]
}

// Parent returns the topic of the next coarser level to which most of a topic belongs, and how much; −1 for the
// coarsest level.
func (l *Level) Parent(topic int) (parent int, share float64) {
	shares := l.Shares(topic)
	if len(shares) == 0 {
		return -1, 0
	}
	parent = floats.MaxIdx(shares)
	return parent, shares[parent]
}

// LevelFolder names the folder of a coarser level.
func LevelFolder(topics int) string { return path.Join(levelsFolder, fmt.Sprint(topics)) }

// levelsTable has a row for every topic of every level but the coarsest, and every topic of the level above it.
func (m *Model) levelsTable() table {
	var rows [][4]int // the topics of a level, a topic, those of the level above it, and one of them
	var all []float64
	for i := 1; i < len(m.Levels); i++ {
		k, l := m.Levels[i].Topics, m.Levels[i-1].Topics
		for f := range k {
			for c := range l {
				rows = append(rows, [4]int{k, f, l, c})
			}
		}
		all = append(all, m.Levels[i].Within...)
	}
	t := table{file: levelsFile, rows: len(rows), whole: true}
	for at, name := range []string{"level", "topic", "parent_level", "parent"} {
		t.columns = append(t.columns, expected(name, len(rows), func(row int) int { return rows[row][at] }))
	}
	t.columns = append(t.columns, values("probability", &all))
	t.taken = func() error {
		for i := 1; i < len(m.Levels); i++ {
			size := m.Levels[i].Topics * m.Levels[i-1].Topics
			m.Levels[i].Within, all = all[:size:size], all[size:]
		}
		return nil
	}
	return t
}

// levels returns the levels of a model of k topics at a path, without their parents; nil if there is one.
func (m *Manifest) levels(path string, k int) ([]Level, error) {
	if len(m.Levels) == 0 {
		return nil, nil
	}
	var levels []Level
	last := 1 // a level has two topics or more
	for _, r := range m.Levels {
		if r.Topics <= last || r.Topics >= k || k > bayes.MostTopics || r.Folder != LevelFolder(r.Topics) {
			return nil, &InputError{Path: path, Fault: Damaged, Reason: fmt.Sprintf("has a manifest with a level of %d topics "+
				"in %q", r.Topics, r.Folder)}
		}
		last = r.Topics
		levels = append(levels, Level{Topics: r.Topics, Folder: r.Folder})
	}
	return append(levels, Level{Topics: k}), nil
}

// Level loads the level with the given number of topics, of a model that was loaded. The finest is m itself. The error
// is an *InputError if there is no such level, or if what is in its folder is not what was written with m; otherwise
// that of Load.
func (m *Model) Level(ctx context.Context, topics int) (*Model, error) {
	if topics == m.Topics() {
		return m, nil
	}
	if m.from == nil {
		return nil, errors.New("model: only a model that was loaded can load its coarser levels")
	}
	at := slices.IndexFunc(m.Manifest.Levels, func(r LevelRecord) bool { return r.Topics == topics })
	if at < 0 {
		var numbers []string
		for _, l := range m.Manifest.Levels {
			numbers = append(numbers, fmt.Sprint(l.Topics))
		}
		return nil, m.wrong("", NoLevel, "has %s topics and no level of %d",
			safetext.List(append(numbers, fmt.Sprint(m.Topics())), "and"), topics)
	}
	record := m.Manifest.Levels[at]
	if m.from.unchecked {
		ctx = Unverified(ctx)
	}
	if err := record.in(ctx, m.from.path).Verify(ctx, ManifestFile); err != nil {
		return nil, err
	}
	return Load(ctx, objects.Join(m.from.path, record.Folder))
}

// AllLevels returns the models of all levels, the coarsest first and m last.
func (m *Model) AllLevels(ctx context.Context) ([]*Model, error) {
	var all []*Model
	for _, level := range m.Levels {
		one, err := m.Level(ctx, level.Topics)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if all == nil {
		all = append(all, m)
	}
	return all, nil
}
