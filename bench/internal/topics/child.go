// This file makes one run in a process of its own, so that processor time and memory are those of the method alone.

package topics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/anchor"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/matrix"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// lambdas are the λ of the relevance that words are ranked by.
var lambdas = [2]float64{1, 0.6}

// Documents count that have so many distinct items and tokens, as for `anchorage fit`.
const minItems, minTokens = 3, 5

const (
	topWords      = 10 // of a topic that count
	thinDocuments = 20 // words in fewer documents are thin evidence
)

// order is what the parent asks a child to do, as JSON on its standard input.
type order struct {
	Run     Run    `json:"run"`
	Data    string `json:"data"`    // folder of the corpora
	Scratch string `json:"scratch"` // folder for everything temporary
	Python  string `json:"python"`
	Workers int    `json:"workers"`
}

// answer is what the child writes on its standard output.
type answer = report.Answer[Record]

// record returns the record of the run before it is made.
func (o *order) record() Record {
	r := newRecord(o.Run)
	r.Workers, r.Program = kernel.Workers(o.Workers), "anchorage "+model.Version
	return r
}

// Child makes the run that an order on in asks for, and writes the answer to out. A grid starts a process for each run that calls
// it.
func Child(ctx context.Context, in io.Reader, out, stderr io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("only `bench topics` runs this command: %w", err)
	}
	record := o.record()
	err := o.run(ctx, &record, stderr)
	hide := strings.NewReplacer(o.Scratch+string(filepath.Separator), "", filepath.Join(o.Data, o.Run.Corpus), "DATA/"+o.Run.Corpus)
	return report.Reply(ctx, out, &record, &record.Failure, err, hide)
}

// run opens the corpus, runs the method and scores its topics.
func (o *order) run(ctx context.Context, record *Record, stderr io.Writer) (err error) {
	lap := stageWatch(&record.Stages)
	shards, err := shard.Discover(ctx, []string{filepath.Join(o.Data, o.Run.Corpus)}, shard.Options{})
	if err != nil {
		return err
	}
	source := corpus.Options{MinItems: minItems, MinTokens: minTokens, Dir: o.Scratch, Workers: o.Workers,
		Pruning: corpus.Pruning{MinDF: o.Run.MinDF, MaxDFRatio: o.Run.MaxDFRatio, MaxItems: o.Run.MaxItems}}
	docs, err := stream.Open(ctx, shards, source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	record.Items = docs.Vocabulary.Len()
	if o.Run.MaxItems > 0 && docs.Account.Pruned.MaxItems.Items == 0 {
		return fmt.Errorf("there are only %d items", record.Items)
	}
	lap("read")
	var b *matrix.Tall
	var anchors []int
	if isPeer(o.Run.Method) {
		b, err = o.runPeer(ctx, docs, record, lap, stderr)
	} else {
		var topics *anchor.Topics
		if topics, err = o.fit(ctx, docs, record); err == nil {
			b, anchors = itemsOf(topics), topics.Anchors
		}
	}
	if err != nil {
		return err
	}
	return record.score(ctx, docs, b, anchors, o.Workers)
}

// stageWatch returns a function that notes a stage, which began with the call before.
func stageWatch(stages *[]model.StageTime) func(name string) {
	begin, cpu := time.Now(), report.CPUTime()
	return func(name string) {
		now, used := time.Now(), report.CPUTime()
		*stages = append(*stages, model.StageTime{Name: name, Seconds: now.Sub(begin).Seconds(), CPU: (used - cpu).Seconds()})
		begin, cpu = now, used
	}
}

// fit runs one of our variants and notes its time and memory.
func (o *order) fit(ctx context.Context, docs *corpus.Corpus, record *Record) (*anchor.Topics, error) {
	options, err := FitOptions(o.Run.Method, o.Run.Topics, o.Run.Seed, o.Workers)
	if err != nil {
		return nil, err
	}
	run := options.Run
	fitted, err := o.fitted(ctx, docs, options)
	if err != nil {
		return nil, err
	}
	record.PeakBytes = process.PeakMemory()
	for _, stage := range run.Stages() {
		record.Stages = append(record.Stages, stage)
		record.Seconds += stage.Seconds
		record.CPU += stage.CPU
	}
	topics := fitted.Topics
	record.Anchors = Anchors{MedianDF: math.NaN(), LargestPivot: slices.Max(topics.Pivots), NonPositive: nonPositive(topics, fitted.Marginals.RowSums)}
	return topics, nil
}

// fitted fits the whole, or merges sketches of its parts.
func (o *order) fitted(ctx context.Context, docs *corpus.Corpus, options model.Options) (*model.Fitted, error) {
	if parts := Variants[indexOf(o.Run.Method)].parts; parts > 0 {
		return o.merged(ctx, docs, parts, options)
	}
	return model.Fit(ctx, docs, options)
}

// nonPositive counts the items of documents that count whose row sum was negative or whose weight is not positive.
func nonPositive(topics *anchor.Topics, rowSums []float64) float64 {
	count := topics.Stats.Correction.Negative
	for i, weight := range topics.RowSums {
		if weight <= 0 && rowSums[i] > 0 {
			count++
		}
	}
	return float64(count)
}

// itemsOf returns B.
func itemsOf(topics *anchor.Topics) *matrix.Tall {
	b := matrix.Like(topics.Mixtures)
	for i := range b.Rows() {
		topics.BRow(b.Row(i), i)
	}
	return b
}

// score ranks the words of the topics B, N×K, and scores the rankings over the documents.
func (r *Record) score(ctx context.Context, docs *corpus.Corpus, b *matrix.Tall, anchors []int, workers int) error {
	marginals, _, err := sketch.CountMarginals(ctx, docs.Pass, b.Rows(), nil)
	if err != nil {
		return err
	}
	r.Documents = marginals.Documents
	for _, df := range marginals.DocumentFrequency {
		r.Entries += df
	}
	if anchors != nil {
		r.Anchors.MedianDF = medianDF(anchors, marginals)
	}
	var lists [][]int
	for _, lambda := range lambdas {
		for _, list := range metric.Relevance(b, marginals.Probabilities(), lambda, topWords, workers) {
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
	for l := range lambdas {
		of := metric.Pairs{Documents: pairs.Documents, Lists: pairs.Lists[l*k : (l+1)*k]}
		ranking := Ranking{NPMI: metric.NPMI(&of), Diversity: metric.TopicDiversity(lists[l*k : (l+1)*k]),
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
		r.Rankings[l] = ranking
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
