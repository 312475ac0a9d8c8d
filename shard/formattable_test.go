package shard

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"anchorage/internal/npy"
	"anchorage/shard/fault"

	"github.com/apache/arrow/go/v17/arrow"
)

// formatSample is a file of a format: two documents, the first with two items and the second with one.
type formatSample struct {
	text  string
	write func(t *testing.T, path string) // where it is not text
	want  []document
	words []document // as a word list of zero, one, two and three names the items
	named []string   // the documents' own ids
}

// formatSamples holds a sample of every format. A format without one fails TestFormatSamples.
var formatSamples = map[Format]formatSample{
	Parquet: {write: func(t *testing.T, path string) {
		writeDocuments(t, path, []pairs{{{"1", 2}, {"2", 1}}, {{"2", 3}}})
	}, want: []document{{"1×2", "2×1"}, {"2×3"}}, named: []string{"d0", "d1"}},
	Arrow: {write: func(t *testing.T, path string) {
		arrowTable{item: arrow.BinaryTypes.String, count: arrow.PrimitiveTypes.Int32, layout: "lists", batch: 1}.write(t,
			path, []pairs{{{"1", 2}, {"2", 1}}, {{"2", 3}}})
	}, want: []document{{"1×2", "2×1"}, {"2×3"}}, named: []string{"0", "1"}},
	NPZ: {write: writeMatrix, want: []document{{"1×2", "2×1"}, {"2×3"}}, words: []document{{"one×2", "two×1"}, {"two×3"}},
		named: []string{"", ""}},
	MatrixMarket: {text: "%%MatrixMarket matrix coordinate integer general\n2 4 3\n1 1 2\n1 2 1\n2 2 3\n",
		want:  []document{{"1×2", "2×1"}, {"2×3"}},
		words: []document{{"one×1", "zero×2"}, {"one×3"}}, named: []string{"", ""}},
	Docword: {text: "2\n4\n3\n1 1 2\n1 2 1\n2 2 3\n", want: []document{{"1×2", "2×1"}, {"2×3"}},
		words: []document{{"one×1", "zero×2"}, {"one×3"}}, named: []string{"", ""}},
	JSONL: {text: "{\"id\":\"x\",\"items\":[1,2],\"counts\":[2,1]}\n{\"id\":\"y\",\"items\":[\"2\"],\"counts\":[3]}\n",
		want:  []document{{"1×2", "2×1"}, {"2×3"}},
		named: []string{"x", "y"}},
	Text: {text: "Two words, two.\nWords\n", want: []document{{"two×2", "words×1"}, {"words×1"}}, named: []string{"", ""}},
	Files: {write: func(t *testing.T, path string) {
		if err := os.MkdirAll(filepath.Join(path, "b"), 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(path, "a.txt"), "Two words,\ntwo.\n")
		writeFile(t, filepath.Join(path, "b", "c.txt"), "Words\n")
	}, want: []document{{"two×2", "words×1"}, {"words×1"}}, named: []string{"a.txt", "b/c.txt"}},
	CSV: {text: "order,sku,qty\nx,1,2\nx,2,1\ny,2,3\n", want: []document{{"1×2", "2×1"}, {"2×3"}},
		named: []string{"x", "y"}},
	LDAC: {text: "2 1:2 2:1\n1 2:3\n", want: []document{{"1×2", "2×1"}, {"2×3"}},
		words: []document{{"one×2", "two×1"}, {"two×3"}},
		named: []string{"", ""}},
	LibSVM: {text: "+1 1:2 2:1\n-1 2:3\n", want: []document{{"1×2", "2×1"}, {"2×3"}},
		words: []document{{"one×1", "zero×2"}, {"one×3"}},
		named: []string{"", ""}},
	Baskets: {text: "1 1 2\n2 2 2\n", want: []document{{"1×2", "2×1"}, {"2×3"}}, named: []string{"", ""}},
}

