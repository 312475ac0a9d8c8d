package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// server is a store in this process that counts requests and makes some fail.
type server struct {
	mu       sync.Mutex
	requests []string // method and path
	// of request n: a status to answer with, or the bytes after which the answer ends; 0 for none
	fail    func(n int) (status, cut int)
	handler http.Handler
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	fail := s.fail
	s.mu.Unlock()
	if fail != nil {
		status, cut := fail(n)
		if status != 0 {
			w.WriteHeader(status)
			return
		}
		if cut != 0 {
			w = &cutWriter{ResponseWriter: w, left: cut}
		}
	}
	s.handler.ServeHTTP(w, r)
}

// count forgets the requests so far and returns a function that returns those since.
func (s *server) count() func() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
	return func() []string {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.Clone(s.requests)
	}
}

// cutWriter breaks off the connection after some bytes.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (c *cutWriter) Write(p []byte) (int, error) {
	if len(p) >= c.left {
		c.ResponseWriter.Write(p[:c.left])
		panic(http.ErrAbortHandler)
	}
	c.left -= len(p)
	return c.ResponseWriter.Write(p)
}

// serve starts a store with the bucket "data" and returns the place of it.
func serve(t *testing.T) (*server, Place) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	backend := s3mem.New()
	if err := backend.CreateBucket("data"); err != nil {
		t.Fatal(err)
	}
	s := &server{handler: gofakes3.New(backend).Server()}
	listener := httptest.NewServer(s)
	t.Cleanup(listener.Close)
	pauseUnit = time.Millisecond
	t.Cleanup(func() { pauseUnit = firstPause })
	place, err := Parse("s3://data/?region=us-east-1&use_path_style=true&endpoint=" + listener.URL)
	if err != nil {
		t.Fatal(err)
	}
	return s, place
}

// store puts content at a key.
func store(t *testing.T, place Place, content []byte) Info {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Upload(context.Background(), place, path, nil); err != nil {
		t.Fatal(err)
	}
	info, err := Stat(context.Background(), place, nil)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func randomBytes(n int) []byte {
	data := make([]byte, n)
	source := rand.NewChaCha8([32]byte{1})
	source.Read(data)
	return data
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Place{
		"s3://b":                     {Bucket: "s3://b"},
		"s3://b/x y/%41.txt":         {Bucket: "s3://b", Key: "x y/%41.txt"},
		"gs://b/part-?.parquet":      {Bucket: "gs://b", Key: "part-?.parquet"},
		"azblob://b/d/?a=1&b=http:x": {Bucket: "azblob://b", Key: "d/", Query: "a=1&b=http:x"},
	} {
		if got, err := Parse(text); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "s3:///x", "http://x/y", "/s3://x"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is no URL of an object", text)
		}
	}
	if got := Join("s3://b/d?r=1", "x"); got != "s3://b/d/x?r=1" {
		t.Error(got)
	}
	if got := Folder("s3://b/d/e?r=1"); got != "s3://b/d?r=1" {
		t.Error(got)
	}
	for text, want := range map[string]string{"x": "x", "file:///a/b%20c": filepath.FromSlash("/a/b c")} {
		if got, err := Local(text); got != want || err != nil {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"file://host/x", "http://host/x"} {
		if _, err := Local(text); err == nil {
			t.Errorf("%s is no path", text)
		}
	}
}

// TestReader reads in many orders, and compares.
func TestReader(t *testing.T) {
	s, root := serve(t)
	data := randomBytes(30 << 20)
	info := store(t, root.At("dir/x"), data)
	requests := s.count()
	reader, err := Open(context.Background(), info, nil)
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 100_000)
	for offset := int64(0); offset < int64(len(data)); offset += int64(len(buffer)) {
		n, err := reader.ReadAt(buffer, offset)
		if err != nil && err != io.EOF || !bytes.Equal(buffer[:n], data[offset:offset+int64(n)]) {
			t.Fatal(offset, n, err)
		}
	}
	if got := len(requests()); got > 7 {
		t.Errorf("%d requests for %d bytes in order", got, len(data))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		offset, n := random.Int64N(int64(len(data))), random.IntN(len(buffer))
		n, err := reader.ReadAt(buffer[:n], offset)
		if err != nil && err != io.EOF || !bytes.Equal(buffer[:n], data[offset:offset+int64(n)]) {
			t.Fatal(offset, n, err)
		}
	}
	if _, err := reader.ReadAt(buffer, int64(len(data))); err != io.EOF {
		t.Error(err)
	}
}

