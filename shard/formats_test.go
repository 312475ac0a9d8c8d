package shard

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"anchorage/internal/long"
	"anchorage/shard/tablefile"
)

// layoutWriter writes documents in one of the ways in which they are read.
type layoutWriter struct {
	text    func(documents []pairs) string
	write   func(t testing.TB, path string, documents []pairs) string // where it is not text
	ending  string
	options Options
	numbers int  // the items are numbers from here, unless negative
	noEmpty bool // a document without items cannot be written
	noCount bool // every count is 1
}

// bagText is a format of one line per document.
func bagText(line func(d int, document pairs) string) func([]pairs) string {
	return func(documents []pairs) string {
		var text strings.Builder
		for d, document := range documents {
			text.WriteString(line(d, document))
			text.WriteByte('\n')
		}
		return text.String()
	}
}

// longText is a format of one line per document and item, under a header.
func longText(header, line string) func([]pairs) string {
	return func(documents []pairs) string {
		var text strings.Builder
		text.WriteString(header + "\n")
		for d, document := range documents {
			for _, pair := range document {
				text.WriteString(strings.NewReplacer("D", fmt.Sprint(d+1), "I", pair.item, "C",
					fmt.Sprint(pair.count)).Replace(line) + "\n")
			}
		}
		return text.String()
	}
}

// joined writes the pairs of a document by a verb, with blanks between them.
func joined(format string, document pairs) string {
	var fields []string
	for _, pair := range document {
		fields = append(fields, fmt.Sprintf(format, pair.item, pair.count))
	}
	return strings.Join(fields, " ")
}

func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// columnsOf returns the items and counts of a document, never nil.
func columnsOf(document pairs) (items []string, counts []int32) {
	items, counts = []string{}, []int32{}
	for _, pair := range document {
		items, counts = append(items, pair.item), append(counts, pair.count)
	}
	return items, counts
}

// scattered moves the rows of each document far apart, without changing their order among themselves.
func scattered(text func([]pairs) string, header int) func([]pairs) string {
	return func(documents []pairs) string {
		lines := strings.SplitAfter(text(documents), "\n")
		head, body := lines[:header], lines[header:len(lines)-1]
		const step = 977
		var mixed []string
		for first := range step {
			for at := first; at < len(body); at += step {
				mixed = append(mixed, body[at])
			}
		}
		return strings.Join(append(slices.Clone(head), stable(body, mixed)...), "")
	}
}

// stable returns the lines of mixed, with those of each document in the order that they have in body.
func stable(body, mixed []string) []string {
	document := func(line string) string { return line[:strings.IndexAny(line, " ,")] }
	queues := make(map[string][]string)
	for _, line := range body {
		queues[document(line)] = append(queues[document(line)], line)
	}
	var result []string
	for _, line := range mixed {
		d := document(line)
		result = append(result, queues[d][0])
		queues[d] = queues[d][1:]
	}
	return result
}

func matrixText(kind, value string, transposed bool) func([]pairs) string {
	return func(documents []pairs) string {
		var lines []string
		items := 0
		for d, document := range documents {
			for _, pair := range document {
				item, _ := strconv.Atoi(pair.item)
				items = max(items, item)
				row, column := d+1, item
				if transposed {
					row, column = column, row
				}
				lines = append(lines, fmt.Sprintf("%[1]d %[2]d"+value, row, column, pair.count))
			}
		}
		rows, columns := len(documents), items
		if transposed {
			rows, columns = columns, rows
		}
		return fmt.Sprintf("%%%%MatrixMarket matrix coordinate %s general\n%% a comment\n%d %d %d\n%s\n", kind, rows,
			columns, len(lines), strings.Join(lines, "\n"))
	}
}

