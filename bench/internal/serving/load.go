// This file sends requests to a server and keeps the time that each took.

package serving

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"anchorage/internal/random"
	"anchorage/model"
)

// baskets returns the bodies of requests, each for the topics of one basket of distinct items, drawn by their frequency.
func baskets(m *model.Model, count, items int, seed uint64) [][]byte {
	cumulative := make([]float64, m.Vocabulary.Len())
	sum := 0.0
	for i, p := range m.Probability {
		sum += p
		cumulative[i] = sum
	}
	items = min(items, len(cumulative))
	bodies := make([][]byte, count)
	for b := range bodies {
		var names []string
		seen := map[int]bool{}
		for draw := uint64(0); len(names) < items; draw++ {
			at, _ := slices.BinarySearch(cumulative, sum*random.Uniform(seed, random.RequestBasket, uint64(b), draw))
			if at = min(at, len(cumulative)-1); !seen[at] {
				seen[at] = true
				names = append(names, m.Vocabulary.ID(at))
			}
		}
		bodies[b], _ = json.Marshal(map[string]any{"documents": []any{map[string]any{"items": names}}}) // strings are JSON
	}
	return bodies
}

// load is how requests are sent: by a number of clients, each of which waits for its answer, or at a rate.
type load struct {
	url     string
	bodies  [][]byte
	clients int
	rate    float64 // requests a second of all clients together; 0 for as many as are answered
	last    time.Duration
}

// latencies are the times of requests, increasing, and the time in which they were answered.
type latencies struct {
	times  []time.Duration
	failed int
	wall   time.Duration
}

// quantile returns the time within which a share of the requests was answered.
func (l *latencies) quantile(share float64) time.Duration {
	if len(l.times) == 0 {
		return 0
	}
	return l.times[min(int(share*float64(len(l.times))), len(l.times)-1)]
}

// run sends requests. With a rate, the time of a request counts from when it was due, so that a server that falls behind cannot hide
// it.
func (l *load) run(ctx context.Context) (*latencies, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: l.clients, MaxConnsPerHost: l.clients}}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, l.last+30*time.Second)
	defer cancel()
	var next atomic.Int64
	var group sync.WaitGroup
	found, failures := make([]latencies, l.clients), make([]error, l.clients)
	begin := time.Now()
	for c := range l.clients {
		group.Go(func() {
			for failures[c] == nil {
				at := next.Add(1) - 1
				due := time.Now()
				if l.rate > 0 {
					due = begin.Add(time.Duration(float64(at) / l.rate * float64(time.Second)))
				}
				if due.Sub(begin) >= l.last {
					return
				}
				time.Sleep(time.Until(due))
				status, err := send(ctx, client, l.url, l.bodies[int(at)%len(l.bodies)])
				switch {
				case err != nil:
					failures[c] = err
				case status != http.StatusOK:
					found[c].failed++
				default:
					found[c].times = append(found[c].times, time.Since(due))
				}
			}
		})
	}
	group.Wait()
	all := &latencies{wall: time.Since(begin)}
	for c := range found {
		if failures[c] != nil {
			return nil, fmt.Errorf("a request failed: %w", failures[c])
		}
		all.times, all.failed = append(all.times, found[c].times...), all.failed+found[c].failed
	}
	slices.Sort(all.times)
	return all, nil
}

// send sends a request and reads its answer.
func send(ctx context.Context, client *http.Client, url string, body []byte) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}
