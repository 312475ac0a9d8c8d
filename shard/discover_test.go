package shard

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/text"
	"anchorage/shard/tablefile"
)

const (
	docwordSample = "1\n3\n1\n1 1 1\n"
	basketsSample = "1 2 3\n4 5\n"
)

// tree makes files under a new directory and returns it. Content "parquet" means a Parquet shard.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if content != "parquet" {
			writeFile(t, path, content)
			continue
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w, err := tablefile.NewDocumentWriter(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write("d", []string{"a"}, []int32{1}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return dir
}

func TestDiscover(t *testing.T) {
	dir := tree(t, map[string]string{
		"b.parquet": "parquet", "a.parquet": "parquet", "noname": "parquet", "sub/c.parquet": "parquet",
		"_tmp/d.parquet": "parquet", ".hidden.parquet": "parquet", "_SUCCESS": "", "README.txt": "hello", "ATTRIBUTION": "x",
		"notes.md": "x", "docword.k.txt.gz": docwordSample, "vocab.k.txt": "a\nb\nc\n", "z.dat.zst": basketsSample,
	})
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"directory": {[]string{"."}, "a.parquet=parquet b.parquet=parquet docword.k.txt.gz=docword noname=parquet " +
			"sub/c.parquet=parquet z.dat.zst=baskets"},
		"files":       {[]string{"b.parquet", "a.parquet"}, "b.parquet=parquet a.parquet=parquet"},
		"pattern":     {[]string{"*.parquet"}, "a.parquet=parquet b.parquet=parquet"},
		"all":         {[]string{"z*", "[ab]*"}, "z.dat.zst=baskets a.parquet=parquet b.parquet=parquet"},
		"subfolder":   {[]string{"s*"}, "sub/c.parquet=parquet"},
		"hidden file": {[]string{".hidden.parquet"}, ".hidden.parquet=parquet"},
	} {
		t.Run(name, func(t *testing.T) {
			var args []string
			for _, arg := range test.args {
				args = append(args, filepath.Join(dir, arg))
			}
			shards, err := Discover(context.Background(), args, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range shards {
				relative, err := filepath.Rel(dir, s.Path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, relative+"="+s.Format.String())
			}
			if want := strings.Fields(test.want); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestDiscoverErrors(t *testing.T) {
	dir := tree(t, map[string]string{"a.dat": basketsSample, "empty/README": "x", "vocab.x.txt": "a\n"})
	if err := os.Symlink(filepath.Join(dir, "a.dat"), filepath.Join(dir, "link.dat")); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"missing":         {[]string{"nothing.dat"}, "no such file or directory"},
		"empty directory": {[]string{"empty"}, "no shard found: looked for *.parquet"},
		"pattern":         {[]string{"*.parquet"}, "no shard found"},
		"bad pattern":     {[]string{"[a"}, "syntax error"},
		"twice":           {[]string{"a.dat", "./a.dat"}, "given twice"},
		"link":            {[]string{"a.dat", "link.dat"}, "given twice"},
		"word list":       {[]string{"vocab.x.txt"}, "word list"},
	} {
		t.Run(name, func(t *testing.T) {
			var args []string
			for _, arg := range test.args {
				args = append(args, filepath.Join(dir, arg))
			}
			_, err := Discover(context.Background(), args, Options{})
			wantError(t, err, "", test.want)
		})
	}
	if _, err := Discover(context.Background(), nil, Options{}); err == nil {
		t.Error("no error without arguments")
	}
}

// TestDiscoverLinks wants links in folders to be left out, by whatever way a folder is named, and taken where that is
// asked for.
func TestDiscoverLinks(t *testing.T) {
	t.Chdir(tree(t, map[string]string{"drop/a.dat": basketsSample, "drop/deep/b.dat": basketsSample,
		"secret/passwd.dat":   basketsSample,
		"words/docword.x.txt": "1\n2\n1\n1 2 3\n", "only/README": "x"}))
	for link, to := range map[string]string{"drop/c.dat": "../secret/passwd.dat", "drop/d": "../secret", "dropped": "drop",
		"named.dat":         "drop/a.dat",
		"words/vocab.x.txt": "../secret/passwd.dat", "only/l.dat": "../secret/passwd.dat"} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	for _, test := range []struct {
		arg, want, followed string
		left                int
	}{
		{"drop", "drop/a.dat drop/deep/b.dat", "drop/a.dat drop/c.dat drop/deep/b.dat", 2},
		{"drop/", "drop/a.dat drop/deep/b.dat", "drop/a.dat drop/c.dat drop/deep/b.dat", 2},
		{"dropped", "dropped/a.dat dropped/deep/b.dat", "dropped/a.dat dropped/c.dat dropped/deep/b.dat", 2},
		{"dropped/", "dropped/a.dat dropped/deep/b.dat", "dropped/a.dat dropped/c.dat dropped/deep/b.dat", 2},
		{"drop/*", "drop/a.dat drop/deep/b.dat", "", 2},
		{"drop/*/*.dat", "drop/deep/b.dat", "drop/d/passwd.dat drop/deep/b.dat", 1},
		{"dr*/deep", "drop/deep/b.dat", "", 1},
		{"named.dat", "named.dat", "named.dat", 0},
		{"drop/c.dat", "drop/c.dat", "drop/c.dat", 0},
	} {
		for _, follow := range []bool{false, true} {
			var got []string
			left := 0
			shards, err := Discover(t.Context(), []string{test.arg}, Options{FollowLinks: follow,
				PassedOver: func(_ string, link bool) {
					if link {
						left++
					}
				}})
			for _, s := range shards {
				got = append(got, filepath.ToSlash(s.Path))
			}
			want, wantLeft := test.want, test.left
			if follow {
				want, wantLeft = test.followed, 0
			}
			if want == "" { // through both names a file comes twice
				wantError(t, err, "", "given twice")
			} else if err != nil || strings.Join(got, " ") != want || left != wantLeft {
				t.Errorf("%s, following %v: %q, %d left out, %v; want %q, %d", test.arg, follow, got, left, err, want, wantLeft)
			}
		}
	}
	_, err := Discover(t.Context(), []string{"only"}, Options{})
	wantError(t, err, "", "1 links were left out")
	for _, follow := range []bool{false, true} { // a word list would show a file of the machine as names of items
		_, err := collect(t, Options{FollowLinks: follow}, "words")
		if follow && err == nil {
			continue
		}
		if want := "the word list is a link"; err == nil || strings.Contains(err.Error(), want) == follow {
			t.Errorf("following %v: %v", follow, err)
		}
	}
}

func TestDetect(t *testing.T) {
	for name, test := range map[string]struct {
		file, text string
		want       Format
		reason     string
		options    Options
	}{
		"docword":             {"x", docwordSample, Docword, "content: three numbers", Options{}},
		"docword gz":          {"x.gz", docwordSample, Docword, "content", Options{}},
		"docword by name":     {"docword.x.txt", "hello", Docword, "name: docword.", Options{}},
		"docword empty":       {"x", "3\n4\n0\n", Docword, "content", Options{}},
		"baskets":             {"x", basketsSample, Baskets, "content: lines of text", Options{}},
		"single items":        {"x", "3\n4\n1\n1\n", Baskets, "content", Options{}},
		"single items, three": {"x", "3\n4\n1\n", Baskets, "content", Options{}},
		"does not fit header": {"x", "3\n4\n1\n9 9 9\n", Baskets, "content", Options{}},
		"parquet by name":     {"x.parquet", "hello", Parquet, "name: .parquet", Options{}},
		"parquet by magic":    {"x.dat", "PAR1", Parquet, "content: begins with PAR1", Options{}},
		"nothing":             {"x.dat", "", Baskets, "content", Options{}},
		"arrow":               {"x.dat", "ARROW1\x00\x00", Arrow, "content: begins with ARROW1", Options{}},
		"arrow stream": {"x.dat", "\xff\xff\xff\xff\x08\x00\x00\x0012345678", Arrow,
			"content: begins like an Arrow stream", Options{}},
		"feather 1":     {"x.dat", "FEA1----", Arrow, "content: begins with FEA1", Options{}},
		"arrow by name": {"x.feather", "", Arrow, "name: .feather", Options{}},
		"csv":           {"x.txt", "order_id,sku,qty\n1,a,2\n", CSV, "content: its header names", Options{}},
		"tabs":          {"x.txt.gz", "Invoice No\tStock Code\n1\ta\n", CSV, "content", Options{}},
		"bars":          {"x.txt", "order_id|sku\n1|a\n", CSV, "content", Options{}},
		"csv given":     {"x.txt", "a;b;c\n1;2;3\n", CSV, "content", Options{DocumentColumn: "a", ItemsColumn: "c"}},
		"csv by name":   {"x.csv", "a,b,c\n1,2,3\n", CSV, "name: .csv", Options{}},
		"json": {"x.txt", "{\"id\": 1, \"items\": []}\n", JSONL,
			"content: begins with a JSON object", Options{}},
		"json, long line": {"x", "{\"items\": [\"" + strings.Repeat("x", 2*text.SampleBytes), JSONL,
			"content", Options{}},
		"braces": {"x", "{ a b c\n", Baskets, "content", Options{}},
		"matrix": {"x", "%%MatrixMarket matrix coordinate integer general\n1 1 0\n", MatrixMarket,
			"content: begins with", Options{}},
		"libsvm":          {"x", "+1 1:2 5:1 # c\n-1 2:0.5\n", LibSVM, "content", Options{}},
		"libsvm, ranks":   {"x", "3 qid:7 1:2\n", LibSVM, "content", Options{}},
		"lda-c":           {"x", "2 0:1 5:3\n0\n1 7:2\n", LDAC, "content", Options{}},
		"lda-c or not":    {"x", "2 0:1 5:3\n1 7:2 8:1\n", LibSVM, "content", Options{}},
		"times":           {"x", "12:30 13:45\n", Baskets, "content", Options{}},
		"a bar in a text": {"x", "this | that\nno more\n", Baskets, "content", Options{}},
		"by name":         {"x.ldac.zst", "", LDAC, "name: .ldac", Options{}},
		"words":           {"x", "A text.\n", Text, "content: text, to be cut into words", Options{Tokenize: true}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), test.file), test.text)
			o, err := access.LookUp(context.Background(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := detect(context.Background(), test.options.in(o))
			if err != nil || got.format != test.want || !strings.HasPrefix(got.reason, test.reason) {
				t.Errorf("got %v by %q, %v", got.format, got.reason, err)
			}
		})
	}
}

func TestParseFormat(t *testing.T) {
	for format := Auto; format <= Files; format++ {
		if got, err := ParseFormat(format.String()); got != format || err != nil {
			t.Errorf("%v: %v, %v", format, got, err)
		}
	}
	for _, f := range Formats() {
		for _, alias := range f.Aliases {
			if got, err := ParseFormat(alias); got != f.Format || err != nil {
				t.Errorf("%s: %v, %v", alias, got, err)
			}
		}
	}
	if _, err := ParseFormat("xml"); err == nil || !strings.Contains(err.Error(), "libsvm or baskets") {
		t.Errorf("xml: %v", err)
	}
}

func TestDigest(t *testing.T) {
	path := writeFile(t, filepath.Join(t.TempDir(), "x.dat"), "abc")
	shards, err := Discover(context.Background(), []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := shards[0].Digest(context.Background())
	// The test vector "abc" of FIPS 180-2.
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; got != want || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestChanged checks that a file which is not what Discover saw is an error that names it, however it is opened.
func TestChanged(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"longer":  func(path string) error { return os.WriteFile(path, []byte(basketsSample+"more\n"), 0o666) },
		"touched": func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), "x.dat"), basketsSample)
			shards, err := Discover(context.Background(), []string{path}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := drain(context.Background(), shards[0]); err != nil {
				t.Fatal(err)
			}
			if err := change(path); err != nil {
				t.Fatal(err)
			}
			_, err = drain(context.Background(), shards[0])
			wantError(t, err, path, "has changed")
			_, err = shards[0].Digest(context.Background())
			wantError(t, err, path, "has changed")
			_, err = shards[0].object.Open(context.Background())
			wantError(t, err, path, "has changed")
		})
	}
}