// writeMatrix writes the sample of npz.
func writeMatrix(t *testing.T, path string) {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	put := func(name string, values ...int64) {
		w, err := archive.Create(name + ".npy")
		if err == nil {
			err = npy.Write(w, []int64{int64(len(values))}, func(write func([]int64) error) error { return write(values) })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put("shape", 2, 4)
	put("indptr", 0, 2, 3)
	put("indices", 1, 2, 2)
	put("data", 2, 1, 3)
	w, err := archive.Create("format.npy")
	if err == nil {
		header := "{'descr': '|S3', 'fortran_order': False, 'shape': (), }\n"
		_, err = io.WriteString(w, "\x93NUMPY\x01\x00"+string(rune(len(header)))+"\x00"+header+"csr")
	}
	if err = errors.Join(err, archive.Close()); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, b.String())
}

// file writes the sample under a name without a hint.
func (s formatSample) file(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample")
	if s.write != nil {
		s.write(t, path)
		return path
	}
	return writeFile(t, path, s.text)
}

// TestFormatEntries checks that no field of an entry is forgotten, and that entries do not contradict each other.
func TestFormatEntries(t *testing.T) {
	taken := make(map[string]string) // names, aliases, endings and prefixes
	claim := func(f format, what, text string) {
		if text == "" || text != strings.ToLower(text) || strings.ContainsAny(text, " /*") {
			t.Errorf("%s: the %s %q is malformed", f.Name, what, text)
		}
		if owner, twice := taken[text]; twice {
			t.Errorf("%s: the %s %q is that of %s already", f.Name, what, text, owner)
		}
		taken[text] = f.Name
	}
	claim(format{FormatInfo: FormatInfo{Name: "auto"}}, "name", autoName)
	seen := make(map[Format]bool)
	rest := 0
	for _, f := range formats {
		if f.Format == Auto || seen[f.Format] {
			t.Errorf("%s: the constant is missing or comes twice", f.Name)
		}
		seen[f.Format] = true
		claim(f, "name", f.Name)
		for _, alias := range f.Aliases {
			claim(f, "alias", alias)
		}
		for _, ending := range f.Endings {
			claim(f, "ending", ending)
			if ending[0] != '.' || strings.Count(ending, ".") != 1 {
				t.Errorf("%s: an ending is %q", f.Name, ending)
			}
		}
		if f.prefix != "" {
			claim(f, "prefix", f.prefix)
		}
		if f.Help == "" || strings.Contains(f.Help, "\n") || len(f.Help) > 140 || strings.HasSuffix(f.Help, ".") {
			t.Errorf("%s: the help is %q", f.Name, f.Help)
		}
		if f.parts == nil {
			t.Errorf("%s: there is no function that divides it", f.Name)
		}
		if f.describe == nil && f.Columns {
			t.Errorf("%s: a format with named columns is described beyond its help", f.Name)
		}
		if f.anyText {
			rest++
		}
		if told := f.begins != nil || f.looks != nil; told == (f.anyText || f.asked) || f.begins != nil && f.looks != nil {
			t.Errorf("%s: its content is told by %v and %v", f.Name, f.begins != nil, f.looks != nil)
		}
		if f.decides && f.prefix == "" && len(f.Endings) == 0 {
			t.Errorf("%s: the name decides, but none is known", f.Name)
		}
		if f.Lines && f.Rows {
			t.Errorf("%s: a document is a line or several rows, not both", f.Name)
		}
	}
	for format := Auto + 1; format <= Files; format++ {
		if !seen[format] {
			t.Errorf("%v has no entry", int(format))
		}
	}
	if rest != 1 {
		t.Errorf("%d formats take what is left", rest)
	}
	if last := formats[len(formats)-1]; !last.anyText {
		t.Errorf("%s comes after the format that takes what is left", last.Name)
	}
}

// TestFormats checks that what is told of formats cannot be changed from outside, and holds all of them.
func TestFormats(t *testing.T) {
	all := Formats()
	for i, info := range all {
		if !reflect.DeepEqual(info, formats[i].FormatInfo) {
			t.Errorf("%v became %v", formats[i].FormatInfo, info)
		}
		for j := range info.Endings {
			info.Endings[j] = "changed"
		}
	}
	if len(all) != len(formats) || reflect.DeepEqual(all, Formats()) {
		t.Error("the table can be changed from outside")
	}
}

// TestFormatSamples reads a sample of every format: by content, by name and by its own name and aliases.
func TestFormatSamples(t *testing.T) {
	for _, f := range formats {
		t.Run(f.Name, func(t *testing.T) {
			sample, known := formatSamples[f.Format]
			if !known {
				t.Fatal("there is no sample of the format")
			}
			path := sample.file(t)
			opts, by := Options{Tokenize: f.Format == Text}, "content: "
			if f.asked {
				opts.Format, by = f.Format, "given"
			}
			shards, err := Discover(context.Background(), []string{path}, opts)
			if err != nil || shards[0].Format != f.Format || !strings.HasPrefix(shards[0].Reason, by) {
				t.Fatalf("found %v, %v", shards, err)
			}
			for _, name := range append([]string{f.Name}, f.Aliases...) {
				parsed, err := ParseFormat(name)
				if err != nil || parsed != f.Format {
					t.Errorf("%q is %v, %v", name, parsed, err)
				}
				conform(t, sample.want, Options{Format: parsed}, path)
			}
			if f.Format.String() != f.Name || !strings.Contains(FormatNames(), f.Name) {
				t.Errorf("%v is not called %s", f.Format, f.Name)
			}
			d, err := shards[0].Describe(context.Background())
			if err != nil || d.Problem != "" || d.Mapping == nil || f.Columns != (len(d.Columns) > 0) {
				t.Errorf("described as %+v, %v", d, err)
			}
			parts, err := shards[0].Parts(context.Background())
			if err != nil || len(parts) != 1 || parts[0].Bytes == 0 {
				t.Fatalf("parts %v, %v", parts, err)
			}
		})
	}
}

// TestFormatNamesOfFiles takes files by every ending and prefix of the table, compressed or not.
func TestFormatNamesOfFiles(t *testing.T) {
	for _, f := range formats {
		var names []string
		for _, ending := range f.Endings {
			names = append(names, "x"+ending, "X"+strings.ToUpper(ending))
		}
		if f.prefix != "" {
			names = append(names, f.prefix+"x")
		}
		for _, name := range names {
			promised, by := formatOfName(strings.ToLower(name))
			if promised == nil || promised.Format != f.Format || !strings.Contains(namePatterns(), by) {
				t.Errorf("%s promises %v, want %s", name, promised, f.Name)
			}
			dir := t.TempDir()
			sample := formatSamples[f.Format]
			if sample.write != nil {
				sample.write(t, filepath.Join(dir, name))
			} else {
				writeFile(t, filepath.Join(dir, name+".gz"), sample.text)
			}
			shards, err := Discover(context.Background(), []string{dir}, Options{})
			if err != nil || len(shards) != 1 || shards[0].Format != f.Format && f.Format != Text {
				t.Errorf("%s: found %v, %v", name, shards, err)
			}
		}
	}
	if promised, by := formatOfName("notes.md"); promised != nil {
		t.Errorf("notes are taken for %s by %q", promised.Name, by)
	}
}

// TestFormatOptions checks that options change what the table says they change, and nothing else.
func TestFormatOptions(t *testing.T) {
	words := writeFile(t, filepath.Join(t.TempDir(), "words"), "zero\none\ntwo\nthree\n")
	for _, f := range formats {
		t.Run(f.Name, func(t *testing.T) {
			sample := formatSamples[f.Format]
			path := sample.file(t)
			want := sample.want
			if f.WordList {
				want = sample.words
			}
			conform(t, want, Options{Format: f.Format, DocwordVocab: words}, path)
			if f.WordList != (sample.words != nil) {
				t.Error("the sample does not show the word list")
			}
			conform(t, sample.want, Options{Format: f.Format, Group: true, SpillDir: t.TempDir()}, path)
			_, err := collect(t, Options{Format: f.Format, ItemsColumn: "nowhere"}, path)
			if f.Columns {
				wantError(t, err, path, `"nowhere"`)
				if reason := err.(*Error).Reason(); reason != fault.ItemsUnfit {
					t.Errorf("reason %d: %v", reason, err)
				}
			} else if err != nil {
				t.Errorf("a format without columns minds their names: %v", err)
			}
			got, err := collect(t, Options{Format: f.Format, Tokenize: true}, path)
			if table := f.Columns && f.Tokenize && f.Format != JSONL; table { // the samples have no texts
				wantError(t, err, path, "no column holds texts")
			} else if changes := err != nil || !reflect.DeepEqual(got, sample.want); changes != (f.Format == Baskets) {
				t.Errorf("cut into words: %v, %v", got, err)
			}
			var names []string
			for _, batch := range batchesOf(t, path, Options{Format: f.Format, Names: true}) {
				for i := range batch.Names.Len() {
					names = append(names, string(batch.Names.ID(i)))
				}
			}
			if !slices.Equal(names, sample.named) {
				t.Errorf("names %q, want %q", names, sample.named)
			}
			if lines := strings.Count(sample.text, "\n"); f.Lines && lines != len(sample.want) {
				t.Errorf("%d lines of %d documents", lines, len(sample.want))
			}
		})
	}
}

// TestFormatDocument wants every format and alias in the document about inputs.
func TestFormatDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/format/inputs.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range formats {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			if !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("docs/format/inputs.md does not name `%s`", name)
			}
		}
	}
}

