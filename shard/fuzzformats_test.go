package shard

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"anchorage/shard/documents"
)

// fuzzOptions reads data as a shard with options: the outcome must be a success or an *Error, and the same documents,
// wherever batches end.
func fuzzOptions(t *testing.T, opts Options, data []byte) {
	path := filepath.Join(t.TempDir(), "shard")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	fuzzBatches(t, opts, path)
	opts.MaxBadRows, opts.Counts = 50, CountRule{Fractions: documents.Round, DropNegative: true, DropZero: true,
		DropEmpty: true}
	fuzzBatches(t, opts, path)
}

// fuzzBatches reads a shard in batches of two sizes.
func fuzzBatches(t *testing.T, opts Options, path string) {
	var counts []int
	for _, opts.BatchEntries = range []int{1, 100} {
		documents, err := collect(t, opts, path)
		var place *Error
		if err != nil && !errors.As(err, &place) {
			t.Fatalf("error of type %T: %v", err, err)
		}
		if err == nil {
			counts = append(counts, len(documents))
		}
	}
	if len(counts) == 1 || len(counts) == 2 && counts[0] != counts[1] {
		t.Fatalf("batches of different sizes give %v documents", counts)
	}
}

// fuzzText fuzzes a text format from seeds.
func fuzzText(f *testing.F, opts Options, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Add(compressed(f, ".gz", seeds[0]))
	addCorpus(f, "csv")
	f.Fuzz(func(t *testing.T, data []byte) { fuzzOptions(t, opts, data) })
}

func FuzzCSV(f *testing.F) {
	fuzzText(f, Options{Format: CSV}, "order_id,sku,qty\n1,a,2\n1,\"b\nc\",3.0\n2,a,1\n",
		"doc;item\r\n\"x\"\"y\";z\r\n", "a|b\n", "\"")
}

func FuzzCSVGrouped(f *testing.F) {
	fuzzText(f, Options{Format: CSV, Group: true}, "order_id,sku,qty\n1,a,2\n-5,b,1\nx,c,1\n1,a,1\n",
		"doc\titem\n1\ta\n01\ta\n1\tb\n")
}

func FuzzJSONLSeparated(f *testing.F) {
	fuzzText(f, Options{Format: JSONL, Separator: ";"}, `{"items":"a;b;\u00e9"}`+"\n"+`{"items":["a"]}`, `{"items":""}`)
}

func FuzzJSONL(f *testing.F) {
	fuzzText(f, Options{Format: JSONL, Tokenize: true},
		`{"id":1,"items":["a","b\u00e9"],"counts":[1,2]}`+"\n"+`{"items":{"a":2,"b":1e0}}`,
		`{"text":"some words"}`, `{"items":[1,-2,null],"x":[[],{},"]}\"",true]}`, " { \"items\" : [ ] } \n\n")
}

func FuzzText(f *testing.F) {
	fuzzText(f, Options{Format: Text}, "Some words, naïve and O'Neill's.\n\n日本語 x1 _a -b", "\xff")
}

func FuzzFiles(f *testing.F) {
	fuzzText(f, Options{Format: Files, MinWordLength: 2, Names: true}, "A file.\nOne word’s\tdocument, naïve 日本語 e.g. 3D",
		"\x00", "\xff")
}

func FuzzSeparatedBaskets(f *testing.F) {
	fuzzText(f, Options{Format: Baskets}, "whole milk,rolls\n\"a, b\",,c\n", "a;b\nc d\n", "a\tb c\n", "\"a\"\"b\"|c|\n")
}

func FuzzCSVCells(f *testing.F) {
	fuzzText(f, Options{Format: CSV, Separator: ","}, "order_id,items\n1,\"a,b\"\n2,\n3,\"\"\"x,y\"\",z\"\n",
		"date;products\nx;a,b\n", "items,n\n,\n")
}

func FuzzLibSVM(f *testing.F) {
	fuzzText(f, Options{Format: LibSVM}, "+1 1:2 5:1 # c\n-1 qid:3 2:1.0\n#\n\n1\n", "0:1")
}

func FuzzLDAC(f *testing.F) {
	fuzzText(f, Options{Format: LDAC}, "2 0:1 5:3\n0\n\n1 7:2\n", "1 1:1 2:2\n")
}

func FuzzMatrixMarket(f *testing.F) {
	fuzzText(f, Options{Format: MatrixMarket}, "%%MatrixMarket matrix coordinate integer general\n% c\n2 3 2\n1 1 1\n2 "+
		"3 4\n",
		"%%MatrixMarket matrix coordinate real general\n2 3 1\n2 3 4.0\n",
		"%%matrixmarket matrix coordinate pattern general\n1 1 1\n1 1\n")
}

// FuzzAuto lets the content decide about the format.
func FuzzAuto(f *testing.F) {
	f.Add([]byte("ARROW1\x00\x00"))
	for _, seed := range []string{"order,sku\n1,a\n", "{\"items\":[]}\n", "1 1:1\n", "1 |a b\n", "%%MatrixMarket\n",
		docwordSample, basketsSample} {
		f.Add([]byte(seed))
	}
	addCorpus(f, "csv")
	addCorpus(f, "arrow")
	f.Fuzz(func(t *testing.T, data []byte) { fuzzOptions(t, Options{}, data) })
}

// FuzzArrow decodes every column of Arrow files and streams, not only those that look like documents.
func FuzzArrow(f *testing.F) {
	documents := sample()[:40]
	dir := f.TempDir()
	for _, layout := range arrowLayouts() {
		path := filepath.Join(dir, "x")
		layout.write(f, path, layout.prepared(documents))
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	addCorpus(f, "arrow")
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "shard")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := everyColumn(t.Context(), path, Arrow); err != nil {
			t.Error(err)
		}
	})
}
