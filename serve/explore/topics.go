// This file answers questions about the model and its topics.

package explore

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"anchorage/internal/page"
	"anchorage/internal/toplist"
	"anchorage/internal/web"
	"anchorage/model"
	"anchorage/model/report"
)

// modelBody says what is explored.
type modelBody struct {
	Version   int           `json:"version"`
	Path      string        `json:"path"`
	Program   string        `json:"program"`
	Items     int           `json:"items"`
	Topics    int           `json:"topics"`
	Documents int64         `json:"documents"` // that the model was learned from
	Other     string        `json:"other"`     // the path of the model to compare with
	Levels    int           `json:"levels"`
	Trends    bool          `json:"trends"`
	Steers    bool          `json:"steers"`  // the model can be steered
	Reading   readingStatus `json:"reading"` // of the documents
}

func (s *Server) about(st *state, _ *http.Request) (any, error) {
	m := st.model
	return modelBody{st.version, page.Cut(s.opts.Model, 200), m.Manifest.Program, m.Vocabulary.Len(), m.Topics(),
		m.Manifest.Corpus.Documents,
		pathName(s.opts.Compare), len(m.Levels), s.reportOptions(st).Trend != nil, m.Anchors != nil, s.docs.status()}, nil
}

func pathName(path string) string {
	if path == "" {
		return ""
	}
	return page.Cut(path, 200)
}

// topicBody is a topic in a list.
type topicBody struct {
	Topic     int          `json:"topic"`
	ID        int          `json:"id"` // that it keeps from model to model
	Label     string       `json:"label"`
	Name      string       `json:"name"` // that a person gave it; empty if none did
	Share     float64      `json:"share"`
	Hue       int          `json:"hue"` // the colour, as in the report
	Anchor    *listedBody  `json:"anchor"`
	Agreement *float64     `json:"agreement"` // see model.Certificate.Agreement
	Prominent []listedBody `json:"prominent"`
}

// listedBody is an item that a topic is read by.
type listedBody struct {
	Item  int     `json:"item"`
	Name  string  `json:"name"`
	Value float64 `json:"value"` // p(item | topic)
}

func listed(m *model.Model, list []model.Listed, n int) []listedBody {
	body := make([]listedBody, min(n, len(list)))
	for at := range body {
		body[at] = listedBody{list[at].Item, page.Name(m.Name(list[at].Item)), list[at].Probability}
	}
	return body
}

func topicBodyOf(m *model.Model, k, items int) topicBody {
	body := topicBody{Topic: k, ID: m.TopicIDs[k], Label: page.Cut(m.TopicLabel(k), 120), Share: m.Shares[k],
		Prominent: listed(m, m.Prominent[k], items)}
	if m.TopicNames != nil {
		body.Name = page.Cut(m.TopicNames[k], 80)
	}
	if m.Anchors != nil {
		anchor := m.Anchors[k]
		body.Anchor = &listedBody{anchor, page.Name(m.Name(anchor)), m.Items.Row(anchor)[k]}
	}
	if agreement, known := m.Manifest.Certificate.Agreement(k); known {
		body.Agreement = &agreement
	}
	return body
}

// topics lists all topics, with ten items each.
func topics(st *state, r *http.Request) (any, error) {
	hues, err := st.colours(r.Context())
	if err != nil {
		return nil, err
	}
	list := make([]topicBody, st.model.Topics())
	for k := range list {
		list[k] = topicBodyOf(st.model, k, 10)
		list[k].Hue = hues[k]
	}
	return list, nil
}

// picture draws a picture of the report as a tree of elements; nothing if the model has nothing to show there.
func (s *Server) picture(st *state, r *http.Request) (any, error) {
	name := r.PathValue("name")
	if !slices.Contains([]string{"topics", "map", "levels", "drift", "trends"}, name) {
		return nil, web.Problemf(http.StatusNotFound, web.NotFound, "there is no picture %.40q", name)
	}
	part, err := report.Picture(r.Context(), name, st.model, s.reportOptions(st))
	return append([]any{}, page.Tree(part)...), err
}

