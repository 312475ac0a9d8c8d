package shard

import (
	"context"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"anchorage/shard/fault"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// leftOut reads all documents of a shard and what was left out.
func leftOut(t *testing.T, path string, opts Options) (documents []document, left LeftOut, err error) {
	t.Helper()
	shards, err := Discover(context.Background(), []string{path}, opts)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := shards[0].Parts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		reader, err := Open(context.Background(), part)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		var batch Batch
		for {
			err := reader.Next(&batch)
			if err == io.EOF {
				break
			}
			if err != nil {
				return documents, left, err
			}
			if batch.Documents() > 0 {
				documents = append(documents, checkBatch(t, &batch)...)
			}
			left.Add(batch.Left)
		}
	}
	return documents, left, nil
}

// TestBadRows leaves out the bad rows of every format: the others are as if nothing had been. A document that is a row
// is empty.
func TestBadRows(t *testing.T) {
	dir := t.TempDir()
	lists := func(name string, itemLengths, countLengths []int, items []string, counts []int32) string {
		list, empty, element := listOf("items", optional3, physical(parquet.Types.ByteArray, schema.StringLogicalType{}))
		countList, _, _ := listOf("counts", optional3, physical(parquet.Types.Int32, nil))
		def, rep := levelsOf(itemLengths, empty, element)
		cdef, crep := levelsOf(countLengths, empty, element)
		return writeParquet(t, filepath.Join(dir, name), []testColumn{{list, []testChunk{{items, def, rep}}}, {countList,
			[]testChunk{{counts, cdef, crep}}}})
	}
	arrowLists := func(name string) string {
		return arrowTable{item: arrow.BinaryTypes.String, count: arrow.PrimitiveTypes.Int32, layout: "lists",
			batch: 2}.write(t, filepath.Join(dir, name),
			[]pairs{{{"a", 1}, {"b", 2}}, {{"x", 1}, {"a", -1}, {"y", 2}}, {{"b", 3}}})
	}
	text := func(name, content string) string { return writeFile(t, filepath.Join(dir, name), content) }
	arrowLong := func(name string) string {
		return arrowTable{item: arrow.BinaryTypes.String, count: arrow.PrimitiveTypes.Float64, layout: "long",
			batch: 2}.write(t, filepath.Join(dir, name),
			[]pairs{{{"a", 1}, {"x", -1}, {"b", 2}}, {{"b", 3}}})
	}
	parquetLong := func(name string) string {
		one := func(n int16) []int16 { return []int16{1, n, 1, 1, 1} }
		text := physical(parquet.Types.ByteArray, schema.StringLogicalType{})
		return writeParquet(t, filepath.Join(dir, name), []testColumn{
			{physical(parquet.Types.Int32, nil)("order", parquet.Repetitions.Optional),
				[]testChunk{{[]int32{1, 1, 2, 2}, []int16{1, 1, 0, 1, 1}, nil}}},
			{text("sku", parquet.Repetitions.Optional), []testChunk{{[]string{"a", "x", "y", "b"}, []int16{1, 1,
				1, 1, 0}, nil}}},
			{physical(parquet.Types.Int32, nil)("qty", parquet.Repetitions.Optional),
				[]testChunk{{[]int32{1, 9, 3, 9}, one(0), nil}}}})
	}
	three := []document{{"a×1", "b×2"}, {}, {"b×3"}}
	two := []document{{"a×1", "b×2"}, {"b×3"}}
	for name, test := range map[string]struct {
		path  string
		opts  Options
		want  []document
		left  int64
		first string
	}{
		"parquet, count": {lists("a.parquet", []int{2, 3, 1}, []int{2, 3, 1}, []string{"a", "b", "x", "a", "y", "b"},
			[]int32{1, 2, 1, -1, 2, 3}), Options{}, three, 1,
			`column "counts", row 2: count -1 is negative`},
		"parquet, fewer counts": {lists("b.parquet", []int{2, 3, 1}, []int{2, 1, 1}, []string{"a", "b", "x", "a", "y", "b"},
			[]int32{1, 2, 1, 3}), Options{}, three, 1,
			"row 2: the lists of items and of counts differ"},
		"parquet, more counts": {lists("c.parquet", []int{2, 1, 1}, []int{2, 3, 1}, []string{"a", "b", "x", "b"}, []int32{1,
			2, 1, 2, 2, 3}), Options{}, three, 1,
			"row 2: the lists of items and of counts differ"},
		"parquet, the last": {lists("d.parquet", []int{2, 1, 2}, []int{2, 1, 3}, []string{"a", "b", "b", "x", "y"}, []int32{1,
			2, 3, 1, 1, 1}), Options{},
			[]document{{"a×1", "b×2"}, {"b×3"}, {}}, 1, "row 3: the lists"},
		"parquet, the first": {lists("e.parquet", []int{2, 2, 1}, []int{1, 2, 1}, []string{"x", "y", "a", "b", "b"},
			[]int32{1, 1, 2, 3}), Options{},
			[]document{{}, {"a×1", "b×2"}, {"b×3"}}, 1, "row 1: the lists"},
		"parquet, empty counts": {lists("f.parquet", []int{2, 2, 1}, []int{2, 0, 1}, []string{"a", "b", "x", "y", "b"},
			[]int32{1, 2, 3}), Options{}, three, 1, "row 2: the lists"},
		"arrow, count": {arrowLists("a.arrow"), Options{}, three, 1, `column "counts", row 2: count -1 is negative`},
		"arrow, long":  {arrowLong("b.arrow"), Options{}, two, 1, `column "qty", row 2: count -1 is negative`},
		"parquet, long": {parquetLong("g.parquet"), Options{}, []document{{"a×1"}, {"b×3"}}, 3,
			`column "qty", row 2: a count is null`},
		"jsonl": {text("a.jsonl",
			"{\"items\":{\"a\":1,\"b\":2}}\n{\"items\":{\"x\":1,\"y\":\"z\"}}\n{\"items\":{\"b\":3}}\n"), Options{}, three, 1,
			"row 2: item \"y\": count \"z\" is not a number"},
		"jsonl, cut off": {text("b.jsonl", "{\"items\":{\"a\":1,\"b\":2}}\n{\"items\":\n{\"items\":{\"b\":3}}\n"),
			Options{}, three, 1, "row 2: the line is not valid JSON"},
		"libsvm": {text("a.svm", "1 1:1 2:2\n1 1:x\n1 2:3\n"), Options{Format: LibSVM},
			[]document{{"1×1", "2×2"}, {}, {"2×3"}}, 1, "row 2: item 1: count"},
		"csv": {text("a.csv", "order,sku,qty\n1,a,1\n1,x,many\n1,b,2\n2,b,3\n,x,1\n2,,1\n2\n"), Options{},
			two, 4, `column "qty", row 3: count "many" is not a number`},
		"csv, quote": {text("b.csv", "order,sku,qty\n1,a,1\n1,x\"y,1\n1,b,2\n2,b,3\n"), Options{}, two, 1,
			`row 3: a field that contains a quote`},
		"csv, grouped": {text("c.csv", "order,sku,qty\n2,b,3\n1,a,1\n1,x,0\n1,b,2\n"), Options{Group: true}, two, 1,
			`row 4: count 0`},
		"docword": {text("docword.a.txt", "2\n2\n6\n1 1 1\n1 2 0\n1 2 2\n1 9 1\n7 1 1\n2 2 3\n"), Options{},
			[]document{{"1×1", "2×2"}, {"2×3"}}, 3, "row 5: count 0"},
		"mtx": {text("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 2.0\n2 2 "+
			"0.5\n2 2 3\n"), Options{}, []document{{"1×1", "2×2"}, {"2×3"}}, 1, "row 5: count 0.5"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{0, 1, 2} {
				opts := test.opts
				opts.MaxBadRows, opts.BatchEntries = test.left, size
				got, left, err := leftOut(t, test.path, opts)
				if err != nil || !reflect.DeepEqual(got, test.want) || left.Bad != test.left ||
					!strings.Contains(left.First, test.first) {
					t.Errorf("batches of %d: %v, left out %+v, %v; want %v", size, got, left, err, test.want)
				}
				opts.MaxBadRows--
				_, _, err = leftOut(t, test.path, opts)
				wantError(t, err, test.path)
				if want := fault.BadRows; opts.MaxBadRows > 0 && err.(*Error).Reason() != want || !err.(*Error).InRow() {
					t.Errorf("one bad row less: reason %d of %v", err.(*Error).Reason(), err)
				}
			}
		})
	}
}

