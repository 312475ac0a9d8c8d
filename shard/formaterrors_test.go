package shard

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"anchorage/shard/internal/text"
)

// TestFormatErrors holds broken files with what a user is told about them.
func TestFormatErrors(t *testing.T) {
	const matrix = "%%MatrixMarket matrix coordinate integer general\n"
	for name, test := range map[string]struct {
		options Options
		text    string
		want    []string
	}{
		"csv, again": {Options{Format: CSV}, "order,sku\n1,a\n2,a\n1,b\n", []string{"row 4",
			`document "1" comes again`, "must be adjacent"}},
		"csv, fields": {Options{Format: CSV}, "order,sku\n1,a\n2\n", []string{"row 3", "different numbers of fields"}},
		"csv, quote": {Options{Format: CSV}, "order,sku\n1,\"a\n2,b\n", []string{"row 2",
			"not doubled, or the field has no end"}},
		"csv, bare quote": {Options{Format: CSV}, "order,sku\n1,a\"b\n", []string{"row 2", "must be in quotes"}},
		"csv, long record": {Options{Format: CSV}, "order,sku\n1,\"" + strings.Repeat("x\n", text.MaxRecord),
			[]string{"row 2", "longer than 1048576 bytes: is a quote missing?"}},
		"csv, header":  {Options{Format: CSV}, "order\n1\n", []string{"row 1", "does not name two columns"}},
		"csv, nothing": {Options{Format: CSV}, "", []string{"the file is empty"}},
		"csv, no column": {Options{Format: CSV, ItemsColumn: "x"}, "order,sku\n1,2\n",
			[]string{`no column "x"; the columns are "order", "sku"`}},
		"csv, two columns": {Options{Format: CSV}, "order,sku,item\n1,2,3\n", []string{`the items may be in "sku", "item"`}},
		"csv, same column": {Options{Format: CSV, ItemsColumn: "order"}, "order,sku\n1,2\n",
			[]string{"no column looks like the documents'"}},
		"csv, two counts": {Options{Format: CSV}, "order,sku,qty,frequency\n1,2,3,4\n",
			[]string{`the counts may be in "qty", "frequency"`}},
		"csv, count": {Options{Format: CSV}, "order,sku,qty\n1,a,x\n", []string{"row 2", `count "x" is not a number`}},
		"csv, fraction": {Options{Format: CSV}, "order,sku,qty\n1,a,0.5\n", []string{"row 2",
			"0.5 is not a whole number: give the counts as they were before weighting"}},
		"csv, zero":        {Options{Format: CSV}, "order,sku,qty\n1,a,0\n", []string{"row 2", "count 0"}},
		"csv, return":      {Options{Format: CSV}, "order,sku,qty\n1,a,-2\n", []string{"row 2", "count -2 is negative"}},
		"csv, no item":     {Options{Format: CSV}, "order,sku\n1,\n", []string{"row 2", "an item id is empty"}},
		"csv, no document": {Options{Format: CSV}, "order,sku\n,a\n", []string{"row 2", "the document's id is empty"}},
		"csv, not utf-8":   {Options{Format: CSV}, "order,sku\n1,\xff\n", []string{"row 2", "UTF-8"}},
		"csv, groups wrong": {Options{Format: CSV, Group: true}, "order,sku,qty\n1,a,1\n2,a,-1\n",
			[]string{"row 3", "negative"}},
		"json, broken": {Options{Format: JSONL}, "{\"items\":[]}\n{\"items\":[1,}\n", []string{"row 2", "not valid JSON",
			"invalid character '}'"}},
		"json, list": {Options{Format: JSONL}, "[1,2]\n", []string{"row 1", "not a JSON object"}},
		"json, no items": {Options{Format: JSONL}, "{\"items\":[1]}\n{\"id\":3}\n", []string{"row 2",
			`no field "items"; the fields are "id"`}},
		"json, twice": {Options{Format: JSONL}, "{\"items\":[1]}\n{\"items\":[1],\"items\":[2]}", []string{"row 2",
			`"items" comes twice`}},
		"json, text": {Options{Format: JSONL, ItemsColumn: "items"}, "{\"items\":[\"a\"]}\n{\"items\":\"a b\"}\n",
			[]string{"row 2", `the field "items" is a string`}},
		"json, fraction": {Options{Format: JSONL}, `{"items":[1.5]}`, []string{"row 1"}},
		"json, null": {Options{Format: JSONL}, `{"items":["a",null]}`, []string{"row 1",
			"item null is neither a string nor a whole number"}},
		"json, counts": {Options{Format: JSONL}, `{"items":["a"],"counts":[1,2]}`, []string{"row 1",
			"differ in length"}},
		"json, no counts": {Options{Format: JSONL}, "{\"items\":[1],\"counts\":[1]}\n{\"items\":[1]}\n", []string{"row 2",
			`no list "counts"`}},
		"json, count": {Options{Format: JSONL}, `{"items":{"a":"x"}}`, []string{"row 1",
			`item "a": count "x" is not a number`}},
		"json, empty item": {Options{Format: JSONL}, `{"items":{"":1}}`, []string{"row 1", "an item id is empty"}},
		"libsvm, index":    {Options{Format: LibSVM}, "1 a:1\n", []string{"row 1", `item number "a"`}},
		"libsvm, form": {Options{Format: LibSVM}, "1 1:1 2\n", []string{"row 1",
			`"2" is not of the form "index:count"`}},
		"libsvm, weight": {Options{Format: LibSVM}, "1 1:0.25\n", []string{"row 1",
			"item 1: count 0.25 is not a whole number"}},
		"lda-c, number": {Options{Format: LDAC}, "1 0:1\n3 0:1 1:1\n", []string{"row 2",
			"the line says 3 pairs and has 2"}},
		"lda-c, word": {Options{Format: LDAC}, "x 0:1\n", []string{"row 1", `not with "x"`}},
		"matrix, banner": {Options{Format: MatrixMarket}, "1 2 3\n", []string{"row 1", "should begin with",
			"%%MatrixMarket"}},
		"matrix, dense": {Options{Format: MatrixMarket}, "%%MatrixMarket matrix array real general\n",
			[]string{`"array" is not supported`}},
		"matrix, symmetric": {Options{Format: MatrixMarket}, "%%MatrixMarket matrix coordinate real symmetric\n",
			[]string{"a symmetric matrix is not supported"}},
		"matrix, complex": {Options{Format: MatrixMarket}, "%%MatrixMarket matrix coordinate complex general\n",
			[]string{"a matrix of complex values"}},
		"matrix, sizes": {Options{Format: MatrixMarket}, matrix + "2 2\n", []string{"row 2",
			"the numbers of rows, columns and entries"}},
		"matrix, short": {Options{Format: MatrixMarket}, matrix + "2 2 3\n1 1 1\n",
			[]string{"ends after 1 lines; the header says 3"}},
		"matrix, order": {Options{Format: MatrixMarket}, matrix + "2 2 2\n2 1 1\n1 1 1\n", []string{"row 4",
			"document 1 follows document 2", "sorted by document"}},
		"matrix, value": {Options{Format: MatrixMarket}, matrix + "2 2 1\n1 1 0.5\n", []string{"row 3",
			"0.5 is not a whole number"}},
		"matrix, word": {Options{Format: MatrixMarket}, matrix + "2 2 1\n1 3 1\n", []string{"row 3",
			"word 3 is not between 1 and the header's 2"}},
		"matrix, nothing":  {Options{Format: MatrixMarket}, "", []string{"the file is empty"}},
		"text, not utf-8":  {Options{Format: Text}, "fine\n\xff\xfe\n", []string{"row 2", "not valid UTF-8"}},
		"arrow, text":      {Options{Format: Arrow}, "some text", []string{"ends in the middle of a message"}},
		"arrow, feather 1": {Options{Format: Arrow}, "FEA1....", []string{"Feather version 1", "version 2"}},
		"arrow, truncated": {Options{Format: Arrow}, "ARROW1\x00\x00" + strings.Repeat("x", 40),
			[]string{"does not end like an Arrow file: it is truncated"}},
		"arrow, short": {Options{Format: Arrow}, "ARROW1", []string{"too short for Arrow"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), "x"), test.text)
			_, err := collect(t, test.options, path)
			wantError(t, err, path, test.want...)
		})
	}
}

