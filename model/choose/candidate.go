// This file solves one number of topics from the common sketch and measures the result: it holds documents out and
// scores models by how likely they make them.

package choose

import (
	"context"
	"errors"
	"html/template"
	"math"
	"time"

	"anchorage/anchor"
	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/report"
	"anchorage/model/transform"
)

// Candidate is what was measured at one number of topics. Figures that are unknown are NaN; JSON has null.
type Candidate struct {
	Topics int
	// Of the spectrum: how many times as great as the next one eigenvalue K of C is, and as the greatest of noise, with
	// items of equal weight.
	Gap, AboveNoise float64
	// Of ENN: the iterations, the last change, whether that counts as settled, and the ε of the negative entries that are
	// left.
	Iterations int
	Change     float64
	Settled    bool
	Epsilon    float64
	// LogLikelihood is the mean of ln p(token) of held-out documents, of which half of the tokens are known;
	// LikelihoodError its standard error.
	LogLikelihood, LikelihoodError float64
	NPMI, Diversity                float64 // of the prominent items: 10 and 25 of each topic
	// topics that rest on little, and pairs of topics that share half of their items
	Thin, Duplicates int
	// Failure says why there are no topics; the other figures are those of the spectrum then.
	Failure string
	// Seconds are those of a solution, without the sketch. They may differ from run to run.
	Seconds float64

	prominent [][]int
	picture   template.HTML // the topics with the greatest shares
}

// solve finds the topics and measures them. What needs a pass over the documents is left for all candidates at once.
func (o *Options) solve(ctx context.Context, sketched *fit.Sketched, k int, held *heldOut) (*Candidate, error) {
	begin := time.Now()
	c := &Candidate{Topics: k, Change: math.NaN(), Epsilon: math.NaN(), LogLikelihood: math.NaN(),
		LikelihoodError: math.NaN(), NPMI: math.NaN(), Diversity: math.NaN()}
	at, err := sketched.At(k)
	if err != nil {
		return nil, err
	}
	options := o.Model
	options.Topics, options.Levels = k, nil
	r, err := at.Rectify(ctx, options)
	if err != nil {
		return nil, err
	}
	f, err := r.Anchor(ctx, options)
	var rank *anchor.RankError
	if errors.As(err, &rank) {
		c.Failure = err.Error()
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	c.note(f)
	c.Seconds = time.Since(begin).Seconds()
	m := f.Loaded()
	for _, list := range m.Prominent {
		var items []int
		for _, listed := range list {
			items = append(items, listed.Item)
		}
		c.prominent = append(c.prominent, items)
	}
	if c.picture, err = report.Areas(ctx, m, mostPictured, o.Model.Run.Workers); err != nil {
		return nil, err
	}
	c.LogLikelihood, c.LikelihoodError, err = held.score(ctx, m, o.Model.Run.Workers)
	return c, err
}

// note sets what the fit says of itself.
func (c *Candidate) note(f *fit.Fitted) {
	if r := f.Manifest.Rectify; r != nil {
		c.Iterations, c.Change, c.Settled = r.Iterations, r.Change, r.Converged
		if r.Negative != nil {
			c.Epsilon = r.Negative.Epsilon
		}
	}
	findings := f.Manifest.Anchor.Findings
	c.Thin, c.Duplicates = len(findings.ThinAnchors), len(findings.Duplicates)
}

// The items of a topic in the coherence and in the diversity.
const (
	coherentItems = 10
	diverseItems  = 25
)

// readLists sets NPMI and diversity of all candidates, in one pass over the documents.
func readLists(ctx context.Context, docs *corpus.Corpus, candidates []Candidate, workers int) error {
	var lists [][]int
	for _, c := range candidates {
		lists = append(lists, metric.Leading(c.prominent, coherentItems)...)
	}
	if len(lists) == 0 {
		return nil
	}
	pairs, err := metric.CountPairs(ctx, docs.Pass, docs.Vocabulary.Len(), lists, workers)
	if err != nil {
		return err
	}
	for i := range candidates {
		c := &candidates[i]
		n := len(c.prominent)
		if n == 0 {
			continue
		}
		c.NPMI = metric.NPMI(&metric.Pairs{Documents: pairs.Documents, Lists: pairs.Lists[:n]})
		c.Diversity = metric.TopicDiversity(metric.Leading(c.prominent, diverseItems))
		pairs.Lists = pairs.Lists[n:]
	}
	return nil
}

const (
	// heldShare is the share of the documents that is held out, at most mostHeld.
	heldShare = 0.1
	mostHeld  = 10_000
	// background is the share of p(item) of all documents in the probability of a token, so that a topic without an item
	// does not make a document impossible.
	background = 0.01
)

// heldOut are documents that are held out. Half of the tokens of each are known, and the other half is to be predicted.
type heldOut struct {
	known, hidden corpus.Documents
	tokens        int64 // to be predicted
}

// divide returns the documents to learn from and a function that reports which those are. A document is known by its
// number.
func divide(docs *corpus.Corpus, seed uint64) (learning, held *corpus.Corpus) {
	share := min(heldShare, mostHeld/max(float64(docs.Account.DocumentsRead), 1))
	out := func(document int64) bool {
		return random.Uniform(seed, random.ChooseHeldOut, uint64(document), 0) < share
	}
	return docs.Part(func(document int64) bool { return !out(document) }), docs.Part(out)
}

// readHeld reads a share of documents, and deals their tokens.
func readHeld(ctx context.Context, pass corpus.Pass, share float64, seed uint64) (*heldOut, error) {
	h := &heldOut{known: corpus.Documents{Offsets: []int32{0}}, hidden: corpus.Documents{Offsets: []int32{0}}}
	number := uint64(0)
	return h, pass(ctx, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			if items, counts := docs.Row(d); random.Uniform(seed, random.ChooseHeldOut, number, 0) < share {
				h.deal(items, counts, seed, number)
			}
			number++
		}
		return nil
	})
}