// TestCountRules reads a shard with amounts of all kinds by several rules, in lists and in long tables.
func TestCountRules(t *testing.T) {
	nan := math.NaN()
	list, _, element := listOf("items", threeLevels, physical(parquet.Types.ByteArray, schema.StringLogicalType{}))
	amounts, _, _ := listOf("counts", threeLevels, physical(parquet.Types.Double, nil))
	def, rep := levelsOf([]int{4, 2}, 0, element)
	lists := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), []testColumn{{list,
		[]testChunk{{[]string{"a", "b", "c", "d", "e", "a"}, def, rep}}},
		{amounts, []testChunk{{[]float64{2.5, -1, nan, 0.1, 0, 1.2}, def, rep}}}})
	long := writeFile(t, filepath.Join(t.TempDir(), "x.csv"),
		"order,sku,qty\n1,a,2.5\n1,b,-1\n1,c,\n1,d,0.1\n2,e,0\n2,a,1.2\n")
	objects := writeFile(t, filepath.Join(t.TempDir(), "x.jsonl"),
		`{"items":{"a":2.5,"b":-1,"c":null,"d":"0.1"}}`+"\n"+`{"items":{"e":0,"a":1.2}}`+"\n")
	for words, want := range map[string][]document{
		"round,drop-negative,drop-zero,drop-empty": {{"a×3", "d×1"}, {"a×1"}},
		"ceil,drop-negative,drop-zero,drop-empty":  {{"a×3", "d×1"}, {"a×2"}},
		"once,drop-negative,drop-zero,drop-empty":  {{"a×1", "d×1"}, {"a×1"}},
	} {
		rule, err := ParseCountRule(words)
		if err != nil || rule.String() != words {
			t.Fatalf("%s: %v, %v", words, rule, err)
		}
		for _, path := range []string{lists, long, objects} {
			got, left, err := leftOut(t, path, Options{Counts: rule})
			if err != nil || !reflect.DeepEqual(got, want) || left != (LeftOut{Negative: 1, Zero: 1, Empty: 1}) {
				t.Errorf("%s by %s: %v, left out %+v, %v; want %v", path, rule, got, left, err, want)
			}
		}
	}
	for words, reason := range map[string]fault.Reason{"exact": fault.CountFraction, "round": fault.CountNegative,
		"round,drop-negative": fault.CountEmpty, "ceil,drop-negative,drop-empty": fault.CountZero} {
		rule, err := ParseCountRule(words)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{lists, long, objects} {
			_, _, err = leftOut(t, path, Options{Counts: rule})
			wantError(t, err, path)
			if got := err.(*Error).Reason(); got != reason {
				t.Errorf("%s by %s: reason %d, want %d: %v", path, words, got, reason, err)
			}
		}
	}
}

