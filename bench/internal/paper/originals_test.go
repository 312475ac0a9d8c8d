package paper

import (
	"compress/gzip"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/durable"
)

// writeData writes a file below the data folder, compressed if its name says so.
func writeData(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	err := durable.WriteFile(path, func(w io.Writer) error {
		if !strings.HasSuffix(name, ".gz") {
			_, err := io.WriteString(w, text)
			return err
		}
		z := gzip.NewWriter(w)
		if _, err := io.WriteString(z, text); err != nil {
			return err
		}
		return z.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// The first lines of the papers' data sets, as their publishers describe the files: UCI's docword, MovieLens 10M's ratings.dat, and
// train.txt of the Yes.com playlists.
const (
	docwordLines  = "3\n5\n8\n1 1 2\n1 3 1\n1 5 3\n2 1 1\n2 2 4\n2 3 1\n3 4 7\n3 5 1\n"
	vocabLines    = "aah\naahed\naaron\naback\nabacus\n"
	ratingLines   = "1::122::5::838985046\n1::185::4.5::838983525\n1::231::3::838983392\n2::110::0.5::868245777\n2::122::3.5::868244562\r\n3::590::2::1136075494\n"
	playlistLines = "1 2 5 9 \n3 1 2 1 \n0 1 0 \n2 0 3 2 \n\n"
)

// originalsFolder is a data folder with the three files in their exact formats.
func originalsFolder(t *testing.T) string {
	folder := t.TempDir()
	writeData(t, folder, "data/nytimes/docword.nytimes.txt.gz", docwordLines)
	writeData(t, folder, "data/nytimes/vocab.nytimes.txt", vocabLines)
	writeData(t, folder, "data/movies/ratings.dat", ratingLines)
	writeData(t, folder, "data/songs/train.txt", playlistLines)
	return folder
}

// Every original is read with the counts that its file says, and under its own name.
func TestOriginals(t *testing.T) {
	from := reader{folder: originalsFolder(t), spill: t.TempDir(), workers: 2}
	for at, want := range []map[string]int32{
		{"0 aah": 2, "0 aaron": 1, "0 abacus": 3, "1 aah": 1, "1 aahed": 4, "1 aaron": 1, "2 aback": 7, "2 abacus": 1},
		{"0 122": 5, "0 185": 5, "0 231": 3, "1 110": 1, "1 122": 4, "2 590": 2},
		{"0 0": 2, "0 1": 1, "1 0": 1, "1 2": 2, "1 3": 1},
	} {
		d, err := findSource(from.folder, []string{"nytimes", "movies", "songs"}[at])
		if err != nil || d.standsIn || strings.Contains(d.name(), "drawn") {
			t.Errorf("%s is there, and a stand-in is in its place", d.key)
		}
		docs, err := from.openWith(t.Context(), d, corpus.Everything())
		if err != nil {
			t.Fatal(err)
		}
		number, found := 0, 0
		err = docs.Pass(t.Context(), func(run *corpus.Documents) error {
			for i := range run.Documents() {
				items, counts := run.Row(i)
				for j, item := range items {
					key := string(rune('0'+number)) + " " + docs.Vocabulary.ID(int(item))
					if found++; counts[j] != want[key] {
						t.Errorf("%s: document %q counts %d, want %d", d.key, key, counts[j], want[key])
					}
				}
				number++
			}
			return nil
		})
		// A document of fewer than two tokens has no pair and is not passed on.
		if err != nil || found != len(want) {
			t.Errorf("%s: %d entries of %d documents, want %d: %v", d.key, found, number, len(want), err)
		}
		if err := docs.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Lines that are not of the format end the reading with their number.
func TestOriginalsBroken(t *testing.T) {
	folder := t.TempDir()
	for name, c := range map[string]struct{ key, file, text, want string }{
		"rating":     {"movies", "ratings.dat", "1::122::5::838985046\n1::185::many::838983525\n", "line 2"},
		"commas":     {"movies", "ratings.dat", "userId,movieId,rating,timestamp\n1,2,3,4\n", "line 1"},
		"song":       {"songs", "train.txt", "1 2\n1 1\n0 2\n", "line 3"},
		"occurrence": {"songs", "train.txt", "1 2\n1\n0 1\n", "line 2"},
	} {
		path := writeData(t, folder, name+"/"+c.file, c.text)
		d, err := findSource(folder, c.key)
		if err != nil {
			t.Fatal(err)
		}
		for _, err = range d.read(path) {
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	for _, err := range readRatings(filepath.Join(folder, "nothing")) {
		if !os.IsNotExist(err) {
			t.Errorf("%v", err)
		}
	}
}

// Without the originals drawn corpora of their published shapes are in their place, under other names.
func TestStandIns(t *testing.T) {
	folder := t.TempDir()
	for name, shape := range map[string]struct{ documents, items, tokens int }{"nytimes": {269325, 15000, 205}, "movies": {63041, 10000, 143}, "songs": {14653, 10000, 119}} {
		d, err := findSource(folder, name)
		again, same := findSource(folder, d.name())
		if err != nil || same != nil || again.key != name || d.name() != name+"-drawn" || !d.standsIn || d.text || d.drawn.Documents != shape.documents ||
			d.drawn.Items != shape.items || d.drawn.Tokens != shape.tokens || d.items != shape.items {
			t.Errorf("%s: %+v", d.key, d.drawn)
		}
	}
	d, _ := findSource(folder, "songs")
	docs, err := reader{folder: folder, spill: t.TempDir()}.open(t.Context(), d, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	tokens := 0.0
	for _, tf := range docs.Vocabulary.TermFrequency {
		tokens += float64(tf)
	}
	if mean := tokens / float64(docs.Account.DocumentsRead); math.Abs(mean-119) > 2 || docs.Account.DocumentsRead != 14653 {
		t.Errorf("%d documents have %.1f tokens on average, want 14,653 with 119", docs.Account.DocumentsRead, mean)
	}
}

// Stop words come from the list, and from what the reference vocabulary does not hold of the words that come before its last.
func TestStopWords(t *testing.T) {
	from := reader{folder: writePaperData(t), spill: t.TempDir()}
	data, err := findSource(from.folder, "nips")
	if err != nil {
		t.Fatal(err)
	}
	words, err := from.stopWords(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]bool{"the": true, "word5": true, "word7": true, "word0": false, "word119": false, "neuron": false, "#": false} {
		if _, got := words[word]; got != want {
			t.Errorf("%s is a stop word: %v", word, got)
		}
	}
	docs, err := from.open(t.Context(), data, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	if _, kept := docs.Vocabulary.Lookup([]byte("word5")); kept || docs.Vocabulary.Len() != 118 {
		t.Errorf("%d items are kept, word5 among them: %v", docs.Vocabulary.Len(), kept)
	}
}
