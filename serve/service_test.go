package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/internal/web"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/store"
)

// A request without any item of the model is refused. Of several documents, those without one have no topics.
func TestNoneKnown(t *testing.T) {
	s := serving(t, Options{})
	for body, want := range map[string]bool{
		`{"documents":[{"items":["itm 1"]}]}`:                       true,
		`{"documents":[{"items":["a"]},{"items":[]}]}`:              true,
		`{"documents":[{"items":[]}]}`:                              false,
		`{"documents":[]}`:                                          false,
		`{"documents":[{"items":["a"]},{"items":["item 1"]}]}`:      false,
		`{"documents":[{"items":["a","item 1"]}],"mixture":true}`:   false,
		`{"documents":[{"items":{"a":0}}]}`:                         false,
		`{"documents":[{"id":"x","items":{"a":2}}],"mixture":true}`: true,
	} {
		status, text := ask(s, "POST", "/v1/transform", body)
		if refused := status == 422 && strings.Contains(text, web.NoneKnown); refused != want || !want && status != 200 {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	_, text := ask(s, "POST", "/v1/transform", `{"documents":[{"items":["itm 1"]}]}`)
	if !strings.Contains(text, `"item 1"`) {
		t.Errorf("no suggestions: %s", text)
	}
	mixed := asked[transformResponse](t, s, "POST", "/v1/transform",
		`{"documents":[{"items":["a","b"]},{"items":["item 1"]}],"mixture":true}`).Documents
	if d := mixed[0]; d.Problem == "" || d.Topics == nil || len(d.Topics)+len(d.Mixture) > 0 || d.Unknown != 2 {
		t.Errorf("a document of unknown items: %+v", d)
	}
	if d := mixed[1]; d.Problem != "" || len(d.Topics) != 4 || len(d.Mixture) != 4 {
		t.Errorf("a document of known items: %+v", d)
	}
}

func TestOneTopic(t *testing.T) {
	s := serving(t, Options{})
	all := asked[topicsBody](t, s, "GET", "/v1/topics?n=20", "").Topics
	for k := range all {
		one := asked[topicBody](t, s, "GET", fmt.Sprintf("/v1/topics/%d", k), "")
		if fmt.Sprint(one) != fmt.Sprint(all[k]) {
			t.Errorf("topic %d: %+v, want %+v", k, one, all[k])
		}
	}
	for _, wrong := range []string{"4", "-1", "x", "1.0"} {
		if status, text := ask(s, "GET", "/v1/topics/"+wrong, ""); status != 404 || !strings.Contains(text, "/v1/topics lists them") {
			t.Errorf("topic %s: %d %s", wrong, status, text)
		}
	}
}

// The page names every question, and the topics unless that takes a token.
func TestFrontPage(t *testing.T) {
	for _, token := range []string{"", "secret"} {
		s := serving(t, Options{Token: token})
		status, page := ask(s, "GET", "/", "")
		if status != 200 || !strings.Contains(page, "<code>POST /v1/transform</code>") ||
			strings.Contains(page, "item ") != (token == "") {
			t.Errorf("token %q: %d %s", token, status, page)
		}
		if status, page = ask(s, "GET", "/", "", "Authorization", "Bearer secret"); !strings.Contains(page, "item ") {
			t.Errorf("with the token: %d %s", status, page)
		}
	}
}

// Pages of other sites that were named may ask, and browsers are told so; others may not.
func TestOrigins(t *testing.T) {
	s := serving(t, Options{Origins: []string{"https://shop.example"}, Token: "secret"})
	do := func(method, origin string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/v1/topics", nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		r.Header.Set("Origin", origin)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w
	}
	w := do("GET", "https://shop.example", "Authorization", "Bearer secret", "Sec-Fetch-Site", "cross-site",
		"Sec-Fetch-Mode", "cors")
	if h := w.Header(); w.Code != 200 || h.Get("Access-Control-Allow-Origin") != "https://shop.example" ||
		h.Get("Vary") != "Origin" {
		t.Errorf("a named page: %d %v", w.Code, w.Header())
	}
	w = do("OPTIONS", "https://shop.example", "Access-Control-Request-Method", "POST")
	if w.Code != 204 || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("a preflight: %d %v", w.Code, w.Header())
	}
	for _, origin := range []string{"https://shop.example.evil", "http://shop.example", "null"} {
		for _, method := range []string{"GET", "OPTIONS"} {
			w := do(method, origin, "Authorization", "Bearer secret", "Access-Control-Request-Method", "GET")
			if w.Code != 403 || w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s from %s: %d %v", method, origin, w.Code, w.Header())
			}
		}
	}
}

