package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// The explorer prints an address that works, and ends with code 0 when it is told to. It leaves nothing in the folder
// for temporary files.
func TestExplore(t *testing.T) {
	inCorpus(t, 1)
	execute(t, exitDone, "fit", "shards", "-k", "3", "-o", "model", "--log-level", "error")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said, stderr := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"explore", "model", "shards", "--no-browser", "--quiet"}, nil, io.Discard, stderr)
		stderr.Close()
	}()
	lines := bufio.NewScanner(said)
	if !lines.Scan() {
		t.Fatal("the server said nothing")
	}
	_, address, found := strings.Cut(lines.Text(), "Exploring model at ")
	if !found {
		t.Fatalf("it said %q", lines.Text())
	}
	go io.Copy(io.Discard, said)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for target, want := range map[string]int{address: http.StatusOK,
		strings.Split(address, "?")[0]: http.StatusUnauthorized} {
		response, err := client.Get(target)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %s, want %d", target, response.Status, want)
		}
	}
	cancel()
	if got := <-code; got != exitDone {
		t.Errorf("exit code %d, want %d", got, exitDone)
	}
}
