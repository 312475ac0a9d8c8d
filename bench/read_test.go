package bench

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/shard"
)

func TestRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "small")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.dat", "b.dat"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x y z\nx\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	wiki := filepath.Join("..", "testdata", "wiki")
	records, err := Read{Workers: []int{1, 2}}.Run(context.Background(), []string{dir, wiki}, shard.Options{})
	if err != nil || len(records) != 4 {
		t.Fatal(len(records), err)
	}
	for i, r := range records {
		if r.Workers != i%2+1 || r.Nonzeros == 0 || r.Wall <= 0 || r.FloorWall <= 0 {
			t.Errorf("%+v", r)
		}
	}
	if r := records[0]; r.Documents != 4 || r.Nonzeros != 8 || r.Bytes != 16 || r.Decompressed != 16 || r.Name != "small" || r.Format != "baskets" {
		t.Errorf("%+v", r)
	}
	if r := records[2]; r.Decompressed <= r.Nonzeros {
		t.Errorf("%d bytes decompressed for %d nonzeros", r.Decompressed, r.Nonzeros)
	}
	var text strings.Builder
	if err := WriteRead(&text, records, "the command", 1); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(text.String(), "\n| "); got != 5 || !strings.Contains(text.String(), "    the command\n") {
		t.Errorf("%s", text.String())
	}
	if _, err := (Read{Workers: []int{1}}).Run(context.Background(), []string{"nothing"}, shard.Options{}); err == nil {
		t.Error("nothing was read, without an error")
	}
}
