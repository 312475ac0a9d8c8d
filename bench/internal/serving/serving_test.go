package serving

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/model"
)

// Every request is sent and counted, those that are refused too, and the times are in order.
func TestLoad(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if at := asked.Add(1); at%10 == 0 || string(body) != "a" && string(body) != "b" {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	for _, l := range []load{{clients: 3}, {clients: 2, rate: 500}} {
		asked.Store(0)
		l.url, l.bodies, l.last = server.URL, [][]byte{[]byte("a"), []byte("b")}, 100*time.Millisecond
		found, err := l.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := asked.Load(); int64(len(found.times)+found.failed) != n || int64(found.failed) != n/10 || !slices.IsSorted(found.times) {
			t.Errorf("%d requests: %d times and %d failures", n, len(found.times), found.failed)
		}
		if l.rate > 0 && asked.Load() != 50 {
			t.Errorf("%d requests in a tenth of a second at 500 per second", asked.Load())
		}
	}
	server.Close()
	l := load{url: server.URL, bodies: [][]byte{nil}, clients: 1, last: time.Second}
	if _, err := l.run(t.Context()); err == nil {
		t.Error("a server that is not there is no error")
	}
}

func TestQuantile(t *testing.T) {
	l := &latencies{}
	if l.quantile(0.5) != 0 {
		t.Error("no requests take time")
	}
	for i := range 100 {
		l.times = append(l.times, time.Duration(i+1))
	}
	for share, want := range map[float64]time.Duration{0: 1, 0.5: 51, 0.99: 100, 1: 100} {
		if got := l.quantile(share); got != want {
			t.Errorf("quantile %v is %v, want %v", share, got, want)
		}
	}
}

// Baskets are documents of distinct items of the model, the same for the same seed.
func TestBaskets(t *testing.T) {
	docs, err := corpus.FromDocuments(t.Context(), slices.Repeat([]corpus.Document{{Items: []string{"a", "b", "c"}}, {Items: []string{"d", "e", "f"}}}, 20),
		corpus.Options{MinItems: 2, MinTokens: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := model.Fit(t.Context(), docs, model.Options{Topics: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := fitted.Model()
	bodies := baskets(m, 5, 3, 1)
	for b, body := range bodies {
		var request struct{ Documents []struct{ Items []string } }
		if err := json.Unmarshal(body, &request); err != nil || len(request.Documents) != 1 {
			t.Fatalf("basket %d: %s, %v", b, body, err)
		}
		items := request.Documents[0].Items
		slices.Sort(items)
		if len(slices.Compact(items)) != 3 || string(body) != string(baskets(m, 5, 3, 1)[b]) {
			t.Errorf("basket %d: %s", b, body)
		}
	}
}

func TestWrite(t *testing.T) {
	path := t.TempDir() + "/results"
	folder, err := report.NewFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	records := []Record{{Model: "m", Items: 10, Topics: 2, Clients: 4, Rate: 1000, Requests: 99, PerSecond: 990, Median: time.Millisecond, P99: 2 * time.Millisecond}}
	if err := Write(folder, records, report.NewOrigin("go run ./bench serve m", 2), 30); err != nil {
		t.Fatal(err)
	}
	if err := folder.Commit(); err != nil {
		t.Fatal(err)
	}
	text := benchtest.Text(t, path+"/README.md")
	if !strings.Contains(text, "| m | 10 | 2 | 4 | 1000/s | 990 | 1.00 | 2.00 |") {
		t.Errorf("README.md: %s", text)
	}
	benchtest.Says(t, "serve.csv", benchtest.Text(t, path+"/serve.csv"), "m,10,2,4,1000,99,0,990,1,2,")
}
