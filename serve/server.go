// This file is the server: its routes, what every request passes through, and its beginning and end.

package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"anchorage/bayes/infer"
	"anchorage/internal/web"
	"anchorage/model"
)

// The paths that need neither a token nor a known host.
const healthPath, readyPath = "/healthz", "/readyz"

// Server answers questions to one model. Several goroutines may use it.
type Server struct {
	path    string
	opts    Options
	log     *slog.Logger
	current atomic.Pointer[loaded]
	gate    *gate
	metrics *metrics
	handler http.Handler
	ending  atomic.Bool
}

// New loads the model at a path, a directory or the URL of one in an object store, and returns a server for it. The error is that of
// model.Load or Model.Prepare.
func New(ctx context.Context, path string, opts Options) (*Server, error) {
	first, err := load(ctx, path)
	if err != nil {
		return nil, err
	}
	return newServer(path, first, opts), nil
}

// Of returns a server for a model in memory, which has no place that Options.Watch could look at. id names the model in answers. The
// error is that of model.Transformer.
func Of(m *model.Model, id string, opts Options) (*Server, error) {
	t, err := m.Transformer(infer.Options{})
	if err != nil {
		return nil, err
	}
	opts.Watch = 0
	return newServer("", &loaded{m, t, id, time.Now()}, opts), nil
}

func newServer(path string, first *loaded, opts Options) *Server {
	opts = opts.prepared(runtime.GOMAXPROCS(0))
	s := &Server{path: path, opts: opts, log: opts.Log, gate: newGate(opts.MaxRequests, opts.MaxWaiting), metrics: newMetrics()}
	s.current.Store(first)
	s.metrics.loaded(first)
	s.handler = s.routes()
	return s
}

// Transformer returns what finds the topics of documents under the model in use.
func (s *Server) Transformer() *model.Transformer { return s.current.Load().transformer }

// Handler returns what answers requests. It lets no request wait for the network: time limits on connections are those of Serve. Unless
// there are Options.Hosts, it may be asked by every name.
func (s *Server) Handler() http.Handler {
	return s.guarded(web.Guard{Hosts: s.opts.Hosts, Local: len(s.opts.Hosts) > 0, Addresses: true})
}

// guarded returns the handler behind a guard, except what everybody may ask.
func (s *Server) guarded(guard web.Guard) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := guard.Check(r); p != nil && r.URL.Path != healthPath && r.URL.Path != readyPath {
			s.metrics.count("other", p.Status)
			web.Refuse(w, p)
			return
		}
		s.handler.ServeHTTP(w, r)
	})
}

// Serve answers requests from a listener until ctx ends. Then it takes no new ones, waits for those at work, at most Options.Drain, and
// returns nil. Any other error is that of the listener.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           s.guarded(web.GuardOf(listener.Addr(), s.opts.Hosts)),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       s.opts.Timeout + 5*time.Second,
		WriteTimeout:      s.opts.Timeout + 10*time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	if s.opts.Watch > 0 {
		watching, stop := context.WithCancel(ctx)
		defer stop()
		go s.watch(watching)
	}
	return web.Listen(ctx, server, listener, s.opts.Drain, s.log, func() { s.ending.Store(true) })
}

// handler answers a request from a model. An error that is not a *web.Problem is the server's own fault.
type handler func(from *loaded, w http.ResponseWriter, r *http.Request) error

// route is a path with its handler. openapi.json describes every route, which a test checks.
type route struct {
	method, path string
	asks         asks
	handle       handler
}

// asks says what a route asks of its requests.
type asks int

const (
	nothing asks = iota
	token
	turn // the token, and that they wait for their turn
)

func (s *Server) table() []route {
	return []route{
		{"GET", healthPath, nothing, s.healthy},
		{"GET", readyPath, nothing, s.ready},
		{"GET", "/metrics", token, s.metrics.handle},
		{"GET", "/v1/openapi.json", token, description},
		{"GET", "/v1/model", turn, about},
		{"GET", "/v1/topics", turn, topics},
		{"GET", "/v1/items", turn, s.search},
		{"GET", "/v1/items/{id}", turn, s.show},
		{"GET", "/v1/items/{id}/similar", turn, s.similar},
		{"GET", "/v1/items/{id}/with", turn, s.with},
		{"POST", "/v1/transform", turn, s.transform},
	}
}

