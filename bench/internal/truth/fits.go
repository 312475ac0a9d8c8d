// This file learns from a known truth as a whole fit does, through shards: with the settings of package topics, and by the
// papers' method on a dense C.

package truth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"anchorage/anchor"
	"anchorage/bench/internal/topics"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// denseMethod is the method that rectifies a dense C by alternating projection and finds topics by AW.
const denseMethod = "ap+aw"

// FitMethods are the methods of whole fits that Run knows besides StageMethods: our settings and, where C can be held, the
// papers' RAW.
func FitMethods() []string {
	var names []string
	for _, v := range topics.Variants {
		names = append(names, v.Name)
	}
	return append(names, denseMethod)
}

// fitOptions returns the options of a method of FitMethods.
func (o *Options) fitOptions(method string, k int, seed uint64) (model.Options, error) {
	if method != denseMethod {
		return topics.FitOptions(method, k, seed, o.Workers)
	}
	options, err := topics.FitOptions("published", k, seed, o.Workers)
	options.Method = model.RAW
	return options, err
}

// openCorpus brings the documents of a drawn corpus in as those of any other: all items that occur are counted.
func (o *Options) openCorpus(ctx context.Context, docs *synth.Drawn) (opened *corpus.Corpus, err error) {
	folder, err := os.MkdirTemp("", "anchorage-truth-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }() // an open corpus has a copy of its own
	paths, err := docs.WriteShards(ctx, folder, 1)
	if err != nil {
		return nil, err
	}
	shards, err := shard.Discover(ctx, paths, shard.Options{})
	if err != nil {
		return nil, err
	}
	return stream.Open(ctx, shards, corpus.Options{Pruning: corpus.Pruning{MinDF: 1}, Workers: o.Workers})
}

// recoverFits learns topics of one corpus by every method of FitMethods that is asked for.
func (o *Options) recoverFits(ctx context.Context, docs *synth.Drawn) (records []Record, err error) {
	fits := FitMethods()
	wanted := slices.DeleteFunc(slices.Clone(o.methods()), func(m string) bool { return !slices.Contains(fits, m) })
	if len(wanted) == 0 {
		return nil, nil
	}
	opened, err := o.openCorpus(ctx, docs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	items := make([]int32, opened.Vocabulary.Len())
	for i := range items {
		item, ok := synth.ParseItem(opened.Vocabulary.ID(i))
		if !ok {
			return nil, fmt.Errorf("item %q was not drawn", opened.Vocabulary.ID(i))
		}
		items[i] = int32(item)
	}
	for _, method := range wanted {
		record, err := o.recoverFit(ctx, docs, opened, items, method)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		records = append(records, *record)
	}
	return records, nil
}

// recoverFit learns topics by one method and holds them against the truth.
func (o *Options) recoverFit(ctx context.Context, docs *synth.Drawn, opened *corpus.Corpus, items []int32, method string) (*Record, error) {
	drawn := docs.Model
	options, err := o.fitOptions(method, drawn.Topics, drawn.Seed)
	if err != nil {
		return nil, err
	}
	record := &Record{Documents: drawn.Documents, Seed: drawn.Seed, Method: method}
	state, err := model.Fit(ctx, opened, options)
	if record.noteFailure(err) {
		return record, nil
	}
	if err != nil {
		return nil, err
	}
	record.Passes = state.Manifest.Sketch.Passes
	if state.Manifest.Rectify != nil {
		record.Iterations = state.Manifest.Rectify.Iterations
	}
	whole := state.Model()
	row := func(dst []float64, i int) { copy(dst, whole.Items.Row(i)) }
	record.Recovery = docs.Truth.Recover(synth.Estimate{Items: items, Row: row, Correlations: whole.TopicJoint, Anchors: whole.Anchors})
	return record, nil
}

// noteFailure notes that a method finds no topics. It reports whether err says so.
func (r *Record) noteFailure(err error) bool {
	var pairs *sketch.RankError
	var rank *anchor.RankError
	var item *anchor.ItemError
	var data *corpus.DataError
	if !errors.As(err, &pairs) && !errors.As(err, &rank) && !errors.As(err, &item) && !(errors.As(err, &data) && data.Lack == corpus.TooFewDocuments) {
		return false
	}
	r.Failure = err.Error()
	return true
}