// textLayouts are the ways to write documents as text.
var textLayouts = map[string]layoutWriter{
	"baskets": {text: basketText, ending: ".dat", numbers: -1},
	"docword": {text: func(documents []pairs) string { return docwordText(documents, 1000) }, ending: ".txt", numbers: 1},
	"jsonl lists": {text: bagText(func(d int, document pairs) string {
		items, counts := columnsOf(document)
		return jsonText(map[string]any{"id": d, "items": items, "counts": counts, "other": []any{1, "]}", nil,
			map[string]any{}}})
	}), ending: ".jsonl", numbers: -1},
	"jsonl object": {text: bagText(func(d int, document pairs) string {
		return fmt.Sprintf(`{"items" : { %s } , "id":"doc %d"}`, strings.ReplaceAll(joined(`%q:%d`, document), " ", " , "), d)
	}), ending: ".txt", numbers: -1},
	"jsonl numbers": {text: bagText(func(d int, document pairs) string {
		return fmt.Sprintf(`{"id":null,"words":[%s],"n":[%s]}`, strings.ReplaceAll(joined("%[1]s", document), " ", ","),
			strings.ReplaceAll(joined("%[2]d.0", document), " ", ","))
	}), ending: ".txt", options: Options{ItemsColumn: "words", CountsColumn: "n"}, numbers: 1},
	"libsvm": {text: bagText(func(d int, document pairs) string {
		return "+1 qid:3 " + joined("%s:%d",
			document) + " # text"
	}),
		ending: ".txt", numbers: 1},
	"svmlight": {text: bagText(func(d int, document pairs) string { return "0.5\t" + joined("%s:%d.0", document) }),
		ending: ".svm", numbers: 1},
	"lda-c": {text: bagText(func(d int, document pairs) string {
		return fmt.Sprint(len(document), " ",
			joined("%s:%d", document))
	}),
		ending: ".ldac", numbers: 0},
	"csv": {text: longText("order_id,qty,sku", `D,C,"I"`), ending: ".csv", numbers: -1, noEmpty: true},
	"tsv": {text: longText("sku\tother\tcount\tdocument", "I\tx\tC\tdoc D"), ending: ".txt", numbers: -1, noEmpty: true},
	"csv quoted": {text: longText("\xef\xbb\xbfa;\"b, \"\"c\"\"\";q", "\"D\nand \"\"more\"\"\";I;C.0"), ending: ".data",
		options: Options{DocumentColumn: "a", ItemsColumn: `b, "c"`, CountsColumn: "q"}, numbers: -1, noEmpty: true},
	"csv grouped": {text: scattered(longText("basket,item,n", "D,I,C"), 1), ending: ".csv",
		options: Options{Group: true, MemoryLimit: MinSortMemory}, numbers: -1, noEmpty: true},
	"docword grouped": {text: scattered(func(documents []pairs) string { return docwordText(documents, 1000) }, 3),
		ending: ".txt", options: Options{Group: true}, numbers: 1},
	"matrix market": {text: matrixText("integer", " %[3]d", false), ending: ".mtx", numbers: 1},
	"matrix market real": {text: matrixText("real", " %[3]d.0e0", true), ending: ".txt",
		options: Options{DocumentColumns: true}, numbers: 1},
	"matrix market group": {text: scattered(matrixText("pattern", "", false), 3), ending: ".txt",
		options: Options{Group: true}, numbers: 1, noCount: true},
	"text": {text: bagText(func(d int, document pairs) string {
		return strings.ToUpper(strings.ReplaceAll(joined("%[1]s", document), " ", ".\t")) + "…"
	}), ending: ".txt", options: Options{Tokenize: true}, numbers: -2, noCount: true},
}

// prepared returns the documents in the form that a layout can hold, merged as Batch promises.
func (l *layoutWriter) prepared(documents []pairs) []pairs {
	switch {
	case l.numbers >= 0:
		documents, _ = numbered(documents, l.numbers)
	case l.numbers == -2: // nothing but words
		documents = slices.Clone(documents)
		for i, d := range documents {
			d = slices.Clone(d)
			for j := range d {
				d[j].item = "w" + strings.NewReplacer(" ", "", "日本語", "город").Replace(d[j].item)
			}
			documents[i] = d
		}
	}
	var result []pairs
	for _, d := range documents {
		var kept pairs
		place := make(map[string]int)
		for _, pair := range d {
			if l.noCount {
				pair.count = 1
			}
			if at, twice := place[pair.item]; twice {
				if !l.noCount {
					kept[at].count += pair.count
				}
				continue
			}
			place[pair.item] = len(kept)
			kept = append(kept, pair)
		}
		if len(kept) > 0 || !l.noEmpty {
			result = append(result, kept)
		}
	}
	return result
}

