// This file stores what recommends items: the pairs of items, neighbours.parquet and neighbour_counts.parquet, and how
// they make a score, recommend.json.

package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/internal/sealed"
	"anchorage/model/items"
)

const (
	neighboursFile      = "neighbours.parquet"
	neighbourCountsFile = "neighbour_counts.parquet"
	recommendFile       = "recommend.json"
)

// RecommendRecord is the content of recommend.json: what the pairs were counted from, and how they make a score.
type RecommendRecord struct {
	Layout           int        `json:"layout"` // recommendLayout; 0 of programs that learned weights, which are ignored
	VocabularySHA256 string     `json:"vocabulary_sha256"`
	Documents        int64      `json:"documents"`  // that were counted
	Neighbours       int        `json:"neighbours"` // kept of each item, at most
	Rows             int64      `json:"rows"`       // of neighbours.parquet
	Inverse          bool       `json:"inverse"`    // neighbours.parquet has the neighbourhood inverse
	MaxItems         int        `json:"max_items"`  // distinct items of a document that counts, at most
	Long             items.Long `json:"long"`       // documents with more
	// Settings are the chosen ones; without them items.DefaultSetting is for all aims. Validation has how they were
	// chosen.
	Settings   map[items.Aim]items.Setting `json:"settings,omitempty"`
	Validation *items.Validation           `json:"validation,omitempty"`
	// Tables are the two tables of pairs that belong to this record.
	Tables []OutputRecord `json:"tables,omitempty"`
}

// recommendLayout is the version of recommend.json and its tables. Before singleLayout, weights and inverses were
// written in double precision.
const recommendLayout, singleLayout = 2, 2

// Setting returns the setting for an aim.
func (r *RecommendRecord) Setting(aim items.Aim) items.Setting {
	if s, chosen := r.Settings[aim]; chosen {
		return s
	}
	return items.DefaultSetting
}

// Recommendation is a table of pairs, and how they make a score.
type Recommendation struct {
	Record RecommendRecord
	Pairs  *items.Pairs
}

// ItemTopics returns the topics as recommendations use them.
func (m *Model) ItemTopics() *items.Topics { return items.NewTopics(m.Mixtures, m.Items, m.TopicJoint) }

// pendingSuffix ends the names of files that are to take the place of others. If recommend.json has it, all of them are
// complete, and those that still have it count.
const pendingSuffix = ".next"

// SaveRecommendation writes a recommendation into the directory of a complete model, in place of one that is there, at
// once even if the process is killed; in an object store, one file after the other. The manifest does not list its
// files.
func SaveRecommendation(ctx context.Context, path string, r *Recommendation) error {
	suffix := ""
	if !objects.IsURL(path) {
		suffix = pendingSuffix
		if err := promote(ctx, path); err != nil {
			return err
		}
	}
	err := r.write(ctx, func(name string, write func(io.Writer) error) error {
		return output.WriteFile(ctx, objects.Join(path, name+suffix), true, nil, write)
	})
	switch {
	case suffix == "":
		return err
	case err != nil:
		return errors.Join(err, discard(path))
	}
	return promote(ctx, path)
}

// discard removes what a run that failed wrote of a recommendation, recommend.json first: without it the others do not
// count.
func discard(path string) error {
	local, err := objects.Local(path)
	for _, name := range []string{recommendFile, neighboursFile, neighbourCountsFile} {
		if err == nil {
			err = durable.RemoveTemporary(filepath.Join(local, name+pendingSuffix))
		}
	}
	return err
}

// promote gives the complete files of a recommendation their names, recommend.json last.
func promote(ctx context.Context, path string) error {
	local, err := objects.Local(path)
	for _, name := range []string{neighbourCountsFile, neighboursFile, recommendFile} {
		if from := current(ctx, path, name); err == nil && from != name {
			err = durable.Rename(filepath.Join(local, from), filepath.Join(local, name))
		}
	}
	return err
}

// current returns the name that a file of a recommendation has: with pendingSuffix, if a run was killed while it gave
// complete files their names.
func current(ctx context.Context, path, name string) string {
	if objects.IsURL(path) {
		return name
	}
	for _, needed := range []string{recommendFile, name} { // an error is met again by whoever reads the file
		if there, err := objects.Exists(ctx, objects.Join(path, needed+pendingSuffix)); err != nil || !there {
			return name
		}
	}
	return name + pendingSuffix
}

// pending returns tables of a recommendation under the names that they have.
func pending(ctx context.Context, path string, tables []OutputRecord) []OutputRecord {
	tables = slices.Clone(tables)
	for i := range tables {
		tables[i].Name = current(ctx, path, tables[i].Name)
	}
	return tables
}

