// Package labels measures how far items' topics agree with labels that are known, at several levels of a model.
package labels

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/bench/internal/systems"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/stream"
)

//go:embed page.md
var page string

// Part compares topics of items with labels that people gave to them, or with the tree of a drawn catalogue:
// departments with aisles with shelves, and documents that keep to few of them.
var Part = &run.Part{
	Name: "labels", Title: "Topics of items against labels",
	About: "Compare topics of items with known labels, at several levels",
	Settings: []run.Setting{
		{Name: "corpus", Default: documents.Drawn,
			Help: "drawn, or folders of the data with documents and labels.csv, a row for each item and label"},
		{Name: "seed", Default: "1", Help: "seeds of fits and of drawn catalogues"},
		{Name: "levels", Default: "10,50", Help: "numbers of topics, increasing, of other corpora"},
		{Name: "tree", Default: "6,4,4", Help: "of a drawn catalogue: departments, aisles of each, shelves of each"},
		{Name: "concentration", Default: "0.1,0.4,0.8",
			Help: "how evenly documents divide themselves at each step: of each child"},
		{Name: "items", Default: "20000", Help: "items of a drawn catalogue"},
		{Name: "documents", Default: "60000", Help: "its documents"},
		{Name: "tokens", Default: "10", Help: "mean length of its documents"},
		{Name: "spread", Default: "1.0", Help: "how far its items spread over shelves"},
		{Name: "data", Default: "data", Help: "folder of the corpora", How: true},
		{Name: "python", Default: "", Help: "interpreter for NMF and k-means of scikit-learn; none if empty", How: true},
	},
	Keys: []string{"corpus", "flags", "seed"},
	Check: func(v *run.Values) error {
		m := modelOf(*v)
		return m.Check()
	},
	Measure: measure,
	Page:    page,
}

func modelOf(v run.Values) synth.Model {
	m := synth.Model{Items: v.Int("items"), Documents: v.Int("documents"), Tokens: v.Int("tokens"),
		Spread: v.Float("spread"), Topics: 1, Tree: v.Ints("tree"), TreeConcentration: v.Floats("concentration")}
	for _, children := range m.Tree {
		m.Topics *= children
	}
	return m
}

// catalogue is documents and their labels at every level.
type catalogue struct {
	docs   *corpus.Corpus
	drawn  *synth.Drawn // nil for other corpora
	levels []int
	labels []*stream.Labels // of the items of docs, at each level
}

// open opens or draws the documents, and their labels.
func open(ctx context.Context, j *run.Job) (c *catalogue, err error) {
	opts := corpus.Options{Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}, MinItems: 2, Workers: j.Workers, MinTokens: 1}
	if j.Text("corpus") == documents.Drawn {
		return draw(ctx, j, opts)
	}
	folder := filepath.Join(j.Text("data"), j.Text("corpus"))
	c = &catalogue{levels: j.Ints("levels")}
	if c.docs, err = documents.Open(ctx, folder, opts); err != nil {
		return nil, err
	}
	columns := stream.LabelColumns{Item: "item", Label: "label"}
	labels, err := stream.ReadLabels(ctx, filepath.Join(folder, documents.LabelsFile), columns, c.docs.Vocabulary)
	for range c.levels {
		c.labels = append(c.labels, labels)
	}
	return c, err
}

// draw draws a catalogue. The label of an item at a level is the node above its home.
func draw(ctx context.Context, j *run.Job, opts corpus.Options) (*catalogue, error) {
	m := modelOf(j.Values)
	m.Seed, m.Workers = j.Seed("seed"), j.Workers
	c := &catalogue{drawn: m.Plant()}
	var err error
	if c.docs, err = corpus.FromSeq(ctx, documents.Named(ctx, c.drawn.Pass, c.drawn.Vocabulary()), opts); err != nil {
		return nil, err
	}
	items, err := synth.ItemsOf(c.docs.Vocabulary)
	if err != nil {
		return nil, err
	}
	product := 1
	for depth, children := range m.Tree {
		product *= children
		labels := new(stream.Labels)
		for i, item := range items {
			labels.Items = append(labels.Items, int32(i))
			labels.Labels = append(labels.Labels, int32(c.drawn.Model.Above(c.drawn.Truth.Home(int(item)), depth+1)))
		}
		c.levels, c.labels = append(c.levels, product), append(c.labels, labels)
	}
	return c, nil
}

