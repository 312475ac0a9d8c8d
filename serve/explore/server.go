// This file is the server: its options, its routes, its beginning and its end, and what answers are made from.

package explore

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"anchorage/internal/web"
	"anchorage/model"
	"anchorage/model/itemmap"
	"anchorage/model/report"
	"anchorage/model/transform"
	"anchorage/serve"
	"anchorage/shard"
)

// The limits of requests. A step of steering takes its time.
const (
	maxBody  = 8 << 20 // bytes
	maxItems = 1000    // of a basket, and of a page of answers
	timeout  = 10 * time.Minute
)

// Server shows a model. Several goroutines may use it.
type Server struct {
	opts     Options
	token    web.Token
	api      *serve.Server // answers all questions, within its limits
	current  atomic.Pointer[state]
	other    *model.Model     // to compare with; may be nil
	trend    *transform.Trend // may be nil
	docs     documents
	steering steering
	mapping  sync.Mutex
	mapped   *itemmap.Map // of the model as it was loaded; nil until it was read
	mappedOf string       // hash of its file
	first    *state       // under which the documents are read
	reading  sync.Once    // of the documents
	handler  http.Handler
}

// New loads the models of the options and returns a server for them. Errors are those of model.Load. The documents are
// read when Serve begins, or by ReadDocuments.
func New(ctx context.Context, opts Options) (*Server, error) {
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	s := &Server{opts: opts, token: web.Token(rand.Text())} // 128 random bits
	m, err := model.Load(ctx, opts.Model)
	if err != nil {
		return nil, err
	}
	if opts.Compare != "" {
		if s.other, err = model.Load(ctx, opts.Compare); err != nil {
			return nil, err
		}
	}
	if opts.Trend != nil {
		if s.trend, err = opts.Trend(ctx, m); err != nil {
			return nil, err
		}
	}
	limits := serve.Options{Hosts: opts.Hosts, MaxBody: maxBody, MaxItems: maxItems, Timeout: timeout, Log: opts.Log}
	s.api = serve.Of(limits, s.routes()...)
	if s.first, err = s.show(m, nil); err != nil {
		return nil, err
	}
	s.docs.state.State = noDocuments
	if len(opts.Shards) > 0 {
		s.docs.state.State = isReading
	}
	s.handler = s.secured(web.Guard{Hosts: opts.Hosts, Local: true})
	return s, nil
}

// ServeHTTP answers a request. It may be asked as localhost, by a loopback address, and by Options.Hosts.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// URL returns the address to open in a browser, with the token.
func (s *Server) URL(address net.Addr) string {
	return "http://" + address.String() + "/?token=" + url.QueryEscape(string(s.token))
}

// ReadDocuments reads the documents, once. The page shows what went wrong in their place.
func (s *Server) ReadDocuments(ctx context.Context) {
	s.reading.Do(func() { s.docs.read(ctx, s, s.first) })
}

// Serve answers requests from a listener until ctx ends, which is no error, and reads the documents meanwhile. Any
// other error is that of the listener.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	guard := web.GuardOf(listener.Addr(), s.opts.Hosts)
	guard.Local = true
	reading, stop := context.WithCancel(ctx)
	var done sync.WaitGroup
	defer done.Wait()
	defer stop()
	done.Go(func() { s.ReadDocuments(reading) })
	// The first person who asks about items need not wait for what that needs, and is told of an error.
	done.Go(func() { _ = s.current.Load().model.Prepare(reading) })
	if s.opts.Browse {
		done.Go(func() { s.browse(reading, s.URL(listener.Addr())) })
	}
	times := web.Times{Read: 30 * time.Second, Write: timeout, Drain: 5 * time.Second}
	return web.Listen(ctx, s.secured(guard), listener, times, s.opts.Log, nil)
}

