package reading

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"anchorage/shard/documents"
	"anchorage/shard/internal/access"
)

// none is a reader without documents.
type none struct{}

func (none) Next(*documents.Batch) error { return io.EOF }
func (none) Close() error                { return nil }

// shard makes a file and returns it as a shard.
func shard(t *testing.T, content []byte) Shard {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	o, err := access.LookUp(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Shard{Object: o}
}

// TestWhole checks that a file of text is one part, which is opened once.
func TestWhole(t *testing.T) {
	for _, content := range [][]byte{nil, []byte("abc"), make([]byte, 300_000)} {
		in := shard(t, content)
		opened := 0
		parts, err := Whole(func(_ *access.Watch, got Shard) (Reader, error) {
			opened++
			if got.Path != in.Path {
				t.Errorf("opened %s", got.Path)
			}
			return none{}, nil
		})(t.Context(), in)
		if err != nil || len(parts) != 1 || parts[0].Rows != -1 || parts[0].Bytes != int64(len(content)) {
			t.Fatalf("parts %v, %v", parts, err)
		}
		if _, err := parts[0].Open(access.NewWatch(t.Context())); err != nil || opened != 1 {
			t.Errorf("opened %d times, %v", opened, err)
		}
	}
}
