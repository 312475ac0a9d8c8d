package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/shard/tablefile"
)

// save writes a file and returns its path.
func save(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func ids(v *corpus.Vocabulary) []string {
	var ids []string
	for i := range v.Len() {
		ids = append(ids, v.ID(i))
	}
	return ids
}

func TestReadWordList(t *testing.T) {
	want := []string{"new york", "größe", "b"}
	for _, content := range []string{
		"new york\ngröße\nb\n",
		"new york\ngröße\nb",
		"new york\r\ngröße\r\nb\r\n",
		"\xef\xbb\xbfnew york\r\ngröße\r\nb",
	} {
		v, err := ReadVocabulary(context.Background(), save(t, content))
		if err != nil {
			t.Errorf("%q: %v", content, err)
			continue
		}
		if got := ids(v); !slices.Equal(got, want) || v.Counted {
			t.Errorf("%q: %q", content, got)
		}
	}
}

func TestReadWordListErrors(t *testing.T) {
	for _, test := range []struct {
		content, want string
		row           int64
	}{
		{"", "empty", 0},
		{"\xef\xbb\xbf", "empty", 0},
		{"a\n\nb\n", "empty", 2},
		{"a\n \nb\n", "empty", 2},
		{"a\nb\n\n", "empty", 3},
		{"a\nb\na\n", `"a" is on line 1 already`, 3},
		{"a\na\n", `"a" is on line 1 already`, 2},
		{"a\nb\x00\n", "not plain text", 2},
		{"\xff\xfea\x00\n\x00", "not plain text", 1}, // UTF-16
		{"gr\xf6\xdfe\n", "UTF-8", 1},                // Latin-1
		{"a\n" + strings.Repeat("x", maxLine), "longer", 2},
		{"PAR1 but no table PAR1", "", 0},
	} {
		_, err := ReadVocabulary(context.Background(), save(t, test.content))
		bad := new(shard.Error)
		if !errors.As(err, &bad) || bad.Row != test.row || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.20q: error %v", test.content, err)
		}
	}
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := ReadVocabulary(context.Background(), missing); !errors.Is(err, os.ErrNotExist) ||
		strings.Count(err.Error(), missing) != 1 {
		t.Errorf("missing file: error %v", err)
	}
	if _, err := ReadVocabulary(context.Background(), t.TempDir()); err == nil {
		t.Error("a directory was read")
	}
}

// table returns vocabulary.parquet with the given columns.
func table(t *testing.T, id tablefile.Type, columns ...any) string {
	t.Helper()
	var b bytes.Buffer
	w, err := tablefile.NewWriter(&b, vocabularyFields(id))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(columns...); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return save(t, b.String())
}

// counted returns a vocabulary of integers in random order with random counts over a number of documents.
func counted(seed uint64, items int, documents int64) *corpus.Vocabulary {
	random := rand.New(rand.NewPCG(seed, 2))
	v := corpus.NewVocabulary()
	for _, i := range random.Perm(items) {
		index := v.Intern(fmt.Appendf(nil, "%d", i))
		v.DocumentFrequency[index] = 1 + random.Int64N(documents)
		v.TermFrequency[index] = v.DocumentFrequency[index] + random.Int64N(3)
	}
	v.Counted = true
	return v
}

// TestVocabularyTable writes vocabularies and reads them back: words, integers, several row groups, no counts.
func TestVocabularyTable(t *testing.T) {
	words, integers := corpus.NewVocabulary(), counted(1, VocabularyRows+100, 1000)
	for _, word := range []string{"b", "größe", "-0", "7"} {
		words.DocumentFrequency[words.Intern([]byte(word))] = 3
	}
	copy(words.TermFrequency, []int64{3, 4, 5, 6})
	words.Counted = true
	for _, v := range []*corpus.Vocabulary{words, integers, words.Uncounted()} {
		var b bytes.Buffer
		if err := WriteVocabulary(&b, v); err != nil {
			t.Fatal(err)
		}
		got, err := ReadVocabulary(context.Background(), save(t, b.String()))
		if err != nil {
			t.Fatal(err)
		}
		if !sameCounts(got, v) || got.Integers() != v.Integers() {
			t.Errorf("%d items: others are read", v.Len())
		}
	}
}

