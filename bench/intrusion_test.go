package main

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestIntrusion wants every question to have its answer among its items, the other items of the topic, and the same
// bytes from the same seed.
func TestIntrusion(t *testing.T) {
	folder := t.TempDir()
	topics := filepath.Join(folder, "topics.txt")
	lists := []string{"a1 a2 a3 a4 a5 a6", "b1\tb2\tb3\tb4\tb5", "a1 a2 b1 c4 c5 c6", "d1 d2"}
	if err := os.WriteFile(topics, []byte(strings.Join(lists, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	read := func(name string) [][]string {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		rows, err := csv.NewReader(file).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows[1:]
	}
	for _, out := range []string{"one", "two"} {
		if code, _, stderr := call(context.Background(), "intrusion "+topics+" -o "+filepath.Join(folder, out)); code != 0 {
			t.Fatal(stderr)
		}
	}
	form, key := read("one/form.csv"), read("one/key.csv")
	if len(form) != 5 || len(key) != len(form) { // the third has no four items of another to be mixed with
		t.Fatalf("%d questions and %d answers, want 5", len(form), len(key))
	}
	for n, row := range form {
		items := slices.DeleteFunc(slices.Clone(row[2:]), func(item string) bool { return item == "" })
		answers := strings.Fields(key[n][3])
		own := strings.Fields(lists[key[n][2][0]-'0'])
		if row[0] != key[n][0] || row[1] == "intrusion" && len(items) != 6 || row[1] == "mixed" && len(items) != 8 {
			t.Errorf("%v, %v", row, key[n])
		}
		for _, item := range items {
			if slices.Contains(own, item) == slices.Contains(answers, item) {
				t.Errorf("%v: %s, with the answer %v of topic %v", row, item, answers, own)
			}
		}
	}
	if again := read("two/form.csv"); !slices.EqualFunc(form, again, slices.Equal[[]string]) {
		t.Error("another form from the same seed")
	}
	if code, _, _ := call(context.Background(), "intrusion nowhere -o "+filepath.Join(folder, "three")); code == 0 {
		t.Error("topics that are not there")
	}
}
