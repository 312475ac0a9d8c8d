package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/internal/web"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/transform"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// saved fits a model of drawn documents with K topics and saves it. Its items are called "item 0" and so on.
func saved(t testing.TB, path string, k int) {
	t.Helper()
	drawn, _ := synth.Model{Items: 60, Topics: 5, Documents: 800, Tokens: 30, Concentration: 0.1, Seed: 7}.Draw()
	var documents []corpus.Document
	for d := range drawn.Documents() {
		items, counts := drawn.Row(d)
		document := corpus.Document{Counts: counts}
		for _, item := range items {
			document.Items = append(document.Items, fmt.Sprintf("item %d", item))
		}
		documents = append(documents, document)
	}
	docs, err := corpus.FromDocuments(t.Context(), documents,
		corpus.Options{MinItems: 2, MinTokens: 2, Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(t.Context(), docs, fit.Options{Topics: k, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if fitted.Recommendation, err = fit.Learn(t.Context(), fitted.Model, docs, fit.RecommendOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := fitted.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
}

// serving returns a server of a model with 4 topics.
func serving(t testing.TB, opts Options) *Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model")
	saved(t, path, 4)
	s, err := New(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask returns the status and the body of an answer.
func ask(s *Server, method, target, body string, headers ...string) (int, string) {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// itemsBody and topicsBody are answers with lists.
type (
	itemsBody[T any] struct{ Items []T }
	topicsBody       struct{ Topics []topicBody }
)

// asked decodes an answer that must be 200.
func asked[T any](t testing.TB, s *Server, method, target, body string) (v T) {
	t.Helper()
	status, text := ask(s, method, target, body)
	if status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, target, status, text)
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s %s: %v in %s", method, target, err, text)
	}
	return v
}

// The server says what the library says.
func TestAnswersAreTheModels(t *testing.T) {
	s := serving(t, Options{})
	m, transformer := s.current.Load().model, s.current.Load().transformer

	got := asked[transformResponse](t, s, "POST", "/v1/transform",
		`{"documents":[{"id":"a","items":["item 1","item 2","item 1","other"]},{"items":{"item 3":2,"item 4":0}},`+
			`{"items":["item 5"],"counts":[7]},{"items":[]}],"top":2,"mixture":true}`)
	for i, d := range []struct {
		items  []string
		counts []int32
	}{{[]string{"item 1", "item 2", "item 1", "other"}, nil}, {[]string{"item 3"}, []int32{2}},
		{[]string{"item 5"}, []int32{7}}, {nil, nil}} {
		var want transform.DocumentTopics
		transformer.Transform(&want, d.items, d.counts)
		one := got.Documents[i]
		if !slices.Equal(one.Mixture, want.Mixture) || one.Known != want.Known || one.Unknown != want.Unknown ||
			one.Spread != want.Deviation ||
			len(one.Topics) != 2 || one.Topics[0].Topic != want.Top || one.Topics[0].Share < one.Topics[1].Share {
			t.Errorf("document %d: %+v, want %+v", i, one, want)
		}
		if (one.LogLikelihood == nil) != (want.Known == 0) || one.LogLikelihood != nil &&
			*one.LogLikelihood != want.LogLikelihood {
			t.Errorf("document %d has another likelihood", i)
		}
	}
	if got.Documents[0].ID != "a" || got.Documents[1].ID != "" || got.Model != s.current.Load().id {
		t.Errorf("ids %q, %q, model %q", got.Documents[0].ID, got.Documents[1].ID, got.Model)
	}

	similar, err := m.Similar(t.Context(), "item 1", 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := asked[itemsBody[model.Neighbour]](t, s, "GET", "/v1/items/item%201/similar?n=3",
		""); fmt.Sprint(got.Items) != fmt.Sprint(similar) || len(similar) != 3 {
		t.Errorf("similar: %v, want %v", got.Items, similar)
	}
	with, err := m.With(t.Context(), []string{"item 1", "item 2"}, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := asked[itemsBody[model.Complement]](t, s, "GET", "/v1/items/item%201/with?and=item+2&n=3",
		""); fmt.Sprint(got.Items) != fmt.Sprint(with) {
		t.Errorf("with: %v, want %v", got.Items, with)
	}
	item, err := m.Item(t.Context(), "item 1")
	if err != nil {
		t.Fatal(err)
	}
	if got := asked[model.Item](t, s, "GET", "/v1/items/item%201?n=2",
		""); fmt.Sprint(got.Topics) != fmt.Sprint(item.Topics[:2]) || got.Documents != item.Documents {
		t.Errorf("item: %+v, want %+v", got, item)
	}
	found, err := m.Search(t.Context(), "ITEM 1", 4)
	if err != nil {
		t.Fatal(err)
	}
	if got := asked[itemsBody[model.Found]](t, s, "GET", "/v1/items?search=ITEM+1&n=4",
		""); fmt.Sprint(got.Items) != fmt.Sprint(found) || len(got.Items) != 4 {
		t.Errorf("search: %v", got.Items)
	}
	all := asked[topicsBody](t, s, "GET", "/v1/topics?n=3", "")
	for k, topic := range all.Topics {
		if topic.Topic != k || topic.Share != m.Shares[k] || topic.Anchor != m.Vocabulary.ID(m.Anchors[k]) ||
			len(topic.Prominent) != 3 ||
			topic.Prominent[0] != (listedBody{m.Vocabulary.ID(m.Prominent[k][0].Item), "", m.Prominent[k][0].Probability}) {
			t.Errorf("topic %d: %+v", k, topic)
		}
	}
	if about := asked[modelBody](t, s, "GET", "/v1/model", ""); len(all.Topics) != 4 ||
		int(about.Items) != m.Vocabulary.Len() || about.Topics != 4 || about.Documents != m.Manifest.Corpus.Documents {
		t.Errorf("about: %+v", about)
	}
}

// refusal is the form of an error.
type refusal struct {
	Error struct {
		Code, Message string
		Suggestions   []string
	}
}

func TestRefusals(t *testing.T) {
	s := serving(t, Options{MaxBody: 400, MaxDocuments: 2, MaxItems: 3})
	for _, c := range []struct {
		method, target, body string
		status               int
		code, says           string
	}{
		{"GET", "/v1/items/nothing/similar", "", 404, web.UnknownItem, "no item"},
		{"GET", "/v1/items/item%20/with", "", 404, web.UnknownItem, "item"},
		{"GET", "/v1/items/item%201/with?and=nothing", "", 404, web.UnknownItem, "nothing"},
		{"GET", "/v1/items/item%201/with?and=a&and=b&and=c", "", 413, web.TooLarge, "3"},
		{"GET", "/v1/items/item%201/similar?n=0", "", 400, web.Malformed, "n is"},
		{"GET", "/v1/items/item%201/similar?n=4", "", 400, web.Malformed, "from 1 to 3"},
		{"GET", "/v1/items", "", 400, web.Malformed, "search"},
		{"GET", "/v1/topics?n=21", "", 400, web.Malformed, "from 1 to 20"},
		{"GET", "/v1/nothing", "", 404, web.NotFound, "openapi"},
		{"GET", "/v1/transform", "", 405, web.Method, "POST"},
		{"DELETE", "/v1/topics", "", 405, web.Method, "GET"},
		{"POST", "/v1/transform", "", 400, web.Malformed, "ends"},
		{"POST", "/v1/transform", `{"documents":[`, 400, web.Malformed, "ends"},
		{"POST", "/v1/transform", `{"documents":[{"items":["a"]}]} more`, 400, web.Malformed, "follows"},
		{"POST", "/v1/transform", `{"document":[]}`, 400, web.Malformed, "document"},
		{"POST", "/v1/transform", `{"documents":[{"items":"a"}]}`, 400, web.Malformed, "list of ids"},
		{"POST", "/v1/transform", `{"documents":[{"items":[1.5]}]}`, 400, web.Malformed, "whole number"},
		{"POST", "/v1/transform", `{"documents":[{"items":{"a":-1}}]}`, 400, web.Malformed, "negative"},
		{"POST", "/v1/transform", `{"documents":[{"items":["a"],"counts":[1,2]}]}`, 400, web.Malformed,
			"2 counts for 1 items"},
		{"POST", "/v1/transform", `{"documents":[{"items":{"a":1},"counts":[1]}]}`, 400, web.Malformed, "counts already"},
		{"POST", "/v1/transform", `{"documents":[],"top":-1}`, 400, web.Malformed, "top"},
		{"POST", "/v1/transform", `{"documents":[{"items":[]},{"items":[]},{"items":[]}]}`, 413, web.TooLarge, "2"},
		{"POST", "/v1/transform", `{"documents":[{"items":["a","b","c","d"]}]}`, 413, web.TooLarge, "document 0"},
		{"POST", "/v1/transform", `{"documents":[{"items":["` + strings.Repeat("a", 500) + `"]}]}`, 413, web.TooLarge,
			"400 bytes"},
	} {
		status, body := ask(s, c.method, c.target, c.body)
		var got refusal
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != c.status || got.Error.Code != c.code ||
			!strings.Contains(got.Error.Message, c.says) {
			t.Errorf("%s %s %s: %d %s", c.method, c.target, c.body, status, body)
		}
	}
	_, body := ask(s, "GET", "/v1/items/itm%201/similar", "")
	var unknown refusal
	if err := json.Unmarshal([]byte(body), &unknown); err != nil || !slices.Contains(unknown.Error.Suggestions, "item 1") {
		t.Errorf("suggestions: %s", body)
	}
}

// Numbers and strings are the same items, and so they are in shards.
func TestItemIDs(t *testing.T) {
	for text, want := range map[string]string{`["a"]`: "a", `[7]`: "7", `[-3]`: "-3", `["07"]`: "07", `{"07":1}`: "07"} {
		var items bag
		if err := json.Unmarshal([]byte(text), &items); err != nil || len(items.ids) != 1 || items.ids[0] != want {
			t.Errorf("%s: %+v, %v", text, items, err)
		}
	}
}

func TestToken(t *testing.T) {
	s := serving(t, Options{Token: "secret"})
	for header, want := range map[string]int{"": 401, "Bearer secret": 200, "bearer  secret": 200, "Bearer secre": 401,
		"Basic secret": 401, "secret": 401} {
		if status, body := ask(s, "GET", "/v1/topics", "", "Authorization", header); status != want {
			t.Errorf("%q: %d %s", header, status, body)
		}
	}
	for _, open := range []string{"/healthz", "/readyz"} {
		if status, _ := ask(s, "GET", open, ""); status != 200 {
			t.Errorf("%s: %d", open, status)
		}
	}
	if status, _ := ask(s, "GET", "/metrics", ""); status != 401 {
		t.Errorf("/metrics: %d", status)
	}
}

// A page of another site, and a name that was rebound to this machine, get nothing; the server's own pages and names
// do.
func TestForeign(t *testing.T) {
	s := serving(t, Options{Hosts: []string{"topics.example"}})
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"topics.example", "", 200}, {"Topics.Example.:8080", "", 200}, {"localhost:8080", "", 200},
		{"127.0.0.1:8080", "", 200}, {"[::1]:8080", "", 200},
		{"10.1.2.3", "", 200}, {"evil.example", "", 403}, {"topics.example.evil.example", "", 403}, {"", "", 403},
		{"127.0.0.1:8080", "http://127.0.0.1:8080", 200}, {"127.0.0.1:8080", "https://topics.example", 200},
		{"127.0.0.1:8080", "http://127.0.0.1:8081", 403},
		{"127.0.0.1:8080", "https://evil.example", 403}, {"127.0.0.1:8080", "null", 403},
	} {
		r := httptest.NewRequest("GET", "/v1/topics", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code != c.want || w.Code == 403 && !strings.Contains(w.Body.String(), web.Foreign) {
			t.Errorf("host %q, origin %q: %d %s", c.host, c.origin, w.Code, w.Body)
		}
	}
	if status, _ := ask(s, "GET", "/healthz", "", "Origin", "null"); status != 200 {
		t.Errorf("/healthz: %d", status)
	}
	if status, _ := ask(s, "GET", "/v1/topics", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode",
		"no-cors"); status != 403 {
		t.Errorf("an image of another site: %d", status)
	}
}

// When all places are taken, as many requests as may wait do, and the next are refused.
func TestOverload(t *testing.T) {
	s := serving(t, Options{MaxRequests: 1, MaxWaiting: 2})
	occupy := func() {
		if !s.reads.places.TryAcquire(1) || s.reads.inside.Acquire(t.Context(), 1) != nil {
			t.Fatal("no place is free")
		}
	}
	occupy()
	var waiting sync.WaitGroup
	statuses := make([]int, 2)
	for i := range statuses {
		waiting.Go(func() {
			for statuses[i] == 0 || statuses[i] == 429 { // while the look below takes its place
				statuses[i], _ = ask(s, "GET", "/v1/topics", "")
			}
		})
	}
	for s.reads.places.TryAcquire(1) { // they are on their way
		s.reads.places.Release(1)
		runtime.Gosched()
	}
	if status, body := ask(s, "GET", "/v1/topics", ""); status != 429 || !strings.Contains(body, web.Overloaded) {
		t.Errorf("a third request: %d %s", status, body)
	}
	if status, _ := ask(s, "GET", "/healthz", ""); status != 200 {
		t.Errorf("/healthz waits: %d", status)
	}
	if status, _ := ask(s, "GET", "/metrics", ""); status != 200 {
		t.Errorf("/metrics waits: %d", status)
	}
	s.reads.inside.Release(1)
	s.reads.places.Release(1)
	waiting.Wait()
	if !slices.Equal(statuses, []int{200, 200}) {
		t.Errorf("requests that waited: %v", statuses)
	}
	over, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	occupy()
	if err := s.reads.inside.Acquire(over, 1); problemOf(err).Status != 503 {
		t.Errorf("a request whose time is over: %v", err)
	}
	s.reads.inside.Release(1)
}

// A new model takes the place of the old one, a broken one does not, and what is asked meanwhile is answered by one of
// the two.
func TestNewModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	saved(t, path, 4)
	s, err := New(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	first := s.current.Load().id
	if refused := s.look(t.Context(), ""); refused != "" || s.current.Load().id != first {
		t.Errorf("the same model: refused %q", refused)
	}
	next := filepath.Join(t.TempDir(), "next")
	saved(t, next, 5)
	replace(t, path, next)
	if refused := s.look(t.Context(), ""); refused != "" || s.current.Load().model.Topics() != 5 ||
		s.current.Load().id == first {
		t.Errorf("a new model: refused %q, %d topics", refused, s.current.Load().model.Topics())
	}
	second := s.current.Load().id
	if err := os.WriteFile(filepath.Join(path, "manifest.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	refused := s.look(t.Context(), "")
	if refused == "" || s.current.Load().id != second {
		t.Error("a broken model is in use")
	}
	if again := s.look(t.Context(), refused); again != refused {
		t.Error("a broken model is reported again")
	}
	_, figures := ask(s, "GET", "/metrics", "")
	for _, line := range []string{"anchorage_models_refused_total 1", "anchorage_model_topics 5"} {
		if !strings.Contains(figures, line) {
			t.Errorf("metrics lack %q:\n%s", line, figures)
		}
	}
	if _, figures := ask(s, "GET", "/metrics", ""); !strings.Contains(figures,
		`anchorage_http_requests_total{path="/metrics",status="200"} 1`) {
		t.Errorf("requests are not counted:\n%s", figures)
	}
}

func replace(t *testing.T, path, next string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
}

// The server ends when it is told to, and finishes what it has begun.
func TestEnd(t *testing.T) {
	s := serving(t, Options{Watch: 1 << 40})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	response, err := client.Get("http://" + listener.Addr().String() + "/v1/topics")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != 200 {
		t.Errorf("status %d, %v", response.StatusCode, err)
	}
	response.Body.Close()
	rebound, err := http.NewRequest("GET", "http://"+listener.Addr().String()+"/v1/topics", nil)
	if err != nil {
		t.Fatal(err)
	}
	rebound.Host = "evil.example"
	if response, err = client.Do(rebound); err != nil || response.StatusCode != 403 {
		t.Errorf("a foreign name at a loopback address: %v, %v", response, err)
	} else {
		response.Body.Close()
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the end: %v", err)
	}
	if status, _ := ask(s, "GET", "/readyz", ""); status != 503 {
		t.Errorf("/readyz after the end: %d", status)
	}
}

// openapi.json describes every route and nothing else, and every code of an error.
func TestDescription(t *testing.T) {
	var api struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct {
			Schemas struct {
				Error struct {
					Properties struct {
						Error struct {
							Properties struct{ Code struct{ Enum []string } }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(openAPI), &api); err != nil {
		t.Fatal(err)
	}
	s := &Server{opts: Options{}.prepared(1), metrics: newMetrics()}
	described := 0
	for _, methods := range api.Paths {
		described += len(methods)
	}
	for _, r := range s.table(nil) {
		if api.Paths[strings.TrimSuffix(r.Path, "{$}")][strings.ToLower(r.Method)] == nil {
			t.Errorf("%s %s is not described", r.Method, r.Path)
		}
	}
	if described != len(s.table(nil)) {
		t.Errorf("%d operations are described, and there are %d", described, len(s.table(nil)))
	}
	codes := api.Components.Schemas.Error.Properties.Error.Properties.Code.Enum
	for _, code := range []string{web.Malformed, web.UnknownItem, web.NoneKnown, web.TooLarge, web.Overloaded,
		web.Timeout, web.NoToken, web.Foreign, web.NotFound, web.Method, web.Internal} {
		if !slices.Contains(codes, code) {
			t.Errorf("code %q is not described", code)
		}
	}
}

// Whatever is asked, the server answers with JSON, without an internal error.
func FuzzHandler(f *testing.F) {
	s := serving(f, Options{MaxBody: 4096, MaxDocuments: 10, MaxItems: 50})
	for _, seed := range [][3]string{{"POST", "/v1/transform", `{"documents":[{"items":["item 1"]}]}`},
		{"GET", "/v1/items/item%201/similar?n=3", ""},
		{"GET", "/v1/items/a/with?and=item+2", ""}, {"GET", "/v1/items?search=1&n=2", ""}, {"GET", "/v1/topics?n=2", ""},
		{"POST", "/v1/transform", `{"documents":[{"items":{"item 1":2147483647,"item 2":1e3}}],"top":1000000}`}} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, method, target, body string) {
		r, err := http.NewRequest(method, target, strings.NewReader(body))
		if err != nil || !strings.HasPrefix(target, "/") || r.URL.Path == "/metrics" || r.URL.Path == "/" {
			return
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code >= 500 || w.Code >= 300 && w.Code < 400 && w.Header().Get("Location") == "" {
			t.Errorf("%s %s %q: %d %s", method, target, body, w.Code, w.Body)
		}
		if text := w.Body.Bytes(); w.Code < 300 && !json.Valid(text) || w.Code >= 400 && !json.Valid(text) {
			t.Errorf("%s %s %q: %d %s", method, target, body, w.Code, text)
		}
	})
}