// TestReasons checks that reasons come through a reader to the caller.
func TestReasons(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		opts Options
		want fault.Reason
	}{
		"scattered": {"order,sku\n1,a\n2,a\n1,b\n", Options{Format: CSV}, fault.Scattered},
		"unclear":   {"order,sku,item\n1,a,b\n", Options{Format: CSV}, fault.ItemsUnclear},
		"documents": {"a,b\n1,2\n", Options{Format: CSV}, fault.DocumentsUnclear},
		"strings":   {"{\"items\":[\"a\"]}\n{\"items\":\"a\"}\n", Options{Format: JSONL}, fault.StringItems},
		"counts": {"{\"items\":[\"a\"],\"counts\":[1]}\n{\"items\":[\"a\"]}\n", Options{Format: JSONL},
			fault.CountsMissing},
		"memory":     {"order,sku\n1,a\n", Options{Format: CSV, Group: true, MemoryLimit: 1}, fault.SortMemory},
		"no items":   {"{\"x\":1}\n", Options{Format: JSONL}, fault.ItemsMissing},
		"other data": {"1 x:1\n", Options{Format: LibSVM}, fault.Unspecified},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), "x"), test.text)
			_, err := collect(t, test.opts, path)
			wantError(t, err, path)
			if got := err.(*Error).Reason(); got != test.want {
				t.Errorf("reason %d, want %d: %v", got, test.want, err)
			}
		})
	}
}
