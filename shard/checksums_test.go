package shard

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChecksums(t *testing.T) {
	ctx := context.Background()
	outer := t.TempDir()
	dir := filepath.Join(outer, "data")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	a := writeFile(t, filepath.Join(dir, "a.dat"), "a b\n")
	writeFile(t, filepath.Join(dir, "sub", "b c.dat"), "c d\n")
	writeFile(t, filepath.Join(dir, "sub", `d\e.dat`), "e\n")
	secret := writeFile(t, filepath.Join(outer, "secret.dat"), "s\n")
	if err := os.Symlink(secret, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	shards, err := Discover(ctx, []string{a, filepath.Join(dir, "sub")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	if err := WriteChecksums(ctx, &list, dir, shards); err != nil {
		t.Fatal(err)
	}
	// As "printf 'a b\n' | sha256sum" says.
	if want := "01186fcf04b4b447f393e552964c08c7"; strings.Count(list.String(), "\n") != 3 ||
		!strings.HasPrefix(list.String(), want) {
		t.Errorf("list %q", list.String())
	}
	path := writeFile(t, filepath.Join(dir, "GONE"), list.String()+strings.Repeat("0",
		64)+" *gone.dat\n"+strings.Repeat("0", 64)+"  sub/z\n")
	sums, err := ReadChecksums(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = sums.Expect(ctx, shards)
	wantError(t, err, path, "lists gone.dat and 1 more files, which are not there")
	path = writeFile(t, filepath.Join(dir, "SHA256SUMS"), "# data\n\n"+list.String())
	sums, err = ReadChecksums(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	expecting, err := sums.Expect(t.Context(), shards)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range expecting {
		if _, err := s.Digest(ctx); err != nil || !s.Expects() {
			t.Error(err)
		}
	}
	wrong := writeFile(t, filepath.Join(dir, "wrong"), strings.Repeat("ab", 32)+"  a.dat\n")
	if sums, err = ReadChecksums(ctx, wrong); err != nil {
		t.Fatal(err)
	}
	if expecting, err = sums.Expect(t.Context(), shards[:1]); err != nil {
		t.Fatal(err)
	}
	_, err = expecting[0].Digest(ctx)
	wantError(t, err, a, "damaged or has changed", wrong)
	_, err = sums.Expect(t.Context(), shards)
	wantError(t, err, shards[1].Path, "not listed in")
	if err := WriteChecksums(ctx, &list, filepath.Join(dir, "sub"), shards); err == nil {
		t.Error("a file outside of the folder is listed")
	}
	for line, what := range map[string]string{
		strings.Repeat("0", 64) + "  ../secret.dat":         "leads out",
		strings.Repeat("0", 64) + "  sub/../../x":           "leads out",
		strings.Repeat("0", 64) + "  " + secret:             "leads out",
		strings.Repeat("0", 64) + "  link":                  "leads out",
		strings.Repeat("0", 64) + " a.dat":                  "form of sha256sum",
		strings.Repeat("x", 64) + "  a.dat":                 "is not a SHA-256",
		"hello":                                             "form of sha256sum",
		list.String() + strings.Repeat("0", 64) + "  a.dat": "twice",
	} {
		bad := writeFile(t, filepath.Join(dir, "bad"), line+"\n")
		_, err := ReadChecksums(ctx, bad)
		wantError(t, err, bad, what)
	}
}

func TestRemoteChecksums(t *testing.T) {
	ctx := context.Background()
	s := newTestStore(t)
	s.put("d/a.dat", []byte("a\n"))
	shards, err := Discover(ctx, []string{s.url("d")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	if err := WriteChecksums(ctx, &list, ".", shards); err != nil {
		t.Fatal(err)
	}
	sum, _, _ := strings.Cut(list.String(), " ")
	s.put("d/SUMS", []byte(sum+"  a.dat\n"))
	s.put("d/ESCAPE", []byte(sum+"  ../d/a.dat\n"))
	local := writeFile(t, filepath.Join(t.TempDir(), "SUMS"), list.String())
	for _, path := range []string{local, s.url("d/SUMS")} {
		sums, err := ReadChecksums(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		expecting, err := sums.Expect(t.Context(), shards)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := expecting[0].Digest(ctx); err != nil {
			t.Error(err)
		}
	}
	_, err = ReadChecksums(ctx, s.url("d/ESCAPE"))
	wantError(t, err, s.url("d/ESCAPE"), "leads out")
}

// FuzzChecksums reads data as a list of checksums: no name may lead out of its folder.
func FuzzChecksums(f *testing.F) {
	zeros := strings.Repeat("0", 64)
	for _, name := range []string{"a", "../a", "/etc/passwd", "x/../../a", "s3://b/k", "a\\n"} {
		f.Add([]byte(zeros + "  " + name + "\n\\" + zeros + " *" + name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := filepath.Join(t.TempDir(), "data")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "a"), "a")
		writeFile(t, filepath.Join(dir, "..", "a"), "b")
		list := writeFile(t, filepath.Join(dir, "LIST"), string(data))
		sums, err := ReadChecksums(context.Background(), list)
		var place *Error
		if err != nil {
			if !errors.As(err, &place) || len(place.Error()) > math.MaxUint16*4 {
				t.Fatal(err)
			}
			return
		}
		root, err := resolvedPath(dir)
		if err != nil {
			t.Fatal(err)
		}
		for name := range sums.sums {
			if relative, err := filepath.Rel(root, name); !strings.Contains(name, "://") && (err != nil ||
				!filepath.IsLocal(relative)) {
				t.Fatalf("%q leads to %q", data, name)
			}
		}
	})
}
