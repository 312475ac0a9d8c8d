// Package transform measures the inference of documents: how well their topics predict held-out tokens, and how many documents are inferred
// in a second, by every method. It leaves documents and topics for other programs to do the same with.
package transform

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"time"

	"anchorage/bayes"
	"anchorage/bayes/infer"
	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// Options say what is measured.
type Options struct {
	Model     string
	Shards    []string
	Documents int           // of the shards, the first that are long enough
	MinItems  int           // least distinct items of a document
	MaxItems  int           // greatest; 0 for any number
	Least     time.Duration // of each measurement
	Workers   []int
	Seed      uint64 // of the thirds
	Export    bool   // write the documents and topics too
	Log       *slog.Logger
}

// Check returns an error that names a flag out of its range.
func (o *Options) Check() error {
	switch {
	case o.Documents < 1 || o.MinItems < 2:
		return errors.New("--documents must be at least 1 and --min-items at least 2")
	case o.MaxItems != 0 && o.MaxItems < o.MinItems:
		return errors.New("--max-items must not be below --min-items")
	case o.Least <= 0 || len(o.Workers) == 0:
		return errors.New("--least must be positive, and --workers must have a number")
	}
	for _, w := range o.Workers {
		if w < 1 {
			return fmt.Errorf("--workers has %d: it must be positive", w)
		}
	}
	return nil
}

// errEnough ends a pass.
var errEnough = errors.New("enough documents")

