package fitting

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/model"
)

// A corpus is a name, a number of topics and a path, which may have colons. A command line has its name in place of the path.
func TestParseCorpus(t *testing.T) {
	c, err := ParseCorpus("a:5:x:y/z")
	if err != nil || c != (Corpus{"a", 5, "x:y/z"}) || c.String() != "a:5:A" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = ParseCorpus("a:5:300"); err != nil || c.String() != "a:5:300" {
		t.Errorf("%v, %v", c, err)
	}
	for _, text := range []string{"", "a", "a:5", "a:1:x", "a:b:x", ":5:x", "a:5:"} {
		if _, err := ParseCorpus(text); err == nil || !strings.Contains(err.Error(), "is not a") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A word names a model that is there, shards, or a corpus to draw.
func TestReady(t *testing.T) {
	room := t.TempDir()
	drawn, says, err := Ready(t.Context(), "drawn:3:200", room, 2)
	if err != nil || says != "drawn:3:200" {
		t.Fatalf("%q, %v", says, err)
	}
	m, err := model.Load(t.Context(), drawn)
	if err != nil || m.Topics() != 3 || m.Vocabulary.Len() != 200 {
		t.Fatal(m, err)
	}
	shards := filepath.Join("..", "..", "..", "testdata", "wiki", "part-0000*.parquet")
	if path, says, err := Ready(t.Context(), "wiki:4:"+shards, room, 2); err != nil || says != "wiki:4:WIKI" || filepath.Base(path) != "wiki" {
		t.Errorf("%q, %q, %v", path, says, err)
	}
	if path, says, err := Ready(t.Context(), drawn, room, 2); err != nil || path != drawn || says != "drawn" {
		t.Errorf("%q, %q, %v", path, says, err)
	}
	if entries, err := os.ReadDir(room); err != nil || len(entries) != 2 {
		t.Errorf("%v is left, %v", entries, err)
	}
	if err := Check("nowhere"); err == nil || !strings.Contains(err.Error(), "there is no model nowhere") {
		t.Errorf("nowhere: %v", err)
	}
	for word, want := range map[string]string{"nowhere": "is not a corpus", "a:3:nowhere": "nowhere", "a:3:4": "need at least"} {
		if err := Check(word); err != nil && word != "nowhere" {
			t.Errorf("%s: %v", word, err)
		}
		if _, _, err := Ready(t.Context(), word, room, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", word, err)
		}
	}
}
