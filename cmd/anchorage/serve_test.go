package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// A server of a store answers whoever shows the token, takes the next generation, and ends with code 0 when it is told
// to.
func TestServe(t *testing.T) {
	inCorpus(t, 2)
	execute(t, exitDone, "update", "store", "shards/part-000.parquet", "-k", "3", "--log-level", "error")
	if err := os.WriteFile("token", []byte("secret\nnot this\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said, stderr := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"serve", "store", "--listen", "127.0.0.1:0", "--token-file", "token", "--quiet", "--watch",
			"--set", "watch-every=10ms"}, nil, io.Discard, stderr)
		stderr.Close()
	}()
	lines := bufio.NewScanner(said)
	if !lines.Scan() {
		t.Fatal("the server said nothing")
	}
	_, address, found := strings.Cut(lines.Text(), "Serving store at ")
	if !found {
		t.Fatalf("it said %q", lines.Text())
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	ask := func(token string, want int) (model string) {
		t.Helper()
		request, err := http.NewRequest(http.MethodGet, address+"/v1/topics", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != want {
			t.Errorf("with %q: %s %s %v", token, response.Status, body, err)
		}
		return response.Header.Get("X-Model")
	}
	ask("not this", http.StatusUnauthorized)
	first := ask("secret", http.StatusOK)
	execute(t, exitDone, "update", "store", "shards", "--log-level", "error")
	for until := time.Now().Add(time.Minute); ask("secret", http.StatusOK) == first; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the server does not take the next generation")
		}
	}
	cancel()
	for lines.Scan() {
		t.Errorf("it also said %q", lines.Text())
	}
	if got := <-code; got != exitDone {
		t.Errorf("exit code %d, want %d", got, exitDone)
	}
}
