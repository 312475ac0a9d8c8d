package fit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"anchorage/internal/durable"
	"anchorage/internal/long"
	"anchorage/internal/objects"
	"anchorage/internal/sealed"
	"anchorage/model"
	"anchorage/model/items"
)

// storeOf puts the files of a directory into a store in this process, and returns the URL of the directory.
func storeOf(t *testing.T, dir string) (url string, put func(name string, content []byte), remove func(name string)) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	backend := s3mem.New()
	if err := backend.CreateBucket("data"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	t.Cleanup(server.Close)
	url = "s3://data/model?region=us-east-1&use_path_style=true&endpoint=" + server.URL
	put = func(name string, content []byte) {
		if _, err := backend.PutObject("data", "model/"+name, nil, strings.NewReader(string(content)), int64(len(content)),
			nil); err != nil {
			t.Fatal(err)
		}
	}
	remove = func(name string) {
		if _, err := backend.DeleteObject("data", "model/"+name); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		put(entry.Name(), content)
	}
	return url, put, remove
}

// TestDirectoryRefuses exchanges, damages and removes every file of a model in turn, on this machine and in a store:
// Load names the file, and so does Verify. A model whose manifest does not list a table is refused too.
func TestDirectoryRefuses(t *testing.T) {
	_, path := fitted(t, "word-%d")
	manifest, err := model.ReadManifest(t.Context(), path, model.KindModel)
	if err != nil {
		t.Fatal(err)
	}
	url, putObject, removeObject := storeOf(t, path)
	for _, place := range []struct {
		path   string
		put    func(string, []byte)
		remove func(string)
	}{
		{path, func(name string, content []byte) {
			if err := os.WriteFile(filepath.Join(path, name), content, 0o666); err != nil {
				t.Fatal(err)
			}
		}, func(name string) {
			if err := os.Remove(filepath.Join(path, name)); err != nil {
				t.Fatal(err)
			}
		}},
		{url, putObject, removeObject},
	} {
		load := func(ctx context.Context) error {
			m, err := model.Load(ctx, place.path)
			if err == nil {
				_, err = m.Vectors(ctx)
			}
			return err
		}
		whole, err := verify(t, place.path)
		if err != nil || anyBroken(whole) || len(whole) != len(manifest.Outputs)+2 {
			t.Fatalf("%s: %+v, %v", place.path, whole, err)
		}
		for i, output := range manifest.Outputs {
			if !long.Tier() && place.path == url && i%4 > 0 {
				continue
			}
			content, err := objects.ReadFile(t.Context(), objects.Join(place.path, output.Name))
			if err != nil {
				t.Fatal(err)
			}
			flipped := append([]byte{}, content...)
			flipped[len(flipped)/2] ^= 1
			other, err := objects.ReadFile(t.Context(), objects.Join(place.path,
				manifest.Outputs[(i+1)%len(manifest.Outputs)].Name))
			if err != nil {
				t.Fatal(err)
			}
			for fault, spoil := range map[model.Fault]func(){model.Damaged: func() { place.put(output.Name, flipped) },
				model.Incomplete: func() { place.remove(output.Name) },
				"":               func() { place.put(output.Name, other) }} {
				spoil()
				if fault == "" { // exchanged
					fault = model.Damaged
				}
				var input *model.InputError
				if err := load(t.Context()); output.Name != "spectrum.parquet" && output.Name != "leading.parquet" &&
					output.Name != "evidence.parquet" && (!errors.As(err, &input) || input.Fault != fault ||
					input.Path != objects.Join(place.path, output.Name)) {
					t.Errorf("%s, fault %s: %v", output.Name, fault, err)
				}
				found, err := verify(t, place.path)
				if err != nil || !anyBroken(found) {
					t.Errorf("%s, fault %s: verified: %+v, %v", output.Name, fault, found, err)
				}
			}
			place.put(output.Name, content)
		}
		if err := load(t.Context()); err != nil {
			t.Errorf("%s: whole again: %v", place.path, err)
		}
	}
	damaged := filepath.Join(path, "items.parquet")
	content, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	if err := replaceIn(model.ManifestFile, `"name": "items.parquet"`, `"name": "atoms.parquet"`)(path); err != nil {
		t.Fatal(err)
	}
	_, err = model.Load(t.Context(), path)
	var input *model.InputError
	if !errors.As(err, &input) || input.Fault != model.Incomplete || !strings.Contains(err.Error(),
		"items.parquet is not among the files that the manifest") {
		t.Errorf("an unlisted table: %v", err)
	}
	if _, err := model.Load(model.Unverified(t.Context()), path); err != nil || len(content) == 0 {
		t.Errorf("read as it is: %v", err)
	}
}