// TestWordLists names the numbers of formats that have nothing else.
func TestWordLists(t *testing.T) {
	dir := t.TempDir()
	words := writeFile(t, filepath.Join(dir, "words"), "zero\none\ntwo\n")
	for name, test := range map[string]struct {
		format Format
		text   string
		want   document
	}{
		"libsvm counts from 1": {LibSVM, "1 1:1 3:2\n", document{"two×2", "zero×1"}},
		"lda-c counts from 0":  {LDAC, "2 0:1 2:2\n", document{"two×2", "zero×1"}},
		"matrix market": {MatrixMarket, "%%MatrixMarket matrix coordinate pattern general\n1 3 1\n1 2\n",
			document{"one×1"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), "x"), test.text)
			conform(t, []document{test.want}, Options{Format: test.format, DocwordVocab: words}, path)
		})
	}
	gensim := writeFile(t, filepath.Join(dir, "gensim"), "7\n2\ttwo\t5\n0\tzero\t1\n1\tone and a half\t3\n")
	path := writeFile(t, filepath.Join(dir, "x"), "2 0:1 1:2\n")
	conform(t, []document{{"one and a half×2", "zero×1"}}, Options{Format: LDAC, DocwordVocab: gensim}, path)
	path = writeFile(t, filepath.Join(dir, "x"), "1 0:1\n")
	_, err := collect(t, Options{Format: LibSVM, DocwordVocab: words}, path)
	wantError(t, err, path, "row 1", "item 0 is not in the word list, whose 3 words are numbered from 1")
}

