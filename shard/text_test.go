package shard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/internal/long"
	"anchorage/shard/internal/bag"
)

func TestDocwordErrors(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"nothing":          {"", []string{"row 1", "header ends before the number of documents"}},
		"short header":     {"3\n4\n", []string{"row 3", "number of entries"}},
		"header garbage":   {"3\nfour\n1\n1 1 1\n", []string{"row 2", `not "four"`}},
		"negative header":  {"-3\n4\n1\n1 1 1\n", []string{"row 1"}},
		"absurd documents": {"1000000000000000000\n5\n1\n1 1 1\n", []string{"promises 1000000000000000000 documents"}},
		"too few lines":    {"3\n4\n2\n1 1 1\n", []string{"row 4", "ends after 1 lines; the header says 2"}},
		"too many lines":   {"3\n4\n1\n1 1 1\n1 2 1\n", []string{"row 5", "more lines than the 1"}},
		"document range":   {"3\n4\n1\n4 1 1\n", []string{"row 4", "document 4 is not between 1 and the header's 3"}},
		"document 0":       {"3\n4\n1\n0 1 1\n", []string{"row 4", "document 0"}},
		"word range":       {"3\n4\n1\n1 5 1\n", []string{"row 4", "word 5 is not between 1 and the header's 4"}},
		"descending":       {"3\n4\n2\n2 1 1\n1 2 1\n", []string{"row 5", "document 1 follows document 2"}},
		"zero count":       {"3\n4\n1\n1 1 0\n", []string{"row 4", "count 0"}},
		"negative count":   {"3\n4\n1\n1 1 -7\n", []string{"row 4", "count -7 is negative"}},
		"fractional count": {"3\n4\n1\n1 1 2.5\n", []string{"row 4", "count 2.5 is not a whole number"}},
		"infinite count":   {"3\n4\n1\n1 1 inf\n", []string{"row 4", "count +Inf is greater than 2147483647"}},
		"large count":      {"3\n4\n1\n1 1 2147483648\n", []string{"row 4", "count 2147483648 is greater than 2147483647"}},
		"huge count": {"3\n4\n1\n1 1 99999999999999999999\n", []string{"row 4",
			"count 1e+20 is greater than 2147483647"}},
		"sum of duplicates": {"3\n4\n2\n1 1 2147483647\n1 1 1\n", []string{"row 5",
			`item "1" add up to more than 2147483647`}},
		"two fields":  {"3\n4\n1\n1 1\n", []string{"row 4", "document word count"}},
		"four fields": {"3\n4\n1\n1 1 1 1\n", []string{"row 4", "document word count"}},
		"no number":   {"3\n4\n1\nx 1 1\n", []string{"row 4", `"x 1 1" is not of the form "document word count"`}},
		"long line":   {"3\n4\n1\n" + strings.Repeat(" ", 1<<19) + "1 1 1\n", []string{"row 4", "longer than"}},
		"gap": {"2000000000\n4\n2000000\n1 1 1\n1000000000 1 1\n",
			[]string{"row 5", "document 1000000000 comes after only 2 lines"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), "docword.x.txt"), test.text)
			_, err := collect(t, Options{}, path)
			wantError(t, err, path, test.want...)
		})
	}
}

// TestDocwordAccepted holds files that are unusual but say clearly what they mean.
func TestDocwordAccepted(t *testing.T) {
	for name, text := range map[string]string{
		"plain":       "3\n9\n2\n1 8 1\n3 9 4\n",
		"no newline":  "3\n9\n2\n1 8 1\n3 9 4",
		"windows":     "3\r\n9\r\n2\r\n1 8 1\r\n3 9 4\r\n",
		"blank lines": "\n3\n9\n\n2\n1 8 1\n\n3 9 4\n\n\n",
		"blanks":      " 3 \n9\n2\n  1\t8 1 \n3  9 4\t\n",
		"byte order":  "\xef\xbb\xbf3\n9\n2\n1 8 1\n3 9 4\n",
		"merged":      "3\n9\n3\n1 8 1\n3 9 1\n3 9 3\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), "docword.x.txt"), text)
			conform(t, []document{{"8×1"}, {}, {"9×4"}}, Options{}, path)
		})
	}
}

