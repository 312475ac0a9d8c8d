package shard

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/shard/tablefile"
)

// convertedFiles are the files of a directory of converted shards, by name.
func convertedFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{"_SUCCESS": ""}
	for i := range 2 {
		var text strings.Builder
		w, err := tablefile.NewDocumentWriter(&text)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(fmt.Sprint(i), []string{"a", "b"}, []int32{1, 2}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("part-%05d.parquet", i)
		files[name] = text.String()
		files[ListName] += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text.String())), name)
	}
	return files
}

// TestConverted finds directories of converted shards on this machine and in a store: whole, without _SUCCESS, without
// a shard that is listed, and with a shard that is another.
func TestConverted(t *testing.T) {
	ctx := t.Context()
	for _, remote := range []bool{false, true} {
		for name, test := range map[string]struct {
			spoil     func(files map[string]string)
			discovery string // error of Discover
			digest    string // error of the digest of the second shard
		}{
			"whole":      {func(map[string]string) {}, "", ""},
			"unfinished": {func(f map[string]string) { delete(f, "_SUCCESS") }, "is not complete: it has no _SUCCESS", ""},
			"missing": {func(f map[string]string) { delete(f, "part-00001.parquet") },
				"lists part-00001.parquet, which is not there", ""},
			"exchanged": {func(f map[string]string) { f["part-00001.parquet"] = f["part-00000.parquet"] }, "",
				"damaged or has changed"},
			"foreign": {func(f map[string]string) {
				delete(f, "_SUCCESS")
				f[ListName] += strings.Repeat("0", 64) + "  other.parquet\n"
			}, "", ""},
		} {
			files := convertedFiles(t)
			test.spoil(files)
			folder := t.TempDir()
			named := filepath.Join(folder, "part-*.parquet")
			if remote {
				s := newTestStore(t)
				for file, content := range files {
					s.put("day/"+file, []byte(content))
				}
				folder, named = s.url("day"), s.url("day/part-*.parquet")
			} else {
				for file, content := range files {
					if err := os.WriteFile(filepath.Join(folder, file), []byte(content), 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			label := fmt.Sprintf("%s, in a store: %v", name, remote)
			shards, err := Discover(ctx, []string{folder}, Options{})
			if test.discovery != "" {
				if err == nil || !strings.Contains(err.Error(), test.discovery) {
					t.Errorf("%s: %v", label, err)
				}
				if shards, err = Discover(ctx, []string{named}, Options{}); err != nil || shards[0].Expects() {
					t.Errorf("%s: named one by one: %v", label, err)
				}
				continue
			}
			if err != nil || len(shards) != 2 || shards[1].Expects() != (name != "foreign") {
				t.Errorf("%s: %v, %v", label, shards, err)
				continue
			}
			_, err = shards[1].Digest(ctx)
			if (err == nil) != (test.digest == "") || err != nil && !strings.Contains(err.Error(), test.digest) {
				t.Errorf("%s: digest: %v", label, err)
			}
		}
	}
}

// FuzzConvertedSums reads data as a list of converted shards: no name may lead out of its folder.
func FuzzConvertedSums(f *testing.F) {
	f.Add(strings.Repeat("0", 64) + "  part-00000.parquet\n")
	f.Add(strings.Repeat("0", 64) + "  ../part-00000.parquet\n# x\n")
	f.Fuzz(func(t *testing.T, list string) {
		for name, sum := range ConvertedSums(list) {
			if filepath.Base(name) != name || filepath.Ext(name) != ".parquet" || len(sum) != 64 {
				t.Errorf("%q: %q", name, sum)
			}
		}
	})
}