// TestRetry makes requests fail in every way that passes, and in some that last.
func TestRetry(t *testing.T) {
	s, root := serve(t)
	data := randomBytes(3 << 20)
	info := store(t, root.At("x"), data)
	for name, fail := range map[string]func(int) (int, int){
		"unavailable": func(n int) (int, int) { return []int{503, 500, 409, 429, 0}[n%5], 0 },
		"cut short":   func(n int) (int, int) { return 0, []int{0, 100_000, 0}[n%3] },
	} {
		t.Run(name, func(t *testing.T) {
			requests := s.count()
			s.fail = fail
			defer func() { s.fail = nil }()
			warnings := 0
			reader, err := Open(context.Background(), info, func(path string, _ int, _ time.Duration, err error) {
				if warnings++; path != info.Place.String() || err == nil {
					t.Errorf("%s: %v", path, err)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(data))
			if _, err := reader.ReadAt(got, 0); err != nil || !bytes.Equal(got, data) {
				t.Fatal(err)
			}
			if warnings == 0 {
				t.Errorf("no warning was given; requests: %q", requests())
			}
		})
	}
	s.fail = func(int) (int, int) { return 503, 0 }
	attempts = 2
	defer func() { attempts = 6 }()
	if _, err := Stat(context.Background(), info.Place, nil); err == nil || !strings.Contains(err.Error(),
		"tried 2 times") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("a store that is never there: %v", err)
	}
	requests := s.count()
	s.fail = func(int) (int, int) { return 403, 0 }
	if _, err := Stat(context.Background(), info.Place, nil); !errors.As(err, new(*Error)) || len(requests()) != 1 {
		t.Errorf("a refusal: %v after %d requests", err, len(requests()))
	}
	s.fail = nil
	if _, err := Stat(context.Background(), root.At("none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Stat(ctx, info.Place, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
}

// TestChanged overwrites an object with one of the same size, before and while it is read.
func TestChanged(t *testing.T) {
	_, root := serve(t)
	info := store(t, root.At("x"), randomBytes(3<<20))
	store(t, root.At("x"), make([]byte, 3<<20))
	if _, err := Open(context.Background(), info, nil); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("opened: %v", err)
	}
	info = store(t, root.At("y"), randomBytes(3<<20))
	reader, err := Open(context.Background(), info, nil)
	if err != nil {
		t.Fatal(err)
	}
	store(t, root.At("y"), make([]byte, 2<<20))
	if _, err := reader.ReadAt(make([]byte, 10), 0); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("read: %v", err)
	}
}

func TestList(t *testing.T) {
	_, root := serve(t)
	var want []string
	for i := range 5 {
		store(t, root.At(fmt.Sprintf("d/%d", i)), []byte("x"))
		want = append(want, fmt.Sprintf("d/%d", i))
	}
	store(t, root.At("e"), []byte("x"))
	var got []string
	err := List(context.Background(), root.At("d/"), nil, func(info Info) error {
		got = append(got, info.Key)
		if info.Size != 1 || info.Query != root.Query {
			t.Errorf("%+v", info)
		}
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Error(got, err)
	}
}

func TestPutMoveRemove(t *testing.T) {
	_, root := serve(t)
	ctx := context.Background()
	if err := Put(ctx, root.At("m"), []byte("1"), nil); err != nil {
		t.Fatal(err)
	}
	if err := Put(ctx, root.At("m"), []byte("2"), nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("put twice: %v", err)
	}
	for _, content := range []string{"1", ""} { // an answer may have got lost
		if err := Put(ctx, root.At("again"+content), []byte(content), nil); err != nil {
			t.Fatal(err)
		}
		if err := Put(ctx, root.At("again"+content), []byte(content), nil); err != nil {
			t.Errorf("%q again: %v", content, err)
		}
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Upload(ctx, root.At("tmp/f"), path, nil); err != nil {
		t.Fatal(err)
	}
	if err := Move(ctx, root.At("tmp/f"), root.At("f"), path, nil); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(ctx, root.At("f").String())
	if err != nil || string(got) != "content" {
		t.Errorf("%q, %v", got, err)
	}
	for range 2 {
		if err := Remove(ctx, root.At("f"), nil); err != nil {
			t.Error(err)
		}
	}
	for _, key := range []string{"f", "tmp/f"} {
		if there, err := Exists(ctx, root.At(key).String()); there || err != nil {
			t.Error(key, there, err)
		}
	}
}