// documents returns the first documents that are long enough.
func (o *Options) documents(ctx context.Context, v *corpus.Vocabulary) (*corpus.Documents, error) {
	shards, err := shard.Discover(ctx, o.Shards, shard.Options{})
	if err != nil {
		return nil, err
	}
	docs, err := stream.Open(ctx, shards, corpus.Options{Vocabulary: v, MinItems: o.MinItems, MinTokens: o.MinItems, Passes: 1})
	if err != nil {
		return nil, err
	}
	defer docs.Close()
	taken := &corpus.Documents{Offsets: []int32{0}}
	err = docs.Pass(ctx, func(batch *corpus.Documents) error {
		for d := range batch.Documents() {
			if taken.Documents() == o.Documents {
				return errEnough
			}
			if items, counts := batch.Row(d); o.MaxItems == 0 || len(items) <= o.MaxItems {
				taken.Append(items, counts)
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil && taken.Documents() == 0 {
		err = errors.New("no document has enough items of the model")
	}
	return taken, err
}

// methods are what is measured, the default first.
var methods = []infer.Options{{}, {Tolerance: 0.01}, {Method: infer.Variational}, {Prior: infer.Uniform}, {Prior: infer.LogisticNormal}, {Method: infer.Projection}}

// converged are the options by which nothing is left to be gained by more iterations of the default.
var converged = infer.Options{Tolerance: 1e-6, Iterations: 10000}

// Write measures, and writes into a folder: README.md, runs.csv and settings.csv. With Export there are, too: all.txt, the documents; test.txt and
// held.txt, two thirds of the tokens of every document and the others; topics.f32, B as K×N values of single precision; and alpha.csv, the prior.
func (o *Options) Write(ctx context.Context, folder *report.Folder, origin report.Origin) error {
	m, err := model.Load(ctx, o.Model)
	if err != nil {
		return err
	}
	all, err := o.documents(ctx, m.Vocabulary)
	if err != nil {
		return err
	}
	reference, err := m.Transformer(converged)
	if err != nil {
		return err
	}
	limit := mixturesOf(reference.Inferrer(), all)
	test, held := bayes.Split(all, o.Seed)
	runs := report.NewTable("runs", report.Texts("method", "prior"), report.Floats("tolerance"), report.Ints("workers", "documents"),
		report.Floats("documents_per_second", "documents_per_cpu_second", "log_likelihood", "impossible"), report.Ints("tokens"), report.Floats("distance"))
	var alpha []float64
	for _, options := range methods {
		t, err := m.Transformer(options)
		if err != nil {
			return err
		}
		if alpha == nil {
			alpha = t.Inferrer().Alpha()
		}
		score := documents.Predict(m.Items, t.Inferrer(), test, held)
		name, distance := t.Inferrer().Options(), math.NaN()
		if name.Method == reference.Inferrer().Options().Method && name.Prior == reference.Inferrer().Options().Prior {
			distance = meanDistance(mixturesOf(t.Inferrer(), all), limit, all.Documents())
		}
		for _, workers := range o.Workers {
			rate, cpuRate, err := o.speed(ctx, t.Inferrer(), all, workers)
			if err != nil {
				return err
			}
			o.Log.Info("measured", "method", name.Method, "prior", name.Prior, "workers", workers, "documents_per_second", rate,
				"documents_per_cpu_second", cpuRate, "log_likelihood", score.LogLikelihood, "distance", distance)
			runs.Add(string(name.Method), string(name.Prior), name.Tolerance, int64(workers), int64(all.Documents()), rate, cpuRate, score.LogLikelihood,
				score.Impossible, score.Tokens, distance)
		}
	}
	settings := report.NewTable("settings", report.Ints("items", "topics", "documents"), report.Floats("mean_items"))
	settings.Add(int64(m.Vocabulary.Len()), int64(m.Topics()), int64(all.Documents()), float64(all.Entries())/float64(all.Documents()))
	if err := folder.AddTables(runs, settings); err != nil {
		return err
	}
	if o.Export {
		if err := export(folder, m, alpha, all, test, held); err != nil {
			return err
		}
	}
	b := origin.Begin("The topics of documents", "")
	fmt.Fprintf(b, "\n%d documents with %.1f items on average, of %d items and %d topics. Documents per second are of inference alone, from items to\n"+
		"mixtures, in wall-clock time and in processor time; the latter does not depend on what runs beside. For the score, two\nthirds of a document's tokens predict the other third. "+
		"A token with a probability below 10⁻¹² counts as 10⁻¹²; impossible is the share of\nsuch tokens. The distance is the mean of ‖θ̂ − θ̂∞‖₁ over the documents, θ̂∞ after as many iterations as it takes.\n\n",
		all.Documents(), float64(all.Entries())/float64(all.Documents()), m.Vocabulary.Len(), m.Topics())
	runs.WriteMarkdown(b)
	return folder.AddText("README.md", b.String())
}

// export adds what other programs need to do the same.
func export(folder *report.Folder, m *model.Model, alpha []float64, all, test, held *corpus.Documents) error {
	prior := report.NewTable("alpha", report.Floats("alpha"))
	for _, a := range alpha {
		prior.Add(a)
	}
	if err := folder.AddTables(prior); err != nil {
		return err
	}
	for name, docs := range map[string]*corpus.Documents{"all.txt": all, "test.txt": test, "held.txt": held} {
		if err := folder.Add(name, func(w io.Writer) error { return documents.Write(w, docs) }); err != nil {
			return err
		}
	}
	return folder.Add("topics.f32", func(w io.Writer) error { return writeTopics(w, m) })
}

// mixturesOf returns the mixtures of all documents, M×K.
func mixturesOf(t *infer.Inferrer, docs *corpus.Documents) []float32 {
	w, mixtures := t.Worker(), make([]float32, docs.Documents()*t.Topics())
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		w.Infer(mixtures[d*t.Topics():][:t.Topics()], items, counts)
	}
	return mixtures
}

// meanDistance returns the mean ℓ1 distance of the mixtures of each of n documents.
func meanDistance(a, b []float32, n int) float64 {
	sum := 0.0
	for i, v := range a {
		sum += math.Abs(float64(v) - float64(b[i]))
	}
	return sum / float64(n)
}

// speed infers all documents again and again, and returns how many are inferred per second of the clock and of the processors.
func (o *Options) speed(ctx context.Context, t *infer.Inferrer, docs *corpus.Documents, workers int) (rate, cpuRate float64, err error) {
	const block = 256
	pool := sync.Pool{New: func() any { return t.Worker() }}
	mixtures := make([]float32, docs.Documents()*t.Topics())
	once := func(n int) error {
		return kernel.Parallel(ctx, workers, (n+block-1)/block, func(b int) error {
			w := pool.Get().(*infer.Worker)
			defer pool.Put(w)
			for d := b * block; d < min((b+1)*block, n); d++ {
				items, counts := docs.Row(d)
				w.Infer(mixtures[d*t.Topics():][:t.Topics()], items, counts)
			}
			return nil
		})
	}
	if err := once(min(docs.Documents(), 1000)); err != nil { // room, and warm caches
		return 0, 0, err
	}
	begin, cpu, done := time.Now(), report.CPUTime(), 0
	for time.Since(begin) < o.Least {
		n := docs.Documents()
		if t.Options().Method == infer.Mode { // far slower than the others
			n = min(n, block)
		}
		if err := once(n); err != nil {
			return 0, 0, err
		}
		done += n
	}
	return float64(done) / time.Since(begin).Seconds(), float64(done) / (report.CPUTime() - cpu).Seconds(), nil
}

func writeTopics(w io.Writer, m *model.Model) error {
	out := bufio.NewWriter(w)
	var value [4]byte
	for k := range m.Topics() {
		for i := range m.Vocabulary.Len() {
			binary.LittleEndian.PutUint32(value[:], math.Float32bits(float32(m.Items.At(i, k))))
			out.Write(value[:])
		}
	}
	return out.Flush()
}
