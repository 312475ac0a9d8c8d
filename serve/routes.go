// This file is the table of routes, and the answers about the server and the model as a whole.

package serve

import (
	_ "embed"
	"net/http"
	"strconv"
	"time"

	"anchorage/internal/web"
	"anchorage/model"
)

// Route is a question that a server takes beside its own, with the limits, the clock and the errors of those. Answer
// returns a value for JSON, or an http.Handler that sends something else. An error that is not a *web.Problem is the
// server's own fault.
type Route struct {
	Method, Path string
	Answer       func(r *http.Request) (any, error)
}

// route is a question with its answer from a model. openapi.json describes those that every server has, which a test
// checks. The front page shows its method and path.
type route struct {
	Method, Path string
	asks         asks
	answer       func(from *loaded, r *http.Request) (any, error)
}

// asks says what a route asks of its requests.
type asks int

const (
	nothing asks = iota
	token
	turn // the token, and that they wait for their turn
)

// The paths that need neither a token nor a known host.
const healthPath, readyPath = "/healthz", "/readyz"

func (s *Server) table(more []Route) []route {
	routes := []route{
		{"GET", "/{$}", nothing, s.front},
		{"GET", healthPath, nothing, healthy},
		{"GET", readyPath, nothing, s.ready},
		{"GET", "/metrics", token, func(*loaded, *http.Request) (any, error) { return s.metrics.handler, nil }},
		{"GET", "/v1/openapi.json", token, description},
		{"GET", "/v1/model", turn, about},
		{"GET", "/v1/topics", turn, atMost(10, model.TopItems, topics)},
		{"GET", "/v1/topics/{topic}", turn, atMost(model.TopItems, model.TopItems, oneTopic)},
		{"GET", "/v1/items", turn, atMost(10, s.opts.MaxItems, search)},
		{"GET", "/v1/items/{id}", turn, atMost(5, s.opts.MaxItems, show)},
		{"GET", "/v1/items/{id}/similar", turn, atMost(10, s.opts.MaxItems, similar)},
		{"GET", "/v1/items/{id}/with", turn, atMost(10, s.opts.MaxItems, s.with)},
		{"POST", "/v1/transform", turn, s.transform},
	}
	for _, r := range more {
		routes = append(routes, route{r.Method, r.Path, turn,
			func(_ *loaded, request *http.Request) (any, error) { return r.Answer(request) }})
	}
	return routes
}

// atMost is the answer of a route with a list of at most ?n= things, from 1 to most.
func atMost(usual, most int, answer func(from *loaded, r *http.Request, n int) (any, error)) func(*loaded,
	*http.Request) (any, error) {
	return func(from *loaded, r *http.Request) (any, error) {
		n, err := web.Whole(r, "n", usual, 1, most)
		if err != nil {
			return nil, err
		}
		return answer(from, r, n)
	}
}

// healthy says that the process lives.
func healthy(*loaded, *http.Request) (any, error) { return map[string]string{"status": "ok"}, nil }

// ready says whether the server takes requests: it has a model and does not end.
func (s *Server) ready(from *loaded, _ *http.Request) (any, error) {
	if s.ending.Load() {
		return nil, web.Problemf(http.StatusServiceUnavailable, web.Overloaded, "the server is ending")
	}
	return map[string]string{"status": "ok", "model": from.id}, nil
}

//go:embed openapi.json
var openAPI string

// description hands out openapi.json.
func description(*loaded, *http.Request) (any, error) {
	return web.Text(openAPI, "Content-Type", "application/json"), nil
}

// modelBody says what model is in use.
type modelBody struct {
	ID        string    `json:"id"`
	Program   string    `json:"program"`
	Items     int64     `json:"items"`
	Topics    int64     `json:"topics"`
	Documents int64     `json:"documents"`
	Loaded    time.Time `json:"loaded"`
}

func about(from *loaded, _ *http.Request) (any, error) { return from.about(), nil }

// about returns what the model is.
func (l *loaded) about() modelBody {
	m := l.model
	return modelBody{l.id, m.Manifest.Program, int64(m.Vocabulary.Len()), int64(m.Topics()), m.Manifest.Corpus.Documents,
		l.at.UTC()}
}

type topicBody struct {
	Topic      int          `json:"topic"`
	Name       string       `json:"name,omitempty"`
	Share      float64      `json:"share"`
	Anchor     string       `json:"anchor,omitempty"`
	AnchorName string       `json:"anchor_name,omitempty"` // where it has one beside its id
	Prominent  []listedBody `json:"prominent"`
}

type listedBody struct {
	Item        string  `json:"item"`
	Name        string  `json:"name,omitempty"` // where it has one beside its id
	Probability float64 `json:"probability"`
}

// topics lists the topics in their order, with at most n items each.
func topics(from *loaded, _ *http.Request, n int) (any, error) {
	all := make([]topicBody, from.model.Topics())
	for k := range all {
		all[k] = from.topic(k, n)
	}
	return map[string]any{"topics": all}, nil
}

// oneTopic answers with the topic of an id, and at most n of its items.
func oneTopic(from *loaded, r *http.Request, n int) (any, error) {
	k := -1
	if id, err := strconv.Atoi(r.PathValue("topic")); err == nil {
		k = from.model.TopicOf(id)
	}
	if k < 0 {
		return nil, web.Problemf(http.StatusNotFound, web.NotFound, "there is no topic %.40q: /v1/topics lists them",
			r.PathValue("topic"))
	}
	return from.topic(k, n), nil
}

// topic returns what is told of topic k, with at most n items.
func (l *loaded) topic(k, n int) topicBody {
	m := l.model
	one := topicBody{Topic: m.TopicIDs[k], Name: m.TopicName(k), Share: m.Shares[k], Prominent: []listedBody{}}
	if m.Anchors != nil {
		one.Anchor, one.AnchorName = m.Vocabulary.ID(m.Anchors[k]), m.OwnName(m.Anchors[k])
	}
	for _, listed := range m.Prominent[k][:min(n, len(m.Prominent[k]))] {
		one.Prominent = append(one.Prominent, listedBody{m.Vocabulary.ID(listed.Item), m.OwnName(listed.Item),
			listed.Probability})
	}
	return one
}
