package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"anchorage/model"
)

// BenchmarkTransform asks for the topics of baskets of 30 items, by one connection for each client. $ANCHORAGE_MODEL
// names the model; without it a small one is fitted. Server and clients share the processors.
func BenchmarkTransform(b *testing.B) {
	path := os.Getenv("ANCHORAGE_MODEL")
	if path == "" {
		path = b.TempDir() + "/model"
		saved(b, path, 4)
	}
	s, err := New(b.Context(), path, Options{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := model.Load(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	rng, bodies := rand.New(rand.NewPCG(1, 1)), make([][]byte, 1000)
	for i := range bodies {
		var items []string
		for range 30 {
			items = append(items, m.Vocabulary.ID(rng.IntN(m.Vocabulary.Len())))
		}
		bodies[i], _ = json.Marshal(map[string]any{"documents": []any{map[string]any{"items": items}}}) // strings are JSON
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for at := 0; pb.Next(); at++ {
			answer, err := client.Post(server.URL+"/v1/transform", "application/json", bytes.NewReader(bodies[at%len(bodies)]))
			if err != nil {
				b.Error(err)
				return
			}
			if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
				b.Errorf("%s: %v", answer.Status, err)
			}
			answer.Body.Close()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}
