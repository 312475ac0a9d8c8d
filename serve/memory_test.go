package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"anchorage/internal/web"
)

// Requests that do not fit into the memory together wait, and are then refused; one that never fits is refused at once.
func TestMemory(t *testing.T) {
	s := serving(t, Options{})
	s.memory.Store(newBudget(1 << 20))
	body := `{"documents":[{"items":["item 1"]}]}`
	status, text := ask(s, "POST", "/v1/transform", body+strings.Repeat(" ", 1<<20))
	if status != 413 || !strings.Contains(text, web.TooLarge) || !strings.Contains(text, "send fewer documents") {
		t.Errorf("a body that never fits: %d %s", status, text)
	}
	// Few bytes may be many items.
	status, text = ask(s, "POST", "/v1/transform", `{"documents":[{"items":[`+strings.Repeat(`1,`, 30_000)+`1]}]}`)
	if status != 413 || !strings.Contains(text, web.TooLarge) {
		t.Errorf("a body whose items never fit: %d %s", status, text)
	}
	others := &claim{of: s.memory.Load()}
	if err := others.raise(t.Context(), 1<<20); err != nil {
		t.Fatal(err)
	}
	if status, text := ask(s, "POST", "/v1/transform", body); status != 503 || !strings.Contains(text, web.Overloaded) {
		t.Errorf("without memory: %d %s", status, text)
	}
	if status, _ := ask(s, "GET", "/v1/topics", ""); status != 200 {
		t.Errorf("a question without a body: %d", status)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (&claim{of: s.memory.Load()}).raise(ended, 1); problemOf(err).Status != statusGone {
		t.Errorf("a client that has gone: %v", err)
	}
	time.AfterFunc(patience/10, func() { others.lower(0) })
	if status, text := ask(s, "POST", "/v1/transform", body); status != 200 {
		t.Errorf("with memory that becomes free: %d %s", status, text)
	}
	if !s.memory.Load().free.TryAcquire(1 << 20) {
		t.Error("some bytes are still taken")
	}
}

// Bodies that do not come take no places, and end.
func TestStalledBodies(t *testing.T) {
	s := serving(t, Options{MaxRequests: 1, MaxWaiting: 1, Timeout: time.Second})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener) }()
	stalled := make([]net.Conn, 30)
	for i := range stalled {
		if stalled[i], err = net.Dial("tcp", listener.Addr().String()); err != nil {
			t.Fatal(err)
		}
		defer stalled[i].Close()
		fmt.Fprintf(stalled[i], "POST /v1/transform HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for range 5 {
		read, err := client.Get("http://" + listener.Addr().String() + "/v1/topics")
		if err != nil || read.StatusCode != 200 {
			t.Fatal(read, err)
		}
		read.Body.Close()
		sent, err := client.Post("http://"+listener.Addr().String()+"/v1/transform", "",
			strings.NewReader(`{"documents":[{"items":["item 1"]}]}`))
		if err != nil || sent.StatusCode != 200 {
			t.Fatal(sent, err)
		}
		sent.Body.Close()
	}
	for _, connection := range stalled {
		answer, err := io.ReadAll(connection)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 503") ||
			!strings.Contains(string(answer), "did not come in time") {
			t.Fatalf("a stalled body: %v %s", err, answer)
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
