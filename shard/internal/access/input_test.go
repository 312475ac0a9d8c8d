package access

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
)

// TestInput looks at standard input of several lengths, then reads it once, and has its digest.
func TestInput(t *testing.T) {
	for _, n := range []int{0, 5, previewBytes - 1, previewBytes, previewBytes + 1, 3*previewBytes + 7} {
		content := []byte(strings.Repeat("0123456789", n/10+1)[:n])
		o := InputObject(iotest.OneByteReader(bytes.NewReader(content)))
		if n > previewBytes {
			o = InputObject(iotest.HalfReader(bytes.NewReader(content)))
		}
		for range 2 {
			if head, err := o.Head(t.Context(), 8); err != nil || !bytes.Equal(head, content[:min(n, 8)]) {
				t.Errorf("%d bytes begin with %q, %v", n, head, err)
			}
			text, err := Preview(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(text); err != nil || !bytes.Equal(got, content[:min(n, previewBytes)]) {
				t.Errorf("%d bytes: a preview of %d, %v", n, len(got), err)
			}
		}
		text, err := NewWatch(t.Context()).OpenText(o)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(text); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes: read %d, %v", n, len(got), err)
		}
		if err := text.Close(); err != nil {
			t.Error(err)
		}
		want := sha256.Sum256(content)
		if sum, err := o.InputDigest(t.Context()); err != nil || sum != hex.EncodeToString(want[:]) {
			t.Errorf("%d bytes: digest %s, %v", n, sum, err)
		}
		if _, err := OpenText(t.Context(), o); !errors.Is(err, errOnce) {
			t.Errorf("read again: %v", err)
		}
		if _, err := o.Open(t.Context()); !errors.Is(err, errPlaces) || !o.IsInput() {
			t.Errorf("opened for reading at any place: %v", err)
		}
	}
}

// TestInputErrors reads input that fails, that is given up, and that is never read.
func TestInputErrors(t *testing.T) {
	failure := errors.New("broken pipe")
	if _, err := InputObject(iotest.ErrReader(failure)).Head(t.Context(), 8); !errors.Is(err, failure) {
		t.Errorf("a look: %v", err)
	}
	late := InputObject(io.MultiReader(bytes.NewReader(make([]byte, previewBytes)), iotest.ErrReader(failure)))
	text, err := OpenText(t.Context(), late)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(text); !errors.Is(err, failure) {
		t.Errorf("reading: %v", err)
	}
	if _, err := late.InputDigest(t.Context()); !errors.Is(err, failure) {
		t.Errorf("digest: %v", err)
	}
	left := InputObject(strings.NewReader(strings.Repeat("x", 1<<20)))
	if text, err = OpenText(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	if err := text.Close(); err != nil {
		t.Error(err)
	}
	if _, err := left.InputDigest(t.Context()); !errors.Is(err, errUnread) {
		t.Errorf("digest of what was not read: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := InputObject(strings.NewReader("")).InputDigest(ctx); err != context.Canceled {
		t.Errorf("digest after the end: %v", err)
	}
}

// TestInputCompressed looks at compressed input that is longer than the preview: it ends somewhere, and that is no
// damage.
func TestInputCompressed(t *testing.T) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	content := bytes.Repeat([]byte("0123456789abcdef"), 3*previewBytes/16)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	o := InputObject(&packed)
	text, err := Preview(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(text); err != nil || len(got) < previewBytes/2 || !bytes.HasPrefix(content, got) {
		t.Errorf("a preview of %d bytes, %v", len(got), err)
	}
	if text, err = OpenText(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(text); err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}
