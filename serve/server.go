// This file is the server: its options, its beginning and end, and what every request passes through.

package serve

import (
	"bytes"
	"cmp"
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

	"golang.org/x/sync/semaphore"

	"anchorage/internal/web"
	"anchorage/model"
	"anchorage/model/transform"
)

// Server answers questions to one model. Several goroutines may use it.
type Server struct {
	path    string
	opts    Options
	log     *slog.Logger
	current atomic.Pointer[loaded]
	memory  atomic.Pointer[budget]
	reads   gate // of questions that bring nothing
	posts   gate // of requests with a body
	metrics *metrics
	handler http.Handler
	ending  atomic.Bool
}

// gate lets a number of requests work, and a number of others wait. A request that a slow client sends or receives has
// no place.
type gate struct{ places, inside *semaphore.Weighted }

func newGate(inside, waiting int) gate {
	return gate{semaphore.NewWeighted(int64(inside + waiting)), semaphore.NewWeighted(int64(inside))}
}

// New loads the model at a path, a directory or the URL of one in an object store, and returns a server for it. At the
// path of a store (package store) it is the model of the current generation. The error is that of model.Load, of
// Model.Prepare or of store.Open.
func New(ctx context.Context, path string, opts Options) (*Server, error) {
	first, err := load(ctx, path)
	if err != nil {
		return nil, err
	}
	s := newServer(path, opts)
	s.use(first)
	return s, nil
}

// Of returns a server for models in memory, which answers further routes beside its own. Use must give it a model
// before it is asked. Options.Watch does not count.
func Of(opts Options, routes ...Route) *Server {
	opts.Watch = 0
	return newServer("", opts, routes...)
}

// Use puts a model in the place of the one in use. id names it in answers. The error is that of transform.New.
func (s *Server) Use(m *model.Model, id string) (*transform.Transformer, error) {
	next, err := newLoaded(m, id)
	if err != nil {
		return nil, err
	}
	s.use(next)
	return next.transformer, nil
}

func newServer(path string, opts Options, more ...Route) *Server {
	opts = opts.prepared(runtime.GOMAXPROCS(0))
	s := &Server{path: path, opts: opts, log: opts.Log, metrics: newMetrics(),
		reads: newGate(opts.MaxRequests, opts.MaxWaiting), posts: newGate(opts.MaxRequests, opts.MaxWaiting)}
	s.handler = s.routes(more)
	return s
}

func (s *Server) use(next *loaded) {
	s.current.Store(next)
	s.metrics.loaded(next)
	s.memory.Store(newBudget(requestMemory()))
}

// Handler returns what answers requests. Time limits on connections are those of Serve. Unless there are Options.Hosts,
// it may be asked by every name.
func (s *Server) Handler() http.Handler {
	return s.guarded(web.Guard{Hosts: s.opts.Hosts, Local: len(s.opts.Hosts) > 0, Addresses: true})
}

// guarded returns the handler behind a guard, except for paths that need none.
func (s *Server) guarded(guard web.Guard) http.Handler {
	guard.Origins = s.opts.Origins
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := guard.Check(r); p != nil && r.URL.Path != healthPath && r.URL.Path != readyPath {
			s.refuse(w, p)
			return
		}
		if !guard.Share(w, r) {
			s.handler.ServeHTTP(w, r)
		}
	})
}

// Serve answers requests from a listener until ctx ends. Then it takes no new ones, waits for those at work, at most
// Options.Drain, and returns nil. Any other error is that of the listener.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	if s.opts.Watch > 0 {
		watching, stop := context.WithCancel(ctx)
		defer stop()
		go s.watch(watching)
	}
	times := web.Times{Read: s.opts.Timeout + 5*time.Second, Write: s.opts.Timeout + 10*time.Second, Drain: s.opts.Drain}
	handler := s.guarded(web.GuardOf(listener.Addr(), s.opts.Hosts))
	return web.Listen(ctx, handler, listener, times, s.log, func() { s.ending.Store(true) })
}

// routes returns the handler of all routes.
func (s *Server) routes(more []Route) http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, r := range s.table(more) {
		mux.Handle(r.Method+" "+r.Path, s.answering(r))
		methods[r.Path] = append(methods[r.Path], r.Method)
	}
	for path, allowed := range methods {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			list, path := strings.Join(allowed, " or "), strings.TrimSuffix(path, "{$}")
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			s.refuse(w, web.Problemf(http.StatusMethodNotAllowed, web.Method, "%s takes %s", path, list))
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		s.refuse(w, web.Problemf(http.StatusNotFound, web.NotFound,
			"there is nothing at this path: /v1/openapi.json describes what there is"))
	})
	return mux
}

// refuse answers a request that no route takes.
func (s *Server) refuse(w http.ResponseWriter, p *web.Problem) {
	s.metrics.count("other", p.Status)
	web.Refuse(w, p)
}

