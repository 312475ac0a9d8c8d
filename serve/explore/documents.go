// This file keeps the documents that have most of each topic.

package explore

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"anchorage/corpus"
	"anchorage/internal/page"
	"anchorage/internal/safetext"
	"anchorage/internal/toplist"
	"anchorage/model"
	"anchorage/model/transform"
	"anchorage/serve"
)

// keptItems is how many different items of a document are kept, to find its topics again when the model is steered, and
// shownItems how many of them it is shown by, if it has no text. Of a text it is shown by shownText characters.
const keptItems, shownItems, shownText = 500, 60, 4000

// kept is a document that has much of some topic.
type kept struct {
	id             string
	items          []string // known ones, in their order
	counts         []int32
	known, unknown int64
	shares         []float32 // θ
	text           string    // how it begins; empty if it has none
}

// reading says how far the reading of documents has come.
type reading string

const (
	noDocuments reading = "none"    // there are none to read
	isReading   reading = "reading" // under way
	isRead      reading = "done"
	hasFailed   reading = "failed"
	areExamples reading = "examples" // the few that a model has stored replace documents
)

// readingStatus is what the page is told about it.
type readingStatus struct {
	State     reading `json:"state"`
	Documents int     `json:"documents"` // read so far
	Error     string  `json:"error,omitempty"`
}

// documents are the documents of every topic: a bounded number, whatever the number that is read.
type documents struct {
	mu     sync.Mutex
	state  readingStatus
	from   *model.Model // under which they were read
	topics [][]*kept    // of each of its topics those with most of it, the most first
}