func TestTokenizer(t *testing.T) {
	for text, want := range map[string]document{
		"Hello, WORLD! hello":        {"hello×2", "world×1"},
		"o'neill's dogs' rock-'n'":   {"dogs×1", "n×1", "o'neill's×1", "rock×1"},
		"x_1 1x 42 -a _b 'c":         {"1x×1", "_b×1", "a×1", "c×1", "x_1×1"},
		"ÀÉ İ Σίσυφος ΣΊΣΥΦΟΣ":       {"i\u0307×1", "àé×1", "σίσυφος×2"},
		"हिन्दी e\u0301a日本語\x00next": {"e\u0301a×1", "next×1", "हिन्दी×1", "日×1", "本×1", "語×1"},
		"--- ''' 1 2 3":              {},
		"a\tb\u00a0c\u2003d":         {"a×1", "b×1", "c×1", "d×1"},
		strings.Repeat("ab ", 40000): {"ab×40000"},
	} {
		path := writeFile(t, filepath.Join(t.TempDir(), "x.txt"), text)
		got, err := collect(t, Options{Format: Text}, path)
		slices.Sort(want)
		if err != nil || len(got) != 1 || !slices.Equal(got[0], want) {
			t.Errorf("%.40q: got %v, want %v, %v", text, got, want, err)
		}
	}
}

// TestNames reads the documents' own ids.
func TestNames(t *testing.T) {
	documents := []pairs{{{"a", 1}}, {{"b", 2}, {"c", 1}}}
	dir := t.TempDir()
	text := func(name, text string) string { return writeFile(t, filepath.Join(dir, name), text) }
	arrowFile := arrowTable{item: arrow.BinaryTypes.String, count: arrow.PrimitiveTypes.Int32, layout: "lists", batch: 1}
	for name, test := range map[string]struct {
		path string
		want []string
	}{
		"parquet": {writeDocuments(t, filepath.Join(dir, "p.parquet"), documents), []string{"d0", "d1"}},
		"arrow":   {arrowFile.write(t, filepath.Join(dir, "a.arrow"), documents), []string{"0", "1"}},
		"csv":     {text("c.csv", "order,sku\nx y,a\nz,b\n"), []string{"x y", "z"}},
		"jsonl": {text("j.jsonl", "{\"items\":[\"a\"],\"id\":\"\\u00e9\"}\n{\"items\":[\"b\"],\"id\":7}\n{\"items\":[]}\n"),
			[]string{"é", "7", ""}},
		"baskets": {text("b.dat", "a\nb\n"), []string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 0} {
				var got []string
				for _, batch := range batchesOf(t, test.path, Options{Names: true, BatchEntries: size}) {
					if batch.Names.Len() != batch.Documents() {
						t.Fatalf("%d names of %d documents", batch.Names.Len(), batch.Documents())
					}
					for i := range batch.Names.Len() {
						got = append(got, string(batch.Names.ID(i)))
					}
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("got %q, want %q", got, test.want)
				}
			}
			for _, batch := range batchesOf(t, test.path, Options{}) {
				if batch.Names.Len() != 0 {
					t.Error("names that were not asked for")
				}
			}
		})
	}
}

func TestSorterSpillDir(t *testing.T) {
	path := writeFile(t, filepath.Join(t.TempDir(), "x.csv"), "order,sku\n1,"+strings.Repeat("a", 1<<20-100)+"\n")
	_, err := collect(t, Options{Group: true}, path)
	wantError(t, err, path, "an id has more than 65536 bytes")
}