func TestVocabularyTableErrors(t *testing.T) {
	for _, test := range []struct {
		path, want string
		row        int64
	}{
		{table(t, tablefile.String, []string{"a", "b", "a"}, []int32{0, 1, 2}, []int64{1, 1, 1}, []int64{1, 1, 1}),
			`"a" is already in row 1`, 3},
		{table(t, tablefile.Int64, []int64{5, 5}, []int32{0, 1}, []int64{1, 1}, []int64{1, 1}), `"5" is already in row 1`, 2},
		{table(t, tablefile.String, []string{"a", ""}, []int32{0, 1}, []int64{1, 1}, []int64{1, 1}), "empty", 2},
		{table(t, tablefile.String, []string{"a", "b"}, []int32{0, 2}, []int64{1, 1}, []int64{1, 1}), "index is 2", 2},
		{table(t, tablefile.String, []string{"a", "b"}, []int32{1, 0}, []int64{1, 1}, []int64{1, 1}), "index is 1", 1},
		{table(t, tablefile.String, []string{"a", "b"}, []int32{0, 1}, []int64{1, 2}, []int64{1, 1}),
			"df is 2 and tf is 1", 2},
		{table(t, tablefile.String, []string{"a"}, []int32{0}, []int64{-1}, []int64{1}), "df is -1", 1},
		{table(t, tablefile.String, []string{}, []int32{}, []int64{}, []int64{}), "empty", 0},
		{table(t, tablefile.Int32, []int32{7}, []int32{0}, []int64{1}, []int64{1}), `column "item_id"`, 0},
	} {
		_, err := ReadVocabulary(context.Background(), test.path)
		bad := new(shard.Error)
		if !errors.As(err, &bad) || bad.Row != test.row || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestReadStopwords(t *testing.T) {
	words, err := ReadStopwords(context.Background(), save(t, "\xef\xbb\xbfthe\r\n\r\n  of \nand\nthe"))
	if err != nil {
		t.Fatal(err)
	}
	if len(words) != 3 {
		t.Errorf("words %v", words)
	}
	for _, word := range []string{"the", "of", "and"} {
		if _, ok := words[word]; !ok {
			t.Errorf("%q is missing", word)
		}
	}
	if words, err := ReadStopwords(context.Background(), save(t, "")); err != nil || len(words) != 0 {
		t.Errorf("an empty list: %v, %v", words, err)
	}
	if _, err := ReadStopwords(context.Background(), save(t, "a\x00b")); err == nil {
		t.Error("a binary file was read")
	}
}

func TestReadLists(t *testing.T) {
	vocabulary := corpus.NewVocabulary()
	for _, item := range []string{"a", "b", "ç"} {
		vocabulary.Intern([]byte(item))
	}
	for _, test := range []struct {
		text  string
		lists [][]int
		row   int64
		want  string // in the error
	}{
		{"a b\nç\n", [][]int{{0, 1}, {2}}, 0, ""},
		{"  ç\ta  \n\n \nb", [][]int{{2, 0}, {1}}, 0, ""},
		{"", nil, 0, "the file has no topics"},
		{"\n\n", nil, 0, "the file has no topics"},
		{"a\nb x\n", nil, 2, `item "x" is in no document`},
		{"\na b a\n", nil, 2, `item "a" occurs twice`},
		{"a\n" + strings.Repeat("b", 2<<20), nil, 2, "the line is longer"},
	} {
		path := save(t, test.text)
		lists, err := ReadLists(t.Context(), path, vocabulary)
		if test.want == "" {
			if err != nil || !slices.EqualFunc(lists, test.lists, slices.Equal) {
				t.Errorf("%q: %v, %v", test.text, lists, err)
			}
			continue
		}
		input, ok := err.(*shard.Error)
		if !ok || input.Path != path || input.Row != test.row || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.20q: %v, want row %d and %q", test.text, err, test.row, test.want)
		}
	}
	if _, err := ReadLists(t.Context(), "nowhere.txt", vocabulary); !errors.As(err, new(*shard.Error)) {
		t.Errorf("no file: %v", err)
	}
}
