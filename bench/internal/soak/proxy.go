// This file is a proxy before an object store. It fails as networks and stores do.

package soak

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"anchorage/internal/random"
)

// trouble is a way in which a request fails.
type trouble struct {
	name string
	// serve answers a request in place of the store, or with its help.
	serve func(p *proxy, w http.ResponseWriter, r *http.Request)
}

// troubles are all ways.
var troubles = []trouble{
	{"5xx", func(_ *proxy, w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusInternalServerError, "InternalError")
	}},
	{"throttling", func(_ *proxy, w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusServiceUnavailable, "SlowDown")
	}},
	{"resets", func(_ *proxy, _ http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }},
	{"answers lost", func(p *proxy, _ http.ResponseWriter, r *http.Request) {
		p.ask(r) // what was asked is done
		panic(http.ErrAbortHandler)
	}},
	{"slow bodies", func(p *proxy, w http.ResponseWriter, r *http.Request) { p.answer(w, r, slowly) }},
	{"short bodies", func(p *proxy, w http.ResponseWriter, r *http.Request) { p.answer(w, r, half) }},
	{"wrong lengths", func(p *proxy, w http.ResponseWriter, r *http.Request) { p.answer(w, r, wrongLength) }},
	{"stale listings", (*proxy).stale},
	{"a bit of everything", nil},
}

// refuse answers with an error of S3.
func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>a soak</Message></Error>", code)
}

// proxy is between the program and a store.
type proxy struct {
	store   http.Handler
	trouble trouble
	share   float64 // of the requests that fail
	seed    uint64

	mu       sync.Mutex
	requests uint64
	failed   int
	listings map[string]*httptest.ResponseRecorder // the first answer to each listing
}

// newProxy returns a proxy that serves a share of the requests badly.
func newProxy(store *httptest.Server, t trouble, share float64, seed uint64) *proxy {
	to := &url.URL{Scheme: "http", Host: store.Listener.Addr().String()}
	return &proxy{store: httputil.NewSingleHostReverseProxy(to), trouble: t, share: share, seed: seed,
		listings: make(map[string]*httptest.ResponseRecorder)}
}

// ServeHTTP implements http.Handler.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests++
	number := p.requests
	t := p.trouble
	bad := random.Uniform(p.seed, random.SoakTrouble, number, 0) < p.share
	if t.serve == nil {
		t = troubles[int(random.Uniform(p.seed, random.SoakTrouble, number, 1)*float64(len(troubles)-1))]
	}
	if bad {
		p.failed++
	}
	p.mu.Unlock()
	if !bad {
		p.store.ServeHTTP(w, r)
		return
	}
	t.serve(p, w, r)
}

// ask returns the store's answer.
func (p *proxy) ask(r *http.Request) *httptest.ResponseRecorder {
	recorded := httptest.NewRecorder()
	p.store.ServeHTTP(recorded, r)
	return recorded
}

// give sends an answer as it is.
func give(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// answer gives the store's answer; the body of an object goes through send.
func (p *proxy) answer(w http.ResponseWriter, r *http.Request,
	send func(w http.ResponseWriter, status int, body []byte)) {
	answer := p.ask(r)
	if answer.Body.Len() == 0 || r.Method != http.MethodGet || answer.Code >= 300 {
		give(w, answer)
		return
	}
	maps.Copy(w.Header(), answer.Header())
	send(w, answer.Code, answer.Body.Bytes())
}

// slowly sends a body in eight pieces with pauses.
func slowly(w http.ResponseWriter, status int, body []byte) {
	w.WriteHeader(status)
	for i := range 8 {
		_, _ = w.Write(body[len(body)*i/8 : len(body)*(i+1)/8])
		w.(http.Flusher).Flush()
		time.Sleep(20 * time.Millisecond)
	}
}

// half sends half of a body and cuts the connection.
func half(w http.ResponseWriter, status int, body []byte) {
	w.WriteHeader(status)
	_, _ = w.Write(body[:len(body)/2])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// wrongLength sends a body that is shorter than the object, and says that it is whole.
func wrongLength(w http.ResponseWriter, status int, body []byte) {
	short := body[:len(body)-1]
	w.Header().Set("Content-Length", fmt.Sprint(len(short)))
	w.WriteHeader(status)
	_, _ = w.Write(short)
}

// stale answers a listing as the first time it was asked for, as stores do whose listings lag behind.
func (p *proxy) stale(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || !strings.Contains(r.URL.RawQuery, "list-type") {
		p.store.ServeHTTP(w, r)
		return
	}
	key := r.URL.Path + "?" + r.URL.RawQuery
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listings[key] == nil {
		p.listings[key] = p.ask(r)
	}
	give(w, p.listings[key])
}