// measure fits the levels of one seed and scores them.
func measure(ctx context.Context, j *run.Job) (err error) {
	c, err := open(ctx, j)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.docs.Close()) }()
	begin := time.Now()
	models, err := c.fit(ctx, j)
	if err != nil {
		return fmt.Errorf("fitting topics: %w", err)
	}
	j.Row("items_kept", c.docs.Vocabulary.Len(), "documents_kept", models[0].Manifest.Corpus.Documents, "seconds",
		time.Since(begin))
	frequencies := models[0].DocumentFrequency
	for at, m := range models {
		groups := make([]int32, c.docs.Vocabulary.Len())
		for i := range groups {
			groups[i] = m.TopTopic(i)
		}
		score(j, "anchorage", m.Topics(), c.labels[at], groups, frequencies)
	}
	if j.Text("python") == "" {
		return nil
	}
	return c.others(ctx, j, frequencies)
}

// fit fits all levels, and returns their models, the coarsest first.
func (c *catalogue) fit(ctx context.Context, j *run.Job) ([]*model.Model, error) {
	path := filepath.Join(j.Scratch, "model")
	out, err := model.Create(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	last := len(c.levels) - 1
	fitted, err := fit.Fit(ctx, c.docs, fit.Options{Topics: c.levels[last], Levels: c.levels[:last],
		Extras: fit.Extras{Output: out}, Seed: j.Seed("seed"),
		Run: &fit.Run{Workers: j.Workers, Log: slog.New(slog.DiscardHandler)}})
	if err != nil {
		return nil, err
	}
	if err := fitted.SaveTo(out); err != nil {
		return nil, err
	}
	finest, err := model.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	var models []*model.Model
	for _, k := range c.levels {
		m, err := finest.Level(ctx, k)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

// score compares groups of items with their labels, by how many documents contain the items.
func score(j *run.Job, method string, topics int, labels *stream.Labels, groups []int32, frequencies []int64) {
	for _, least := range []int64{1, 5, 20} {
		var of, names []int32
		for x, i := range labels.Items {
			if frequencies[i] >= least {
				of, names = append(of, groups[i]), append(names, labels.Labels[x])
			}
		}
		a := metric.Agree(of, names)
		j.Add("scores", "method", method, "topics", topics, "least_df", least, "observations", a.Observations, "labels",
			a.Labels, "groups", a.Groups, "nmi", a.Normalized, "ami", a.Adjusted)
	}
}

// others has other methods group the same items.
func (c *catalogue) others(ctx context.Context, j *run.Job, frequencies []int64) error {
	folder := filepath.Join(j.Scratch, "documents")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	if _, _, err := systems.Write(ctx, c.docs, folder); err != nil {
		return err
	}
	for at, k := range c.levels {
		numbers := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.labels[at].Items)), "\n"), "[]")
		if err := os.WriteFile(filepath.Join(folder, "labelled.txt"), []byte(numbers), 0o644); err != nil {
			return err
		}
		table, err := systems.Script(ctx, j, "labels.py", folder, k, c.docs.Vocabulary.Len())
		if err != nil {
			return err
		}
		for _, of := range table.By("method") {
			score(j, of.Rows[0]["method"], k, c.labels[at], groupsOf(of, c.docs.Vocabulary.Len()), frequencies)
		}
	}
	return nil
}

func groupsOf(table show.View, items int) []int32 {
	groups := make([]int32, items)
	for _, row := range table.Rows {
		var item, group int32
		fmt.Sscan(row["item"], &item)
		fmt.Sscan(row["group"], &group)
		groups[item] = group
	}
	return groups
}
