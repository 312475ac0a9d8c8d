// Package labels measures how far items' topics agree with labels that are known, at several levels of a model.
package labels

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// Options say what is measured.
type Options struct {
	Shards  []string // documents; none for Drawn
	Labels  string   // file of the items' labels, beside shards
	Columns stream.LabelColumns
	Drawn   *synth.Model // a drawn catalogue, whose tree gives the levels and the labels
	Name    string       // of the corpus
	Levels  []int        // numbers of topics beside shards, increasing
	MinDF   int64
	Seeds   int
	Seed    uint64 // the first
	Peers   string // folder for the first seed's documents and labels, for other programs; none if empty
	Workers int
	Log     *slog.Logger
}

// LeastDF are the classes of items that figures are given for: those in at least so many documents.
var LeastDF = []int64{1, 5, 20}

// Record is how items' topics agree with labels, at one level and for one class of items.
type Record struct {
	Seed    uint64
	Topics  int
	LeastDF int64
	metric.Agreement
}

// Result is what was measured.
type Result struct {
	Records   []Record
	Links     []Links // of drawn catalogues
	Items     int     // N, of the first seed
	Documents int64
	Seconds   float64 // of the fit of the first seed
}

// catalogue is the documents of a seed, and their labels at every level.
type catalogue struct {
	docs   *corpus.Corpus
	drawn  *synth.Drawn // nil for shards
	levels []int
	labels []*stream.Labels // of the items of docs, at each level
}

// Run measures.
func (o *Options) Run(ctx context.Context) (*Result, error) {
	result := &Result{}
	for s := range o.Seeds {
		if err := o.trial(ctx, o.Seed+uint64(s), result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// open opens or draws the documents, and their labels.
func (o *Options) open(ctx context.Context, seed uint64) (*catalogue, error) {
	opts := corpus.Options{Pruning: corpus.Pruning{MinDF: o.MinDF, MaxDFRatio: 1}, MinItems: 2, Workers: o.Workers}
	if len(o.Shards) == 0 {
		return o.draw(ctx, seed, opts)
	}
	shards, err := shard.Discover(ctx, o.Shards, shard.Options{})
	if err != nil {
		return nil, err
	}
	c := &catalogue{levels: o.Levels}
	if c.docs, err = stream.Open(ctx, shards, opts); err != nil {
		return nil, err
	}
	labels, err := stream.ReadLabels(ctx, o.Labels, o.Columns, c.docs.Vocabulary)
	for range c.levels {
		c.labels = append(c.labels, labels)
	}
	return c, err
}

// draw draws a catalogue. The label of an item at a level is the node above its home.
func (o *Options) draw(ctx context.Context, seed uint64, opts corpus.Options) (*catalogue, error) {
	drawn := *o.Drawn
	drawn.Seed, drawn.Workers = seed, o.Workers
	c := &catalogue{drawn: drawn.Plant()}
	var err error
	if c.docs, err = corpus.FromSeq(ctx, documents.Named(ctx, c.drawn.Pass, c.drawn.Vocabulary()), opts); err != nil {
		return nil, err
	}
	items, err := synth.ItemsOf(c.docs.Vocabulary)
	if err != nil {
		return nil, err
	}
	product := 1
	for depth, children := range drawn.Tree {
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

// trial fits the levels of one seed and scores them.
func (o *Options) trial(ctx context.Context, seed uint64, result *Result) error {
	c, err := o.open(ctx, seed)
	if err != nil {
		return err
	}
	defer c.docs.Close()
	if o.Peers != "" && seed == o.Seed {
		if err := c.writePeers(ctx, o.Peers); err != nil {
			return err
		}
	}
	begin := time.Now()
	models, err := o.fit(ctx, c, seed)
	if err != nil {
		return err
	}
	if seed == o.Seed {
		result.Items, result.Documents, result.Seconds = c.docs.Vocabulary.Len(), models[0].Manifest.Corpus.Documents, time.Since(begin).Seconds()
	}
	for at, m := range models {
		for _, least := range LeastDF {
			r := Record{Seed: seed, Topics: m.Topics(), LeastDF: least, Agreement: agreement(m, c.labels[at], least)}
			o.Log.Info("scored", "seed", seed, "topics", r.Topics, "least_df", least, "nmi", r.Normalized, "ami", r.Adjusted, "observations", r.Observations)
			result.Records = append(result.Records, r)
		}
	}
	if c.drawn == nil {
		return nil
	}
	links, err := o.links(ctx, c, models, seed)
	result.Links = append(result.Links, links...)
	return err
}

// fit fits all levels, and returns their models, the coarsest first.
func (o *Options) fit(ctx context.Context, c *catalogue, seed uint64) ([]*model.Model, error) {
	folder, remove, err := report.Scratch("")
	if err != nil {
		return nil, err
	}
	defer remove()
	path := filepath.Join(folder, "model")
	out, err := model.Create(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	last := len(c.levels) - 1
	fitted, err := model.Fit(ctx, c.docs, model.Options{Topics: c.levels[last], Levels: c.levels[:last], LevelsTo: out, Seed: seed,
		Run: &model.Run{Workers: o.Workers, Log: slog.New(slog.DiscardHandler)}})
	if err != nil {
		return nil, fmt.Errorf("fitting topics: %w", err)
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

// agreement compares the most probable topics of items with their labels.
func agreement(m *model.Model, labels *stream.Labels, leastDF int64) metric.Agreement {
	var groups, names []int32
	for x, i := range labels.Items {
		if m.DocumentFrequency[i] >= leastDF {
			groups, names = append(groups, m.TopTopic(int(i))), append(names, labels.Labels[x])
		}
	}
	return metric.Agree(groups, names)
}
