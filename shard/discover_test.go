package shard

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	docwordSample = "1\n3\n1\n1 1 1\n"
	basketsSample = "1 2 3\n4 5\n"
)

// tree makes files under a new directory and returns it. Content "parquet" stands for a Parquet shard.
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
		w, err := NewDocumentWriter(f)
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
		"empty directory": {[]string{"empty"}, "no shard found: looked for Parquet files"},
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

func TestDetect(t *testing.T) {
	for name, test := range map[string]struct {
		file, text string
		want       Format
	}{
		"docword":             {"x", docwordSample, Docword},
		"docword gz":          {"x.gz", docwordSample, Docword},
		"docword by name":     {"docword.x.txt", "hello", Docword},
		"docword empty":       {"x", "3\n4\n0\n", Docword},
		"baskets":             {"x", basketsSample, Baskets},
		"single items":        {"x", "3\n4\n1\n1\n", Baskets},
		"single items, three": {"x", "3\n4\n1\n", Baskets},
		"does not fit header": {"x", "3\n4\n1\n9 9 9\n", Baskets},
		"parquet by name":     {"x.parquet", "hello", Parquet},
		"parquet by magic":    {"x.dat", "PAR1", Parquet},
		"nothing":             {"x.dat", "", Baskets},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), test.file), test.text)
			file, err := lookUp(context.Background(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := detect(context.Background(), file)
			if err != nil || got != test.want {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestParseFormat(t *testing.T) {
	for _, format := range []Format{Auto, Parquet, Docword, Baskets} {
		if got, err := ParseFormat(format.String()); got != format || err != nil {
			t.Errorf("%v: %v, %v", format, got, err)
		}
	}
	if _, err := ParseFormat("csv"); err == nil {
		t.Error("csv is no format")
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
			_, err = shards[0].open(context.Background())
			wantError(t, err, path, "has changed")
		})
	}
}