// write writes the tables and, last, recommend.json, which must fit them.
func (r *Recommendation) write(ctx context.Context, file func(name string, write func(io.Writer) error) error) error {
	r.Record.Tables, r.Record.Layout, r.Record.Inverse = nil, recommendLayout, r.Pairs.Inverse != nil
	for _, t := range neighbourTables(r.Pairs, len(r.Pairs.Others), recommendLayout) {
		sum := durable.NewDigester(io.Discard) // of a rank that does not write
		err := file(t.file, func(w io.Writer) error {
			sum = durable.NewDigester(w)
			return t.encode(ctx, sum, t.values, nil)
		})
		if err != nil {
			return err
		}
		r.Record.Tables = append(r.Record.Tables, OutputRecord(sum.File(t.file)))
	}
	return file(recommendFile, func(w io.Writer) error { return sealed.Write(w, r.Record) })
}

// neighbourTables are the counts of single items, and the pairs by item and strength. When they are read, the first
// must be complete before the second. For reading, pairs is the number of pairs that is expected.
func neighbourTables(p *items.Pairs, pairs, layout int) []table {
	kept := expected("neighbours", len(p.Counts), func(i int) int { return int(p.Offsets[i+1] - p.Offsets[i]) })
	kept.read = func(v any) error {
		for _, size := range v.([]int32) {
			if size < 0 {
				return fmt.Errorf("has an item of %d neighbours", size)
			}
			p.Offsets = append(p.Offsets, p.Offsets[len(p.Offsets)-1]+int64(size))
		}
		return nil
	}
	item, rank := plain[int32]("index"), plain[int32]("rank")
	item.write = func(first, last int) any { return p.Owners(first, last) }
	rank.write = func(first, last int) any {
		ranks := p.Owners(first, last)
		for x, i := range ranks {
			ranks[x] = int32(int64(first+x) - p.Offsets[i])
		}
		return ranks
	}
	columns := []column{item, rank, values("neighbour", &p.Others), values("together", &p.Together),
		single("weight", &p.Weights, layout)}
	if p.Inverse != nil {
		columns = append(columns, single("inverse", &p.Inverse, layout))
	}
	return []table{
		{file: neighbourCountsFile, rows: len(p.Counts), columns: []column{
			numbered("index"), values("df", &p.Counts), values("companions", &p.Companions),
			values("weighted", &p.Weighted), kept,
		}},
		{file: neighboursFile, rows: pairs, columns: columns},
	}
}

// single is a column of single precision, as a layout has it.
func single(name string, of *[]float32, layout int) column {
	if layout >= singleLayout {
		c := plain[float32](name)
		c.write = func(first, last int) any { return (*of)[first:last] }
		c.read = func(v any) error { *of = append(*of, v.([]float32)...); return nil }
		return c
	}
	c := plain[float64](name)
	c.write = func(first, last int) any {
		wide := make([]float64, last-first)
		convert(wide, (*of)[first:last])
		return wide
	}
	c.read = func(v any) error {
		narrow := make([]float32, len(v.([]float64)))
		convert(narrow, v.([]float64))
		*of = append(*of, narrow...)
		return nil
	}
	return c
}

// loadRecommendation reads neighbours.parquet and recommend.json; nil if the model does not have them.
func (m *Model) loadRecommendation(ctx context.Context) (*Recommendation, error) {
	if m.from.unchecked {
		ctx = Unverified(ctx)
	}
	r := &Recommendation{}
	size, err := readBeside(ctx, m.from.path, recommendFile, m.Manifest.Beside, &r.Record)
	if m.from.unchecked && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil || size == 0 {
		return nil, err
	}
	if r.Record.VocabularySHA256 != m.Vocabulary.Fingerprint() {
		return nil, m.wrong(recommendFile, NoPairs, "belongs to a model of other items")
	}
	if r.Record.Layout > recommendLayout {
		return nil, m.wrong(recommendFile, "", "has layout %d, but this program reads up to %d", r.Record.Layout,
			recommendLayout)
	}
	for aim, s := range r.Record.Settings {
		if !s.Check() {
			return nil, m.wrong(recommendFile, "", "has a setting %s out of range", aim)
		}
	}
	r.Pairs = &items.Pairs{Documents: r.Record.Documents, Offsets: []int64{0}, Long: r.Record.Long}
	if r.Record.Inverse {
		r.Pairs.Inverse = []float32{}
	}
	tables := neighbourTables(r.Pairs, int(r.Record.Rows), r.Record.Layout)
	tables[0].rows = m.Vocabulary.Len()
	files := pending(ctx, m.from.path, r.Record.Tables)
	for _, t := range tables {
		t.file = current(ctx, m.from.path, t.file)
		if err := t.read(ctx, &Directory{m.from.path, files, m.from.unchecked}); err != nil {
			return nil, err
		}
	}
	if reason := r.Pairs.Check(); reason != "" {
		return nil, m.wrong(neighboursFile, NoPairs, "%s", reason)
	}
	return r, nil
}
