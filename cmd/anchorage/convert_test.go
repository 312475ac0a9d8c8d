package main

import (
	"io"
	"os"
	"reflect"
	"testing"

	"anchorage/shard"
)

// converted is a document of a converted shard.
type converted struct {
	name  string
	items []string
	count []int32
}

// readConverted reads the documents of a converted shard.
func readConverted(t *testing.T, path string) (documents []converted) {
	t.Helper()
	shards, err := shard.Discover(t.Context(), []string{path}, shard.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := shards[0].Parts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reader, err := shard.Open(t.Context(), parts[0])
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var batch shard.Batch
	for {
		if err := reader.Next(&batch); err == io.EOF {
			return documents
		} else if err != nil {
			t.Fatal(err)
		}
		for d := range batch.Documents() {
			document := converted{name: string(batch.Names.ID(d))}
			for i := batch.Offsets[d]; i < batch.Offsets[d+1]; i++ {
				document.items = append(document.items, string(batch.Dictionary.ID(int(batch.Items[i]))))
				document.count = append(document.count, batch.Counts[i])
			}
			documents = append(documents, document)
		}
	}
}

// TestConvert wants items sorted by id, stop words left out, and names that tell where a document comes from if it has
// none.
func TestConvert(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"a.dat": "z b b\nc a\n", "b.csv": "doc,item,n\nx,q,2\nx,p,1\ny,the,3\n",
		"stop.txt": "the\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	execute(t, exitDone, "convert", "a.dat", "-o", "a", "--log-level", "error")
	want := []converted{{"a.dat:1", []string{"b", "z"}, []int32{2, 1}}, {"a.dat:2", []string{"a", "c"}, []int32{1, 1}}}
	if got := readConverted(t, "a/part-00000.parquet"); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	execute(t, exitDone, "convert", "b.csv", "-o", "b", "--stopwords", "stop.txt", "--set", "shard-documents=1",
		"--log-level", "error")
	if got, want := readConverted(t, "b/part-00000.parquet"), []converted{{"x", []string{"p", "q"}, []int32{1,
		2}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := readConverted(t, "b/part-00001.parquet"); len(got) != 1 || got[0].name != "y" || len(got[0].items) != 0 {
		t.Errorf("a document of stop words: %v", got)
	}
	execute(t, exitExists, "convert", "a.dat", "-o", "a")
	execute(t, exitUsage, "convert", "a.dat")
}
