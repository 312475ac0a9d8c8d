package access

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"anchorage/shard/fault"
)

// write makes a file and returns its object.
func write(t *testing.T, name string, content []byte) Object {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	o, err := LookUp(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestLookUp(t *testing.T) {
	o := write(t, "a.txt", []byte("hello"))
	if o.Size != 5 || o.Name() != "a.txt" || o.Irregular || o.Remote != nil || !strings.HasSuffix(o.Beside("b"), "b") {
		t.Errorf("%+v", o)
	}
	if dir, err := LookUp(t.Context(), filepath.Dir(o.Path), nil); err != nil || !dir.Irregular {
		t.Errorf("a directory: %+v, %v", dir, err)
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "nowhere"), "http://host/x", "s3://"} {
		var place *fault.Error
		if _, err := LookUp(t.Context(), path, nil); !errors.As(err, &place) || place.Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestOpen reads at any place and in order.
func TestOpen(t *testing.T) {
	o := write(t, "a", []byte("0123456789"))
	source, err := o.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	two := make([]byte, 2)
	if n, err := source.ReadAt(two, 8); n != 2 || err != nil && err != io.EOF || string(two) != "89" ||
		source.Size() != 10 {
		t.Errorf("%d bytes %q of %d, %v", n, two, source.Size(), err)
	}
	stream, err := o.Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if err := iotest.TestReader(stream, []byte("0123456789")); err != nil {
		t.Error(err)
	}
}

// TestReadFull wants an end within the bytes to be told from the end of the documents.
func TestReadFull(t *testing.T) {
	source := strings.NewReader("0123")
	for _, test := range []struct {
		n      int
		offset int64
		want   error
	}{{0, 0, nil}, {4, 0, nil}, {0, 4, nil}, {0, 9, nil}, {1, 3, nil}, {5, 0, io.ErrUnexpectedEOF}, {1, 4,
		io.ErrUnexpectedEOF}, {2, 3, io.ErrUnexpectedEOF}} {
		if err := ReadFull(source, make([]byte, test.n), test.offset); err != test.want {
			t.Errorf("%d bytes at %d: %v, want %v", test.n, test.offset, err, test.want)
		}
	}
	if err := ReadFull(source, make([]byte, 1), -1); err == nil {
		t.Error("a negative offset")
	}
}

// TestChanged changes a file after it was found: every opening must notice.
func TestChanged(t *testing.T) {
	for name, change := range map[string]func(o Object) error{
		"longer":  func(o Object) error { return os.WriteFile(o.Path, []byte("longer text"), 0o666) },
		"shorter": func(o Object) error { return os.Truncate(o.Path, 1) },
		"touched": func(o Object) error { return os.Chtimes(o.Path, time.Time{}, time.Unix(1, 0)) },
	} {
		o := write(t, "a", []byte("text"))
		if err := change(o); err != nil {
			t.Fatal(err)
		}
		for way, open := range map[string]func() (io.Closer, error){
			"source": func() (io.Closer, error) { return o.Open(t.Context()) },
			"stream": func() (io.Closer, error) { return o.Stream(t.Context()) },
			"text":   func() (io.Closer, error) { return OpenText(t.Context(), o) },
			"watch":  func() (io.Closer, error) { return NewWatch(t.Context()).Open(o) },
		} {
			if _, err := open(); !errors.Is(err, errChanged) {
				t.Errorf("%s, as %s: %v", name, way, err)
			}
		}
	}
}

func TestOpenCancelled(t *testing.T) {
	o := write(t, "a", []byte("text"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.Open(ctx); err != context.Canceled {
		t.Errorf("source: %v", err)
	}
	if _, err := NewWatch(ctx).OpenText(o); err != context.Canceled {
		t.Errorf("text: %v", err)
	}
}

// pack compresses text.
func pack(t *testing.T, how string, text []byte) []byte {
	t.Helper()
	var buffer bytes.Buffer
	var w io.WriteCloser
	switch how {
	case "plain":
		return text
	case "gzip":
		w = gzip.NewWriter(&buffer)
	case "zstd":
		encoder, err := zstd.NewWriter(&buffer)
		if err != nil {
			t.Fatal(err)
		}
		w = encoder
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// TestText reads texts of many sizes, compressed or not, whatever they are called; two compressed texts on end are one.
func TestText(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, how := range []string{"plain", "gzip", "zstd"} {
		for _, size := range []int{0, 1, 3, 4, 5, 1000, 1 << 17} {
			text := make([]byte, size)
			for i := range text {
				text[i] = byte('a' + random.IntN(20))
			}
			data, want := pack(t, how, text), text
			if how != "plain" {
				data, want = append(data, pack(t, how, []byte("more"))...), append(bytes.Clone(text), "more"...)
			}
			stream, err := OpenText(t.Context(), write(t, "any.name", data))
			if err != nil {
				t.Fatalf("%s, %d bytes: %v", how, size, err)
			}
			got, err := io.ReadAll(stream)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes: %d bytes, %v", how, size, len(got), err)
			}
			if err := errors.Join(stream.Close(), stream.Close()); err != nil {
				t.Errorf("closing: %v", err)
			}
		}
	}
}

// TestTextDamaged cuts and changes compressed texts: what can be read is right, and the end is an error in plain words.
func TestTextDamaged(t *testing.T) {
	text := []byte(strings.Repeat("some words of text, over and over again\n", 3000))
	for _, how := range []string{"gzip", "zstd"} {
		whole := pack(t, how, text)
		read := func(data []byte) ([]byte, error) {
			stream, err := OpenText(t.Context(), write(t, "x", data))
			if err != nil {
				return nil, err
			}
			defer stream.Close()
			return io.ReadAll(stream)
		}
		for _, keep := range []int{5, 12, len(whole) / 2, len(whole) - 1} {
			got, err := read(whole[:keep])
			if err == nil || !strings.Contains(err.Error(), "truncated") || !bytes.HasPrefix(text, got) {
				t.Errorf("%s, %d of %d bytes: %d bytes, %v", how, keep, len(whole), len(got), err)
			}
		}
		damaged := bytes.Clone(whole)
		damaged[len(damaged)-6] ^= 0x55
		if _, err := read(damaged); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s, a changed byte: %v", how, err)
		}
	}
}

// TestWindow wants a small error for a stream that asks for much memory.
func TestWindow(t *testing.T) {
	// A frame header with a window of 2 GiB: no single segment, no size, window descriptor 0xa8.
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00}
	stream, err := OpenText(t.Context(), write(t, "x", frame))
	if err == nil {
		defer stream.Close()
		_, err = io.ReadAll(stream)
	}
	if err == nil || !strings.Contains(err.Error(), "the zstd window is larger than 128 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestUncompressedName(t *testing.T) {
	for name, want := range map[string]string{"a": "a", "a.gz": "a", "a.txt.zst": "a.txt", "gz": "gz", ".gz": "",
		"a.gz.txt": "a.gz.txt", "a.gz.zst": "a.gz"} {
		if got := UncompressedName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestWatchContext wants no error from a watch whose context continues, however slow the work was: Done and Err of a
// context belong together, so slowness must not show in the context.
func TestWatchContext(t *testing.T) {
	w := NewWatch(t.Context())
	w.spent = maxDecode + 1
	if err := w.Check(); err != errSlow {
		t.Errorf("a slow decoder: %v", err)
	}
	if err := w.Context().Err(); err != nil {
		t.Errorf("the context says %v although its Done is open", err)
	}
	if w.Ended(errSlow) {
		t.Error("slowness is taken for the end of the context")
	}
	w.Begin()
	if err := w.Check(); err != nil {
		t.Errorf("the next batch: %v", err)
	}
}

func TestWatchEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := NewWatch(ctx)
	if err := w.Check(); err != nil || w.Ended(context.Canceled) {
		t.Errorf("before the end: %v", err)
	}
	cancel()
	if err := w.Check(); err != context.Canceled || !w.Ended(err) || w.Ended(errSlow) {
		t.Errorf("after the end: %v", err)
	}
}

// slowSource takes its time by setting back the clock of the watch.
type slowSource struct {
	Source
	watch *Watch
}

func (s slowSource) ReadAt(p []byte, offset int64) (int, error) {
	s.watch.last = s.watch.last.Add(-time.Hour)
	return s.Source.ReadAt(p, offset)
}

// TestWatchWaiting checks that time spent in reading does not count, that a stop of the whole process counts for
// little, and that bytes read grant time.
func TestWatchWaiting(t *testing.T) {
	o := write(t, "a", make([]byte, 1<<20))
	w := NewWatch(t.Context())
	inner, err := o.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	source := &watchedSource{Source: slowSource{inner, w}, watch: w}
	defer source.Close()
	buffer := make([]byte, 1<<20)
	for range 20 {
		if _, err := source.ReadAt(buffer, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Check(); err != nil || w.spent > -10*time.Second {
		t.Errorf("20 hours of waiting and 20 MiB: %v spent, %v", w.spent, err)
	}
	w.Begin()
	w.last = w.last.Add(-time.Hour)
	if err := w.Check(); err != nil || w.spent > 2*time.Second {
		t.Errorf("an hour in which the process was stopped: %v spent, %v", w.spent, err)
	}
}
