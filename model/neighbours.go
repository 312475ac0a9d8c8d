// This file stores what recommends items: the pairs of items, neighbours.parquet and neighbour_counts.parquet, and the
// weights of the score, recommend.json.

package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"

	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/internal/sealed"
	"anchorage/model/items"
	"anchorage/shard/tablefile"
)

const (
	neighboursFile      = "neighbours.parquet"
	neighbourCountsFile = "neighbour_counts.parquet"
	recommendFile       = "recommend.json"
)

// RecommendRecord is the content of recommend.json: what the pairs were counted from, and the weights of the score.
type RecommendRecord struct {
	VocabularySHA256 string        `json:"vocabulary_sha256"`
	Documents        int64         `json:"documents"`  // that were counted
	Neighbours       int           `json:"neighbours"` // kept of each item, at most
	Rows             int64         `json:"rows"`       // of neighbours.parquet
	MaxItems         int           `json:"max_items"`  // distinct items of a document that counts, at most
	Long             items.Long    `json:"long"`       // documents with more
	Weights          items.Weights `json:"weights"`
	// Tables are the two tables of pairs that belong to this record; nil if it was written before version 6 of the layout.
	Tables []OutputRecord `json:"tables,omitempty"`
	// Learned says on how many baskets the weights were learned; nil for default weights.
	Learned *items.Learned `json:"learned,omitempty"`
}

// Recommendation is a table of pairs with weights of the score.
type Recommendation struct {
	Record RecommendRecord
	Pairs  *items.Pairs
}

// ItemTopics returns the topics as recommendations use them.
func (m *Model) ItemTopics() *items.Topics { return items.NewTopics(m.Mixtures, m.Items, m.TopicJoint) }

// SaveRecommendation writes a recommendation into the directory of a complete model, in place of one that is there. The manifest
// does not list its files. recommend.json is written last and must fit the tables.
func SaveRecommendation(ctx context.Context, path string, r *Recommendation) error {
	r.Record.Tables = nil
	for _, t := range neighbourTables(r.Pairs, len(r.Pairs.Others)) {
		sum := &digester{hash: sha256.New()}
		err := output.WriteFile(ctx, objects.Join(path, t.file), nil, func(w io.Writer) error { return t.encode(io.MultiWriter(w, sum)) })
		if err != nil {
			return err
		}
		r.Record.Tables = append(r.Record.Tables, OutputRecord{t.file, sum.size, hex.EncodeToString(sum.hash.Sum(nil))})
	}
	return output.WriteFile(ctx, objects.Join(path, recommendFile), nil, r.writeRecord)
}

// saveTo writes a recommendation into a directory that is being written.
func (r *Recommendation) saveTo(out *Output) error {
	r.Record.Tables = nil
	for _, t := range neighbourTables(r.Pairs, len(r.Pairs.Others)) {
		if err := t.write(out); err != nil {
			return err
		}
		for _, file := range out.dir.Files() {
			if file.Name == t.file {
				r.Record.Tables = append(r.Record.Tables, OutputRecord(file))
			}
		}
	}
	return out.writeFile(recommendFile, r.writeRecord)
}

func (r *Recommendation) writeRecord(w io.Writer) error {
	text, err := sealed.Encode(r.Record)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// digester counts and hashes what is written to it.
type digester struct {
	hash hash.Hash
	size int64
}

func (d *digester) Write(p []byte) (int, error) {
	d.size += int64(len(p))
	return d.hash.Write(p)
}

// neighbourTables are the counts of single items, and the pairs by item and strength. When they are read, the first must be complete
// before the second. For reading, pairs is the number of pairs that is expected.
func neighbourTables(p *items.Pairs, pairs int) []table {
	kept := column{Field: tablefile.Field{Name: "neighbours", Type: tablefile.Int32}, write: func(first, last int) any {
		sizes := make([]int32, 0, last-first)
		for i := first; i < last; i++ {
			sizes = append(sizes, int32(p.Offsets[i+1]-p.Offsets[i]))
		}
		return sizes
	}, read: func(v any) error {
		for _, size := range v.([]int32) {
			if size < 0 {
				return fmt.Errorf("has an item of %d neighbours", size)
			}
			p.Offsets = append(p.Offsets, p.Offsets[len(p.Offsets)-1]+int64(size))
		}
		return nil
	}}
	item := column{Field: tablefile.Field{Name: "index", Type: tablefile.Int32}, write: func(first, last int) any { return p.Owners(first, last) }}
	rank := column{Field: tablefile.Field{Name: "rank", Type: tablefile.Int32}, write: func(first, last int) any {
		ranks := p.Owners(first, last)
		for x, i := range ranks {
			ranks[x] = int32(int64(first+x) - p.Offsets[i])
		}
		return ranks
	}}
	weight := column{Field: tablefile.Field{Name: "weight", Type: tablefile.Float64}, write: func(first, last int) any {
		wide := make([]float64, 0, last-first)
		for _, w := range p.Weights[first:last] {
			wide = append(wide, float64(w))
		}
		return wide
	}, read: func(v any) error {
		for _, w := range v.([]float64) {
			p.Weights = append(p.Weights, float32(w))
		}
		return nil
	}}
	return []table{
		{file: neighbourCountsFile, rows: len(p.Counts), columns: []column{
			numbered("index"), values("df", &p.Counts), values("companions", &p.Companions), values("weighted", &p.Weighted), kept,
		}},
		{file: neighboursFile, rows: pairs, columns: []column{item, rank, values("neighbour", &p.Others), values("together", &p.Together), weight}},
	}
}

// loadRecommendation reads neighbours.parquet and recommend.json; nil if the model does not have them.
func (m *Model) loadRecommendation(ctx context.Context) (*Recommendation, error) {
	known, err := objects.Exists(ctx, objects.Join(m.from.path, recommendFile))
	if err != nil || !known {
		return nil, err
	}
	file := objects.Join(m.from.path, recommendFile)
	r := &Recommendation{}
	if err := r.Record.read(ctx, file, m.from.unchecked); err != nil {
		return nil, err
	}
	if r.Record.VocabularySHA256 != m.Vocabulary.Fingerprint() {
		return nil, &InputError{Path: file, Reason: "belongs to a model of other items", Fault: NoPairs}
	}
	if name, ok := r.Record.Weights.Check(); !ok {
		return nil, &InputError{Path: file, Reason: fmt.Sprintf("has the weight %s out of range", name)}
	}
	r.Pairs = &items.Pairs{Documents: r.Record.Documents, Offsets: []int64{0}, Long: r.Record.Long}
	for at, t := range neighbourTables(r.Pairs, int(r.Record.Rows)) {
		if at == 0 {
			t.rows = m.Vocabulary.Len()
		}
		from := directory{m.from.path, r.Record.Tables, m.from.unchecked}
		if err := t.read(ctx, from); err != nil {
			return nil, err
		}
	}
	if reason := r.Pairs.Check(); reason != "" {
		return nil, &InputError{Path: objects.Join(m.from.path, neighboursFile), Reason: reason, Fault: NoPairs}
	}
	return r, nil
}

// read reads recommend.json.
func (r *RecommendRecord) read(ctx context.Context, file string, unchecked bool) error {
	data, err := objects.ReadFile(ctx, file)
	if err != nil {
		return err
	}
	if unchecked {
		ctx = Unverified(ctx)
	}
	object, err := OpenManifest(ctx, file, data)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(object, r); err != nil {
		return &InputError{Path: file, Fault: Damaged, Reason: "cannot be read: " + err.Error()}
	}
	return nil
}