// routes returns the handler of all routes.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, r := range s.table() {
		mux.Handle(r.method+" "+r.path, s.answering(r))
		methods[r.path] = append(methods[r.path], r.method)
	}
	for path, allowed := range methods {
		mux.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			s.metrics.count("other", http.StatusMethodNotAllowed)
			web.Refuse(w, &web.Problem{Status: http.StatusMethodNotAllowed, Code: web.Method, Message: path + " takes " + strings.Join(allowed, " or ")})
		}))
	}
	mux.Handle("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.metrics.count("other", http.StatusNotFound)
		web.Refuse(w, &web.Problem{Status: http.StatusNotFound, Code: web.NotFound, Message: "there is nothing at this path: /v1/openapi.json describes what there is"})
	}))
	return mux
}

// answering is what every request passes through: the token, the limits, the clock, and the counting.
func (s *Server) answering(to route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		p := &page{ResponseWriter: w, status: http.StatusOK}
		defer func() { s.metrics.observe(to.path, p.status, time.Since(began)) }()
		if err := s.admit(to, p, r); err != nil {
			problem := problemOf(err)
			if problem.Code == web.Internal && r.Context().Err() == nil {
				s.log.Error("a request failed", "path", to.path, "error", err)
			}
			p.body.Reset()
			web.Refuse(p, problem)
			p.send()
		}
	})
}

// admit checks a request's token, waits for its turn, and answers it.
func (s *Server) admit(to route, p *page, r *http.Request) error {
	if to.asks > nothing && s.opts.Token != "" && !web.Token(s.opts.Token).Borne(r) {
		return web.Problemf(http.StatusUnauthorized, web.NoToken, "the request has no valid bearer token")
	}
	if to.asks == turn {
		if err := s.gate.arrive(); err != nil {
			return err
		}
		defer s.gate.goAway()
		ctx, cancel := context.WithTimeout(r.Context(), s.opts.Timeout)
		defer cancel()
		body, err := io.ReadAll(http.MaxBytesReader(p, r.Body, s.opts.MaxBody))
		if err != nil {
			return unread(err)
		}
		r = r.WithContext(ctx)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if err := s.work(to, p, r); err != nil {
		return err
	}
	p.send()
	return nil
}

// work waits for a request's turn, if it needs one, and answers it. A panic is an error of the server.
func (s *Server) work(to route, p *page, r *http.Request) (err error) {
	if to.asks == turn {
		if err := s.gate.enter(r.Context()); err != nil {
			return err
		}
		defer s.gate.leave()
	}
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("panic: %v\n%s", failure, debug.Stack())
		}
	}()
	from := s.current.Load()
	if to.asks == turn {
		p.Header().Set("X-Model", from.id)
	}
	return to.handle(from, p, r)
}

// page is an answer that is not sent yet: it is sent when another request may be at work.
type page struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (p *page) WriteHeader(status int)         { p.status = status }
func (p *page) Write(text []byte) (int, error) { return p.body.Write(text) }

// send sends the answer. Only the connection can fail, and then nobody listens.
func (p *page) send() {
	p.ResponseWriter.WriteHeader(p.status)
	_, _ = p.ResponseWriter.Write(p.body.Bytes())
}

// healthy says that the process lives.
func (s *Server) healthy(_ *loaded, w http.ResponseWriter, _ *http.Request) error {
	web.Answer(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

// ready says whether the server takes requests: it has a model and does not end.
func (s *Server) ready(from *loaded, w http.ResponseWriter, _ *http.Request) error {
	if s.ending.Load() {
		return &web.Problem{Status: http.StatusServiceUnavailable, Code: web.Overloaded, Message: "the server is ending"}
	}
	web.Answer(w, http.StatusOK, map[string]string{"status": "ok", "model": from.id})
	return nil
}
