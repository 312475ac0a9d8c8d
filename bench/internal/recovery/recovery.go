// Package recovery measures how much of a known truth systems recover as documents become more.
package recovery

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/anchor"
	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/bench/internal/systems"
	"anchorage/internal/synth"
)

//go:embed page.md
var page string

// truth is the method that begins at the drawn topics.
const truth = "anchorage-truth"

// The methods that know more than documents.
var knowing = []show.Note{
	{Name: "floor",
		Text: "the topic of every token known: B counted (maximum likelihood), A from the pairs of tokens of a document"},
	{Name: truth,
		Text: "the refinement for prediction, from the drawn topics: what it finds if its start does not mislead it"},
}

// Part draws documents from topics that it knows, with Zipf item frequencies and correlations, and compares what
// systems learn with these.
var Part = &run.Part{
	Name: "recovery", Title: "What is recovered of a known truth",
	About: "Measure how much of a known truth is recovered as documents become more",
	Settings: append([]run.Setting{
		{Name: "items", Default: "2000", Help: "numbers of items, N"},
		{Name: "topics", Default: "20", Help: "numbers of topics, K"},
		{Name: "documents", Default: "2000,8000,32000", Help: "numbers of documents, M"},
		{Name: "tokens", Default: "100", Help: "mean lengths of documents"},
		{Name: "seed", Default: "1", Help: "seeds of the corpora"},
		{Name: "method", Default: "floor,anchorage,anchorage-no-refine,anchorage-published,sklearn-kl-batch",
			Help:  "floor, " + truth + ", and systems as of bench topics",
			Among: append([]string{"floor", truth}, systems.Names()...)},
		{Name: "length", Default: "geometric", Help: "distribution of lengths: geometric, fixed or log-normal"},
		{Name: "exponent", Default: "1.0", Help: "of the Zipf law: item i is in proportion to (i+offset)^-exponent"},
		{Name: "offset", Default: "10.0", Help: "of the Zipf law"},
		{Name: "spread", Default: "1.0",
			Help: "total concentration of an item's shares in the topics: a smaller one gives items fewer topics"},
		{Name: "anchors", Default: "1", Help: "anchors per topic"},
		{Name: "anchor-strength", Default: "1.0", Help: "share of an anchor that is in its own topic"},
		{Name: "concentration", Default: "0.1", Help: "of the Dirichlet distribution of mixtures, per topic"},
		{Name: "deviation", Default: "0", Help: "of a logistic-normal distribution of mixtures; 0 for a Dirichlet one"},
		{Name: "blocks", Default: "1", Help: "of topics that correlate, in the logistic-normal distribution"},
		{Name: "correlation", Default: "0.0", Help: "of topics of a block"},
	}, systems.Settings...),
	Keys:   []string{"items", "topics", "documents", "tokens", "seed", "flags", "method"},
	Check:  check,
	Shared: []string{"items", "topics", "documents", "tokens", "seed", "flags"}, Prepare: prepare,
	Hopeless: func(j *run.Job, rows []show.Row) string {
		return systems.Hopeless(j, rows, []string{"method", "tokens", "flags"}, []string{"items", "topics", "documents"})
	},
	Measure: measure,
	Notes:   append(slices.Clone(knowing), systems.Notes()...),
	Page:    page,
}

func check(v *run.Values) (err error) {
	for _, items := range v.List("items") {
		for _, topics := range v.List("topics") {
			m, wrong := modelOf(v.With("items", items, "topics", topics, "documents", 2, "tokens", 2, "seed", 1))
			err = errors.Join(err, wrong, m.Check())
		}
	}
	return err
}

