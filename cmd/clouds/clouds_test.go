package clouds

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"anchorage/internal/objects"

	"gocloud.dev/blob/memblob"
)

// TestBucket does with a store in memory whatever package objects may ask of a bucket.
func TestBucket(t *testing.T) {
	ctx := t.Context()
	b := bucketOf(memblob.OpenBucket(nil))
	data := bytes.Repeat([]byte("0123456789"), 1000)
	if err := b.Write(ctx, "d/x", bytes.NewReader(data), false); err != nil {
		t.Fatal(err)
	}
	state, err := b.Stat(ctx, "d/x")
	if err != nil || state.Size != int64(len(data)) || state.ETag == "" || state.Modified.IsZero() {
		t.Errorf("state %+v, %v", state, err)
	}
	body, seen, err := b.Range(ctx, "d/x", 15, 20)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, data[15:35]) || seen.Size != state.Size {
		t.Errorf("range %q of %+v, %v", got, seen, err)
	}
	var refusal *objects.Refusal
	if err := b.Write(ctx, "d/x", bytes.NewReader(nil), true); !errors.Is(err, fs.ErrExist) || !errors.As(err, &refusal) ||
		!refusal.Lasting {
		t.Errorf("created twice: %v", err)
	}
	if err := b.Copy(ctx, "d/y", "d/x"); err != nil {
		t.Error(err)
	}
	if err := b.Delete(ctx, "d/x"); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"Delete": b.Delete(ctx, "d/x"), "Copy": b.Copy(ctx, "z", "d/x"), "Stat": second(b.Stat(ctx, "d/x")),
	} {
		if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &refusal) || !refusal.Lasting {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestPages lists more objects than a page has.
func TestPages(t *testing.T) {
	ctx := t.Context()
	b := bucketOf(memblob.OpenBucket(nil))
	const n = 2*pageSize + 1
	for i := range n {
		if err := b.Write(ctx, fmt.Sprintf("d/%04d", i), bytes.NewReader(nil), false); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Write(ctx, "e", bytes.NewReader(nil), false); err != nil {
		t.Fatal(err)
	}
	seen, pages := 0, 0
	for token := ""; pages == 0 || token != ""; pages++ {
		page, next, err := b.Page(ctx, "d/", token)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range page {
			if want := fmt.Sprintf("d/%04d", seen); entry.Key != want {
				t.Fatalf("object %d is %q, want %q", seen, entry.Key, want)
			}
			seen++
		}
		token = next
	}
	if seen != n || pages != 3 {
		t.Errorf("%d objects on %d pages, want %d on 3", seen, pages, n)
	}
}

// TestRegistered parses queries of both kinds of URLs by their drivers, which refuse an unknown parameter.
func TestRegistered(t *testing.T) {
	for _, scheme := range []string{"gs", "azblob"} {
		place, err := objects.Parse(scheme + "://bucket/key?nonsense=1")
		if err != nil {
			t.Fatal(err)
		}
		_, err = objects.Stat(t.Context(), place, nil)
		if missing := new(objects.DriverError); err == nil || errors.As(err, &missing) {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}
