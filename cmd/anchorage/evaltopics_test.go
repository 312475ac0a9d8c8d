package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestEvalForeignTopics scores good and bad topics of another tool, and wants the good ones to be more coherent.
func TestEvalForeignTopics(t *testing.T) {
	inCorpus(t, 1)
	execute(t, exitDone, "fit", "shards", "-k", "6", "-o", "model", "--log-level", "error")
	model := printed(t, "fit", "shards", "-k", "6", "-o", "again")
	var good, bad strings.Builder
	for i := range 6 {
		good.WriteString(strings.Join(model.Topics[i].Prominent[:6], " ") + "\n")
		for j := range 6 {
			bad.WriteString(model.Topics[j].Prominent[i] + " ")
		}
		bad.WriteString("\n")
	}
	coherence := func(name, topics string) float64 {
		if err := os.WriteFile(name, []byte(topics), 0o666); err != nil {
			t.Fatal(err)
		}
		stdout, _ := execute(t, exitDone, "eval", "--topics", name, "shards", "--json", "-o", name+".json",
			"--log-level", "error")
		var figures struct {
			NPMI *float64 `json:"coherence_npmi"`
		}
		if err := json.Unmarshal([]byte(stdout), &figures); err != nil || figures.NPMI == nil {
			t.Fatal(err, stdout)
		}
		var line bytes.Buffer
		written, err := os.ReadFile(name + ".json")
		if err == nil {
			err = json.Compact(&line, written)
		}
		if err != nil || line.String()+"\n" != stdout {
			t.Errorf("the file has %s, %v, printed is %s", written, err, stdout)
		}
		return *figures.NPMI
	}
	if g, b := coherence("good.txt", good.String()), coherence("bad.txt", bad.String()); g <= b {
		t.Errorf("coherence %v of the topics, and %v of a mix of them", g, b)
	}
}

// TestModelItems wants eval of a model to refuse other items.
func TestModelItems(t *testing.T) {
	for _, args := range [][]string{{"eval", "m", "s", "--vocab", "v"}, {"eval", "m", "s", "--no-prune"}} {
		if _, stderr := execute(t, exitUsage, args...); !strings.Contains(stderr, "the items are those of the model: ") {
			t.Errorf("%q: %s", args, stderr)
		}
	}
}
