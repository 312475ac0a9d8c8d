// This file infers the topics of a sample of the documents, and sums up what they say of each topic.

package diagnose

import (
	"context"
	"math"
	"slices"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/internal/toplist"
	"anchorage/model"
)

// The sample has about sampledDocuments documents, or sampledEntries entries if that is less. Documents of more than
// sampledLongest distinct items are left out: their rows would take too much memory.
const (
	sampledDocuments = 20_000
	sampledEntries   = 4_000_000
	sampledLongest   = 1 << 15
)

// A batch of the sample is inferred as soon as it has batchItems distinct items or batchDocuments documents. That
// bounds the memory; see infer.Batch.
const (
	batchItems     = 4096
	batchDocuments = 1024
)

// The shares of a topic in a document that MALLET's allocation figures count.
const (
	littleShare   = 0.02
	thirdShare    = 0.3
	halfShare     = 0.5
	presentTokens = 0.5 // expected tokens from which on a document has a topic
)

// Share returns what share of a corpus with the given numbers of documents and entries the sample has.
func Share(documents, entries float64) float64 {
	return min(sampledDocuments/max(documents, 1), sampledEntries/max(entries, 1), 1)
}

// Bytes returns the bytes that the diagnostics of k topics of n items take: the numbers of items in the batch and in
// lists, the counters of pairs, the rows of a batch in double and in single precision, with its mixtures, and the
// places of items by their probability.
func Bytes(n, k int, size corpus.Size) int64 {
	workers := int64(min(kernel.Workers(size.Workers), pairWorkers))
	lists := int64(k) * model.TopItems * (16*model.TopItems + 2*8 + 48)
	batch := int64(batchItems)*int64(k)*(8+4) + int64(batchDocuments)*int64(k)*4
	return size.PassBytes() + int64(n)*(4*workers+4+8) + lists + batch
}

// documentSample infers documents and sums up what they say.
type documentSample struct {
	m       *model.Model
	seed    uint64
	chance  float64
	workers int
	all     float64 // documents that count
	places  map[int32][]place
	number  int64 // of the first document of the next run
	batch   *infer.Batch
	numbers []int64 // of the documents of the batch

	documents                           int64 // that were inferred
	tokens, tokenLogs                   []float64
	present, first, little, third, half []int64
	itemTokens, itemDocuments           []float64      // K×TopItems, expected
	best                                []toplist.List // of each topic: documents by their share of it
}

// place is a position in the list of a topic.
type place struct{ topic, position int }

func newDocumentSample(m *model.Model, lists [][]int, workers int) *documentSample {
	k := m.Topics()
	entries := int64(0)
	for _, df := range m.DocumentFrequency {
		entries += df
	}
	all := float64(m.Marginals.Documents)
	s := &documentSample{m: m, seed: m.Manifest.Sketch.Seed, all: all, workers: workers, chance: Share(all,
		float64(entries)), places: make(map[int32][]place),
		batch:  infer.NewBatch(m.Vocabulary.Len(), k, m.ItemRow, m.TopicJoint, workers),
		tokens: make([]float64, k), tokenLogs: make([]float64, k), present: make([]int64, k), first: make([]int64, k),
		little: make([]int64, k),
		third:  make([]int64, k), half: make([]int64, k), itemTokens: make([]float64, k*model.TopItems),
		itemDocuments: make([]float64, k*model.TopItems),
		best:          slices.Repeat([]toplist.List{toplist.New(model.ExampleDocuments)}, k)}
	for topic, list := range lists {
		for position, item := range list {
			s.places[int32(item)] = append(s.places[int32(item)], place{topic, position})
		}
	}
	return s
}

// add takes the documents of a run that belong to the sample.
func (s *documentSample) add(ctx context.Context, docs *corpus.Documents) error {
	for d := range docs.Documents() {
		number := s.number + int64(d)
		if len(docs.Places) > 0 {
			number = s.number + int64(docs.Places[d])
		}
		items, counts := docs.Row(d)
		if len(items) > sampledLongest || s.chance < 1 && random.Uniform(s.seed, random.DiagnosedSample, uint64(number),
			0) >= s.chance {
			continue
		}
		s.batch.Add(items, counts)
		if s.numbers = append(s.numbers, number); s.batch.Items() >= batchItems || len(s.numbers) >= batchDocuments {
			if err := s.infer(ctx); err != nil {
				return err
			}
		}
	}
	if docs.Read > 0 {
		s.number += int64(docs.Read)
	} else {
		s.number += int64(docs.Documents())
	}
	return nil
}

// inferred is what is known of a document of the batch.
type inferred struct {
	mixture []float32
	top     int
	tokens  float64
	hits    []hit
}

// hit is an item of a topic's list in a document: of its tokens, how many are expected to be the topic's, and the
// probability that one is.
type hit struct {
	at             int // topic·TopItems + position
	tokens, either float64
}

