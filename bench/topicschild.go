// This file makes one run of a comparison of topics, in a process of its own: so processor time and memory are those of the
// method alone.

package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// topicsLambdas are the λ of the relevance that words are ranked by.
var topicsLambdas = []float64{1, 0.6}

const (
	topicsWords   = 10 // of a topic that count
	thinDocuments = 20 // words in fewer documents are thin evidence
)

// topicsOrder is what the parent asks a child to do, as JSON on its standard input.
type topicsOrder struct {
	Run     TopicsRun `json:"run"`
	Data    string    `json:"data"`    // folder of the corpora
	Scratch string    `json:"scratch"` // folder for everything temporary
	Python  string    `json:"python"`
	Workers int       `json:"workers"`
}

// topicsAnswer is what the child writes on its standard output.
type topicsAnswer struct {
	Record TopicsRecord `json:"record"`
	Absent string       `json:"absent,omitempty"` // why the other program cannot be run here; there is no record then
}

// TopicsChild makes the run that in orders and writes the answer to out. It is what a comparison of topics starts as a process
// of its own, once per run.
func TopicsChild(ctx context.Context, in io.Reader, out, stderr io.Writer) error {
	var order topicsOrder
	if err := json.NewDecoder(in).Decode(&order); err != nil {
		return fmt.Errorf("this command is run by anchorage bench topics alone: %w", err)
	}
	answer := topicsAnswer{Record: TopicsRecord{TopicsRun: order.Run, Workers: kernel.Workers(order.Workers)}}
	err := order.run(ctx, &answer.Record, stderr)
	var absent *absentError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &absent):
		answer.Absent = absent.reason
	case err != nil:
		// Results do not name the folders of this machine.
		hide := strings.NewReplacer(order.Scratch+string(filepath.Separator), "", filepath.Join(order.Data, order.Run.Corpus), "DATA/"+order.Run.Corpus)
		answer.Record.Failure = hide.Replace(err.Error())
	}
	return json.NewEncoder(out).Encode(answer)
}

// run opens the docs, runs the method and scores its topics.
func (o *topicsOrder) run(ctx context.Context, record *TopicsRecord, stderr io.Writer) (err error) {
	lap := stageWatch(&record.Stages)
	shards, err := shard.Discover(ctx, []string{filepath.Join(o.Data, o.Run.Corpus)}, shard.Options{})
	if err != nil {
		return err
	}
	source := corpus.Options{MinItems: paperMinItems, MinTokens: paperMinTokens, Dir: o.Scratch, Workers: o.Workers,
		Log:     slog.New(slog.DiscardHandler),
		Pruning: corpus.Pruning{MinDF: o.Run.MinDF, MaxDFRatio: o.Run.MaxDFRatio, MaxItems: o.Run.MaxItems}}
	docs, err := stream.Open(ctx, shards, source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	record.Items = docs.Vocabulary.Len()
	if o.Run.MaxItems > 0 && docs.Account.Pruned.MaxItems.Items == 0 {
		return fmt.Errorf("there are only %d items, and no more can be kept", record.Items)
	}
	lap("read")
	var b *matrix.Tall
	var anchors []int
	if isPeer(o.Run.Method) {
		b, err = o.runPeer(ctx, docs, record, lap, stderr)
	} else {
		var topics *anchor.Topics
		if topics, err = o.fit(ctx, docs, record); err == nil {
			b, anchors = topicsItems(topics), topics.Anchors
		}
	}
	if err != nil {
		return err
	}
	return record.score(ctx, docs, b, anchors, o.Workers)
}

// stageWatch returns a function that notes a stage from the last call on.
func stageWatch(stages *[]model.StageTime) func(name string) {
	begin, cpu := time.Now(), model.CPUSeconds()
	return func(name string) {
		now, used := time.Now(), model.CPUSeconds()
		*stages = append(*stages, model.StageTime{Name: name, Seconds: now.Sub(begin).Seconds(), CPU: used - cpu})
		begin, cpu = now, used
	}
}

// fit runs one of our variants and notes what it took.
func (o *topicsOrder) fit(ctx context.Context, docs *corpus.Corpus, record *TopicsRecord) (*anchor.Topics, error) {
	options, err := fitOptions(o.Run.Method, o.Run.Topics, o.Run.Seed, o.Workers)
	if err != nil {
		return nil, err
	}
	run := model.NewRun(o.Workers)
	state, err := model.Fit(ctx, docs, options, run, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	record.PeakBytes = model.PeakMemory()
	for _, stage := range run.Stages() {
		record.Stages = append(record.Stages, stage)
		record.Seconds += stage.Seconds
		record.CPU += stage.CPU
	}
	record.Program = "anchorage " + model.Version
	topics := state.Topics
	record.Anchors = &TopicsAnchors{LargestPivot: slices.Max(topics.Pivots), NonPositive: nonPositive(topics, state.Marginals.RowSums)}
	return topics, nil
}

// nonPositive counts the items that occur in documents that count, and yet had a negative row sum or have no weight.
func nonPositive(topics *anchor.Topics, rowSums []float64) int {
	count := topics.Stats.Correction.Negative
	for i, weight := range topics.RowSums {
		if weight <= 0 && rowSums[i] > 0 {
			count++
		}
	}
	return count
}

// topicsItems returns B.
func topicsItems(topics *anchor.Topics) *matrix.Tall {
	b := matrix.Like(topics.Mixtures)
	for i := range b.Rows() {
		topics.BRow(b.Row(i), i)
	}
	return b
}

// score ranks the words of the topics B, N×K, and notes what they are worth over the documents.
func (r *TopicsRecord) score(ctx context.Context, docs *corpus.Corpus, b *matrix.Tall, anchors []int, workers int) error {
	marginals, _, err := sketch.CountMarginals(ctx, docs.Pass, b.Rows(), nil)
	if err != nil {
		return err
	}
	r.Documents, r.Entries = marginals.Documents, marginals.Entries()
	if r.Anchors != nil {
		r.Anchors.MedianDF = medianDF(anchors, marginals)
	}
	var lists [][]int
	for _, lambda := range topicsLambdas {
		for _, list := range metric.Relevance(b, marginals.Probabilities(), lambda, topicsWords, workers) {
			items := make([]int, len(list))
			for t, scored := range list {
				items[t] = scored.Item
			}
			lists = append(lists, items)
		}
	}
	pairs, err := metric.CountPairs(ctx, docs.Pass, b.Rows(), lists, workers)
	if err != nil {
		return err
	}
	k := b.Cols()
	for l, lambda := range topicsLambdas {
		of := metric.Pairs{Documents: pairs.Documents, Lists: pairs.Lists[l*k : (l+1)*k]}
		ranking := TopicsRanking{Lambda: lambda, NPMI: metric.NPMI(&of), Diversity: metric.TopicDiversity(lists[l*k : (l+1)*k]),
			LeastDocuments: r.Documents}
		for t := range of.Lists {
			least := r.Documents
			for i := range of.Lists[t].Items {
				least = min(least, of.Lists[t].Single(i))
			}
			ranking.LeastDocuments = min(ranking.LeastDocuments, least)
			if least < thinDocuments {
				ranking.ThinTopics++
			}
		}
		r.Rankings = append(r.Rankings, ranking)
	}
	return nil
}

// medianDF returns the median number of documents that anchors occur in.
func medianDF(anchors []int, marginals *sketch.Marginals) float64 {
	var df []int64
	for _, item := range anchors {
		df = append(df, marginals.DocumentFrequency[item])
	}
	slices.Sort(df)
	return float64(df[(len(df)-1)/2]+df[len(df)/2]) / 2
}