// batchesOf reads a shard of one part.
func batchesOf(t testing.TB, path string, opts Options) []Batch {
	t.Helper()
	shards, err := Discover(context.Background(), []string{path}, opts)
	if err != nil {
		t.Fatal(err)
	}
	var batches []Batch
	for _, s := range shards {
		parts, err := s.Parts(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			batches = append(batches, batchesOfPart(t, part)...)
		}
	}
	return batches
}

func batchesOfPart(t testing.TB, part Part) (batches []Batch) {
	t.Helper()
	reader, err := Open(context.Background(), part)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for {
		var batch Batch
		if err := reader.Next(&batch); err == io.EOF {
			return batches
		} else if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, batch)
	}
}

// TestConformanceFormats writes the same documents in every layout and checks that the batches are the same, byte for
// byte, as those of the program's own Parquet shards.
func TestConformanceFormats(t *testing.T) {
	long.Unwatched(t)
	layouts, sizes, compressed := make(map[string]layoutWriter), []int{1, 3, 1000, 0}, []string{".gz", ".zst"}
	if !long.Tier() {
		sizes, compressed = []int{3, 0}, compressed[:1]
	}
	for name, l := range textLayouts {
		layouts[name] = l
		for _, suffix := range compressed {
			l.ending += suffix
			layouts[name+suffix] = l
			l.ending = strings.TrimSuffix(l.ending, suffix)
		}
	}
	for name, l := range arrowLayouts() {
		layouts["arrow "+name] = l
	}
	for name, l := range parquetLayouts() {
		layouts["parquet "+name] = l
	}
	for at, name := range slices.Sorted(maps.Keys(layouts)) {
		l := layouts[name]
		if !long.Tier() && at%5 > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			documents := l.prepared(sample())
			path := filepath.Join(dir, "x"+l.ending)
			if l.text != nil {
				writeFile(t, path, l.text(documents))
			} else {
				l.write(t, path, documents)
			}
			own := writeDocuments(t, filepath.Join(dir, "own.parquet"), documents)
			for _, size := range sizes {
				opts := l.options
				opts.BatchEntries = size
				want, got := batchesOf(t, own, Options{BatchEntries: size}), batchesOf(t, path, opts)
				if len(got) != len(want) {
					t.Fatalf("batches of %d: there are %d, want %d", size, len(got), len(want))
				}
				for i := range want {
					if !sameBatch(&got[i], &want[i]) {
						t.Fatalf("batches of %d: batch %d differs:\n%.500s\nwant\n%.500s", size, i, fmt.Sprint(got[i]),
							fmt.Sprint(want[i]))
					}
				}
			}
			if got, err := collect(t, l.options, path); err != nil || !reflect.DeepEqual(got, merged(documents)) {
				t.Errorf("the documents differ, %v", err)
			}
			if rest, err := filepath.Glob(filepath.Join(dir, "anchorage-*")); err != nil || len(rest) > 0 {
				t.Errorf("left behind: %v, %v", rest, err)
			}
		})
	}
}

func sameBatch(a, b *Batch) bool {
	return a.FirstRow == b.FirstRow && slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Items, b.Items) &&
		slices.Equal(a.Counts, b.Counts) && slices.Equal(idsOf(&a.Dictionary), idsOf(&b.Dictionary))
}

// idsOf returns the ids of a dictionary.
func idsOf(d *Dictionary) (ids []string) {
	for i := range d.Len() {
		ids = append(ids, string(d.ID(i)))
	}
	return ids
}

// writeDocuments writes a shard with DocumentWriter.
func writeDocuments(t testing.TB, path string, documents []pairs) string {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := tablefile.NewDocumentWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	for d, document := range documents {
		items, counts := columnsOf(document)
		if err := w.Write(fmt.Sprint("d", d), items, counts); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