// routes are the questions of the page.
func (s *Server) routes() []serve.Route {
	of := func(answer func(from *state, r *http.Request) (any, error)) func(*http.Request) (any, error) {
		return func(r *http.Request) (any, error) { return answer(s.current.Load(), r) }
	}
	return []serve.Route{
		{Method: "GET", Path: "/api/model", Answer: of(s.about)},
		{Method: "GET", Path: "/api/topics", Answer: of(topics)},
		{Method: "GET", Path: "/api/pictures/{name}", Answer: of(s.picture)},
		{Method: "GET", Path: "/api/topics/{topic}", Answer: of(topic)},
		{Method: "GET", Path: "/api/topics/{topic}/items", Answer: of(topicItems)},
		{Method: "GET", Path: "/api/topics/{topic}/documents", Answer: of(s.topicDocuments)},
		{Method: "GET", Path: "/api/items", Answer: of(search)},
		{Method: "GET", Path: "/api/items/{item}", Answer: of(item)},
		{Method: "GET", Path: "/api/items/{item}/similar", Answer: of(similar)},
		{Method: "POST", Path: "/api/basket", Answer: of(posted(basket))},
		{Method: "POST", Path: "/api/document", Answer: of(posted(typed))},
		{Method: "GET", Path: "/api/map", Answer: of(s.mapAbout)},
		{Method: "GET", Path: "/api/map/chunks/{chunk}", Answer: of(s.mapChunk)},
		{Method: "POST", Path: "/api/map/names", Answer: of(posted(mapNames))},
		{Method: "GET", Path: "/api/steer", Answer: of(s.steered)},
		{Method: "POST", Path: "/api/steer", Answer: of(posted(s.step))},
		{Method: "POST", Path: "/api/steer/preview", Answer: of(posted(s.preview))},
		{Method: "POST", Path: "/api/steer/undo", Answer: of(posted(s.undo))},
		{Method: "POST", Path: "/api/steer/save", Answer: of(posted(s.save))},
		{Method: "GET", Path: "/api/steer/script", Answer: of(s.script)},
		{Method: "GET", Path: "/report", Answer: of(s.report)},
	}
}

// posted is a question whose body is JSON.
func posted[T any](answer func(*state, *http.Request, T) (any, error)) func(*state, *http.Request) (any, error) {
	return func(st *state, r *http.Request) (any, error) {
		var request T
		if err := web.ReadJSON(r, &request); err != nil {
			return nil, err
		}
		return answer(st, r, request)
	}
}

// numbered returns a part of the path: a number below n.
func numbered(r *http.Request, name string, n int) (int, error) {
	i, err := strconv.Atoi(r.PathValue(name))
	if err != nil || i < 0 || i >= n {
		return 0, web.Problemf(http.StatusNotFound, web.NotFound, "there is no %s %.40q", name, r.PathValue(name))
	}
	return i, nil
}

// Options say what is explored. Model must be given.
type Options struct {
	Model string // path or URL of a model
	// Compare is the path or URL of an earlier model, to show beside the first; empty for none.
	Compare string
	// Trend returns how the topics of the model changed, or nil; see transform.Trends. It may be nil.
	Trend func(ctx context.Context, m *model.Model) (*transform.Trend, error)
	// Shards are read once, for the documents of each topic. Without any, the examples in the model are shown.
	Shards []shard.Shard
	// Output is where a model that was steered may be saved; empty for nowhere. Nothing else is written.
	Output string
	// Hosts are further names by which the server may be asked; see serve.Options.
	Hosts  []string
	Browse bool // opens the page in a browser when the server listens
	// Workers is the number of goroutines of long computations; 0 means the number of processors.
	Workers  int
	Progress func(stage string, done, total int64) // of reading the documents; may be nil
	Log      *slog.Logger                          // gets errors of the server; nil discards them
}

// DocumentsPerTopic is the number of documents that are kept for each topic.
const DocumentsPerTopic = 100

// state is a model with what was made of it. A step of steering makes a new one, and nothing in it changes after that,
// so requests share it.
type state struct {
	model       *model.Model
	version     int // counts the models of a server
	names       *names
	transformer *transform.Transformer

	colouring sync.Mutex
	hues      []int // of topics, nil until somebody asks; see report.Hues

	once     sync.Once
	ofTopics [][]*kept // see documents
}

// colours returns the hue of each topic.
func (st *state) colours(ctx context.Context) (hues []int, err error) {
	st.colouring.Lock()
	defer st.colouring.Unlock()
	if st.hues == nil {
		st.hues, err = report.Hues(ctx, st.model, 0)
	}
	return st.hues, err
}

// show puts a model in the place of the one before, nil for none.
func (s *Server) show(m *model.Model, before *state) (*state, error) {
	next := &state{model: m, version: 1}
	if before != nil {
		next.version = before.version + 1
	}
	if before != nil && before.model.Vocabulary == m.Vocabulary {
		next.names = before.names
	} else {
		next.names = newNames(m)
	}
	var err error
	next.transformer, err = s.api.Use(m, fmt.Sprintf("version-%d", next.version))
	if err != nil {
		return nil, err
	}
	s.current.Store(next)
	return next, nil
}
