package output

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
)

// again is a status after which package objects tries again, and the client of S3 below it does not.
const again = http.StatusTooManyRequests

// answer is what a server does with a request.
type answer struct {
	status  int  // 0 for that of the store
	carried bool // the store carries the request out although the status says otherwise
}

// server is a store in this process that can fail.
type server struct {
	mu      sync.Mutex
	n       int                                       // requests since decide was set
	decide  func(n int, request *http.Request) answer // nil: the store answers
	handler http.Handler
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	var a answer
	if s.decide != nil {
		a = s.decide(s.n, r)
		s.n++
	}
	s.mu.Unlock()
	switch {
	case a.status == 0:
		s.handler.ServeHTTP(w, r)
		return
	case a.carried:
		s.handler.ServeHTTP(httptest.NewRecorder(), r)
	default:
		io.Copy(io.Discard, r.Body)
	}
	w.WriteHeader(a.status)
}

// set makes decide answer from now on, with n from 0. The function it returns counts the requests since.
func (s *server) set(decide func(n int, request *http.Request) answer) (count func() int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decide, s.n = decide, 0
	return func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.n
	}
}

func TestMain(m *testing.M) {
	os.Setenv("AWS_ACCESS_KEY_ID", "test") // those of the server; for all tests, some of which run at the same time
	os.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	os.Exit(m.Run())
}

// bucket starts a store and returns the place of an empty bucket.
func bucket(t *testing.T) (*server, objects.Place) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("data"); err != nil {
		t.Fatal(err)
	}
	s := &server{handler: gofakes3.New(backend).Server()}
	listener := httptest.NewServer(s)
	t.Cleanup(listener.Close)
	place, err := objects.Parse("s3://data/?region=us-east-1&use_path_style=true&endpoint=" + listener.URL)
	if err != nil {
		t.Fatal(err)
	}
	return s, place
}

// keys returns the keys of a bucket.
func keys(t *testing.T, root objects.Place) (found []string) {
	t.Helper()
	err := objects.List(context.Background(), root, nil, func(info objects.Info) error {
		found = append(found, info.Key)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// content returns what an object or a file holds.
func content(t *testing.T, path string) string {
	t.Helper()
	data, err := objects.ReadFile(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// temporaries gives the test a separate temporary folder and returns a function that returns the names in it.
func temporaries(t *testing.T) func() []string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder) // Windows
	return func() (names []string) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
}

func write(content string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	}
}

// begin begins a directory and writes two files.
func begin(t *testing.T, ctx context.Context, path string, warn objects.Warn) *durable.Dir {
	t.Helper()
	d, err := Begin(ctx, path, "", false, warn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Abort)
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := d.WriteFile(name, write(name)); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// megabytes returns a function that writes n MiB of zeros.
func megabytes(n int) func(io.Writer) error {
	return func(w io.Writer) error {
		for range n {
			if _, err := w.Write(bytes.Repeat([]byte{0}, 1<<20)); err != nil {
				return err
			}
		}
		return nil
	}
}