// modelOf returns what a corpus is drawn from.
func modelOf(v run.Values) (synth.Model, error) {
	lengths := []string{synth.Geometric: "geometric", synth.Fixed: "fixed", synth.LogNormal: "log-normal"}
	m := synth.Model{Items: v.Int("items"), Topics: v.Int("topics"), Documents: v.Int("documents"),
		Tokens: v.Int("tokens"), Seed: v.Seed("seed"),
		Exponent: v.Float("exponent"), Offset: v.Float("offset"), Spread: v.Float("spread"), Anchors: v.Int("anchors"),
		AnchorStrength: v.Float("anchor-strength"), Concentration: v.Float("concentration")}
	length := slices.Index(lengths, v.Text("length"))
	if length < 0 {
		return m, fmt.Errorf("--length is %q: it must be geometric, fixed or log-normal", v.Text("length"))
	}
	m.Length = synth.Length(length)
	if deviation := v.Float("deviation"); deviation > 0 {
		m.Logistic = &synth.LogisticNormal{Deviation: deviation, Blocks: v.Int("blocks"), Correlation: v.Float("correlation")}
	}
	return m, nil
}

// material is a drawn corpus, and the drawn item of each item that occurs.
type material struct {
	*synth.Drawn
	items []int32
}

// prepare draws a corpus and writes its documents, with all items that occur, for the systems.
func prepare(ctx context.Context, j *run.Job) error {
	m, err := modelOf(j.Values)
	if err != nil {
		return err
	}
	m.Workers = j.Workers
	of := &material{Drawn: m.Plant()}
	j.State = of
	docs, err := documents.OpenDrawn(ctx, of.Drawn, j.Shared, j.Workers)
	if err != nil {
		return err
	}
	if of.items, err = synth.ItemsOf(docs.Vocabulary); err == nil {
		_, _, err = systems.Write(ctx, docs, j.Shared)
	}
	return errors.Join(err, docs.Close())
}

func measure(ctx context.Context, j *run.Job) error {
	of, method := j.State.(*material), j.Text("method")
	if method == "floor" {
		oracle, err := of.Oracle(ctx)
		if err != nil {
			return err
		}
		note(j, of.Truth.Recover(oracle.Estimate()))
		return nil
	}
	if method == truth {
		found, err := systems.RefineFrom(ctx, j.Shared, j.Int("topics"), j.Seed("seed"), j.Workers, of.begin)
		if err != nil {
			return err
		}
		note(j, of.Truth.Recover(synth.Estimate{Items: of.items, Row: found.ItemRow, Correlations: found.TopicJoint,
			Anchors: found.Anchors}))
		j.Row("anchors", "") // they are those of the spectral topics
		return nil
	}
	found, err := systems.Try(ctx, j, method, len(of.items), j.Int("topics"), j.Seed("seed"))
	if err != nil {
		return err
	}
	joint := found.Joint
	if joint == nil { // the errors of A then mean nothing
		joint = make([]float64, j.Int("topics")*j.Int("topics"))
	}
	row := func(dst []float64, i int) { copy(dst, found.B.Row(i)) }
	note(j, of.Truth.Recover(synth.Estimate{Items: of.items, Row: row, Correlations: joint, Anchors: found.Anchors}))
	if found.Joint == nil {
		j.Row("error_a", "", "distance_a", "")
	}
	return nil
}

// begin sets topics to the drawn ones.
func (of *material) begin(t *anchor.Topics) {
	for i, item := range of.items {
		row := t.Mixtures.Row(i)
		of.Truth.CopyRow(row, int(item))
		floats.Mul(row, of.Truth.Prior)
		floats.Scale(1/floats.Sum(row), row)
	}
	copy(t.TopicJoint, of.Truth.Correlations)
}

// note reports the figures of a recovery. The errors of classes of items are relative to the class's part of a topic.
func note(j *run.Job, r synth.Recovery) {
	c := &r.Class
	j.Row("error_b", r.ErrorB, "error_b_common", c[synth.Common].Relative(), "error_b_middling",
		c[synth.Middling].Relative(),
		"error_b_rare", c[synth.Rare].Relative(), "error_a", r.ErrorA, "distance_a", r.DistanceA, "anchors", r.Anchors)
}