// TestManifestSeal damages manifests.
func TestManifestSeal(t *testing.T) {
	_, path := fitted(t, "word-%d")
	file := filepath.Join(path, model.ManifestFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	object, _, err := sealed.Open(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ content, want string }{
		"edited": {strings.Replace(string(text), `"documents": `, `"documents": 1`, 1),
			"its checksum does not fit its content"},
		"without": {string(object), "its checksum is missing"},
	} {
		if err := os.WriteFile(file, []byte(test.content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := model.Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNeighboursBelongTogether exchanges the tables of pairs, which the manifest does not list.
func TestNeighboursBelongTogether(t *testing.T) {
	folder := t.TempDir()
	var paths []string
	for _, name := range []string{"a", "b"} {
		shards := filepath.Join(folder, name+".parquet")
		writeShard(t, shards, "word-%d", uint64(len(paths)+1))
		docs := openCorpus(t, 0, nil, shards)
		f, err := Fit(t.Context(), docs, Options{Topics: 4, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if f.Recommendation, err = Learn(t.Context(), f.Model, docs, RecommendOptions{}); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Join(folder, name))
		if err := f.Save(t.Context(), paths[len(paths)-1]); err != nil {
			t.Fatal(err)
		}
	}
	open := func() error {
		m, err := model.Load(t.Context(), paths[0])
		if err != nil {
			return err
		}
		return m.Prepare(t.Context())
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"neighbours.parquet", "neighbour_counts.parquet"} {
		content, err := os.ReadFile(filepath.Join(paths[1], name))
		if err != nil {
			t.Fatal(err)
		}
		own, err := os.ReadFile(filepath.Join(paths[0], name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(paths[0], name), content, 0o666); err != nil {
			t.Fatal(err)
		}
		var input *model.InputError
		if err := open(); !errors.As(err, &input) || input.Fault != model.Damaged || !strings.HasSuffix(input.Path, name) {
			t.Errorf("%s: %v", name, err)
		}
		if found, err := verify(t, paths[0]); err != nil || !anyBroken(found) {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
		if err := os.WriteFile(filepath.Join(paths[0], name), own, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLearningIsKilled copies a model before every operation on files by which it gets a second recommendation: each
// copy is whole and has the first or the second one, and a third takes its place.
func TestLearningIsKilled(t *testing.T) {
	folder := t.TempDir()
	shards := filepath.Join(folder, "a.parquet")
	writeShard(t, shards, "word-%d", 1)
	docs := openCorpus(t, 0, nil, shards)
	f, err := Fit(t.Context(), docs, Options{Topics: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "model")
	if err := f.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	learned := func(path string, kept int) {
		t.Helper()
		r, err := Learn(t.Context(), f.Model, docs, RecommendOptions{Count: items.Options{Neighbours: kept}})
		if err == nil {
			err = model.SaveRecommendation(t.Context(), path, r)
		}
		if left, _ := filepath.Glob(filepath.Join(path, "*.next")); err != nil || len(left) > 0 {
			t.Fatal(left, err)
		}
	}
	read := func(path string) int {
		t.Helper()
		m, err := model.Load(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		_, record, err := m.Recommender(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if found, err := verify(t, path); err != nil || anyBroken(found) {
			t.Errorf("%s: %+v, %v", path, found, err)
		}
		return record.Neighbours
	}
	learned(path, 3)
	var killed []string
	restore := durable.Inject(func(string) error {
		killed = append(killed, fmt.Sprintf("%s-%d", path, len(killed)))
		return os.CopyFS(killed[len(killed)-1], os.DirFS(path))
	})
	learned(path, 5)
	restore()
	for at, path := range killed {
		if kept := read(path); kept != 3 && kept != 5 || at == 0 && kept != 3 || at == len(killed)-1 && kept != 5 {
			t.Errorf("%s: %d neighbours", path, kept)
		}
		learned(path, 7)
		if kept := read(path); kept != 7 {
			t.Errorf("%s, after the next: %d neighbours", path, kept)
		}
	}
	if len(killed) < 12 {
		t.Errorf("only %d operations", len(killed))
	}
	r, err := Learn(t.Context(), f.Model, docs, RecommendOptions{Count: items.Options{Neighbours: 3}})
	if err != nil {
		t.Fatal(err)
	}
	for fails := range killed {
		at := 0
		restore := durable.Inject(func(string) error {
			if at++; at == fails+1 {
				return os.ErrPermission
			}
			return nil
		})
		err := model.SaveRecommendation(t.Context(), path, r)
		restore()
		complete, _ := filepath.Glob(filepath.Join(path, "recommend.json.next"))
		left, _ := filepath.Glob(filepath.Join(path, "*.next"))
		if err == nil || len(left) > 0 && len(complete) == 0 {
			t.Errorf("operation %d fails with %v and leaves %q", fails, err, left)
		}
		read(path)
	}
}

// TestScratchStaysOut leaves a file in the scratch folder of an output whose removal fails: the result does not hold
// it, and package durable remembers what stays.
func TestScratchStaysOut(t *testing.T) {
	folder := t.TempDir()
	writeShard(t, filepath.Join(folder, "a.parquet"), "word-%d", 1)
	run := new(Run)
	f, err := Fit(t.Context(), openCorpus(t, 0, nil, filepath.Join(folder, "a.parquet")), Options{Topics: 4,
		Seed: 1, Run: run})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "model")
	out, err := run.Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	scratch, err := out.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	err = durable.WriteFile(filepath.Join(scratch, "working"), func(w io.Writer) error {
		_, err := io.WriteString(w, "x")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	undo := durable.Inject(func(operation string) error {
		if operation == "remove" {
			return os.ErrPermission
		}
		return nil
	})
	durable.Left()
	err = f.SaveTo(out)
	undo()
	if left := durable.Left(); err != nil || !strings.Contains(fmt.Sprint(left), scratch) {
		t.Errorf("%v; what stays: %v", err, left)
	}
	if _, err := os.Stat(filepath.Join(path, "working")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a working file is in the model: %v", err)
	}
}

// anyBroken reports whether anything is wrong with the files of a directory.
func anyBroken(files []verified) bool {
	return slices.ContainsFunc(files, func(f verified) bool { return f.err != nil })
}

// verified is a file that was compared with its checksum.
type verified struct {
	name string
	err  error
}

// verify looks over a directory.
func verify(t *testing.T, path string) (files []verified, err error) {
	t.Helper()
	_, err = model.Verify(t.Context(), path, func(name string, _ int64, err error) {
		files = append(files, verified{name, err})
	})
	return files, err
}

// TestSource wants what was made of the same in the same way to be known, on this machine and in a store, and nothing
// else.
func TestSource(t *testing.T) {
	_, path := fitted(t, "word-%d")
	ctx, run := t.Context(), filepath.Join(path, runFile)
	source, before := Source(ctx, path, model.KindModel, "how", path, path)
	if source == "" || before != nil {
		t.Fatalf("a fit was made of %q: %v", source, before)
	}
	record, err := ReadRun(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	record.Source = source
	text, err := json.Marshal(record)
	if err == nil {
		err = os.WriteFile(run, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	url, _, remove := storeOf(t, path)
	for _, output := range []string{path, url} {
		for _, try := range []struct {
			kind, how string
			paths     []string
			known     bool
		}{{model.KindModel, "how", []string{path, url, ""}, true}, {model.KindModel, "other", []string{path, path}, false},
			{model.KindModel, "how", []string{path}, false}, {model.KindSketch, "how", []string{path, path}, false},
			{model.KindModel, "how", []string{path, path + "-gone"}, false}} {
			got, before := Source(ctx, output, try.kind, try.how, try.paths...)
			if (before != nil) != try.known || try.known && got != source {
				t.Errorf("%s, %v: %q, %v", output, try, got, before)
			}
		}
	}
	remove(durable.Success) // as an upload that was killed
	if _, before := Source(ctx, url, model.KindModel, "how", path, path); before != nil {
		t.Error("an incomplete output was taken for one that was done")
	}
}
