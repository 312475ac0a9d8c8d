package shard

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"anchorage/internal/long"
)

// testStore is an object store in this process.
type testStore struct {
	t        *testing.T
	backend  *s3mem.Backend
	query    string
	requests atomic.Int64
}

func newTestStore(t *testing.T) *testStore {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	s := &testStore{t: t, backend: s3mem.New()}
	if err := s.backend.CreateBucket("data"); err != nil {
		t.Fatal(err)
	}
	handler := gofakes3.New(s.backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.query = "?region=us-east-1&use_path_style=true&endpoint=" + server.URL
	return s
}

// url returns the URL of a key.
func (s *testStore) url(key string) string { return "s3://data/" + key + s.query }

// put stores content.
func (s *testStore) put(key string, content []byte) {
	s.t.Helper()
	if _, err := s.backend.PutObject("data", key, nil, bytes.NewReader(content), int64(len(content)), nil); err != nil {
		s.t.Fatal(err)
	}
}

// TestRemoteConformance reads the same documents from a store as from files, in every format.
func TestRemoteConformance(t *testing.T) {
	s := newTestStore(t)
	documents := sample()
	want := merged(documents)
	numbers, words := numbered(documents, 1)
	node, empty, element := listOf("items", threeLevels, physical(parquet.Types.ByteArray, schema.StringLogicalType{}))
	counts, _, _ := listOf("counts", threeLevels, physical(parquet.Types.Int32, schema.NoLogicalType{}))
	items, count := chunksOf(documents, 3, empty, element, func(s []string) any { return s },
		func(n []int32) any { return n })
	path := writeParquet(t, filepath.Join(t.TempDir(), "c.parquet"), []testColumn{{node, items}, {counts, count}})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s.put("p/c.parquet", data)
	s.put("b/x y.dat", []byte(basketText(documents)))
	s.put("b.gz/x.dat.gz", compressed(t, ".gz", basketText(documents)))
	s.put("d/docword.x.txt.zst", compressed(t, ".zst", docwordText(numbers, len(words))))
	s.put("d/vocab.x.txt", []byte(strings.Join(append(words, ""), "\n")))
	for _, key := range []string{"p/c.parquet", "p/", "p", "b/x y.dat", "b.gz/*.gz", "d/docword.?.txt.zst", "d"} {
		got, err := collect(t, Options{}, s.url(key))
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: the documents differ", key)
		}
	}
}

func TestRemoteDiscover(t *testing.T) {
	s := newTestStore(t)
	for _, key := range []string{"d/a.dat", "d/b/c.txt", "d/_SUCCESS", "d/.x/y.dat", "d/README.txt", "d/vocab.x.txt",
		"d/z.doc", "e.dat"} {
		s.put(key, []byte("a b\n"))
	}
	s.put("d/", nil)
	for pattern, want := range map[string][]string{
		"d": {"d/a.dat", "d/b/c.txt"}, "d/*.dat": {"d/a.dat"}, "": {"d/a.dat", "d/b/c.txt", "e.dat"}, "e.dat": {"e.dat"},
		"*.dat": {"e.dat"},
	} {
		shards, err := Discover(context.Background(), []string{s.url(pattern)}, Options{})
		if err != nil {
			t.Errorf("%q: %v", pattern, err)
			continue
		}
		var got []string
		for _, shard := range shards {
			got = append(got, shard.object.Remote.Key)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q", pattern, got)
		}
	}
	for pattern, what := range map[string]string{
		"none": "no such object", "none/": "no such object", "*.parquet": "no shard found",
		"d/vocab.x.txt": "word list", "[": "syntax",
	} {
		_, err := Discover(context.Background(), []string{s.url(pattern)}, Options{})
		wantError(t, err, s.url(pattern), what)
	}
	_, err := Discover(context.Background(), []string{s.url("e.dat"), s.url("*.dat")}, Options{})
	wantError(t, err, s.url("e.dat"), "given twice")
	_, err = Discover(context.Background(), []string{"http://host/x"}, Options{})
	wantError(t, err, "", "unknown kind")
}

// TestRemoteRequests checks that a Parquet file of some MB costs a handful of requests, and that no more of an object
// is read than is needed to know what it is.
func TestRemoteRequests(t *testing.T) {
	long.Test(t, "it writes a file of more than 16 MiB")
	s := newTestStore(t)
	var documents []pairs
	for i := range 30_000 {
		var d pairs
		for j := range 40 {
			d = append(d, struct {
				item  string
				count int32
			}{fmt.Sprintf("item-%09d", (i*7919+j*104729)%3_000_017), int32(j%5 + 1)})
		}
		documents = append(documents, d)
	}
	node, empty, element := listOf("items", threeLevels, physical(parquet.Types.ByteArray, schema.StringLogicalType{}))
	counts, _, _ := listOf("counts", threeLevels, physical(parquet.Types.Int32, schema.NoLogicalType{}))
	items, count := chunksOf(documents, 2, empty, element, func(s []string) any { return s },
		func(n []int32) any { return n })
	path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), []testColumn{{node, items}, {counts, count}},
		parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(64<<10))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) < 16<<20 {
		t.Fatalf("the file has only %d bytes", len(data))
	}
	s.put("x.parquet", data)
	shards, err := Discover(context.Background(), []string{s.url("x.parquet")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.requests.Swap(0); got > 4 {
		t.Errorf("%d requests to find it", got)
	}
	if _, err := drain(context.Background(), shards[0]); err != nil {
		t.Fatal(err)
	}
	// Two parts, each of which reads two columns; the state is asked for at every opening.
	if got := s.requests.Swap(0); got > 24 {
		t.Errorf("%d requests to read %d bytes", got, len(data))
	} else {
		t.Logf("%d requests for %d bytes", got, len(data))
	}
	if _, err := shards[0].Digest(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := s.requests.Swap(0); got > 8 {
		t.Errorf("%d requests to read %d bytes in order", got, len(data))
	}
}

// TestRemoteChanged overwrites an object by one of the same size.
func TestRemoteChanged(t *testing.T) {
	s := newTestStore(t)
	s.put("x.dat", []byte("a b c\n"))
	shards, err := Discover(context.Background(), []string{s.url("x.dat")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := drain(context.Background(), shards[0]); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	s.put("x.dat", []byte("c b a\n"))
	_, err = drain(context.Background(), shards[0])
	wantError(t, err, s.url("x.dat"), "has changed")
	_, err = shards[0].Digest(context.Background())
	wantError(t, err, s.url("x.dat"), "has changed")
}
