// This file holds exports against the model that they were made of.

package export

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/npy"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/shard/tablefile"
)

// small returns a model of 3 topics whose ids are what items call.
func small(t *testing.T, name func(i int) string) *model.Model {
	t.Helper()
	var documents []corpus.Document
	for d := range 300 {
		var items []string
		for j := range 6 {
			items = append(items, name(d%3*8+(d/3*5+j*j)%8))
		}
		if d%2 == 0 {
			items = append(items, name((d+1)%3*8+d%8), name((d+1)%3*8+d*3%8), name((d+2)%3*8+d*5%8))
		}
		documents = append(documents, corpus.Document{Items: items})
	}
	docs, err := corpus.FromDocuments(context.Background(), documents, corpus.Everything())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(context.Background(), docs, fit.Options{Topics: 3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return fitted.Loaded()
}

func plain(i int) string { return fmt.Sprintf("item %d, \"é\"", i) }

// read returns the shape and the values of a .npy file.
func read[T npy.Number](t *testing.T, path string) ([]int64, []T) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(data)
	_, _, shape, err := npy.ReadHeader(r)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]T, r.Len()/binary.Size(*new(T)))
	if err := binary.Read(r, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	return shape, values
}

// write exports a model and returns where it is.
func write(t *testing.T, m *model.Model, to Format, o Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	if err := Write(context.Background(), m, to, path, o); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestArrays(t *testing.T) {
	m := small(t, plain)
	path := write(t, m, NPY, Options{})
	n, k := m.Items.Dims()
	for name, want := range map[string]func(i, k int) float64{"mixtures": m.Mixtures.At, "topic_items": m.Items.At} {
		shape, values := read[float32](t, filepath.Join(path, name+".npy"))
		if !slices.Equal(shape, []int64{int64(n), int64(k)}) {
			t.Errorf("%s has the shape %v", name, shape)
		}
		for i, v := range values {
			if v != float32(want(i/k, i%k)) {
				t.Fatalf("%s has %v in row %d, want %v", name, v, i/k, want(i/k, i%k))
			}
		}
	}
	if _, joint := read[float64](t, filepath.Join(path, "correlations.npy")); !slices.Equal(joint, m.TopicJoint) {
		t.Errorf("A is %v", joint)
	}
	if shape, df := read[int64](t, filepath.Join(path, "df.npy")); !slices.Equal(df, m.DocumentFrequency) ||
		len(shape) != 1 {
		t.Errorf("df is %v, %v", shape, df)
	}
	data, err := os.ReadFile(filepath.Join(path, "items.json"))
	var ids []string
	if err = errors.Join(err, json.Unmarshal(data, &ids)); err != nil || len(ids) != n ||
		ids[n-1] != m.Vocabulary.ID(n-1) {
		t.Errorf("items %v, %v", ids, err)
	}
}

// TestDocuments checks the topics and ids of documents in every form that has them, against the tables of two shards.
func TestDocuments(t *testing.T) {
	m := small(t, plain)
	var files, ids []string
	var shares []float32
	for at, names := range [][]string{{"a", "=b"}, {"日本"}} {
		var rows []float32
		var tokens []int64
		for d := range names {
			rows, tokens = append(rows, 0.5, 0.25, 0.25), append(tokens, int64(at+d)) // one has no known token, and stays
		}
		files, ids, shares = append(files, documentTable(t, names, rows, tokens)), append(ids, names...), append(shares, rows...)
	}
	check := func(what string, shape []int64, values []float32, names []string) {
		t.Helper()
		if !slices.Equal(shape, []int64{3, 3}) || !slices.Equal(values, shares) || !slices.Equal(names, ids) {
			t.Errorf("%s: %v, %v of %q", what, shape, values, names)
		}
	}
	path := write(t, m, NPY, Options{Documents: files})
	shape, values := read[float32](t, filepath.Join(path, "document_topics.npy"))
	var names []string
	data, err := os.ReadFile(filepath.Join(path, "documents.json"))
	if err = errors.Join(err, json.Unmarshal(data, &names)); err != nil {
		t.Fatal(err)
	}
	check("npy", shape, values, names)

	text, err := os.ReadFile(filepath.Join(write(t, m, CSV, Options{Documents: files}), "document_topics.csv"))
	if want := "doc_id,topic_0,topic_1,topic_2\na,0.5,0.25,0.25\n'=b,0.5,0.25,0.25\n日本,0.5,0.25,0.25\n"; string(text) != want {
		t.Errorf("%q, %v", text, err)
	}
	var refused *OptionError
	if err := Write(context.Background(), m, Word2Vec, filepath.Join(t.TempDir(), "x"), Options{Documents: files}); !errors.As(err,
		&refused) || !refused.Documents {
		t.Errorf("word2vec with documents: %v", err)
	}
}

// TestIntegerItems checks that ids that are integers are numbers in JSON.
func TestIntegerItems(t *testing.T) {
	m := small(t, strconv.Itoa)
	data, err := os.ReadFile(filepath.Join(write(t, m, NPY, Options{}), "items.json"))
	var ids []int
	if err = errors.Join(err, json.Unmarshal(data, &ids)); err != nil || strconv.Itoa(ids[3]) != m.Vocabulary.ID(3) {
		t.Errorf("items %v, %v", ids, err)
	}
}

// TestGensim checks that topics are distributions without zeros, and what the prior promises: its mean and E‖θ‖².
func TestGensim(t *testing.T) {
	m := small(t, plain)
	path := write(t, m, Gensim, Options{})
	n, k := m.Items.Dims()
	shape, topics := read[float32](t, filepath.Join(path, "topics.npy"))
	if !slices.Equal(shape, []int64{int64(k), int64(n)}) {
		t.Fatalf("the topics have the shape %v", shape)
	}
	for a := range k {
		sum := 0.0
		for i, p := range topics[a*n : (a+1)*n] {
			sum += float64(p)
			if !(p > 0) || math.Abs(float64(p)-m.Items.At(i, a)) > 1e-6 {
				t.Errorf("topic %d, item %d: %v, want %v", a, i, p, m.Items.At(i, a))
			}
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("topic %d sums to %v", a, sum)
		}
	}
	_, alpha := read[float64](t, filepath.Join(path, "alpha.npy"))
	c, trace, second := 0.0, 0.0, 0.0
	for a, v := range alpha {
		c += v
		trace += m.TopicJoint[a*k+a]
	}
	for a, v := range alpha {
		second += v * (v + 1) / (c * (c + 1))
		if want := infer.Shares(m.TopicJoint, k)[a]; math.Abs(v/c-want) > 1e-6 || math.Abs(want-m.Shares[a]) > 0.05*want {
			t.Errorf("topic %d has %v of the prior, want %v; p(topic) is %v", a, v/c, want, m.Shares[a])
		}
	}
	if math.Abs(second-trace) > 0.01*trace {
		t.Errorf("E‖θ‖² is %v, want %v", second, trace)
	}
	dictionary, err := os.ReadFile(filepath.Join(path, "dictionary.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(dictionary), "\n"), "\n")
	if lines[0] != "300" || len(lines) != n+1 || strings.Count(lines[5], "\t") != 2 ||
		!strings.HasPrefix(lines[5], "4\titem_") {
		t.Errorf("the dictionary is %q", lines)
	}
}

func TestCSV(t *testing.T) {
	m := small(t, plain)
	path := write(t, m, CSV, Options{})
	for name, rows := range map[string]int{"items": m.Vocabulary.Len(), "mixtures": m.Vocabulary.Len(),
		"topic_items": m.Vocabulary.Len(), "topics": 3, "correlations": 9} {
		file, err := os.Open(filepath.Join(path, name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(file).ReadAll()
		file.Close()
		if err != nil || len(lines) != rows+1 {
			t.Fatalf("%s: %d lines, want %d, %v", name, len(lines), rows+1, err)
		}
		switch last := lines[rows]; name {
		case "mixtures":
			value, err := strconv.ParseFloat(last[3], 32)
			if last[0] != m.Vocabulary.ID(rows-1) || float32(value) != float32(m.Mixtures.At(rows-1, 2)) || err != nil {
				t.Errorf("the last line is %q", last)
			}
		case "items":
			if last[0] != m.Vocabulary.ID(rows-1) || last[2] != strconv.FormatInt(m.DocumentFrequency[rows-1], 10) {
				t.Errorf("the last line is %q", last)
			}
		}
	}
}

// TestVectors reads the same vectors back from both forms.
func TestVectors(t *testing.T) {
	m := small(t, plain)
	want, err := m.Vectors(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	n, k := want.Dims()
	for _, to := range []Format{NPY, Word2Vec} {
		path := filepath.Join(t.TempDir(), "out")
		if err := Write(context.Background(), m, to, path, Options{}); err != nil {
			t.Fatal(err)
		}
		var values []float32
		if to == NPY {
			_, values = read[float32](t, filepath.Join(path, "vectors.npy"))
		} else {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
				words := strings.Split(line, " ")
				if i == 0 {
					if line != fmt.Sprintf("%d %d", n, k) {
						t.Errorf("the first line is %q", line)
					}
					continue
				}
				if len(words) != 1+k || words[0] != strings.ReplaceAll(m.Vocabulary.ID(i-1), " ", "_") {
					t.Fatalf("line %d is %q", i, line)
				}
				for _, word := range words[1:] {
					v, err := strconv.ParseFloat(word, 32)
					if err != nil {
						t.Fatal(err)
					}
					values = append(values, float32(v))
				}
			}
		}
		if len(values) != n*k {
			t.Fatalf("%s has %d values", to, len(values))
		}
		for i, v := range values {
			if v != want.At(i/k, i%k) {
				t.Fatalf("%s has %v for item %d, want %v", to, v, i/k, want.At(i/k, i%k))
			}
		}
	}
}

// TestNamesThatFallTogether checks that items are never mixed up where white space must go.
func TestNamesThatFallTogether(t *testing.T) {
	for _, pair := range [][2]string{{"a b", "a_b"}, {"a b", "a\tb"}, {"a\nb", "a_b"}} {
		m := small(t, func(i int) string {
			if i < 2 {
				return pair[i]
			}
			return plain(i)
		})
		for _, to := range []Format{Gensim, Word2Vec} {
			path := filepath.Join(t.TempDir(), "out")
			names := new(ItemError)
			if err := Write(context.Background(), m, to, path, Options{}); !errors.As(err, &names) || names.Name != "a_b" {
				t.Errorf("%q to %s: %v", pair, to, err)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q to %s: something is left: %v", pair, to, err)
			}
		}
	}
}

// writeDocuments writes topics of documents: one of each number of known tokens. The shares of the first topic are as
// given.
func writeDocuments(t *testing.T, tokens []int64, first []float32) string {
	t.Helper()
	var ids []string
	var mixtures []float32
	for d := range tokens {
		ids = append(ids, strconv.Itoa(d))
		mixtures = append(mixtures, first[d], 0.25, 0.75-first[d])
	}
	return documentTable(t, ids, mixtures, tokens)
}

// documentTable writes topics of documents, three shares each.
func documentTable(t *testing.T, ids []string, mixtures []float32, tokens []int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "documents.parquet")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w, err := tablefile.NewWriter(file, []tablefile.Field{{Name: "doc_id", Type: tablefile.String},
		{Name: "mixture", Type: tablefile.Float32List, Width: 3},
		{Name: "known_tokens", Type: tablefile.Int64}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(ids, mixtures, tokens), w.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPyLDAvis checks what pyLDAvis.prepare checks of its five arguments.
func TestPyLDAvis(t *testing.T) {
	m := small(t, plain)
	n, k := m.Items.Dims()
	documents := []string{writeDocuments(t, []int64{5, 0, 7}, []float32{0.5, 0.25, 0.125}),
		writeDocuments(t, []int64{9}, []float32{0.75})}
	path := write(t, m, PyLDAvis, Options{Documents: documents})
	shape, terms := read[float32](t, filepath.Join(path, "topic_term_dists.npy"))
	if !slices.Equal(shape, []int64{int64(k), int64(n)}) || slices.Min(terms) <= 0 {
		t.Errorf("topic_term_dists has the shape %v and the least value %v", shape, slices.Min(terms))
	}
	shape, mixtures := read[float32](t, filepath.Join(path, "doc_topic_dists.npy"))
	if !slices.Equal(shape, []int64{3, 3}) || !slices.Equal(mixtures, []float32{0.5, 0.25, 0.25, 0.125, 0.25, 0.625, 0.75,
		0.25, 0}) {
		t.Errorf("doc_topic_dists is %v, %v: a document without known items must be left out", shape, mixtures)
	}
	if _, lengths := read[int64](t, filepath.Join(path, "doc_lengths.npy")); !slices.Equal(lengths, []int64{5, 7, 9}) {
		t.Errorf("doc_lengths is %v", lengths)
	}
	if _, tf := read[int64](t, filepath.Join(path, "term_frequency.npy")); !slices.Equal(tf, m.TermFrequency) {
		t.Errorf("term_frequency is %v", tf)
	}
}

func TestDocumentsRefused(t *testing.T) {
	m := small(t, plain)
	out := filepath.Join(t.TempDir(), "out")
	for name, documents := range map[string]string{
		"negative tokens":  writeDocuments(t, []int64{5, -1}, []float32{0.5, 0.5}),
		"no distribution":  writeDocuments(t, []int64{5}, []float32{float32(math.NaN())}),
		"no known items":   writeDocuments(t, []int64{0, 0}, []float32{0.5, 0.5}),
		"no such file":     filepath.Join(t.TempDir(), "none.parquet"),
		"another K or col": writeOther(t),
	} {
		err := Write(context.Background(), m, PyLDAvis, out, Options{Documents: []string{documents}})
		if !errors.As(err, new(*model.InputError)) && !errors.As(err, new(*shard.Error)) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something is left", name)
		}
	}
	form := new(OptionError)
	if err := Write(context.Background(), m, PyLDAvis, out, Options{}); !errors.As(err, &form) || !form.Documents {
		t.Errorf("without documents: %v", err)
	}
	if err := Write(context.Background(), m, Gensim, out, Options{Documents: []string{"x"}}); !errors.As(err, &form) ||
		!form.Documents {
		t.Errorf("documents for gensim: %v", err)
	}
	if err := Write(context.Background(), m, "pdf", out, Options{}); !errors.As(err, &form) || form.Documents {
		t.Errorf("an unknown format: %v", err)
	}
}

// writeOther writes a table of mixtures of 2 topics.
func writeOther(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.parquet")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w, err := tablefile.NewWriter(file, []tablefile.Field{{Name: "mixture", Type: tablefile.Float32List, Width: 2},
		{Name: "known_tokens", Type: tablefile.Int64}})
	if err = errors.Join(err, w.Write([]float32{0.5, 0.5}, []int64{2}), w.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFormatTable checks that every format is complete.
func TestFormatTable(t *testing.T) {
	names, help := Formats()
	for i, f := range formats {
		if f.name != names[i] || help[i] == "" || (f.file == nil) == (f.folder == nil) {
			t.Errorf("format %d is not complete: %+v", i, f)
		}
	}
}

func TestExists(t *testing.T) {
	m := small(t, plain)
	path := write(t, m, NPY, Options{})
	if err := Write(context.Background(), m, CSV, path, Options{}); !errors.Is(err, model.ErrExists) {
		t.Errorf("the error is %v", err)
	}
}
