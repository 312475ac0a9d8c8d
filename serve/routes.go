// This file is the table of routes, and the answers about the server, the model and its items, with the page for
// people who open the server's address in a browser.

package serve

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"anchorage/internal/safetext"
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

// search finds items by a part of their names.
func search(from *loaded, r *http.Request, n int) (any, error) {
	text := r.URL.Query().Get("search")
	if text == "" {
		return nil, web.Wrong("search is missing: say what the names should contain")
	}
	found, err := from.model.Search(r.Context(), text, n)
	return map[string]any{"items": found}, err
}

// show answers with what the model knows of an item, and at most n of its topics.
func show(from *loaded, r *http.Request, n int) (any, error) {
	item, err := from.model.Item(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, aboutItem(err)
	}
	item.Topics = item.Topics[:min(n, len(item.Topics))]
	return item, nil
}

// similar answers with the items that can take an item's place.
func similar(from *loaded, r *http.Request, n int) (any, error) {
	items, err := from.model.Similar(r.Context(), r.PathValue("id"), n)
	return map[string]any{"items": items}, aboutItem(err)
}

// with answers with the items that go with an item and those that ?and= names: with a basket.
func (s *Server) with(from *loaded, r *http.Request, n int) (any, error) {
	basket := append([]string{r.PathValue("id")}, r.URL.Query()["and"]...)
	if len(basket) > s.opts.MaxItems {
		return nil, tooLarge("%d items: a basket may have %d", len(basket), s.opts.MaxItems)
	}
	items, err := from.model.With(r.Context(), basket, n, nil)
	return map[string]any{"items": items}, aboutItem(err)
}

// aboutItem makes an error of the model one for the client, if the client caused it.
func aboutItem(err error) error {
	var unknown *model.UnknownItemError
	if errors.As(err, &unknown) {
		return &web.Problem{Status: http.StatusNotFound, Code: web.UnknownItem, Message: err.Error(),
			Suggestions: append(unknown.Suggestions, unknown.Codes...)}
	}
	return err
}

//go:embed front.html
var frontText string

// frontPage lists what the server answers and, where that needs no token, the topics.
var frontPage = template.Must(template.New("front").Funcs(template.FuncMap{"safe": safetext.Text,
	"comma":   humanize.Comma,
	"percent": func(share float64) string { return humanize.FormatFloat("#.#", 100*share) + " %" }}).Parse(frontText))

// frontTopics is how many topics the page shows, with frontItems items each.
const frontTopics, frontItems = 200, 8

// front answers with the page.
func (s *Server) front(from *loaded, r *http.Request) (any, error) {
	page := struct {
		Model  *modelBody
		Routes []route
		Topics []topicBody
	}{}
	for _, known := range s.table(nil) {
		if known.Path != "/{$}" {
			page.Routes = append(page.Routes, known)
		}
	}
	if s.opts.Token == "" || web.Token(s.opts.Token).Borne(r) {
		about := from.about()
		page.Model = &about
		for k := range min(int(about.Topics), frontTopics) {
			page.Topics = append(page.Topics, from.topic(k, frontItems))
		}
	}
	var text bytes.Buffer
	if err := frontPage.Execute(&text, page); err != nil {
		return nil, err
	}
	return web.Text(text.String(), "Content-Type", "text/html; charset=utf-8", "Content-Security-Policy",
		"default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'"), nil
}