// infer infers the documents of the batch and empties it. Documents are added in their order, so that sums do not
// depend on workers.
func (s *documentSample) infer(ctx context.Context) error {
	if len(s.numbers) == 0 {
		return nil
	}
	found := make([]inferred, len(s.numbers))
	alpha, err := s.batch.Infer(ctx, func(d int, of infer.BatchDocument) {
		one := &found[d]
		one.mixture, one.top, one.tokens = of.Mixture, of.Top, float64(of.Known)
		for at, count := range of.Counts {
			s.hit(one, of.Item(at), of.Row(at), float64(count))
		}
	})
	if err != nil {
		return err
	}
	for d := range found {
		s.count(s.numbers[d], &found[d], alpha)
	}
	s.numbers = s.numbers[:0]
	return nil
}

// hit notes an item with a row of B that is in lists of topics.
func (s *documentSample) hit(of *inferred, item int32, row []float64, count float64) {
	places := s.places[item]
	if len(places) == 0 {
		return
	}
	sum := 0.0
	for k, p := range row {
		sum += p * float64(of.mixture[k])
	}
	if !(sum > 0) {
		return
	}
	for _, p := range places {
		share := row[p.topic] * float64(of.mixture[p.topic]) / sum
		of.hits = append(of.hits, hit{p.topic*model.TopItems + p.position, count * share, 1 - math.Pow(1-share, count)})
	}
}

// count adds a document to the sums. θ is the posterior mean (α_k + n_k)/(Σα + n), so that n_k, the expected tokens of
// a topic, follow from it.
func (s *documentSample) count(number int64, of *inferred, alpha []float64) {
	if of.tokens == 0 {
		return
	}
	s.documents++
	total := of.tokens
	for _, a := range alpha {
		total += a
	}
	s.first[of.top]++
	for k, share32 := range of.mixture {
		share := float64(share32)
		tokens := max(share*total-alpha[k], 0)
		if tokens > 0 {
			s.tokens[k] += tokens
			s.tokenLogs[k] += tokens * math.Log(tokens)
		}
		s.best[k].Offer(int(number), share)
		if tokens < presentTokens {
			continue
		}
		s.present[k]++
		for _, level := range []struct {
			share float64
			count []int64
		}{{littleShare, s.little}, {thirdShare, s.third}, {halfShare, s.half}} {
			if share >= level.share {
				level.count[k]++
			}
		}
	}
	for _, h := range of.hits {
		s.itemTokens[h.at] += h.tokens
		s.itemDocuments[h.at] += h.either
	}
}

// into sets the figures that the sample gives, and finds the examples in the inputs.
func (s *documentSample) into(d *model.Diagnostics, inputs []corpus.Input) {
	for k := range s.tokens {
		d.Examples[k] = placed(s.best[k].Sorted(), inputs)
		if s.documents == 0 {
			continue
		}
		d.Of("tokens")[k] = s.tokens[k] * s.all / float64(s.documents)
		d.Of("top_documents")[k] = float64(s.first[k]) / float64(s.documents)
		if s.tokens[k] > 0 {
			d.Of("document_entropy")[k] = math.Log(s.tokens[k]) - s.tokenLogs[k]/s.tokens[k]
		}
		d.Of("rank_1_documents")[k] = ratio(min(s.first[k], s.present[k]), s.present[k])
		d.Of("allocation_ratio")[k], d.Of("allocation_count")[k] = ratio(s.half[k], s.little[k]),
			ratio(s.third[k], s.present[k])
		d.Of("token_document_difference")[k] = divergence(s.itemTokens[k*model.TopItems:][:model.TopItems],
			s.itemDocuments[k*model.TopItems:][:model.TopItems])
	}
}

// ratio returns a/b; NaN if b is 0.
func ratio(a, b int64) float64 { return float64(a) / float64(b) }

// divergence returns the Jensen–Shannon divergence of two lists of amounts, each scaled to sum to 1.
func divergence(a, b []float64) float64 {
	sumA, sumB, total := 0.0, 0.0, 0.0
	for i := range a {
		sumA, sumB = sumA+a[i], sumB+b[i]
	}
	if !(sumA > 0 && sumB > 0) {
		return math.NaN()
	}
	for i := range a {
		p, q := a[i]/sumA, b[i]/sumB
		middle := (p + q) / 2
		if p > 0 {
			total += p / 2 * math.Log(p/middle)
		}
		if q > 0 {
			total += q / 2 * math.Log(q/middle)
		}
	}
	return max(total, 0)
}

// placed returns the documents with the inputs that they come from.
func placed(list []toplist.Entry, inputs []corpus.Input) (examples []model.ExampleDocument) {
	for _, one := range list {
		row := int64(one.Item)
		for _, input := range inputs {
			if row < input.Documents {
				examples = append(examples, model.ExampleDocument{Shard: input.Path, Row: row, Share: one.Score})
				break
			}
			row -= input.Documents
		}
		if len(inputs) == 0 { // a corpus in memory
			examples = append(examples, model.ExampleDocument{Row: row, Share: one.Score})
		}
	}
	return examples
}
