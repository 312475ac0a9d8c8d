// This file is the server: its routes, its beginning and its end.

package explore

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"anchorage/internal/web"
	"anchorage/model"
)

// The limits of requests.
const (
	maxBody  = 8 << 20 // bytes
	maxItems = 1000    // of a basket, and of a page of answers
)

// Server shows a model. Several goroutines may use it.
type Server struct {
	opts     Options
	token    web.Token
	current  atomic.Pointer[state]
	other    *model.Model // to compare with; nil if there is none
	docs     documents
	steering steering
	read     func(ctx context.Context) // reads the documents; does so once
	routes   http.Handler
	handler  http.Handler
}

// New loads the models of the options and returns a server for them. Errors are those of model.Load. The documents are read when Serve
// begins, or by ReadDocuments.
func New(ctx context.Context, opts Options) (*Server, error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{opts: opts, token: web.Token(opts.Token)}
	if s.token == "" {
		s.token = web.Token(rand.Text()) // 128 bits by chance
	}
	m, err := model.Load(ctx, opts.Model)
	if err != nil {
		return nil, err
	}
	if opts.Compare != "" {
		if s.other, err = model.Load(ctx, opts.Compare); err != nil {
			return nil, err
		}
	}
	first, err := s.newState(m, 1, nil)
	if err != nil {
		return nil, err
	}
	s.current.Store(first)
	var once sync.Once
	s.read = func(ctx context.Context) { once.Do(func() { s.docs.read(ctx, s, first) }) }
	s.docs.begin(s, m)
	s.routes = s.mux()
	s.handler = s.secured(s.routes, web.Guard{Hosts: opts.Hosts, Local: true})
	return s, nil
}

// ServeHTTP answers a request. It may be asked as localhost, by a loopback address, and by Options.Hosts.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// URL returns the address to open in a browser, with the token.
func (s *Server) URL(address net.Addr) string {
	return "http://" + address.String() + "/?token=" + url.QueryEscape(string(s.token))
}

// ReadDocuments reads the documents, once. What goes wrong is told where the documents would be.
func (s *Server) ReadDocuments(ctx context.Context) { s.read(ctx) }

// Serve answers requests from a listener until ctx ends, which is no error, and reads the documents meanwhile. Any other error is that of
// the listener.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	guard := web.GuardOf(listener.Addr(), s.opts.Hosts)
	guard.Local = true
	server := &http.Server{
		Handler:           s.secured(s.routes, guard),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      10 * time.Minute, // a step of steering takes its time
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	reading, stop := context.WithCancel(ctx)
	var done sync.WaitGroup
	defer done.Wait()
	defer stop()
	done.Go(func() { s.ReadDocuments(reading) })
	go s.current.Load().warm() // nobody waits for it, nor for a browser
	if s.opts.Opened != nil {
		go s.opts.Opened(s.URL(listener.Addr()))
	}
	return web.Listen(ctx, server, listener, 5*time.Second, s.opts.Log, nil)
}

// handler answers a request from a state with a value for JSON. An error that is not a *web.Problem is the server's own fault.
type handler func(from *state, r *http.Request) (any, error)

// route is a question that the page asks.
type route struct {
	pattern string
	answer  handler
}

func (s *Server) table() []route {
	return []route{
		{"GET /api/model", s.about},
		{"GET /api/topics", s.topics},
		{"GET /api/topics/{topic}", s.topic},
		{"GET /api/topics/{topic}/items", s.topicItems},
		{"GET /api/topics/{topic}/documents", s.topicDocuments},
		{"GET /api/items", s.search},
		{"GET /api/items/{item}", s.item},
		{"GET /api/items/{item}/similar", s.similar},
		{"POST /api/basket", s.basket},
		{"POST /api/document", s.document},
		{"GET /api/compare", s.comparison},
		{"GET /api/steer", s.steered},
		{"POST /api/steer", s.step},
		{"POST /api/steer/undo", s.undo},
		{"POST /api/steer/save", s.save},
	}
}

// mux returns the handler of everything: the questions of the page, package serve's interface below /v1, and the page.
func (s *Server) mux() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.table() {
		mux.Handle(r.pattern, s.answering(r))
	}
	mux.HandleFunc("GET /api/steer/script", s.script)
	mux.HandleFunc("GET /report", s.report)
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) { s.current.Load().api.ServeHTTP(w, r) })
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		web.Refuse(w, web.Problemf(http.StatusNotFound, web.NotFound, "there is nothing at this path"))
	})
	mux.Handle("/", s.files())
	return mux
}

// answering answers a route with JSON. A request that changes something must say that it is JSON, which no form of another page can.
func (s *Server) answering(to route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); r.Method == http.MethodPost && kind != "application/json" {
			web.Refuse(w, web.Problemf(http.StatusUnsupportedMediaType, web.Malformed, "the body must be application/json"))
			return
		}
		value, err := to.answer(s.current.Load(), r)
		if err == nil {
			web.Answer(w, http.StatusOK, value)
			return
		}
		var p *web.Problem
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &p):
		case errors.As(err, &large):
			p = web.Problemf(http.StatusRequestEntityTooLarge, web.TooLarge, "the body is larger than %d bytes", large.Limit)
		default:
			p = web.Problemf(http.StatusInternalServerError, web.Internal, "%v", err)
			s.opts.Log.Error("a request failed", "path", to.pattern, "error", err)
		}
		web.Refuse(w, p)
	})
}

// numbered returns a part of the path: a number below n.
func numbered(r *http.Request, name string, n int) (int, error) {
	i, err := strconv.Atoi(r.PathValue(name))
	if err != nil || i < 0 || i >= n {
		return 0, web.Problemf(http.StatusNotFound, web.NotFound, "there is no %s %.40q", name, r.PathValue(name))
	}
	return i, nil
}
