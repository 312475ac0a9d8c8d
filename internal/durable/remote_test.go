package durable

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	_ "gocloud.dev/blob/s3blob"

	"anchorage/internal/objects"
)

// bucket starts a store in this process and returns the place of an empty bucket.
func bucket(t *testing.T) objects.Place {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	backend := s3mem.New()
	if err := backend.CreateBucket("data"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	place, err := objects.Parse("s3://data/?region=us-east-1&use_path_style=true&endpoint=" + server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return place
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

var wholeModel = []string{"out/model/_SUCCESS", "out/model/a.txt", "out/model/b.txt"}

func TestRemoteDir(t *testing.T) {
	root := bucket(t)
	path := root.At("out/model/").String()
	d, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	d.Abort()
	if got := keys(t, root); len(got) > 0 {
		t.Errorf("an aborted directory left %q", got)
	}
	if err := writeModel(path); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, root); !slices.Equal(got, wholeModel) {
		t.Errorf("the store holds %q", got)
	}
	if got, err := objects.ReadFile(context.Background(), root.At("out/model/b.txt").String()); string(got) != "bb" || err != nil {
		t.Errorf("b.txt holds %q, %v", got, err)
	}
	if _, err := Create(path); !errors.Is(err, ErrExists) {
		t.Errorf("a second time: %v", err)
	}
	if _, err := Create(root.String()); err == nil || !strings.Contains(err.Error(), "whole bucket") {
		t.Errorf("a bucket: %v", err)
	}
	if err := WriteFile(root.At("v.txt").String(), write("v")); err != nil {
		t.Fatal(err)
	}
	if got, err := objects.ReadFile(context.Background(), root.At("v.txt").String()); string(got) != "v" || err != nil {
		t.Errorf("v.txt holds %q, %v", got, err)
	}
}

// TestRemoteRace has two runs write the same directory.
func TestRemoteRace(t *testing.T) {
	root := bucket(t)
	path := root.At("out/model").String()
	first, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Abort()
	if err := first.WriteFile("a.txt", write("a")); err != nil {
		t.Fatal(err)
	}
	if err := writeModel(path); err != nil {
		t.Fatal(err)
	}
	if err := first.Commit(); !errors.Is(err, ErrExists) {
		t.Errorf("the slower run: %v", err)
	}
	if got := keys(t, root); !slices.Equal(got, wholeModel) {
		t.Errorf("the store holds %q", got)
	}
	// A third run is in the middle of its commit.
	third, err := Create(root.At("other").String())
	if err != nil {
		t.Fatal(err)
	}
	if err := objects.Put(context.Background(), root.At("other/"+claim), []byte("somebody"), nil); err != nil {
		t.Fatal(err)
	}
	if err := third.Commit(); !errors.Is(err, ErrLocked) {
		t.Errorf("beside another run: %v", err)
	}
}

// TestRemoteFaults lets every step fail in turn: the directory has its _SUCCESS and everything, or is absent.
func TestRemoteFaults(t *testing.T) {
	for n := 0; ; n++ {
		root := bucket(t)
		path := root.At("out/model").String()
		d, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a.txt", "b.txt"} {
			if err := d.WriteFile(name, write(name)); err != nil {
				t.Fatal(err)
			}
		}
		count := failAt(t, n)
		err = d.Commit()
		faults = nil
		if *count <= n {
			if err != nil || !slices.Equal(keys(t, root), wholeModel) {
				t.Fatal(keys(t, root), err)
			}
			return
		}
		if !errors.Is(err, errInjected) {
			t.Fatalf("fault %d: %v", n, err)
		}
		if got := keys(t, root); len(got) > 0 {
			t.Fatalf("fault %d left %q", n, got)
		}
	}
}
