package stream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/shard/tablefile"
)

var itemAndLabel = LabelColumns{Item: "item", Label: "label"}

func labelFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func fewItems() *corpus.Vocabulary {
	v := corpus.NewVocabulary()
	for _, id := range []string{"milk", "bread", "42"} {
		v.Intern([]byte(id))
	}
	return v
}

// pairsOf returns the pairs as text, sorted.
func pairsOf(v *corpus.Vocabulary, l *Labels) string {
	var pairs []string
	for x, item := range l.Items {
		pairs = append(pairs, v.ID(int(item))+"="+l.Names[l.Labels[x]])
	}
	slices.Sort(pairs)
	return strings.Join(pairs, " ")
}

func TestReadLabels(t *testing.T) {
	v := fewItems()
	for name, content := range map[string]string{
		"rows.csv":       "item,label\nmilk,dairy\n42,Fruit; fresh|x\nsoap,home\nmilk,dairy\nmilk,drinks\n",
		"unlabelled.csv": "item,label\nbread,\nmilk,dairy\n42,Fruit; fresh|x\nmilk,drinks\nsoap,home\n",
		"extra.tsv":      "name\tlabel\titem\nx\tdairy\tmilk\ny\tFruit; fresh|x\t42\nz\tdrinks\tmilk\nz\thome\tsoap\n",
		"quoted.csv": "\"item\",\"label\"\n\"milk\",\"dairy\"\n\"milk\",\"drinks\"\n\"42\",\"Fruit; " +
			"fresh|x\"\nsoap,home\n",
		"lists.jsonl": `{"item":"milk","label":["dairy","drinks"]}` + "\n" + `{"item":"42","label":["Fruit; fresh|x"]}` +
			"\n" + `{"item":"soap","label":["home"]}` + "\n",
	} {
		l, err := ReadLabels(context.Background(), labelFile(t, name, content), itemAndLabel, v)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, want := pairsOf(v, l), "42=Fruit; fresh|x milk=dairy milk=drinks"; got != want || l.Listed != 3 ||
			l.Unknown != 1 || len(l.Names) != 3 {
			t.Errorf("%s: %s, %+v", name, got, l)
		}
	}
}

// A Parquet table of labels, with items that are numbers.
func TestReadLabelTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "labels.parquet")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w, err := tablefile.NewWriter(file, []tablefile.Field{{Name: "sku", Type: tablefile.Int64}, {Name: "price",
		Type: tablefile.Float64}, {Name: "aisle", Type: tablefile.String}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write([]int64{42, 7, 42}, []float64{1, 2, 3}, []string{"a", "b", "c"}),
		w.Close()); err != nil {
		t.Fatal(err)
	}
	v := fewItems()
	l, err := ReadLabels(context.Background(), path, LabelColumns{"sku", "aisle"}, v)
	if err != nil {
		t.Fatal(err)
	}
	if got := pairsOf(v, l); got != "42=a 42=c" || l.Unknown != 1 {
		t.Errorf("%s, %+v", got, l)
	}
}

func TestReadLabelsErrors(t *testing.T) {
	for content, want := range map[string]string{
		"item,label\nmilk,dairy\nbread\n":   "row 3",
		"item,label\nmilk,dairy\n,bakery\n": "",
		"item,label\n":                      "no labels",
		"item,category\nmilk,dairy\n":       `"label"`,
		"milk dairy\nbread bakery\n":        "row 1: the header does not name two columns",
		"":                                  "",
	} {
		_, err := ReadLabels(context.Background(), labelFile(t, "labels.csv", content), itemAndLabel, fewItems())
		var bad *shard.Error
		if !errors.As(err, &bad) || !strings.Contains(bad.Error(), "labels.csv") || !strings.Contains(bad.Error(), want) {
			t.Errorf("%q: %v", content, err)
		}
	}
	if _, err := ReadLabels(context.Background(), "nothing.csv", itemAndLabel, fewItems()); !errors.As(err,
		new(*shard.Error)) {
		t.Errorf("%v", err)
	}
}

func FuzzReadLabels(f *testing.F) {
	f.Add("item,label\nmilk,dairy\n")
	f.Add("item\tlabel\n42\tx\n\n42\ty\n")
	f.Add(`{"item":"milk","label":["a","a"]}` + "\n")
	f.Add("PAR1")
	v := fewItems()
	f.Fuzz(func(t *testing.T, content string) {
		l, err := ReadLabels(context.Background(), labelFile(t, "labels", content), itemAndLabel, v)
		if err != nil {
			return
		}
		if len(l.Items) != len(l.Labels) || l.Listed == 0 || l.Unknown > l.Listed {
			t.Fatalf("%+v", l)
		}
		for x, item := range l.Items {
			if int(item) >= v.Len() || int(l.Labels[x]) >= len(l.Names) {
				t.Fatalf("pair %d of %+v", x, l)
			}
		}
	})
}
