package explore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/page"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/model/fit"
	"anchorage/model/report"
	"anchorage/model/transform"
	"anchorage/shard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hostile are names that a page must show as text. The first two items of drawn have them.
var hostile = []string{`<img src=x onerror=alert(1)>`, "\u202eright to left\n" + strings.Repeat("long", 3000)}

func itemName(i int) string {
	if i < len(hostile) {
		return hostile[i]
	}
	return fmt.Sprintf("Item %d", i)
}

// drawn fits a model of drawn documents with K topics at path, and writes the documents to a shard beside it.
func drawn(t testing.TB, path string, k int, levels ...int) (shards []shard.Shard) {
	t.Helper()
	counts, _ := synth.Model{Items: 60, Topics: 5, Documents: 800, Tokens: 30, Concentration: 0.1, Seed: 7}.Draw()
	var documents []corpus.Document
	var lines bytes.Buffer
	for d := range counts.Documents() {
		items, times := counts.Row(d)
		document := corpus.Document{Counts: times}
		for _, item := range items {
			document.Items = append(document.Items, itemName(int(item)))
		}
		documents = append(documents, document)
		text, err := json.Marshal(map[string]any{"id": fmt.Sprintf("document %d", d), "items": document.Items,
			"counts": times})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(text, '\n'))
	}
	docs, err := corpus.FromDocuments(t.Context(), documents,
		corpus.Options{MinItems: 2, MinTokens: 2, Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	out, err := model.Create(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	fitted, err := fit.Fit(t.Context(), docs, fit.Options{Topics: k, Levels: levels, Seed: 1,
		Extras: fit.Extras{Output: out}})
	if err != nil {
		t.Fatal(err)
	}
	if fitted.Recommendation, err = fit.Learn(t.Context(), fitted.Model, docs, fit.RecommendOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := fitted.SaveTo(out); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "documents.jsonl")
	if err := os.WriteFile(file, lines.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if shards, err = shard.Discover(t.Context(), []string{file}, shard.Options{Names: true}); err != nil {
		t.Fatal(err)
	}
	return shards
}

// exploring returns a server of a model with five topics; change may change its options.
func exploring(t testing.TB, change func(*Options)) *Server {
	t.Helper()
	opts := Options{Model: filepath.Join(t.TempDir(), "model")}
	opts.Shards = drawn(t, opts.Model, 5)
	if change != nil {
		change(&opts)
	}
	s, err := New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	s.token = "secret"
	return s
}

// ask returns the answer to a request with the token.
func ask(s *Server, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "127.0.0.1:8080"
	r.Header.Set("Authorization", "Bearer "+string(s.token))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// asked decodes an answer that must be 200.
func asked[T any](t testing.TB, s *Server, method, target, body string) (v T) {
	t.Helper()
	w := ask(s, method, target, body)
	if w.Code != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, target, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s %s: %v in %s", method, target, err, w.Body)
	}
	return v
}

// The search finds what a look at every name finds, in the order that model.Search has.
func TestSearchAgainstModel(t *testing.T) {
	s := exploring(t, nil)
	m := s.current.Load().model
	for _, text := range []string{"", "item", "ITEM 1", "item 12", "2", "nothing", "<img", "\xff", "long\u202e", "i",
		"item 5\xffitem"} {
		want, err := m.Search(t.Context(), text, m.Vocabulary.Len())
		if err != nil {
			t.Fatal(err)
		}
		got := s.current.Load().names.search(text)
		if text == "\xff" || strings.Contains(text, "\xff") {
			want = nil // it is no text
		}
		if len(got) != len(want) {
			t.Errorf("%q: %d items, want %d", text, len(got), len(want))
			continue
		}
		for at, one := range want {
			if m.Vocabulary.ID(int(got[at])) != one.ID {
				t.Errorf("%q: item %d is %q, want %q", text, at, m.Vocabulary.ID(int(got[at])), one.ID)
			}
		}
	}
}

// A search that finds nothing shows items whose names are like it, and says so.
func TestSearchWithTypingErrors(t *testing.T) {
	s := exploring(t, nil)
	for text, want := range map[string]string{"itme+12": "item 12", "ITEM+112": "item 12", "i%CC%81tem+12": "item 12"} {
		list := asked[pageOf[itemBody]](t, s, "GET", "/api/items?search="+text, "")
		if list.Total != 0 || !list.Near || !slices.ContainsFunc(list.Rows,
			func(row itemBody) bool { return strings.EqualFold(row.Name, want) }) {
			t.Errorf("%s: %+v", text, list)
		}
	}
	for _, text := range []string{"ITM", "it%C3%8Dm"} { // like a word of the names
		if word := asked[pageOf[itemBody]](t, s, "GET", "/api/items?search="+text, ""); !word.Near || len(word.Rows) != 3 {
			t.Errorf("%s: %+v", text, word)
		}
	}
	if list := asked[pageOf[itemBody]](t, s, "GET", "/api/items?search=completely+other", ""); len(list.Rows) != 0 {
		t.Errorf("%+v", list)
	}
}

// Pages put together are the whole list.
func TestPages(t *testing.T) {
	s := exploring(t, nil)
	want := s.current.Load().names.search("item")
	var rows []int32
	for from := 0; from < len(want); from += 7 {
		list := asked[pageOf[itemBody]](t, s, "GET", fmt.Sprintf("/api/items?search=item&from=%d&n=7", from), "")
		if list.Total != len(want) || len(want) != s.current.Load().model.Vocabulary.Len()-len(hostile) {
			t.Fatalf("%d items", list.Total)
		}
		for _, row := range list.Rows {
			rows = append(rows, int32(row.Item))
		}
	}
	if !slices.Equal(rows, want) {
		t.Errorf("the pages have %v, want %v", rows, want)
	}
}

// The server says what the library says.
func TestAnswersAreTheModels(t *testing.T) {
	s := exploring(t, nil)
	st := s.current.Load()
	m := st.model
	index := st.lookup("Item 20")
	item := asked[wholeItem](t, s, "GET", fmt.Sprintf("/api/items/%d", index), "")
	want, err := m.Item(t.Context(), "Item 20")
	if err != nil {
		t.Fatal(err)
	}
	if item.FullName != "Item 20" || item.Documents != want.Documents ||
		len(item.Topics) != len(want.Topics) || item.Topics[4].Share != want.Topics[4].Share || item.Topic != want.Topics[0].Topic {
		t.Errorf("item: %+v, want %+v", item, want)
	}
	similar, err := m.Similar(t.Context(), "Item 20", 4)
	if err != nil {
		t.Fatal(err)
	}
	for at, one := range asked[[]similarBody](t, s, "GET", fmt.Sprintf("/api/items/%d/similar?n=4", index), "") {
		if m.Vocabulary.ID(one.Item) != similar[at].ID || one.Similarity != similar[at].Similarity {
			t.Errorf("similar %d: %+v, want %+v", at, one, similar[at])
		}
	}
	with, err := m.With(t.Context(), []string{"Item 20", "Item 21"}, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	basket := asked[basketBody](t, s, "POST", "/api/basket", fmt.Sprintf(`{"items":[%d,%d],"n":4}`, index,
		st.lookup("Item 21")))
	for at, one := range basket.With {
		if m.Vocabulary.ID(one.Item) != with[at].ID || one.Probability != with[at].Probability ||
			one.Counted != (with[at].Pairs > 0) {
			t.Errorf("with %d: %+v, want %+v", at, one, with[at])
		}
	}
	if len(basket.With) != 4 || basket.Known != 2 {
		t.Errorf("basket: %+v", basket)
	}
	transformer, err := transform.New(m, infer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var topics transform.DocumentTopics
	transformer.Transform(&topics, []string{"Item 20", "Item 20", "Item 21"}, nil)
	document := asked[documentAnswer](t, s, "POST", "/api/document", `{"text":"Item 20\nItem 20\n\n item 21? \nItem 21"}`)
	if document.Known != 3 || document.Missing != 2 || document.Topics[0].Topic != topics.Top ||
		document.Topics[0].Share != float64(topics.Mixture[topics.Top]) ||
		document.Items[0].Count != 2 || !slices.Equal(document.Unknown, []string{"item", "21"}) {
		t.Errorf("document: %+v, want %+v", document, topics)
	}
	hues := make(map[string]string)
	for _, match := range regexp.MustCompile(`"href":"#topic-(\d+)".{0,400}?"area k(\d)"`).FindAllStringSubmatch(
		ask(s, "GET", "/api/pictures/topics", "").Body.String(), -1) {
		hues[match[1]] = match[2]
	}
	for k, topic := range asked[[]topicBody](t, s, "GET", "/api/topics", "") {
		if topic.Hue < 1 || topic.Hue > page.Hues || hues[fmt.Sprint(k)] != fmt.Sprint(topic.Hue) {
			t.Errorf("topic %d has the colour %d, in the picture %s", k, topic.Hue, hues[fmt.Sprint(k)])
		}
		if topic.Share != m.Shares[k] || topic.Anchor.Item != m.Anchors[k] ||
			topic.Prominent[0].Item != m.Prominent[k][0].Item || topic.Label != page.Cut(m.TopicLabel(k), 120) {
			t.Errorf("topic %d: %+v", k, topic)
		}
		list := asked[pageOf[topicItem]](t, s, "GET", fmt.Sprintf("/api/topics/%d/items?n=1000", k), "")
		for at, row := range list.Rows {
			if row.Probability != m.Items.Row(row.Item)[k] || at > 0 && row.Probability > list.Rows[at-1].Probability {
				t.Errorf("topic %d, item %d: %+v", k, at, row)
			}
		}
	}
	if api := ask(s, "GET", "/v1/items/Item%2020/similar?n=4", ""); api.Code != 200 ||
		!strings.Contains(api.Body.String(), similar[0].ID) {
		t.Errorf("package serve's interface: %d %s", api.Code, api.Body)
	}
}

// Documents are those with most of each topic.
func TestDocuments(t *testing.T) {
	s := exploring(t, nil)
	if status := s.docs.status(); status.State != isReading {
		t.Fatalf("before reading: %+v", status)
	}
	s.ReadDocuments(t.Context())
	m := s.current.Load()
	for k := range 5 {
		var shares []float64
		if err := transform.Each(t.Context(), m.transformer, s.opts.Shards, transform.Options{},
			func(d *transform.Inferred) error {
				shares = append(shares, float64(d.Mixture[k]))
				return nil
			}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(shares)
		slices.Reverse(shares)
		got := asked[documentsBody](t, s, "GET", fmt.Sprintf("/api/topics/%d/documents?n=1000", k), "")
		if got.Reading.State != isRead || got.Reading.Documents != 800 || got.Total != DocumentsPerTopic {
			t.Fatalf("topic %d: %+v of %d", k, got.Reading, got.Total)
		}
		for at, row := range got.Rows {
			if row.Share != shares[at] || len(row.Items) == 0 {
				t.Errorf("topic %d, document %d: %+v, want a share of %v", k, at, row, shares[at])
			}
		}
	}
	few, err := New(t.Context(), Options{Model: s.opts.Model})
	if err != nil {
		t.Fatal(err)
	}
	few.current.Load().model.Diagnostics = &model.Diagnostics{Examples: [][]model.ExampleDocument{{{Shard: "a.jsonl",
		Row: 6, Share: 0.9, Text: "begins <b>"}, {ID: "d", Share: 0.8}}}}
	if got := asked[documentsBody](t, few, "GET", "/api/topics/0/documents", ""); got.Reading.State != areExamples ||
		len(got.Rows) != 2 || got.Rows[0].ID != "a.jsonl:7" ||
		got.Rows[0].Text != "begins <b>" || got.Rows[1].ID != "d" || got.Rows[1].Share != 0.8 {
		t.Errorf("examples: %+v", got)
	}
	if got := asked[documentsBody](t, few, "GET", "/api/topics/1/documents", ""); got.Reading.State != noDocuments ||
		got.Total != 0 {
		t.Errorf("no examples: %+v", got)
	}
	if err := os.Remove(s.opts.Shards[0].Path); err != nil {
		t.Fatal(err)
	}
	broken, err := New(t.Context(), Options{Model: s.opts.Model, Shards: s.opts.Shards})
	if err != nil {
		t.Fatal(err)
	}
	broken.ReadDocuments(t.Context())
	if status := asked[modelBody](t, broken, "GET", "/api/model", "").Reading; status.State != hasFailed ||
		status.Error == "" {
		t.Errorf("a shard that is gone: %+v", status)
	}
}

// Documents with texts are shown by them: as they are, with what would turn their direction as an escape, and cut.
func TestTexts(t *testing.T) {
	opts := Options{Model: filepath.Join(t.TempDir(), "model")}
	drawn(t, opts.Model, 2)
	texts := []string{"Item 7 <b>is</b>\nbold 👩‍👧 مرحبا\u202e.", strings.Repeat("items é ", 130_000)}
	var lines bytes.Buffer
	for d, text := range texts {
		line, err := json.Marshal(map[string]string{"title": fmt.Sprintf("<i>%d", d), "text": text})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	file := filepath.Join(t.TempDir(), "texts.jsonl")
	if err := os.WriteFile(file, lines.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	var err error
	opts.Shards, err = shard.Discover(t.Context(), []string{file}, shard.Options{Names: true, Texts: true,
		DocumentColumn: "title", TextColumns: []string{"text"}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	s.token = "secret"
	var got []string
	keepAll := func(d *transform.Inferred) error {
		one := keep(d, s.first.model.Vocabulary)
		got = append(got, one.id, one.text)
		return nil
	}
	if err := transform.Each(t.Context(), s.first.transformer, opts.Shards, transform.Options{}, keepAll); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("items é ", shownText/8) + "…"
	if want := []string{"<i>0", strings.ReplaceAll(texts[0], "\u202e", `\u202e`), "<i>1", long}; !slices.Equal(got, want) {
		t.Errorf("%.200q", got)
	}
	if body := s.first.documentBody(&kept{id: "x", text: "is", shares: []float32{1, 0}}, 0); body.Text != "is" ||
		body.ID != "x" || len(body.Items) != 0 {
		t.Errorf("%+v", body)
	}
}

func TestCompare(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	drawn(t, other, 4)
	s := exploring(t, func(o *Options) { o.Compare = other })
	m := s.current.Load().model
	want, err := m.Compare(t.Context(), s.other, drift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := ask(s, "GET", "/api/pictures/drift", "").Body.String()
	if !strings.Contains(page, want.Summary.String()) || !strings.Contains(page, `"drift-flow"`) {
		t.Errorf("%s is not in %s", want.Summary, page)
	}
	for k := range m.Topics() {
		if !strings.Contains(page, fmt.Sprintf(`"href":"#topic-%d"`, k)) {
			t.Errorf("topic %d is not there", k)
		}
	}
}

// Requests without the token get nothing, and neither do foreign names and pages.
func TestAccess(t *testing.T) {
	s := exploring(t, func(o *Options) { o.Hosts = []string{"topics.example"} })
	cookie := "anchorage-explore-8080=secret"
	for _, c := range []struct {
		method, target string
		headers        []string
		want           int
	}{
		{"GET", "/api/topics", nil, 401},
		{"GET", "/app.js", nil, 401},
		{"GET", "/", nil, 401},
		{"GET", "/?token=wrong", nil, 401},
		{"GET", "/api/topics?token=secret", nil, 401},
		{"GET", "/api/topics", []string{"Authorization", "Bearer wrong"}, 401},
		{"GET", "/api/topics", []string{"Cookie", "anchorage-explore-8080=wrong"}, 401},
		{"GET", "/api/topics", []string{"Cookie", "anchorage-explore-9090=secret"}, 401},
		{"GET", "/api/topics", []string{"Cookie", cookie}, 200},
		{"GET", "/v1/topics", []string{"Cookie", cookie}, 200},
		{"GET", "/v1/topics", nil, 401},
		{"GET", "/api/topics", []string{"Cookie", cookie, "Host", "evil.example:8080"}, 403},
		{"GET", "/?token=secret", []string{"Host", "evil.example:8080"}, 403},
		{"GET", "/api/topics", []string{"Cookie", cookie, "Host", "topics.example:8080"}, 200},
		{"GET", "/api/topics", []string{"Cookie", cookie, "Host", "10.1.2.3:8080"}, 403},
		{"GET", "/api/topics", []string{"Cookie", cookie, "Origin", "http://127.0.0.1:8080"}, 200},
		{"GET", "/api/topics", []string{"Cookie", cookie, "Origin", "http://127.0.0.1:9090"}, 403},
		{"GET", "/api/topics", []string{"Cookie", cookie, "Origin", "null"}, 403},
		{"GET", "/api/topics", []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"}, 403},
		{"GET", "/?token=secret", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 200},
		{"POST", "/api/steer", []string{"Cookie", cookie, "Content-Type", "application/json", "Origin",
			"https://evil.example"}, 403},
		{"POST", "/api/steer", []string{"Content-Type", "application/json"}, 401},
		{"POST", "/api/steer", []string{"Cookie", cookie, "Content-Type", "text/plain"}, 415},
		{"POST", "/api/steer", []string{"Cookie", cookie, "Content-Type", "application/json", "Sec-Fetch-Site", "same-site",
			"Sec-Fetch-Mode", "navigate"}, 403},
		{"DELETE", "/api/steer", []string{"Cookie", cookie}, 405},
		{"POST", "/", []string{"Cookie", cookie, "Content-Type", "application/json"}, 405},
		{"GET", "/../server.go", []string{"Cookie", cookie}, 307},
		{"GET", "/server.go", []string{"Cookie", cookie}, 404},
	} {
		r := httptest.NewRequest(c.method, c.target, strings.NewReader(`{"kind":"pin","topics":[0],"version":1}`))
		r.Host = "127.0.0.1:8080"
		for i := 0; i < len(c.headers); i += 2 {
			r.Header.Set(c.headers[i], c.headers[i+1])
			if c.headers[i] == "Host" {
				r.Host = c.headers[i+1]
			}
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s %s %q: %d %s, want %d", c.method, c.target, c.headers, w.Code, w.Body, c.want)
		}
		for header, want := range map[string]string{"Content-Security-Policy": "frame-ancestors 'none'",
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"} {
			if !strings.Contains(w.Header().Get(header), want) {
				t.Errorf("%s %s: %s is %q", c.method, c.target, header, w.Header().Get(header))
			}
		}
		if set := w.Header().Get("Set-Cookie"); (set != "") != (c.want == 200 && strings.Contains(c.target, "?token")) ||
			set != "" && (!strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict")) {
			t.Errorf("%s %s: the cookie is %q", c.method, c.target, set)
		}
	}
	if asked[steeringBody](t, s, "GET", "/api/steer", "").Steps == nil {
		t.Error("no list of steps")
	}
}

// Requests that make no sense are refused, with the reason.
func TestRefusals(t *testing.T) {
	s := exploring(t, nil)
	for _, c := range []struct {
		method, target, body string
		status               int
		says                 string
	}{
		{"GET", "/api/items?from=-1", "", 400, "from"},
		{"GET", "/api/items?n=1001", "", 400, "from 1 to 1000"},
		{"GET", "/api/items/60", "", 404, "no item"},
		{"GET", "/api/items/-1", "", 404, "no item"},
		{"GET", "/api/items/x/similar", "", 404, "no item"},
		{"GET", "/api/topics/5", "", 404, "no topic"},
		{"GET", "/api/topics/0/items?sort=x", "", 400, "no order"},
		{"GET", "/api/pictures/nothing", "", 404, "no picture"},
		{"GET", "/api/nothing", "", 404, "nothing at this path"},
		{"POST", "/api/basket", `{"items":[60]}`, 404, "no item 60"},
		{"POST", "/api/basket", `{"items":[` + strings.Repeat("0,", 1000) + `0]}`, 413, "1000"},
		{"POST", "/api/basket", `{"items":"x"}`, 400, "JSON"},
		{"POST", "/api/basket", `{"items":[0],"n":-1}`, 400, "n is"},
		{"POST", "/api/basket", `{"other":1}`, 400, "other"},
		{"POST", "/api/document", `{"text":"a"} more`, 400, "follows"},
		{"POST", "/api/document", `{"text":"` + strings.Repeat("a", maxBody) + `"}`, 413, "larger"},
		{"POST", "/api/steer", `{"kind":"dance","topics":[0],"version":1}`, 422, "dance"},
		{"POST", "/api/steer", `{"kind":"pin","topics":[5],"version":1}`, 404, "no topic"},
		{"POST", "/api/steer", `{"kind":"pin","topics":[0],"version":2}`, 409, "changed meanwhile"},
		{"POST", "/api/steer", `{"line":"merge 0 nothing"}`, 422, "nothing"},
		{"POST", "/api/steer", `{"line":"remove @/etc/passwd"}`, 422, "no item"},
		{"POST", "/api/steer/save", `{}`, 409, "not told where"},
	} {
		w := ask(s, c.method, c.target, c.body)
		var got struct{ Error struct{ Message string } }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != c.status ||
			!strings.Contains(got.Error.Message, c.says) {
			t.Errorf("%s %s %.80s: %d %.300s, want %d with %q", c.method, c.target, c.body, w.Code, w.Body, c.status, c.says)
		}
	}
}

// Steps change the model that is shown, undo brings the old one back, and saving writes it to the one place that was
// named.
func TestSteer(t *testing.T) {
	folder := t.TempDir()
	output := filepath.Join(folder, "steered")
	s := exploring(t, func(o *Options) { o.Output = output })
	s.ReadDocuments(t.Context())
	before := ask(s, "GET", "/api/topics", "").Body.String()
	if w := ask(s, "POST", "/api/steer/save", "{}"); w.Code != 409 {
		t.Errorf("saving before any step: %d %s", w.Code, w.Body)
	}
	step := func(body string) steeringBody {
		t.Helper()
		return asked[steeringBody](t, s, "POST", "/api/steer", body)
	}
	step(`{"kind":"name","topics":[1],"name":"good <b>things</b>","version":1}`)
	if topic := asked[wholeTopic](t, s, "GET", "/api/topics/1", ""); topic.Label != "topic 1: good <b>things</b>" {
		t.Errorf("the named topic: %+v", topic.topicBody)
	}
	removed := s.current.Load().lookup("Item 20")
	step(fmt.Sprintf(`{"kind":"remove","items":[%d],"version":2}`, removed))
	if list := asked[pageOf[itemBody]](t, s, "GET", "/api/items?search=item+20", ""); list.Total != 0 {
		t.Errorf("a removed item is found: %+v", list)
	}
	done := step(`{"line":"merge 2 3"}`)
	if about := asked[modelBody](t, s, "GET", "/api/model", ""); about.Topics != 4 || about.Items != 59 ||
		about.Version != 4 || len(done.Steps) != 3 {
		t.Errorf("after three steps: %+v, %+v", about, done)
	}
	if !slices.ContainsFunc(done.Changes, func(c changeBody) bool { return c.What == "gone" && len(c.Is) == 0 && c.Before > 0 }) ||
		!slices.ContainsFunc(done.Changes, func(c changeBody) bool { return c.What != "gone" && c.Distance > 0 && c.After > 0 }) {
		t.Errorf("what the steps changed: %+v", done.Changes)
	}
	for k := range 4 {
		list := asked[documentsBody](t, s, "GET", fmt.Sprintf("/api/topics/%d/documents", k), "")
		if list.Total == 0 || len(list.Rows[0].Items) == 0 || list.Rows[0].Share < 0.5 {
			t.Errorf("documents of topic %d after steering: %+v", k, list)
		}
	}
	if w := ask(s, "GET", "/api/steer/script", ""); w.Code != 200 ||
		w.Body.String() != "name 1 \"good <b>things</b>\"\nremove \"Item 20\"\nmerge 2 3\n" ||
		!strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") {
		t.Errorf("the script: %d %s", w.Code, w.Body)
	}
	if saved := asked[steeringBody](t, s, "POST", "/api/steer/save", "{}"); !saved.Saved {
		t.Errorf("after saving: %+v", saved)
	}
	m, err := model.Load(t.Context(), output)
	if err != nil || m.Topics() != 4 || m.TopicName(1) != "good <b>things</b>" {
		t.Errorf("the saved model: %v", err)
	}
	if page, err := os.ReadFile(filepath.Join(output, report.File)); err != nil ||
		!strings.Contains(string(page), "good &lt;b&gt;things&lt;/b&gt;") || m.Diagnostics == nil {
		t.Errorf("the report of the saved model: %v, %d bytes", err, len(page))
	}
	if w := ask(s, "POST", "/api/steer/save", "{}"); w.Code != 409 {
		t.Errorf("saving over a model: %d %s", w.Code, w.Body)
	}
	for range 3 {
		asked[steeringBody](t, s, "POST", "/api/steer/undo", "{}")
	}
	if after := ask(s, "GET", "/api/topics", "").Body.String(); after != before {
		t.Errorf("after undoing all:\n%s\nwant\n%s", after, before)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("more was written: %v, %v", entries, err)
	}
}

// Names from data reach the page cut and cleaned, and whole where they are asked for.
func TestHostileNames(t *testing.T) {
	s := exploring(t, nil)
	long := asked[wholeItem](t, s, "GET", fmt.Sprintf("/api/items/%d", s.current.Load().lookup(hostile[1])), "")
	if strings.ContainsAny(long.Name+long.FullName, "\u202e\n") || len([]rune(long.Name)) > 60 ||
		!strings.HasPrefix(long.FullName, `\u202eright to left\n`) || !strings.HasSuffix(long.FullName, "longlong") {
		t.Errorf("%.100q, %.100q", long.Name, long.FullName)
	}
	w := ask(s, "GET", "/api/items?search=%3Cimg", "")
	if strings.Contains(w.Body.String(), "<img") || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("markup is not escaped: %s", w.Body)
	}
}

// The page has no handlers and styles within its markup, which the policy would refuse, and its parts are there.
func TestPage(t *testing.T) {
	s := exploring(t, nil)
	index := ask(s, "GET", "/", "").Body.String()
	for _, part := range []string{"page.css", "explore.css", "page.js", "app.js", "icon.svg"} {
		if w := ask(s, "GET", "/"+part, ""); w.Code != 200 || !strings.Contains(index, part) {
			t.Errorf("%s: %d", part, w.Code)
		}
	}
	for _, no := range []string{"style=", "onclick", "<style", "http://", "https://"} {
		if strings.Contains(index, no) {
			t.Errorf("the page has %q", no)
		}
	}
	if w := ask(s, "GET", "/nowhere", "", "Accept", "text/html"); w.Code != 404 || !strings.Contains(w.Body.String(), `<a href="/">`) {
		t.Errorf("a missing page: %d %s", w.Code, w.Body)
	}
	files, err := embedded.ReadDir("web")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := embedded.ReadFile("web/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, no := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
			"DOMParser"} {
			if bytes.Contains(text, []byte(no)) {
				t.Errorf("%s has %s", file.Name(), no)
			}
		}
	}
}

// The report is that of the model as it was steered, under the policy that is in it.
func TestReport(t *testing.T) {
	s := exploring(t, nil)
	asked[steeringBody](t, s, "POST", "/api/steer", `{"kind":"name","topics":[1],"name":"a name of my own","version":1}`)
	w := ask(s, "GET", "/report", "")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "a name of my own") ||
		!strings.Contains(w.Body.String(), "script-src &#39;sha256-") ||
		w.Header().Get("Content-Security-Policy") != "frame-ancestors 'none'" {
		t.Errorf("%d %.500s", w.Code, w.Body)
	}
}

// The server opens a browser with an address that works, reads the documents meanwhile, and ends when it is told to.
func TestServe(t *testing.T) {
	opened := make(chan string, 1)
	defer func(usual func(string) error) { openFile = usual }(openFile)
	openFile = func(file string) error {
		page, err := os.ReadFile(file)
		_, after, _ := strings.Cut(string(page), `<a href="`)
		address, _, _ := strings.Cut(after, `"`)
		opened <- html.UnescapeString(address)
		return err
	}
	s := exploring(t, func(o *Options) { o.Browse = true })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	response, err := client.Get(<-opened)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || response.StatusCode != 200 || !bytes.Contains(page, []byte("<title>")) ||
		len(response.Cookies()) != 1 {
		t.Errorf("%s, %v, cookies %v", response.Status, err, response.Cookies())
	}
	s.ReadDocuments(t.Context()) // waits for the reading that Serve began
	if state := s.docs.status().State; state != isRead {
		t.Errorf("documents: %s", state)
	}
	_ = s.current.Load().model.Prepare(t.Context()) // waits for the one of Serve too, which holds the same lock
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the end: %v", err)
	}
}

// TestFolded asks for items that shaped no topics, which have names: they are found behind the others, have pages, also
// after a step, and go into baskets, but not into steps.
func TestFolded(t *testing.T) {
	var documents []corpus.Document
	for d := range 200 {
		document := corpus.Document{}
		for x := range 4 {
			document.Items = append(document.Items, fmt.Sprintf("c%d", 8*(d%2)+(d/2+x*(1+d%3))%8))
		}
		slices.Sort(document.Items)
		document.Items = slices.Compact(document.Items)
		if d < 3 {
			document.Items = append(document.Items, fmt.Sprintf("rare%d", d))
		}
		document.Counts = make([]int32, len(document.Items))
		for x := range document.Counts {
			document.Counts[x] = 2
		}
		documents = append(documents, document)
	}
	docs, err := corpus.FromDocuments(t.Context(), documents,
		corpus.Options{MinItems: 2, MinTokens: 2, Pruning: corpus.Pruning{MinDF: 2, MaxDFRatio: 1}, KeepLeft: true})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	docs.Naming = func(context.Context) (func([]byte) string, error) {
		return func(id []byte) string { return "Name of " + string(id) }, nil
	}
	path := filepath.Join(t.TempDir(), "model")
	run := new(fit.Run)
	out, err := run.Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	fitted, err := fit.Fit(t.Context(), docs, fit.Options{Topics: 2, Seed: 1, Run: run, Extras: fit.Extras{Output: out}})
	if err != nil {
		t.Fatal(err)
	}
	if err := fitted.SaveTo(out); err != nil {
		t.Fatal(err)
	}
	s, err := New(t.Context(), Options{Model: path})
	if err != nil {
		t.Fatal(err)
	}
	n := fitted.Vocabulary.Len()
	all := asked[pageOf[itemBody]](t, s, "GET", "/api/items?n=100", "")
	if all.Total != n+3 || len(all.Rows) != n+3 || !all.Rows[n].Folded || all.Rows[n].Name != "Name of rare0" ||
		all.Rows[n-1].Folded {
		t.Fatalf("all items: %+v", all)
	}
	if last := asked[pageOf[itemBody]](t, s, "GET", fmt.Sprintf("/api/items?from=%d&n=1", n+2), ""); len(last.Rows) != 1 ||
		last.Rows[0].Item != n+2 {
		t.Errorf("the last item: %+v", last)
	}
	if found := asked[pageOf[itemBody]](t, s, "GET", "/api/items?search=OF+RARE1", ""); found.Total != 1 ||
		found.Rows[0].Item != n+1 {
		t.Errorf("found %+v", found)
	}
	one := fmt.Sprintf("/api/items/%d", n+1)
	before := asked[wholeItem](t, s, "GET", one, "")
	if before.ID != "rare1" || before.FullName != "Name of rare1" || !before.Folded || before.Share < 0.6 ||
		before.LeftOut != "in 1 document (at least 2 are needed)" {
		t.Errorf("the page: %+v", before)
	}
	if alike := asked[[]similarBody](t, s, "GET", one+"/similar", ""); len(alike) == 0 || alike[0].Folded ||
		alike[0].Topic != before.Topic {
		t.Errorf("like it: %+v", alike)
	}
	basket := fmt.Sprintf(`{"items":[%d]}`, n+1)
	if body := asked[basketBody](t, s, "POST", "/api/basket", basket); len(body.With) == 0 {
		t.Error("nothing goes with it")
	}
	for _, target := range []string{fmt.Sprintf("/api/items/%d", n+3), "/api/items/-1"} {
		if w := ask(s, "GET", target, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
	step := fmt.Sprintf(`{"kind":"seed","topics":[0],"items":[%d],"version":1}`, n+1)
	if w := ask(s, "POST", "/api/steer", step); w.Code != http.StatusNotFound {
		t.Errorf("a step with it: %d %s", w.Code, w.Body)
	}
	if w := ask(s, "POST", "/api/steer", `{"line":"name 0 first"}`); w.Code != http.StatusOK {
		t.Fatalf("a step: %d %s", w.Code, w.Body)
	}
	if after := asked[wholeItem](t, s, "GET", one, ""); after.Topic != before.Topic || after.Share < before.Share-1e-6 ||
		after.Share > before.Share+1e-6 {
		t.Errorf("the page after a step: %+v, before %+v", after, before)
	}
}