func TestWordListErrors(t *testing.T) {
	for name, test := range map[string]struct {
		list string
		want []string
	}{
		"short":            {"a\nb\n", []string{"has 2 words", "says 3"}},
		"long":             {"a\nb\nc\nd\n", []string{"has 4 words", "says 3"}},
		"duplicate":        {"a\nb\na\n", []string{"row 3", `"a" is on line 1`}},
		"empty":            {"a\n\nc\n", []string{"row 2", "empty"}},
		"binary":           {"a\n\xff\nc\n", []string{"row 2", "UTF-8"}},
		"gensim, a line":   {"9\n0\ta\t1\nb\n2\tc\t1\n", []string{"row 3", "with tabs between"}},
		"gensim, a number": {"9\n0\ta\t1\n3\tb\t1\n2\tc\t1\n", []string{"row 3", "from 0 to 2", "3 is not"}},
		"gensim, twice":    {"9\n0\ta\t1\n1\tb\t1\n1\tc\t1\n", []string{"row 4", "comes twice"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := writeFile(t, filepath.Join(dir, "docword.x.txt"), "1\n3\n1\n1 1 1\n")
			vocab := writeFile(t, filepath.Join(dir, "vocab.x.txt"), test.list)
			_, err := collect(t, Options{}, path)
			wantError(t, err, vocab, test.want...)
		})
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "docword.x.txt"), "1\n3\n1\n1 1 1\n")
	missing := filepath.Join(t.TempDir(), "nowhere")
	_, err := collect(t, Options{DocwordVocab: missing}, path)
	wantError(t, err, missing, "no such file")
}

func TestBasketsErrors(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"nul":       {"a b\nc \x00d\n", []string{"row 2", "binary"}},
		"control":   {"a b\n\x01\n", []string{"row 2", "binary"}},
		"not utf-8": {"a\n\nb\xff\n", []string{"row 3", "UTF-8"}},
		"long id":   {"a\n" + strings.Repeat("x", bag.MaxItemBytes+1) + "\n", []string{"row 2", "65537 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), "x.dat"), test.text)
			_, err := collect(t, Options{}, path)
			wantError(t, err, path, test.want...)
		})
	}
}

// TestLongLine reads a line which is longer than every buffer at the start.
func TestLongLine(t *testing.T) {
	long.Test(t, "it reads a line of 2 MB")
	var line strings.Builder
	entries := make(map[string]int)
	for i := range 200_000 {
		fmt.Fprintf(&line, "item%d ", i%150_000)
		entries[fmt.Sprintf("item%d", i%150_000)]++
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "x.dat"), "a\n"+line.String()+"\nb b")
	conform(t, []document{{"a×1"}, documentOf(entries), {"b×2"}}, Options{}, path)
}

// TestTruncated cuts compressed shards at many places: each must give an error that names the line reached.
func TestTruncated(t *testing.T) {
	documents := sample()
	numbers, words := numbered(documents, 1)
	for name, text := range map[string]string{
		"x.dat.gz": basketText(documents), "x.dat.zst": basketText(documents),
		"docword.x.txt.gz": docwordText(numbers, len(words)), "docword.x.txt.zst": docwordText(numbers, len(words)),
	} {
		t.Run(name, func(t *testing.T) {
			whole := compressed(t, name, text)
			path := filepath.Join(t.TempDir(), name)
			for _, keep := range []int{5, 20, len(whole) / 2, len(whole) - 1} {
				if err := os.WriteFile(path, whole[:keep], 0o666); err != nil {
					t.Fatal(err)
				}
				_, err := collect(t, Options{}, path)
				if keep > 20 {
					wantError(t, err, path, "truncated", "row ")
				} else {
					wantError(t, err, path, "truncated")
				}
			}
		})
	}
}
