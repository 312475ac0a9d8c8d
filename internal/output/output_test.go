package output

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
)

var errInjected = errors.New("injected fault")

// silent fails the test at its end if anything went to the global logger.
func silent(t *testing.T) {
	t.Helper()
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() {
		slog.SetDefault(before)
		if log.Len() > 0 {
			t.Errorf("the global logger got: %s", log.String())
		}
	})
}

// TestPaths wants paths and file:// URLs to be files and directories of this machine.
func TestPaths(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	for _, prefix := range []string{"", "file://"} {
		model := filepath.Join(folder, "model"+strings.TrimSuffix(prefix, "://"))
		if err := begin(t, ctx, prefix+model, nil).Commit(); err != nil {
			t.Fatal(err)
		}
		if got := content(t, filepath.Join(model, "b.txt")); got != "b.txt" {
			t.Errorf("b.txt holds %q", got)
		}
		if _, err := os.Stat(filepath.Join(model, durable.Success)); err != nil {
			t.Error(err)
		}
		if _, err := Begin(ctx, prefix+model, "", false, nil); !errors.Is(err, durable.ErrExists) {
			t.Errorf("a second time: %v", err)
		}
		file := filepath.Join(folder, "file")
		if err := WriteFile(ctx, prefix+file, true, nil, write(prefix+"x")); err != nil {
			t.Fatal(err)
		}
		if got := content(t, file); got != prefix+"x" {
			t.Errorf("the file holds %q", got)
		}
	}
	for _, path := range []string{"http://host/x", "file://host/x", "s3:///x"} {
		if _, err := Begin(ctx, path, "", false, nil); err == nil {
			t.Errorf("a directory could be written to %s", path)
		}
		if err := WriteFile(ctx, path, true, nil, write("")); err == nil {
			t.Errorf("a file could be written to %s", path)
		}
	}
}

// places returns a path of this machine and one of a store, and a function for each that returns the names of what is
// there.
func places(t *testing.T) (s *server, paths map[string]func() []string) {
	s, root := bucket(t)
	folder := t.TempDir()
	return s, map[string]func() []string{
		root.At("v.txt").String(): func() []string { return keys(t, root) },
		filepath.Join(folder, "v.txt"): func() (names []string) {
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range entries {
				names = append(names, entry.Name())
			}
			return names
		},
	}
}

// TestWriteFileErrors makes write fail, panic, and cancel: what was there stays and nothing else is left.
func TestWriteFileErrors(t *testing.T) {
	_, paths := places(t)
	left := temporaries(t)
	for path, names := range paths {
		if err := WriteFile(context.Background(), path, true, nil, write("old")); err != nil {
			t.Fatal(err)
		}
		fail := func(w io.Writer) error { write("new")(w); return errInjected }
		if err := WriteFile(context.Background(), path, true, nil, fail); !errors.Is(err, errInjected) {
			t.Errorf("%s: %v", path, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		interrupted := func(w io.Writer) error { cancel(); return write("new")(w) }
		if err := WriteFile(ctx, path, true, nil, interrupted); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled while written: %v", path, err)
		}
		begun := func(io.Writer) error { t.Errorf("%s: written after the end", path); return nil }
		if err := WriteFile(ctx, path, true, nil, begun); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled before: %v", path, err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the panic was swallowed", path)
				}
			}()
			WriteFile(context.Background(), path, true, nil, func(w io.Writer) error { panic("half way") })
		}()
		if got := content(t, path); got != "old" {
			t.Errorf("%s holds %q", path, got)
		}
		if got := names(); !slices.Equal(got, []string{"v.txt"}) {
			t.Errorf("%s: beside it: %q", path, got)
		}
	}
	if got := left(); len(got) > 0 {
		t.Errorf("the temporary folder holds %q", got)
	}
}

// TestCreateCancelled begins a directory with a context that has ended.
func TestCreateCancelled(t *testing.T) {
	_, paths := places(t)
	left := temporaries(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for path, names := range paths {
		if _, err := Begin(ctx, path, "", false, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", path, err)
		}
		if got := append(names(), left()...); len(got) > 0 {
			t.Errorf("%s: left behind: %q", path, got)
		}
	}
}

// TestUploadCancelled cancels an upload in one request and one in several parts. Nothing is left in the store, not even
// parts.
func TestUploadCancelled(t *testing.T) {
	for name, test := range map[string]struct {
		size int // MiB
		at   string
	}{
		"one request": {1, "/v.txt"},
		"parts":       {20, "partNumber=2"},
	} {
		t.Run(name, func(t *testing.T) {
			s, root := bucket(t)
			left := temporaries(t)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			s.set(func(_ int, r *http.Request) answer {
				if r.Method == http.MethodPut && strings.Contains(r.URL.String(), test.at) {
					cancel()
					return answer{status: again}
				}
				return answer{}
			})
			err := WriteFile(ctx, root.At("v.txt").String(), true, nil, megabytes(test.size))
			if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			s.set(nil)
			if got := keys(t, root); len(got) > 0 {
				t.Errorf("the store holds %q", got)
			}
			if got := unfinished(t, root); strings.Contains(got, "<UploadId>") {
				t.Errorf("the store holds parts: %s", got)
			}
			if got := left(); len(got) > 0 {
				t.Errorf("the temporary folder holds %q", got)
			}
		})
	}
}

// unfinished returns the store's list of uploads in parts that were not completed.
func unfinished(t *testing.T, root objects.Place) string {
	t.Helper()
	_, endpoint, _ := strings.Cut(root.Query, "endpoint=")
	response, err := http.Get(endpoint + "/data?uploads")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	// The store says NoSuchUpload as long as the bucket has never seen an upload in parts.
	if err != nil || !strings.Contains(string(body), "ListMultipartUploadsResult") && !strings.Contains(string(body),
		"NoSuchUpload") {
		t.Fatalf("%s, %v", body, err)
	}
	return string(body)
}

// TestWriteFileWarn wants only the caller to be told of retries.
func TestWriteFileWarn(t *testing.T) {
	s, root := bucket(t)
	silent(t)
	path := root.At("v.txt").String()
	told := 0
	warn := func(object string, attempt int, pause time.Duration, err error) {
		if told++; object != path || attempt != told || pause <= 0 || err == nil {
			t.Errorf("%s, attempt %d, pause %v, error %v", object, attempt, pause, err)
		}
	}
	for _, warn := range []objects.Warn{warn, nil} {
		s.set(func(n int, _ *http.Request) answer {
			if n < 2 {
				return answer{status: again}
			}
			return answer{}
		})
		if err := WriteFile(context.Background(), path, true, warn, write("v")); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != "v" {
			t.Errorf("the object holds %q", got)
		}
	}
	if told != 2 {
		t.Errorf("Warn was told %d times", told)
	}
}
