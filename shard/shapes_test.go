package shard

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"golang.org/x/text/encoding/unicode"

	"anchorage/shard/fault"
)

// TestShapes reads the shapes of files that people have, and says how.
func TestShapes(t *testing.T) {
	dir := t.TempDir()
	text := func(name, content string) string { return writeFile(t, filepath.Join(dir, name), content) }
	const prose = "The cat sat on the mat while the dog slept at home"
	words := document{"at×1", "cat×1", "dog×1", "home×1", "mat×1", "on×1", "sat×1", "slept×1", "the×3", "while×1"}
	encoded := func(s string, endian unicode.Endianness) string {
		s, err := unicode.UTF16(endian, unicode.UseBOM).NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	strings2 := physical(parquet.Types.ByteArray, schema.StringLogicalType{})
	table := writeParquet(t, filepath.Join(dir, "texts.parquet"), []testColumn{
		{strings2("title", parquet.Repetitions.Required), []testChunk{{[]string{"One", "Two"}, nil, nil}}},
		{strings2("text", parquet.Repetitions.Optional), []testChunk{{[]string{prose}, []int16{1, 0}, nil}}},
		{physical(parquet.Types.Int32, nil)("id", parquet.Repetitions.Required), []testChunk{{[]int32{7, 8}, nil, nil}}}})
	for name, test := range map[string]struct {
		path    string
		opts    Options
		mapping string
		want    []document
	}{
		"texts of csv": {text("t.csv", "id,text\n1,\""+prose+"\"\n2,\n"), Options{},
			`csv separated by ",", cut into words, a document per row: texts "text", ids "id"`, []document{words, {}}},
		"texts of csv with documents named": {text("tt.csv", "doc_id,title,body,year\n1,One,\""+prose+"\",1999\n2,Two,,2000\n"),
			Options{TextColumns: []string{"title", "body"}}, `csv separated by ",", cut into words, a document per row: ` +
				`texts "title,body", ids "doc_id"`, []document{append(slices.Clone(words), "one×1"), {"two×1"}}},
		"tokenized items": {text("ti.tsv", "id\tnote\n1\tred red rose\n"), Options{Tokenize: true, ItemsColumn: "note"},
			`csv separated by "\t", cut into words, a document per row: texts "note", ids "id"`,
			[]document{{"red×2", "rose×1"}}},
		"texts of parquet": {table, Options{}, `parquet, cut into words, a document per row: texts "text", ids "id"`,
			[]document{words, {}}},
		"two texts of parquet": {table, Options{TextColumns: []string{"title", "text"}},
			`parquet, cut into words, a document per row: texts "title,text", ids "id"`,
			[]document{append(slices.Clone(words), "one×1"), {"two×1"}}},
		"texts of json lines": {text("j.jsonl", `{"id":1,"text":"`+prose+`"}`+"\n"+`{"id":2,"text":null}`+"\n"), Options{},
			`jsonl, cut into words, a document per row: texts "text", ids "id"`, []document{words, {}}},
		"json array of texts": {text("a.json", "[\n {\"id\":1,\n  \"text\":\""+prose+"\"},\n {\"id\":\"]\",\"text\":\"a, \\\"b\\\"\"}\n]\n"),
			Options{}, `jsonl, cut into words, a document per row: texts "text", ids "id"`, []document{words, {"a×1", "b×1"}}},
		"json array of items": {text("b.json", `[{"items":["a","b"]},{"items":["b"]}]`), Options{},
			`jsonl, a document per row: items "items", counts 1 for each`, []document{{"a×1", "b×1"}, {"b×1"}}},
		"utf-16": {text("u.csv", encoded("order\tsku\n1\tcafé\n2\tthé\n", unicode.LittleEndian)), Options{},
			`csv separated by "\t", a row per document and item: documents "order", items "sku", counts 1 for each`,
			[]document{{"café×1"}, {"thé×1"}}},
		"utf-16, high byte first": {text("v.csv", encoded("order,sku\n1,café\n", unicode.BigEndian)), Options{},
			`csv separated by ",", a row per document and item: documents "order", items "sku", counts 1 for each`,
			[]document{{"café×1"}}},
		"windows-1252": {text("w.csv", "order,sku\n1,caf\xe9\n"), Options{Encoding: "windows-1252"},
			`csv separated by ",", a row per document and item: documents "order", items "sku", counts 1 for each`,
			[]document{{"café×1"}}},
		"sep=": {text("s.csv", "sep=;\r\norder;sku, name\r\n1;a, b\r\n"), Options{ItemsColumn: "sku, name"},
			`csv separated by ";", a row per document and item: documents "order", items "sku, name", counts 1 for each`,
			[]document{{"a, b×1"}}},
		"decimal comma": {text("d.csv", "order;sku;qty\n1;a;1.000,5\n1;b;2,00\n"), Options{Counts: CountRule{Fractions: 1,
			Decimal: 2}}, `csv separated by ";", a row per document and item: documents "order", items "sku", counts "qty" ` +
			`(round,decimal-comma)`, []document{{"a×1001", "b×2"}}},
		"thousands": {text("e.csv", "order;sku;qty\n1;a;1,000\n1;b;1 000 000.0\n"), Options{Counts: CountRule{Decimal: 1}},
			`csv separated by ";", a row per document and item: documents "order", items "sku", counts "qty" (decimal-point)`,
			[]document{{"a×1000", "b×1000000"}}},
		"lines of names": {text("groceries.csv", "citrus fruit,semi-finished bread,margarine\ntropical fruit,yogurt\n"+
			"whole milk\npip fruit,yogurt,cream cheese,meat spreads\n"), Options{},
			`baskets separated by ",", a document per line`, []document{{"citrus fruit×1", "margarine×1",
				"semi-finished bread×1"}, {"tropical fruit×1", "yogurt×1"}, {"whole milk×1"},
				{"cream cheese×1", "meat spreads×1", "pip fruit×1", "yogurt×1"}}},
		"no header": {text("n.csv", "1,apple,2\n1,pear,3\n2,apple,1\n"), Options{NoHeader: true},
			`csv separated by ",", a row per document and item: documents "1", items "2", counts "3"`,
			[]document{{"apple×2", "pear×3"}, {"apple×1"}}},
		"wide": {text("wide.csv", "Item(s),Item 1,Item 2,Item 3\n2,milk,rolls,\n1,beer,,\n"), Options{},
			`csv separated by ",", a document per row: items "3 columns from Item 1 to Item 3", counts 1 for each`,
			[]document{{"milk×1", "rolls×1"}, {"beer×1"}}},
		"one-hot": {text("hot.csv", ",Apple,Bread,Milk\n0,True,False,True\n1,False,False,True\n2,False,True,False\n"), Options{},
			`csv separated by ",", a document per row: items "the names of 3 columns from Apple to Milk", counts 1 for each`,
			[]document{{"Apple×1", "Milk×1"}, {"Milk×1"}, {"Bread×1"}}},
		"counts of items": {text("hot2.csv", "order,Apple,Bread,Milk\nx,2,0,0\ny,0,0,1\nz,0,1,0\n"), Options{},
			`csv separated by ",", a document per row: items "the names of 3 columns from Apple to Milk", counts 1 for each` +
				`, ids "order"`, []document{{"Apple×2"}, {"Milk×1"}, {"Bread×1"}}},
		"users and titles": {text("m.csv", "uid,title\n1,Heat\n1,Alien\n2,Heat\n"), Options{},
			`csv separated by ",", a row per document and item: documents "uid", items "title", counts 1 for each`,
			[]document{{"Alien×1", "Heat×1"}, {"Heat×1"}}},
		"codes beside descriptions": {text("uci.csv", "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,"+
			"CustomerID,Country\n536365,85123A,WHITE HANGING HEART T-LIGHT HOLDER,6,12/1/2010 8:26,2.55,17850,United Kingdom\n"+
			"536365,71053,WHITE METAL LANTERN,6,12/1/2010 8:26,3.39,17850,United Kingdom\n"), Options{},
			`csv separated by ",", a row per document and item: documents "InvoiceNo", ` +
				`items "StockCode" with names "Description", counts "Quantity"`,
			[]document{{"71053×6", "85123A×6"}}},
	} {
		t.Run(name, func(t *testing.T) {
			shards, err := Discover(t.Context(), []string{test.path}, test.opts)
			if err != nil {
				t.Fatal(err)
			}
			if m, err := shards[0].Mapping(t.Context()); err != nil || m.String() != test.mapping {
				t.Errorf("read as %s, %v; want %s", m, err, test.mapping)
			}
			got, err := collect(t, test.opts, test.path)
			for _, d := range test.want {
				slices.Sort(d)
			}
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

// TestUnreadableShapes says what would help with files that cannot be read as they are.
func TestUnreadableShapes(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		content string
		reason  fault.Reason
		want    string
	}{
		"latin.csv":   {"order,sku\n1,caf\xe9\n", fault.Encoding, "its bytes look like windows-1252"},
		"russian.csv": {"order,sku\n1,\xcc\xee\xeb\xee\xea\xee\n", fault.Encoding, "its bytes look like windows-1251"},
		"unmarked.csv": {strings.ReplaceAll("order,sku\n1,a\n", "", "\x00"), fault.Encoding,
			"looks like utf-16le or utf-16be"},
		"comma.csv": {"order;sku;qty\n1;a;1,00\n", fault.CountComma, `count "1,00" has a comma`},
		"bare.csv":  {"1,apple\n1,pear\n2,apple\n", fault.NoHeader, `the first line, "1", "apple", looks like values`},
		"book.xlsx": {"PK\x03\x04\x14\x00\x06\x00", fault.Unspecified, "a spreadsheet"},
		"empty.csv": {"", fault.Unspecified, "the file is empty"},
		"other.csv": {"a,b\nx,y\n", fault.DocumentsUnclear, `the columns are "a", "b"`},
	} {
		path := writeFile(t, filepath.Join(dir, name), test.content)
		_, err := collect(t, Options{}, path)
		wantError(t, err, path, test.want)
		if got := err.(*Error).Reason(); got != test.reason {
			t.Errorf("%s: reason %d, want %d", name, got, test.reason)
		}
	}
}
