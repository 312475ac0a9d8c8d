package stream

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/shard"
	"anchorage/shard/tablefile"
)

// namedRows are rows of an order, a code and a name: a is called three things, of which two are as frequent, b has a
// name in one row, c none, and d a ninth name that is the most frequent.
func namedRows() (rows [][3]string) {
	add := func(code, name string) { rows = append(rows, [3]string{fmt.Sprint(1000 + len(rows)/4), code, name}) }
	for _, name := range []string{"Zebra", "Ant", "Ant", "Zebra", "Bee"} {
		add("a", name)
	}
	add("b", " ")
	add("b", `"Bold", 12"`)
	add("c", "")
	for i := range 8 {
		add("d", fmt.Sprintf("Name %d", i))
	}
	add("d", "Name 3")
	for range 5 {
		add("d", "Ninth")
	}
	for i := range 20 {
		add(fmt.Sprintf("e%d", i), fmt.Sprintf("Other %d", i))
		add(fmt.Sprintf("e%d", i), fmt.Sprintf("Other %d", i))
	}
	return rows
}

// TestItemNames reads names from CSV and Parquet, and from a file of names.
func TestItemNames(t *testing.T) {
	folder := t.TempDir()
	var text, table, pairs bytes.Buffer
	columns := make([][]string, 3)
	text.WriteString("order,sku,description\n")
	pairs.WriteString("Bezeichnung;Code\n")
	for _, row := range namedRows() {
		fmt.Fprintf(&text, "%s,%s,\"%s\"\n", row[0], row[1], strings.ReplaceAll(row[2], `"`, `""`))
		fmt.Fprintf(&pairs, "\"%s\";%s\n", strings.ReplaceAll(row[2], `"`, `""`), row[1])
		for i, cell := range row {
			columns[i] = append(columns[i], cell)
		}
	}
	w, err := tablefile.NewWriter(&table, []tablefile.Field{{Name: "order", Type: tablefile.String},
		{Name: "sku", Type: tablefile.String}, {Name: "description", Type: tablefile.String}})
	if err == nil {
		err = w.Write(columns[0], columns[1], columns[2])
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]*bytes.Buffer{"a.csv": &text, "a.parquet": &table, "pairs.txt": &pairs} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		var names *ItemNames
		var err error
		if name == "pairs.txt" {
			names, err = ReadItemNamesFile(t.Context(), path, "")
		} else {
			names, err = namesIn(t, path, "description")
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for id, want := range map[string]string{"a": "Ant", "b": `"Bold", 12"`, "c": "", "d": "Name 3", "e7": "Other 7",
			"none": ""} {
			if got := names.Of([]byte(id)); got != want {
				t.Errorf("%s: %s is called %q, want %q", name, id, got, want)
			}
		}
	}
	path := filepath.Join(folder, "a.csv")
	if names, err := namesIn(t, path, ""); err != nil || names.Of([]byte("a")) != "" {
		t.Errorf("a column of many names for d is taken: %v", err)
	}
	if names, err := namesIn(t, path, shard.NoNames); err != nil || names.Of([]byte("e1")) != "" {
		t.Errorf("names that are not wanted: %v", err)
	}
	if _, err := namesIn(t, path, "title"); err == nil || !strings.Contains(err.Error(), `no column "title" holds names`) {
		t.Errorf("a column that is not there: %v", err)
	}
	if _, err := ReadItemNamesFile(t.Context(), filepath.Join(folder, "none.csv"), ""); err == nil {
		t.Error("a file that is not there")
	}
}

func namesIn(t *testing.T, path, column string) (*ItemNames, error) {
	t.Helper()
	shards, err := shard.Discover(t.Context(), []string{path}, shard.Options{NamesColumn: column})
	if err != nil {
		t.Fatal(err)
	}
	return ReadItemNames(t.Context(), shards, column)
}