// update gives a store some shards.
func update(t *testing.T, path string, shards []shard.Shard) *store.Generated {
	t.Helper()
	limits := corpus.Options{MinItems: 2, MinTokens: 2, Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}}
	made, err := store.Update(t.Context(), path, shards,
		store.UpdateOptions{Generate: store.GenerateOptions{Corpus: limits, Fit: fit.Options{Topics: 4, Seed: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// A server of a store takes every new generation, and goes back with a rollback.
func TestServesStore(t *testing.T) {
	folder := t.TempDir()
	if err := (synth.Model{Items: 60, Topics: 4, Documents: 600, Tokens: 20, Seed: 7}).Plant().
		WriteShards(t.Context(), folder, 2); err != nil {
		t.Fatal(err)
	}
	shards, err := shard.Discover(t.Context(), []string{folder}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "store")
	update(t, path, shards[:1])
	s, err := New(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	documents := func() int64 { return asked[modelBody](t, s, "GET", "/v1/model", "").Documents }
	if s.look(t.Context(), "") != "" || documents() > 300 {
		t.Errorf("the first generation: %d documents", documents())
	}
	first := s.current.Load().id
	update(t, path, shards)
	if s.look(t.Context(), "") != "" || documents() <= 300 {
		t.Errorf("the second generation: %d documents", documents())
	}
	w, err := store.Begin(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Rollback(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if s.look(t.Context(), "") != "" || s.current.Load().id != first {
		t.Errorf("after a rollback: %d documents", documents())
	}
}

// started serves on an address of this machine, until stop is called.
func started(t *testing.T, s *Server) (address string, stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener) }()
	return listener.Addr().String(), func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// As many clients as a busy site has at a time are served one after the other, and none is sent away.
func TestManyClients(t *testing.T) {
	const clients, each = 256, 4
	s := serving(t, Options{})
	address, stop := started(t, s)
	defer stop()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	var refused atomic.Int64
	var together sync.WaitGroup
	for range clients {
		together.Go(func() {
			for range each {
				answer, err := client.Post("http://"+address+"/v1/transform", "",
					strings.NewReader(`{"documents":[{"items":["item 1","item 2"]}]}`))
				if err != nil {
					t.Error(err)
					return
				}
				if answer.StatusCode != 200 {
					refused.Add(1)
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		})
	}
	together.Wait()
	if n := refused.Load(); n > 0 {
		t.Errorf("%d of %d requests were refused", n, clients*each)
	}
}

// Requests leave no goroutine behind: not those that are answered, refused, stalled or given up.
func TestGoroutines(t *testing.T) {
	s := serving(t, Options{Timeout: time.Second})
	address, stop := started(t, s)
	defer stop()
	client := &http.Client{Transport: &http.Transport{}}
	ask := func(ctx context.Context, body string) {
		r, err := http.NewRequestWithContext(ctx, "POST", "http://"+address+"/v1/transform", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		if answer, err := client.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}
	settled := func(most int) (n int) {
		client.CloseIdleConnections()
		for until := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if n = runtime.NumGoroutine(); n <= most || time.Now().After(until) {
				return n
			}
		}
	}
	known := `{"documents":[{"items":["item 1","item 2"]}]}`
	ask(t.Context(), known)
	client.CloseIdleConnections()
	base := runtime.NumGoroutine()
	for range 20 { // until the connection has gone
		time.Sleep(10 * time.Millisecond)
		base = min(base, runtime.NumGoroutine())
	}
	var together sync.WaitGroup
	for i := range 60 {
		together.Go(func() {
			switch i % 4 {
			case 0:
				ask(t.Context(), known)
			case 1:
				ask(t.Context(), "{")
			case 2:
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*100*time.Microsecond)
				defer cancel()
				ask(ctx, known)
			case 3:
				connection, err := net.Dial("tcp", address)
				if err != nil {
					t.Error(err)
					return
				}
				defer connection.Close()
				fmt.Fprintf(connection, "POST /v1/transform HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
				if i%8 == 3 { // waits for the refusal; the others hang up
					_, _ = io.Copy(io.Discard, connection)
				}
			}
		})
	}
	together.Wait()
	if n := settled(base); n > base {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, and %d before the requests:\n%s", n, base, stacks[:runtime.Stack(stacks, true)])
	}
	all := int64(s.opts.MaxRequests + s.opts.MaxWaiting)
	if m := s.memory.Load(); !m.free.TryAcquire(m.limit) || !s.posts.places.TryAcquire(all) ||
		!s.reads.places.TryAcquire(all) {
		t.Error("some bytes or places are still taken")
	}
}