// answering is what every request passes through: the token, the limits, the clock, and the counting. An answer is sent
// when another request may be at work.
func (s *Server) answering(to route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, status := time.Now(), http.StatusOK
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		held := &claim{of: s.memory.Load()}
		defer held.lower(0)
		value, err := s.admit(to, w, r, held)
		if err != nil {
			problem := problemOf(err)
			if status = problem.Status; problem.Code == web.Internal && r.Context().Err() == nil {
				s.log.Error("a request failed", "path", to.Path, "error", err)
			}
			web.Refuse(w, problem)
		} else if send, other := value.(http.Handler); other {
			send.ServeHTTP(w, r)
		} else {
			web.Answer(w, http.StatusOK, value)
		}
		s.metrics.count(to.Path, status)
		s.metrics.seconds.WithLabelValues(to.Path).Observe(time.Since(began).Seconds())
	})
}

// admit checks a request's token, reads its body, waits for its turn, and makes its answer. Only a request that has
// come whole takes a place.
func (s *Server) admit(to route, w http.ResponseWriter, r *http.Request, held *claim) (any, error) {
	if to.asks > nothing && s.opts.Token != "" && !web.Token(s.opts.Token).Borne(r) {
		return nil, web.Problemf(http.StatusUnauthorized, web.NoToken, "the request has no valid bearer token")
	}
	if to.asks < turn {
		return to.answer(s.current.Load(), r)
	}
	body, err := s.readBody(w, r, held)
	if err != nil {
		return nil, err
	}
	gate := s.reads
	if r.Method != http.MethodGet {
		gate = s.posts
	}
	if !gate.places.TryAcquire(1) {
		return nil, web.Problemf(http.StatusTooManyRequests, web.Overloaded, "too many requests are waiting: try again later")
	}
	defer gate.places.Release(1)
	ctx, cancel := context.WithTimeout(r.Context(), s.opts.Timeout)
	defer cancel()
	needs := s.needs(body, s.current.Load().model.Topics())
	if err := held.raise(ctx, needs); err != nil {
		return nil, err
	}
	held.lower(needs)
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return s.work(to, gate, w, r)
}

// work waits for a request's turn and makes its answer. A panic is an error of the server.
func (s *Server) work(to route, gate gate, w http.ResponseWriter, r *http.Request) (value any, err error) {
	if err := gate.inside.Acquire(r.Context(), 1); err != nil {
		return nil, err
	}
	defer gate.inside.Release(1)
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("panic: %v\n%s", failure, debug.Stack())
		}
	}()
	from := s.current.Load()
	w.Header().Set("X-Model", from.id)
	return to.answer(from, r)
}

// Options are the options of a Server. The zero value is the default of each.
type Options struct {
	// Token is what a request must show as its bearer token (RFC 6750). Without one every request is answered. /healthz
	// and /readyz need none.
	Token string
	// Hosts are names by which the server may be asked, beside localhost and addresses. Without any, Serve accepts no
	// other names at a loopback address, where a foreign one is a page's attempt to reach this machine (DNS rebinding),
	// and every name elsewhere. /healthz and /readyz may be asked by every name.
	Hosts []string
	// Origins are pages of other sites that may ask, such as https://shop.example: browsers are told so (CORS). * means
	// every page.
	Origins []string
	// Watch is how often the server looks for a new model; 0 means never.
	Watch time.Duration

	MaxBody      int64 // bytes of a request's body; 0 means 8 MiB
	MaxDocuments int   // documents of a request; 0 means 1,000
	MaxItems     int   // items of a document, and results of a query; 0 means 10,000
	// requests with a body at work at the same time, and as many without; 0 means twice the number of processors
	MaxRequests int
	MaxWaiting  int           // requests that wait for their turn; 0 means 1,024, or 32 times MaxRequests if that is more
	Timeout     time.Duration // of a request, the time that it waits included; 0 means 10 seconds
	Drain       time.Duration // for requests at work when the server is told to end; 0 means 10 seconds

	// Log gets what an operator should know: models loaded and refused, and errors of the server. Nil discards it.
	Log *slog.Logger
}

// prepared returns the options with their defaults.
func (o Options) prepared(processors int) Options {
	o.MaxBody = cmp.Or(o.MaxBody, 8<<20)
	o.MaxDocuments = cmp.Or(o.MaxDocuments, 1000)
	o.MaxItems = cmp.Or(o.MaxItems, 10_000)
	o.MaxRequests = cmp.Or(o.MaxRequests, 2*processors)
	o.MaxWaiting = cmp.Or(o.MaxWaiting, max(1024, 32*o.MaxRequests))
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.Drain = cmp.Or(o.Drain, 10*time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}
