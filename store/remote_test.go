package store

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/model/fit"
)

// bucket starts an object store in this process and returns the URL of a folder in it.
func bucket(t *testing.T) string {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	backend := s3mem.New()
	if err := backend.CreateBucket("data"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return "s3://data/topics/store?region=us-east-1&use_path_style=true&endpoint=" + server.URL
}

// fetched returns the files of the current model of a store at a URL.
func fetched(t *testing.T, path string) map[string]string {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	place, err := s.Model()
	if err != nil {
		t.Fatal(err)
	}
	names, err := namesIn(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, name := range names {
		content, err := objects.ReadFile(t.Context(), objects.Join(place, name))
		if err != nil {
			t.Fatal(err)
		}
		keep(t, files, name, content)
	}
	return files
}

// TestRemote keeps a store in an object store.
func TestRemote(t *testing.T) {
	days := inDays(t, 4)
	s := usual()
	path := bucket(t)
	if found, err := Is(t.Context(), path); found || err != nil {
		t.Errorf("a store before the first update: %v, %v", found, err)
	}
	for i := range days {
		s.must(t, path, days[:i+1]...)
	}
	same(t, "remote", fetched(t, path), s.whole(t, days...))
	if plan, _, generated, err := s.update(t, path, days...); err != nil || generated != nil || plan.Known != 4 {
		t.Errorf("%+v, %v", plan, err)
	}
	s.retain = 1
	s.plan.Remove = []string{days[0]}
	s.must(t, path)
	s.plan.Remove = nil
	same(t, "removed", fetched(t, path), s.whole(t, days[1:]...))
	found, err := Verify(t.Context(), path)
	if err != nil || len(found.Problems) > 0 || found.Files < 20 {
		t.Errorf("%+v, %v", found, err)
	}
	for folder, want := range map[string]int{"generations": 1, "states": 1, "shards": 3} {
		names, err := namesIn(t.Context(), objects.Join(path, folder))
		if err != nil || len(names) != want {
			t.Errorf("%s has %v, want %d: %v", folder, names, want, err)
		}
	}
}

// TestRemoteWriters lets two runs update one store at a URL: the second to commit fails and changes nothing.
func TestRemoteWriters(t *testing.T) {
	days := inDays(t, 4)
	s := usual()
	path := bucket(t)
	s.must(t, path, days[0])
	slow, err := Begin(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if err := slow.loadVocabulary(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.must(t, path, days[1], days[2])
	want := fetched(t, path)
	if _, _, _, err := s.with(t, slow, days[3]); !errors.Is(err, durable.ErrLocked) || !isFault(err, Outdated) {
		t.Errorf("the slow run: %v", err)
	}
	same(t, "the fast run's", fetched(t, path), want)
	s.must(t, path, days...)
	same(t, "the next", fetched(t, path), s.whole(t, days...))
}

// TestRemoteLoser lets two runs make the same generation of a store at a URL: the one that comes second is told that
// another updates the store, not that an output is in its way.
func TestRemoteLoser(t *testing.T) {
	days := inDays(t, 2)
	s := usual()
	path := bucket(t)
	s.must(t, path, days[0])
	var made []*Next
	for range 2 {
		w, err := Begin(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		plan, err := w.Plan(t.Context(), discover(t, days), s.plan)
		if err != nil {
			t.Fatal(err)
		}
		added, err := w.Add(t.Context(), plan, AddOptions{Reading: "baskets"})
		if err != nil {
			t.Fatal(err)
		}
		n, err := w.Open(t.Context(), plan, added, GenerateOptions{Fit: s.model(&fit.Run{}), FromScratch: true,
			Corpus:  s.corpusOptions(),
			Options: map[string]string{"topics": "3"}})
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		if err := n.Learn(t.Context()); err != nil {
			t.Fatal(err)
		}
		made = append(made, n)
	}
	if _, err := made[0].Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := made[1].Commit(t.Context()); !isFault(err, Outdated) || !errors.Is(err, durable.ErrLocked) {
		t.Errorf("the second: %v", err)
	}
}

// TestRemoteDamage wants a changed object to be found when the model is learned.
func TestRemoteDamage(t *testing.T) {
	days := inDays(t, 2)
	s := usual()
	path := bucket(t)
	_, added, _ := s.must(t, path, days[0])
	object := objects.Join(objects.Join(objects.Join(path, shardsFolder), added.Shards[0].SHA256), copyFile)
	content, err := objects.ReadFile(t.Context(), object)
	if err != nil {
		t.Fatal(err)
	}
	if err := removeAll(t.Context(), object, nil); err != nil {
		t.Fatal(err)
	}
	if err := putNew(t.Context(), object, content[:len(content)-1], nil); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := s.update(t, path, days...); !isFault(err, Damaged) {
		t.Errorf("error %v", err)
	}
	if found, err := Verify(t.Context(), path); err != nil || len(found.Problems) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
}