func (d *documents) status() readingStatus {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// read reads the documents under a model. It ends early with ctx.
func (d *documents) read(ctx context.Context, s *Server, from *state) {
	if d.status().State != isReading {
		return
	}
	found := &gathering{lists: slices.Repeat([]toplist.List{toplist.New(DocumentsPerTopic)}, from.model.Topics()),
		kept: make(map[int]*kept), vocabulary: from.model.Vocabulary}
	offer := func(one *transform.Inferred) error {
		found.offer(one)
		if found.count%1000 == 0 {
			d.mu.Lock()
			d.state.Documents = found.count
			d.mu.Unlock()
		}
		return nil
	}
	err := transform.Each(ctx, from.transformer, s.opts.Shards,
		transform.Options{Workers: s.opts.Workers, Progress: s.opts.Progress}, offer)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state.Documents = found.count
	if err != nil {
		d.state.State, d.state.Error = hasFailed, page.Cut(err.Error(), 300)
		return
	}
	d.state.State, d.from, d.topics = isRead, from.model, found.topics()
}

// gathering gathers the documents with most of each topic while all are read.
type gathering struct {
	lists      []toplist.List // of every topic: numbers of documents, by the topic's share
	kept       map[int]*kept  // documents in some list, and some that no longer are
	count      int            // documents so far
	vocabulary *corpus.Vocabulary
}

// offer takes the next document.
func (g *gathering) offer(d *transform.Inferred) {
	number := g.count
	g.count++
	if d.Known == 0 {
		return // its mixture is that of the prior
	}
	for k, share := range d.Mixture {
		if float64(share) <= g.lists[k].Floor() {
			continue
		}
		g.lists[k].Offer(number, float64(share))
		if g.kept[number] == nil {
			g.kept[number] = keep(d, g.vocabulary)
		}
	}
	if len(g.kept) > 2*len(g.lists)*DocumentsPerTopic {
		g.sweep()
	}
}

// sweep forgets documents that are in no list any more.
func (g *gathering) sweep() {
	listed := make(map[int]*kept)
	for k := range g.lists {
		for _, e := range g.lists[k].Sorted() {
			listed[e.Item] = g.kept[e.Item]
		}
	}
	g.kept = listed
}

// keep copies a document. Its items are numbers of v.
func keep(d *transform.Inferred, v *corpus.Vocabulary) *kept {
	one := &kept{id: strings.Clone(d.ID), known: d.Known, unknown: d.Unknown, shares: slices.Clone(d.Mixture),
		text: textOf(d.Text)}
	for at, i := range d.Items {
		if i >= 0 && len(one.items) < keptItems {
			one.items, one.counts = append(one.items, v.ID(int(i))), append(one.counts, d.Counts[at])
		}
	}
	return one
}

// textOf returns a text from data as the page shows it, cut at shownText characters.
func textOf(text []byte) string {
	shown := []rune(strings.TrimSpace(string(text)))
	if len(shown) > shownText {
		shown = append(shown[:shownText], '…')
	}
	return safetext.Lines(string(shown))
}

// topics returns the documents of every topic, those with most of it first.
func (g *gathering) topics() [][]*kept {
	topics := make([][]*kept, len(g.lists))
	for k := range g.lists {
		for _, e := range g.lists[k].Sorted() {
			topics[k] = append(topics[k], g.kept[e.Item])
		}
	}
	return topics
}

// documents returns the documents of every topic, which must have been read. For a model that was steered since, they
// are chosen among those that were kept, by their topics under it.
func (st *state) documents(d *documents, workers int) [][]*kept {
	st.once.Do(func() {
		if st.ofTopics = d.topics; st.model != d.from {
			st.ofTopics = st.again(d, workers)
		}
	})
	return st.ofTopics
}

// again finds the topics of all kept documents under the model, and the documents with most of each.
func (st *state) again(d *documents, workers int) [][]*kept {
	var list []*kept
	seen := make(map[*kept]bool)
	for _, one := range slices.Concat(d.topics...) {
		if !seen[one] {
			seen[one] = true
			changed := *one
			var topics transform.DocumentTopics
			st.transformer.Transform(&topics, one.items, one.counts)
			changed.shares = topics.Mixture
			list = append(list, &changed)
		}
	}
	best := toplist.Columns(len(list), st.model.Topics(), DocumentsPerTopic, workers, func(dst []float64, i int) {
		for k, share := range list[i].shares {
			dst[k] = float64(share)
		}
	})
	topics := make([][]*kept, len(best))
	for k, entries := range best {
		for _, e := range entries {
			topics[k] = append(topics[k], list[e.Item])
		}
	}
	return topics
}

// documentBody is a document of a topic.
type documentBody struct {
	ID      string        `json:"id"`
	Share   float64       `json:"share"` // of the topic that was asked for
	Known   int64         `json:"known"`
	Unknown int64         `json:"unknown"`
	Topics  []serve.Share `json:"topics"` // the greatest three
	Items   []countedItem `json:"items"`
	Text    string        `json:"text,omitempty"` // how it begins, if that is known
}

// documentsBody is the answer about the documents of a topic.
type documentsBody struct {
	Reading readingStatus `json:"reading"`
	pageOf[documentBody]
}

func (s *Server) topicDocuments(st *state, r *http.Request) (any, error) {
	k, err := numbered(r, "topic", st.model.Topics())
	if err != nil {
		return nil, err
	}
	body := documentsBody{Reading: s.docs.status()}
	var list []*kept
	if body.Reading.State == isRead {
		list = st.documents(&s.docs, s.opts.Workers)[k]
	}
	if examples := st.examples(k); body.Reading.State == noDocuments && len(examples) > 0 {
		body.Reading.State = areExamples
		body.pageOf = pageOf[documentBody]{Total: len(examples), Rows: examples}
		return body, nil
	}
	from, to, err := cut(r, len(list))
	if err != nil {
		return nil, err
	}
	body.pageOf = pageOf[documentBody]{Total: len(list), From: from, Rows: []documentBody{}}
	for _, d := range list[from:to] {
		body.Rows = append(body.Rows, st.documentBody(d, k))
	}
	return body, nil
}

// examples returns the example documents of a topic that the model has stored, if any.
func (st *state) examples(k int) (list []documentBody) {
	if st.model.Diagnostics == nil || k >= len(st.model.Diagnostics.Examples) {
		return nil
	}
	for _, x := range st.model.Diagnostics.Examples[k] {
		one := documentBody{ID: page.Cut(x.ID, 120), Share: x.Share, Topics: []serve.Share{}, Items: []countedItem{}}
		if x.ID == "" {
			one.ID = page.Cut(fmt.Sprintf("%s:%d", x.Shard, x.Row+1), 120)
		}
		if x.Text != "" {
			one.Text = page.Cut(x.Text, 1000)
		}
		list = append(list, one)
	}
	return list
}

func (st *state) documentBody(d *kept, k int) documentBody {
	all := serve.Shares(d.shares)
	body := documentBody{ID: page.Cut(d.id, 120), Share: float64(d.shares[k]), Known: d.known, Unknown: d.unknown,
		Topics: all[:min(3, len(all))], Items: []countedItem{}, Text: d.text}
	if d.text != "" {
		return body
	}
	for _, at := range st.telling(d, k) {
		if i, known := st.model.Vocabulary.Lookup([]byte(d.items[at])); known {
			item := st.itemBody(int(i))
			body.Items = append(body.Items, countedItem{int(i), item.Name, d.counts[at], item.Topic})
		}
	}
	return body
}

// telling returns the places of the shownItems items of a document that have most of a topic, in their order in the
// document.
func (st *state) telling(d *kept, k int) []int {
	best := toplist.New(shownItems)
	for at, id := range d.items {
		if i, known := st.model.Vocabulary.Lookup([]byte(id)); known {
			best.Offer(at, st.model.Mixtures.Row(int(i))[k]*float64(d.counts[at]))
		}
	}
	var places []int
	for _, e := range best.Sorted() {
		places = append(places, e.Item)
	}
	slices.Sort(places)
	return places
}
