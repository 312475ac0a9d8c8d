package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/shard"
)

// vocabularyOf returns a vocabulary of items, numbered from 0.
func vocabularyOf(items ...string) *corpus.Vocabulary {
	vocabulary := corpus.NewVocabulary()
	for _, item := range items {
		vocabulary.Intern([]byte(item))
	}
	return vocabulary
}

func TestReadTopicLists(t *testing.T) {
	vocabulary := vocabularyOf("a", "b", "ç")
	for _, test := range []struct {
		text  string
		lists [][]int
		row   int64
		want  string // in the error
	}{
		{"a b\nç\n", [][]int{{0, 1}, {2}}, 0, ""},
		{"  ç\ta  \n\n \nb", [][]int{{2, 0}, {1}}, 0, ""},
		{"", nil, 0, "the file has no topics"},
		{"\n\n", nil, 0, "the file has no topics"},
		{"a\nb x\n", nil, 2, `item "x" is in no document`},
		{"\na b a\n", nil, 2, `item "a" occurs twice`},
		{"a\n" + strings.Repeat("b", 17<<20), nil, 2, "token too long"},
	} {
		path := filepath.Join(t.TempDir(), "topics.txt")
		if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		lists, err := readTopicLists(path, vocabulary)
		if test.want == "" {
			if err != nil || !reflect.DeepEqual(lists, test.lists) {
				t.Errorf("%q: %v, %v", test.text, lists, err)
			}
			continue
		}
		input, ok := err.(*shard.Error)
		if !ok || input.Path != path || input.Row != test.row || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.20q: %v, want row %d and %q", test.text, err, test.row, test.want)
		}
	}
	if _, err := readTopicLists("nowhere.txt", vocabulary); exitCode(err) != exitInput {
		t.Errorf("no file: %v", err)
	}
}

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

// TestModelItems wants eval and the commands of bayes that take a model to refuse other items.
func TestModelItems(t *testing.T) {
	for _, args := range [][]string{{"eval", "m", "s", "--vocab", "v"}, {"eval", "m", "s", "--no-prune"}, {"bayes", "eval",
		"m", "s", "--vocab", "v"}} {
		if _, stderr := execute(t, exitUsage, args...); !strings.Contains(stderr, "the items are those of the model: ") {
			t.Errorf("%q: %s", args, stderr)
		}
	}
}
