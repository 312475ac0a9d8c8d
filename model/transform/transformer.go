// This file infers the topics of documents under a model.

package transform

import (
	"slices"
	"sync"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/model"
)

// Transformer finds the topics of documents under a model. It holds B in single precision, 4·N·K bytes, and not the
// model. Several goroutines may use it.
type Transformer struct {
	vocabulary *corpus.Vocabulary
	inferrer   *infer.Inferrer
	workers    sync.Pool // of *transformation
}

// DocumentTopics is what a model says about a document.
type DocumentTopics struct {
	Mixture []float32 // θ, K values that sum to 1: the topics' shares in the document
	infer.Result
}

// transformation is the scratch of one document.
type transformation struct {
	worker *infer.Worker
	items  []int32
}

// New returns a Transformer. It infers posterior means under a Dirichlet prior with the moments of the model's A. The
// error is that of infer.New.
func New(m *model.Model, o infer.Options) (*Transformer, error) {
	inferrer, err := infer.New(m.Vocabulary.Len(), m.Topics(), m.ItemRow, m.TopicJoint, o)
	if err != nil {
		return nil, err
	}
	t := &Transformer{vocabulary: m.Vocabulary, inferrer: inferrer}
	t.workers.New = func() any { return &transformation{worker: inferrer.Worker()} }
	return t, nil
}

// Topics returns K.
func (t *Transformer) Topics() int { return t.inferrer.Topics() }

// Vocabulary returns the N items that the model knows.
func (t *Transformer) Vocabulary() *corpus.Vocabulary { return t.vocabulary }

// Inferrer returns what infers documents whose items are numbers of the vocabulary.
func (t *Transformer) Inferrer() *infer.Inferrer { return t.inferrer }

// Transform sets dst to the topics of a document with the given items, by their ids, and how often each occurs; counts
// may be nil for once each. Items that the model does not know are counted and otherwise ignored. An item may be given
// more than once. dst.Mixture is used again if it has room for K values. Transform panics if items and counts differ in
// length, or if a count is not positive.
func (t *Transformer) Transform(dst *DocumentTopics, items []string, counts []int32) {
	w := t.workers.Get().(*transformation)
	defer t.workers.Put(w)
	if counts == nil {
		counts = slices.Repeat([]int32{1}, len(items))
	}
	w.items = w.items[:0]
	for _, id := range items {
		item, _ := t.vocabulary.Lookup([]byte(id))
		w.items = append(w.items, item)
	}
	k := t.Topics()
	if cap(dst.Mixture) < k {
		dst.Mixture = make([]float32, k)
	}
	dst.Mixture = dst.Mixture[:k]
	dst.Result = w.worker.Infer(dst.Mixture, w.items, counts)
}
