package reading

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
)

// none is a reader without documents.
type none struct{}

func (none) Next(*bag.Batch) error { return io.EOF }
func (none) Close() error          { return nil }

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

// TestWhole checks that a file of text is one part, and that its floor is the decompressed text.
func TestWhole(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(make([]byte, 700_000)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		content []byte
		floor   int64
	}{{nil, 0}, {[]byte("abc"), 3}, {make([]byte, 300_000), 300_000}, {packed.Bytes(), 700_000}} {
		in := shard(t, test.content)
		opened := 0
		parts, err := Whole(func(_ *access.Watch, got Shard) (Reader, error) {
			opened++
			if got.Path != in.Path {
				t.Errorf("opened %s", got.Path)
			}
			return none{}, nil
		})(t.Context(), in)
		if err != nil || len(parts) != 1 || parts[0].Rows != -1 || parts[0].Bytes != int64(len(test.content)) {
			t.Fatalf("parts %v, %v", parts, err)
		}
		if _, err := parts[0].Open(access.NewWatch(t.Context())); err != nil || opened != 1 {
			t.Errorf("opened %d times, %v", opened, err)
		}
		if n, err := parts[0].Floor(t.Context()); n != test.floor || err != nil {
			t.Errorf("floor %d, want %d, %v", n, test.floor, err)
		}
		if n, err := in.FloorBytes(t.Context()); n != int64(len(test.content)) || err != nil {
			t.Errorf("floor in bytes %d, want %d, %v", n, len(test.content), err)
		}
	}
}

func TestFloorErrors(t *testing.T) {
	in := shard(t, []byte{0x1f, 0x8b, 8, 0})
	parts, err := Whole(nil)(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parts[0].Floor(t.Context()); err == nil {
		t.Error("damaged data were read")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := in.FloorBytes(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