// deal deals the tokens of a document: of each item half are hidden, and a single one, or one that is left over, by
// chance.
func (h *heldOut) deal(items, counts []int32, seed, number uint64) {
	parts := [2][2][]int32{}
	for t, item := range items {
		hidden := counts[t] / 2
		if counts[t]%2 == 1 && random.At(seed, random.ChooseTokens, number, uint64(t))>>63 == 1 {
			hidden++
		}
		for part, count := range []int32{counts[t] - hidden, hidden} {
			if count > 0 {
				parts[part][0], parts[part][1] = append(parts[part][0], item), append(parts[part][1], count)
			}
		}
		h.tokens += int64(hidden)
	}
	h.known.Append(parts[0][0], parts[0][1])
	h.hidden.Append(parts[1][0], parts[1][1])
}

// Predict measures how well a loaded model predicts documents of its items: the mean of ln p over half of their tokens,
// given the other half, as candidates are scored, and its standard error. Of more than 10,000 documents it takes some.
func Predict(ctx context.Context, m *model.Model, docs *corpus.Corpus, pass corpus.Pass, seed uint64,
	workers int) (mean, deviation float64, err error) {
	h, err := readHeld(ctx, pass, mostHeld/max(float64(docs.Account.DocumentsRead), 1), seed)
	if err != nil {
		return 0, 0, err
	}
	return h.score(ctx, m, workers)
}

// score returns the mean of ln p over the hidden tokens, and its standard error over documents; NaN without tokens. p
// is 99 % what the topics of the known half say, and 1 % p(item). m has B.
func (h *heldOut) score(ctx context.Context, m *model.Model, workers int) (mean, deviation float64, err error) {
	if h.tokens == 0 {
		return math.NaN(), math.NaN(), nil
	}
	t, err := transform.New(m, infer.Options{})
	if err != nil {
		return 0, 0, err
	}
	const group = 64
	n, of := h.known.Documents(), t.Inferrer()
	sums, tokens := make([]float64, n), make([]float64, n)
	err = kernel.Ranges(ctx, workers, n, group, func(first, last int) error {
		w, mixture := of.Worker(), make([]float32, of.Topics())
		for d := first; d < last; d++ {
			known, times := h.known.Row(d)
			w.Infer(mixture, known, times)
			items, counts := h.hidden.Row(d)
			for t, item := range items {
				p := 0.0
				for k, b := range m.Items.Row(int(item)) {
					p += b * float64(mixture[k])
				}
				// p(item) over the tokens of the documents; that of one token where none has the item
				floor := float64(max(m.Vocabulary.TermFrequency[item], 1)) / float64(max(m.Manifest.Corpus.Tokens, 1))
				p = (1-background)*p + background*floor
				sums[d] += float64(counts[t]) * math.Log(p)
				tokens[d] += float64(counts[t])
			}
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	mean, deviation = ratio(sums, tokens)
	return mean, deviation, nil
}

// ratio returns Σ a/Σ b and its standard error over independent pairs.
func ratio(a, b []float64) (value, deviation float64) {
	sumA, sumB := 0.0, 0.0
	for i := range a {
		sumA, sumB = sumA+a[i], sumB+b[i]
	}
	value = sumA / sumB
	squares := 0.0
	for i := range a {
		rest := a[i] - value*b[i]
		squares += rest * rest
	}
	return value, math.Sqrt(squares) / sumB
}
