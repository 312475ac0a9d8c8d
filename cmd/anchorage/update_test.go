package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestUpdateInterrupted(t *testing.T) {
	inCorpus(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"update", "st", "shards", "-k", "4"}, nil, &stdout, &stderr)
	if code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted: the store is as it was") {
		t.Errorf("code %d: %s", code, stderr.String())
	}
}
