package text

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
	"anchorage/shard/internal/sorter"
)

// open is a function that opens a format.
type open func(*access.Watch, reading.Shard) (reading.Reader, error)

// shard makes a file of text.
func shard(t testing.TB, name, text string, opts reading.Options) reading.Shard {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	o, err := access.LookUp(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return reading.Shard{Object: o, Options: opts}
}

// readDocuments reads a shard: "a×1 b×2", after the document's name and a bar where there are names.
func readDocuments(t testing.TB, open open, in reading.Shard) (result []string, err error) {
	t.Helper()
	r, err := open(access.NewWatch(context.Background()), in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var batch documents.Batch
	for {
		if err := r.Next(&batch); err == io.EOF {
			return result, nil
		} else if err != nil {
			return result, err
		}
		if batch.FirstRow != int64(len(result)) || batch.Documents() == 0 {
			t.Fatalf("a batch of %d documents begins with %d after %d", batch.Documents(), batch.FirstRow, len(result))
		}
		for d := range batch.Documents() {
			var entries []string
			for i := batch.Offsets[d]; i < batch.Offsets[d+1]; i++ {
				entries = append(entries, fmt.Sprintf("%s×%d", batch.Dictionary.ID(int(batch.Items[i])), batch.Counts[i]))
			}
			document := strings.Join(entries, " ")
			if in.Names {
				document = string(batch.Names.ID(d)) + "| " + document
			}
			result = append(result, document)
		}
	}
}

// TestDocuments holds texts in every format with their documents, which no batch size changes.
func TestDocuments(t *testing.T) {
	const matrix = "%%MatrixMarket matrix coordinate "
	for name, test := range map[string]struct {
		open open
		opts reading.Options
		text string
		want []string
	}{
		"baskets, blanks": {OpenBaskets, reading.Options{}, " a\tb  a \v\f\r\n\n\r\nb", []string{"a×2 b×1",
			"", "", "b×1"}},
		"baskets, byte order": {OpenBaskets, reading.Options{}, "\xef\xbb\xbfa\nb\n", []string{"a×1", "b×1"}},
		"baskets, none":       {OpenBaskets, reading.Options{}, "", nil},
		"baskets, one end":    {OpenBaskets, reading.Options{}, "\n", []string{""}},
		"words": {OpenWords, reading.Options{}, "The cat's\nTHE END-\n\n", []string{"the×1 cat's×1",
			"the×1 end×1", ""}},
		"libsvm": {OpenLibSVM, reading.Options{}, "+1 1:2 7:1.0 # note\n# all note\n\n-1 qid:4 3:1 " +
			"3:1\n0\n5:1 6:1\n", []string{"1×2 7×1", "3×2", "", "5×1 6×1"}},
		"lda-c": {OpenLDAC, reading.Options{}, "2 0:1 5:3\n\n0\n1\t007:1\r\n", []string{"0×1 5×3", "", "7×1"}},
		"docword": {OpenDocword, reading.Options{}, "4\n9\n3\n2 8 1\n2 9 2\n4 8 1\n", []string{"",
			"8×1 9×2", "", "8×1"}},
		"docword, none":  {OpenDocword, reading.Options{}, "0\n0\n0\n", nil},
		"docword, empty": {OpenDocword, reading.Options{}, "2\n5\n0\n", []string{"", ""}},
		"docword, grouped": {OpenDocword, reading.Options{Group: true}, "3\n9\n4\n3 1 1\n1 2 1\n3 2 5\n1 1 1\n",
			[]string{"2×1 1×1", "", "1×1 2×5"}},
		"matrix": {OpenMatrixMarket, reading.Options{}, matrix + "integer general\n% c\n2 3 2\n1 3 4\n2 1 1\n",
			[]string{"3×4", "1×1"}},
		"matrix, columns": {OpenMatrixMarket, reading.Options{DocumentColumns: true}, matrix +
			"real general\n3 2 2\n3 1 4.0\n1 2 1e0\n", []string{"3×4", "1×1"}},
		"matrix, pattern": {OpenMatrixMarket, reading.Options{}, matrix + "pattern general\n2 3 3\n1 3\n% c\n1 1\n2 2\n",
			[]string{"3×1 1×1", "2×1"}},
		"matrix, any case": {OpenMatrixMarket, reading.Options{}, "%%matrixmarket MATRIX Coordinate Integer General\n1 " +
			"1 1\n1 1 1\n", []string{"1×1"}},
		"csv": {OpenCSV, reading.Options{}, "order,sku,qty\n1,a,2\n1,b,1\n2,\"a\",3\n",
			[]string{"a×2 b×1", "a×3"}},
		"csv, cells": {OpenCSV, reading.Options{Names: true}, "order,items\n1,\"milk, whole " +
			"milk,milk\"\n2,\n3,\"rolls,\"\"b,c\"\"\"\n4,\"x,y\"\n", []string{"1| milk×2 whole milk×1", "3| rolls×1 b,c×1",
			"4| x×1 y×1"}},
		"csv, cells, no ids": {OpenCSV, reading.Options{}, "date;products\n1.1.;a|b\n2.1.;c|d e\n2.1.;a\n",
			[]string{"a×1 b×1", "c×1 d e×1", "a×1"}},
		"csv, cells, told": {OpenCSV, reading.Options{Separator: " "}, "order,item\n1,a b\n2,c\n",
			[]string{"a×1 b×1", "c×1"}},
		"csv, names of goods": {OpenCSV, reading.Options{}, "order,item\n1,\"Milk, whole\"\n1,\"Milk, skimmed\"\n2,\"Milk, " +
			"whole\"\n", []string{"Milk, whole×1 Milk, skimmed×1", "Milk, whole×1"}},
		"baskets, commas": {OpenBaskets, reading.Options{Separator: ","},
			"whole milk,rolls, rolls\r\n\nbeer\nwhole milk,,\"a \"\"b\"\", c\",\n", []string{"whole milk×1 rolls×2", "",
				"beer×1", `whole milk×1 a "b", c×1`}},
		"baskets, tabs": {OpenBaskets, reading.Options{Separator: "\t"}, "whole milk\trolls\nbeer\tmilk\n",
			[]string{"whole milk×1 rolls×1", "beer×1 milk×1"}},
		"baskets, told":       {OpenBaskets, reading.Options{Separator: "::"}, "a,b::c\n", []string{"a,b×1 c×1"}},
		"baskets, told blank": {OpenBaskets, reading.Options{Separator: Blanks}, "a,b c,d\n", []string{"a,b×1 c,d×1"}},
		"file": {OpenFile, reading.Options{Names: true, Document: "x/y"}, "The cat.\n\nThe END\n",
			[]string{"x/y| the×2 cat×1 end×1"}},
		"file, empty": {OpenFile, reading.Options{Document: "x"}, "", []string{""}},
		"file, long words": {OpenFile, reading.Options{MinWord: 3, Document: "x"}, "I am the one éé ééé\n",
			[]string{"the×1 one×1 ééé×1"}},
		"jsonl, lists": {OpenJSONL, reading.Options{Separator: ","}, `{"items":"a, b,a"}` + "\n" + `{"items":""}`,
			[]string{"a×2 b×1", ""}},
		"csv, semicolons": {OpenCSV, reading.Options{}, "doc;word\nx;\"a;\"\"b\"\"\"\n\ny;c\n",
			[]string{`a;"b"×1`, "c×1"}},
		"csv, bars and names": {OpenCSV, reading.Options{Names: true}, "word|doc|n\na|7|2\nb|x y|1\n",
			[]string{"7| a×2", "x y| b×1"}},
		"csv, tabs":          {OpenCSV, reading.Options{}, "doc\tword\n1\ta\n1\ta\n", []string{"a×2"}},
		"csv, line in field": {OpenCSV, reading.Options{}, "doc,word\n1,\"a\nb\"\n", []string{"a\nb×1"}},
		"csv, asked for": {OpenCSV, reading.Options{Columns: roles.Names{Document: "c", Items: "a", Counts: "b"}},
			"a,b,c\nx,2.0,1\n",
			[]string{"x×2"}},
		"csv, grouped": {OpenCSV, reading.Options{Group: true}, "doc,word\n10,a\n9,b\n10,c\nx,d\n9,b\n", []string{"b×2",
			"a×1 c×1", "d×1"}},
		"csv, header only": {OpenCSV, reading.Options{}, "doc,word\n", nil},
		"jsonl": {OpenJSONL, reading.Options{}, `{"items":["a",7,"a"],"counts":[1,2.0,3]}` + "\n \n" +
			`{"counts":[],"items":[]}`, []string{"a×4 7×2", ""}},
		"jsonl, object":  {OpenJSONL, reading.Options{Names: true}, `{"id":5,"items":{"a":1,"é\"":2}}` + "\n" + `{"items":null,"id":null}`, []string{`5| a×1 é"×2`, "| "}},
		"jsonl, escapes": {OpenJSONL, reading.Options{}, `{"items":["\u0061\ud83d\ude00","\\"]}`, []string{"a😀×1 \\×1"}},
		"jsonl, words":   {OpenJSONL, reading.Options{Tokenize: true}, `{"text":"Some words, some"}`, []string{"some×2 words×1"}},
		"jsonl, no counts": {OpenJSONL, reading.Options{Columns: roles.Names{Counts: roles.NoCounts}}, `{"items":["a"],"counts":["x"]}` + "\n" + `{"items":["b"]}`,
			[]string{"a×1", "b×1"}},
		"jsonl, object, no counts": {OpenJSONL, reading.Options{Columns: roles.Names{Counts: roles.NoCounts}}, `{"items":{"a":"x","b":null}}`, []string{"a×1 b×1"}},
		"jsonl, asked for":         {OpenJSONL, reading.Options{Columns: roles.Names{Items: "w", Counts: "n"}}, `{"w":["a"],"x":["b"],"n":[4]}`, []string{"a×4"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 2, 0} {
				opts := test.opts
				opts.BatchEntries = size
				got, err := readDocuments(t, test.open, shard(t, "x", test.text, opts))
				if err != nil || !slices.Equal(got, test.want) {
					t.Fatalf("batches of %d: %q, %v; want %q", size, got, err, test.want)
				}
			}
		})
	}
}

// TestErrors holds broken texts with the row that is to blame and what is said of it.
func TestErrors(t *testing.T) {
	for name, test := range map[string]struct {
		open   open
		opts   reading.Options
		text   string
		row    int64
		want   string
		reason fault.Reason
	}{
		"baskets, control":      {OpenBaskets, reading.Options{}, "a\nb\x00\n", 2, "binary data", 0},
		"file, binary":          {OpenFile, reading.Options{}, "fine\n\x00\n", 2, "not valid UTF-8", 0},
		"baskets, comma":        {OpenBaskets, reading.Options{Separator: ","}, "a,b\nb,\x01\n", 2, "binary data", 0},
		"words, binary":         {OpenWords, reading.Options{}, "fine\n\n\xff", 3, "not valid UTF-8", fault.Encoding},
		"libsvm, pair":          {OpenLibSVM, reading.Options{}, "1 1:1\n1 2\n", 2, `"2" is not of the form "index:count"`, 0},
		"libsvm, index":         {OpenLibSVM, reading.Options{}, "1 -1:1\n", 1, `item number "-1"`, 0},
		"lda-c, fewer":          {OpenLDAC, reading.Options{}, "2 0:1\n", 1, "the line says 2 pairs and has 1", 0},
		"lda-c, no number":      {OpenLDAC, reading.Options{}, "1 0:1\nx\n", 2, `not with "x"`, 0},
		"docword, order":        {OpenDocword, reading.Options{}, "3\n3\n2\n2 1 1\n1 1 1\n", 5, "document 1 follows document 2", fault.Scattered},
		"docword, gap":          {OpenDocword, reading.Options{}, "9000000\n3\n9000\n8000000 1 1\n", 4, "comes after only 1 lines", 0},
		"docword, grouped gap":  {OpenDocword, reading.Options{Group: true}, "9000000\n3\n9000\n1 1 1\n", 4, "ends after 1 lines; the header says 9000", 0},
		"docword, memory":       {OpenDocword, reading.Options{Group: true, Sort: sorter.Options{Memory: 1}}, "1\n1\n1\n1 1 1\n", 0, "sorting needs at least", fault.SortMemory},
		"matrix, banner":        {OpenMatrixMarket, reading.Options{}, "\n\n%MatrixMarket\n", 3, "should begin with", 0},
		"matrix, no sizes":      {OpenMatrixMarket, reading.Options{}, "%%MatrixMarket matrix coordinate real general\n% a\n", 3, "ends before the numbers of rows", 0},
		"matrix, negative size": {OpenMatrixMarket, reading.Options{}, "%%MatrixMarket matrix coordinate real general\n-1 2 3\n", 2, "should be here", 0},
		"matrix, three":         {OpenMatrixMarket, reading.Options{}, "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", 3, `not of the form "row column"`, 0},
		"matrix, words":         {OpenMatrixMarket, reading.Options{}, "%%MatrixMarket matrix coordinate real general\n1 1 1\na b 1\n", 3, `not of the form "row column value"`, 0},
		"csv, one column":       {OpenCSV, reading.Options{}, "doc\n1\n", 1, "does not name two columns", 0},
		"csv, columns":          {OpenCSV, reading.Options{}, "a,b\n1,2\n", 0, "no column looks like the documents'", fault.DocumentsUnclear},
		"csv, fields":           {OpenCSV, reading.Options{}, "doc,word\n1,a\n1,a,b\n", 3, "different numbers of fields", 0},
		"csv, count":            {OpenCSV, reading.Options{}, "doc,word,n\n1,a,1\n1,\"a\nb\",x\n", 3, `count "x" is not a number`, 0},
		"csv, again":            {OpenCSV, reading.Options{}, "doc,word\n1,a\n2,a\n1,b\n", 4, `document "1" comes again`, fault.Scattered},
		"jsonl, broken":         {OpenJSONL, reading.Options{}, "{\"items\":[]}\n\n{", 3, "not valid JSON", 0},
		"jsonl, string":         {OpenJSONL, reading.Options{Columns: roles.Names{Items: "items"}}, "{\"items\":[1]}\n{\"items\":\"a\"}", 2, `the field "items" is a string`, fault.StringItems},
		"jsonl, number":         {OpenJSONL, reading.Options{}, "{\"items\":[1]}\n{\"items\":7}", 2, "neither a list nor an object", 0},
		"jsonl, counts gone":    {OpenJSONL, reading.Options{}, "{\"items\":[1],\"counts\":[1]}\n{\"items\":[2]}", 2, `no list "counts" of counts`, fault.CountsMissing},
		"jsonl, more counts":    {OpenJSONL, reading.Options{}, "{\"items\":[1],\"counts\":[1,2]}", 1, "differ in length", 0},
		"jsonl, fewer counts":   {OpenJSONL, reading.Options{}, "{\"items\":[1,2],\"counts\":[1]}", 1, "differ in length", 0},
		"jsonl, two lists":      {OpenJSONL, reading.Options{}, `{"a":["x"],"b":["y"]}`, 1, `the items may be in "a", "b"`, fault.ItemsUnclear},
		"jsonl, no list":        {OpenJSONL, reading.Options{}, `{"a":1}`, 1, "no column holds items", fault.ItemsMissing},
		"jsonl, name twice":     {OpenJSONL, reading.Options{Names: true}, `{"id":1,"id":2,"items":[]}`, 1, "", 0},
		"jsonl, minus zero":     {OpenJSONL, reading.Options{}, `{"items":[-0]}`, 1, "neither a string nor a whole number", 0},
	} {
		t.Run(name, func(t *testing.T) {
			in := shard(t, "x", test.text, test.opts)
			_, err := readDocuments(t, test.open, in)
			if test.want == "" {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			var place *fault.Error
			if errors.As(err, &place) && (place.Path != in.Path || place.Row != test.row) || place == nil && test.row > 0 {
				t.Errorf("row %d is wanted: %v", test.row, err)
			}
			if got := fault.ReasonOf(err); got != test.reason {
				t.Errorf("reason %d, want %d", got, test.reason)
			}
		})
	}
}

// TestCompanionWords finds the word list beside a docword file, compressed or not, and the one that is named.
func TestCompanionWords(t *testing.T) {
	in := shard(t, "docword.x.txt", "1\n2\n1\n1 2 3\n", reading.Options{})
	list := in.Beside("vocab.x.txt")
	for _, test := range []struct{ words, want string }{{"a\nb\n", "b×3"}, {"a\r\nü", "ü×3"}} {
		if err := os.WriteFile(list, []byte(test.words), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := readDocuments(t, OpenDocword, in); err != nil || !slices.Equal(got, []string{test.want}) {
			t.Errorf("%q: %q, %v", test.words, got, err)
		}
	}
	for words, want := range map[string]string{"a\n": "has 1 words, but the header of", "a\na\n": `the word "a" is on line 1 already`,
		"a\n \n": "the word is empty", "a\n\xff\n": "UTF-8", "a\n" + strings.Repeat("x", bag.MaxItemBytes+300<<10): "longer than"} {
		if err := os.WriteFile(list, []byte(words), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := readDocuments(t, OpenDocword, in)
		var place *fault.Error
		if !errors.As(err, &place) || place.Path != list || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", words, err, want)
		}
	}
	in.WordList = filepath.Join(t.TempDir(), "nowhere")
	for name, open := range map[string]open{"docword": OpenDocword, "libsvm": OpenLibSVM, "lda-c": OpenLDAC} {
		if _, err := readDocuments(t, open, in); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCancelled ends the context between batches.
func TestCancelled(t *testing.T) {
	for name, test := range map[string]struct {
		open open
		text string
	}{
		"baskets": {OpenBaskets, "a\nb\n"}, "docword": {OpenDocword, "2\n2\n2\n1 1 1\n2 2 2\n"}, "csv": {OpenCSV, "doc,word\n1,a\n2,b\n"},
		"jsonl": {OpenJSONL, "{\"items\":[1]}\n{\"items\":[2]}\n"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := test.open(access.NewWatch(ctx), shard(t, "x", test.text, reading.Options{BatchEntries: 1}))
		if err != nil {
			t.Fatal(err)
		}
		var batch documents.Batch
		if err := r.Next(&batch); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := r.Next(&batch); err != context.Canceled {
			t.Errorf("%s: %v", name, err)
		}
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Errorf("%s: closing: %v", name, err)
		}
	}
}
