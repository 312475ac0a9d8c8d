package main

import (
	"os"
	"strings"
	"testing"

	"anchorage/model"
)

// TestOneDocument repeats one document: it has one topic, and every method refuses to find two.
func TestOneDocument(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("same.jsonl", []byte(strings.Repeat(`{"items": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}}`+"\n", 1000)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, method := range model.Methods() {
		args := []string{"fit", "same.jsonl", "-k", "2", "--min-df", "1", "--max-df-ratio", "1", "--method", string(method), "-o", "out", "-q"}
		for _, more := range [][]string{nil, {"--baseline"}} {
			if _, said := execute(t, exitInput, append(args, more...)...); !strings.Contains(said, "a model needs at least 2 topics") {
				t.Errorf("%s %q: %s", method, more, said)
			}
		}
	}
}