// TestUniform finds the first shard that is not read like the others, and says how it differs.
func TestUniform(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.csv": "order,sku,qty\n1,a,1\n", "b.csv": "order,sku,qty\n2,a,1\n", "renamed.csv": "order,product,qty\n3,a,1\n",
		"uncounted.csv": "order,sku\n4,a\n",
		"semicolon.csv": "order;sku;qty\n5;a;1\n", "a.jsonl": "{\"items\":[\"a\"]}\n", "none.jsonl": "\n",
		"b.jsonl": "{\"items\":[\"b\"]}\n",
	} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	for names, want := range map[string]string{
		"a.csv b.csv": "", "a.jsonl none.jsonl b.jsonl": "", "none.jsonl a.jsonl b.jsonl": "", "none.jsonl": "",
		"a.csv renamed.csv":         `renamed.csv: the shard is not read like A: it has items "product", not "sku"`,
		"a.csv b.csv uncounted.csv": `uncounted.csv: the shard is not read like A: it has counts in no column, not "qty"`,
		"a.csv semicolon.csv":       `semicolon.csv: the shard is not read like A: it has the separator ";", not ","`,
		"a.csv a.jsonl":             `a.jsonl: the shard is not read like A: it has the format jsonl, not csv`,
	} {
		var paths []string
		for name := range strings.SplitSeq(names, " ") {
			paths = append(paths, filepath.Join(dir, name))
		}
		shards, err := Discover(t.Context(), paths, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var mappings []Mapping
		for _, s := range shards {
			m, err := s.Mapping(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			mappings = append(mappings, m)
		}
		err = Uniform(shards, mappings)
		if want == "" && err != nil {
			t.Errorf("%s: %v", names, err)
		}
		if want != "" {
			wantError(t, err, "", strings.ReplaceAll(want, "A:", paths[0]+":"))
			if got := err.(*Error).Reason(); got != fault.Drift {
				t.Errorf("%s: reason %d", names, got)
			}
		}
	}
}