// wholeTopic is all that is known of a topic.
type wholeTopic struct {
	topicBody
	Characteristic []listedBody  `json:"characteristic"`
	Evidence       *evidenceBody `json:"evidence"` // of the anchor
	Related        []relatedBody `json:"related"`  // other topics, those that share documents with it most first
}

// evidenceBody is what the anchor rests on; see anchor.Topics.
type evidenceBody struct {
	Documents  int64   `json:"documents"`
	Pivot      float64 `json:"pivot"`
	Margin     float64 `json:"margin"`
	SampleSize float64 `json:"sample_size"`
}

// relatedBody is another topic, with A of both divided by the product of their shares: above 1, they share documents
// more often than chance.
type relatedBody struct {
	Topic int     `json:"topic"`
	Lift  float64 `json:"lift"`
}

func topic(st *state, r *http.Request) (any, error) {
	m := st.model
	k, err := numbered(r, "topic", m.Topics())
	if err != nil {
		return nil, err
	}
	body := wholeTopic{topicBody: topicBodyOf(m, k, model.TopItems), Characteristic: []listedBody{},
		Related: []relatedBody{}}
	if m.Characteristic != nil {
		body.Characteristic = listed(m, m.Characteristic[k], model.TopItems)
	}
	if m.Anchors != nil && k < len(m.Pivots) && k < len(m.Margins) && k < len(m.AnchorSampleSizes) {
		body.Evidence = &evidenceBody{m.DocumentFrequency[m.Anchors[k]], finite(m.Pivots[k]), finite(m.Margins[k]),
			finite(m.AnchorSampleSizes[k])}
	}
	for j := range m.Topics() {
		if chance := m.Shares[j] * m.Shares[k]; j != k && chance > 0 {
			body.Related = append(body.Related, relatedBody{j, m.TopicJoint[k*m.Topics()+j] / chance})
		}
	}
	slices.SortStableFunc(body.Related, func(a, b relatedBody) int { return cmp.Compare(b.Lift, a.Lift) })
	return body, nil
}

// finite replaces what JSON cannot say.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// topicItem is an item of a topic.
type topicItem struct {
	itemBody
	Probability float64 `json:"probability"` // p(item | topic)
	OfItem      float64 `json:"of_item"`     // p(topic | item)
}

// mostTopicItems is how far the items of a topic can be listed.
const mostTopicItems = 1000

// topicItems lists the items of a topic by p(item | topic), or with ?sort=of_item by p(topic | item) among those that
// are certain.
func topicItems(st *state, r *http.Request) (any, error) {
	m := st.model
	k, err := numbered(r, "topic", m.Topics())
	if err != nil {
		return nil, err
	}
	score := func(i int) float64 { return m.Items.Row(i)[k] }
	switch sort := r.URL.Query().Get("sort"); sort {
	case "", "probability":
	case "of_item":
		score = func(i int) float64 {
			if m.Uncertain(i) {
				return 0
			}
			return m.Mixtures.Row(i)[k]
		}
	default:
		return nil, web.Wrong("sort is %.40q, which is no order of a topic's items", sort)
	}
	best := toplist.Columns(m.Vocabulary.Len(), 1, mostTopicItems, 0, func(dst []float64, i int) { dst[0] = score(i) })[0]
	from, to, err := cut(r, len(best))
	if err != nil {
		return nil, err
	}
	list := pageOf[topicItem]{Total: len(best), From: from, Rows: make([]topicItem, to-from)}
	for at := range list.Rows {
		i := best[from+at].Item
		list.Rows[at] = topicItem{st.itemBody(i), m.Items.Row(i)[k], m.Mixtures.Row(i)[k]}
	}
	return list, nil
}
