package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// A server answers whoever shows the token, and ends with code 0 when it is told to.
func TestServe(t *testing.T) {
	inCorpus(t, 1)
	execute(t, exitDone, "fit", "shards", "-k", "3", "-o", "model", "--log-level", "error")
	if err := os.WriteFile("token", []byte("secret\nnot this\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said, stderr := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"serve", "model", "--listen", "127.0.0.1:0", "--token-file", "token", "--quiet"}, nil,
			io.Discard, stderr)
		stderr.Close()
	}()
	lines := bufio.NewScanner(said)
	if !lines.Scan() {
		t.Fatal("the server said nothing")
	}
	_, address, found := strings.Cut(lines.Text(), "Serving model at ")
	if !found {
		t.Fatalf("it said %q", lines.Text())
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for token, want := range map[string]int{"secret": http.StatusOK, "not this": http.StatusUnauthorized} {
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
	}
	cancel()
	for lines.Scan() {
		t.Errorf("it also said %q", lines.Text())
	}
	if got := <-code; got != exitDone {
		t.Errorf("exit code %d, want %d", got, exitDone)
	}
}
