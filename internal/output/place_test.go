package output

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/internal/durable"
)

// lay makes files, with what they hold, below the working folder.
func lay(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCheckPlace wants no output at, above or below an input, whatever it is called, nor within directories of results.
func TestCheckPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	lay(t, map[string]string{
		"data/in/a.dat": "a", "data/in/deep/b.dat": "b", "other/c.dat": "c",
		"model/manifest.json": `{"kind": "anchorage/model"}`, "model/levels/3/manifest.json": `{"kind": "anchorage/model"}`,
		"st/store.json": `{"kind": "anchorage/store"}`, "shards/_manifest.json": `{"kind": "anchorage/shards"}`,
		"theirs/manifest.json": `{"kind": "web app"}`, "spoilt/manifest.json": `{`,
	})
	for link, to := range map[string]string{"linked": "data/in", "up": "data", "model/outside": "../other", "into": "st"} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Link("data/in/a.dat", "second.dat"); err != nil {
		t.Skip(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const query = "?endpoint=http://127.0.0.1:1&region=r"
	for _, test := range []struct {
		output, want string // what the error says; empty for none
		inputs       []string
	}{
		{"out", "", []string{"data/in", "other/c.dat", "-", "nowhere", "data/in/*.dat"}},
		{"data/out", "", []string{"data/in"}},
		{"data/in2", "", []string{"data/in"}},
		{"data/in", "is data/in", []string{"other", "data/in"}},
		{"./data//in/", "is data/in", []string{"data/in"}},
		{here + "/data/in", "is data/in", []string{"data/in"}},
		{"file://" + here + "/data/in", "is data/in", []string{"data/in"}},
		{"data/in", "is file", []string{"file://" + here + "/data/in"}},
		{"linked", "is data/in", []string{"data/in"}},
		{"data/in", "is linked", []string{"linked"}},
		{"second.dat", "is data/in/a.dat", []string{"data/in/a.dat"}},
		{"data/in/new", "lies within data/in", []string{"data/in"}},
		{"data/in/new/deep/er", "lies within data/in", []string{"data/in"}},
		{"data/in/.hidden", "lies within data/in", []string{"data/in"}},
		{"linked/new", "lies within data/in", []string{"data/in"}},
		{"up/in/new", "lies within data/in", []string{"data/in"}},
		{"data/in/../in/x/../new", "lies within data/in", []string{"data/in"}},
		{"data", "contains data/in", []string{"data/in"}},
		{"up", "contains data/in", []string{"data/in"}},
		{"data", "contains linked", []string{"linked"}},
		{".", "contains data/in", []string{"data/in"}},
		{"data", "contains up/in/deep/*.dat", []string{"up/in/deep/*.dat"}},
		{"data/in/deep", "contains data/in/deep/*", []string{"data/in/deep/*"}},
		{"data/in/new", "is one of data/in/*", []string{"data/in/*"}},
		{"data/in/new/x", "lies within data/in/n*", []string{"data/in/n*"}},
		{"data/in/new.txt", "", []string{"data/in/*.dat"}},
		{"other", "contains model/*/c.dat", []string{"model/*/c.dat"}},
		{"other/c.dat", "is model/*/c.dat", []string{"model/*/c.dat"}},
		{"model", "", nil},
		{"model/x", "lies within " + here + "/model of the kind anchorage/model", nil},
		{"model/levels/3", "anchorage/model", nil},
		{"model/outside/x", "", nil},
		{"st/shards/1", "lies within " + here + "/st of the kind anchorage/store", nil},
		{"into/generations/2/x", "anchorage/store", nil},
		{"shards/x", "anchorage/shards", nil},
		{"theirs/x", "", nil},
		{"spoilt/x", "", nil},
		{"s3://b/a/new" + query, "lies within s3://b/a", []string{"s3://b/a"}},
		{"s3://b/a" + query, "is s3://b/a/", []string{"s3://b/a/"}},
		{"s3://b/a" + query, "contains s3://b/a/b?region=q", []string{"s3://b/a/b?region=q"}},
		{"s3://b/a/new", "is one of s3://b/*/new", []string{"s3://b/*/new"}},
		{"s3://b/a" + query, "contains s3://b/a/*.dat", []string{"s3://b/a/*.dat"}},
		{"data/in", "", []string{"s3://data/in"}},
	} {
		var wrong *PlaceError
		err := CheckPlace(t.Context(), test.output, test.inputs)
		said := errors.As(err, &wrong) && strings.Contains(err.Error(), test.want)
		if test.want == "" && err != nil || test.want != "" && !said {
			t.Errorf("%s, inputs %q: %v, want %q", test.output, test.inputs, err, test.want)
		}
	}
}

// TestCheckPlaceStored wants nothing to be written below a store or a model of an object store.
func TestCheckPlaceStored(t *testing.T) {
	_, root := bucket(t)
	for _, key := range []string{"a/model/manifest.json", "st/store.json"} {
		text := `{"kind": "anchorage/` + filepath.Base(filepath.Dir(key)) + `"}`
		if err := WriteFile(t.Context(), root.At(key).String(), false, nil, write(text)); err != nil {
			t.Fatal(err)
		}
	}
	for key, want := range map[string]bool{"a/model/levels/3": true, "a/model/x": true, "st/shards/1": true,
		"a/model": false, "a/x": false, "sta/x": false} {
		if err := CheckPlace(t.Context(), root.At(key).String(), nil); (err != nil) != want {
			t.Errorf("%s: %v", key, err)
		}
	}
	if err := Vacant(t.Context(), root.At("st/store.json").String(), false); !errors.Is(err, durable.ErrExists) {
		t.Error(err)
	}
}

// TestReplaceable wants only directories to be replaced whose manifest is ours, of the same kind, and lists all that is
// in them; and what is refused to stay as it is.
func TestReplaceable(t *testing.T) {
	const manifest = `{"kind": "anchorage/model", "outputs": [{"name": "a.parquet"}],
		"levels": [{"folder": "levels/3"}, {"folder": "../up"}]}`
	const level = `{"kind": "anchorage/model", "outputs": [{"name": "b.parquet"}]}`
	whole := map[string]string{"manifest.json": manifest, "a.parquet": "a", "_SUCCESS": "", "run.json": "{}",
		"recommend.json": "{}", "places.parquet": "", "metrics.json": "{}", ".metrics.json.ABCDEFGHIJKLMNOPQRSTUVWXYZ.anchorage-tmp": "",
		"levels/3/manifest.json": level, "levels/3/b.parquet": "b", "levels/3/_SUCCESS": ""}
	for name, test := range map[string]struct {
		change map[string]string // "-" takes a file away
		want   string
	}{
		"whole":        {nil, ""},
		"a lost table": {map[string]string{"a.parquet": "-"}, ""},
		"a person's file": {map[string]string{"notes.txt": "mine"},
			"it holds notes.txt, which its manifest does not list"},
		"a hidden file":     {map[string]string{".gitignore": "*"}, "it holds .gitignore"},
		"deep in a level":   {map[string]string{"levels/3/sub/mine.txt": "mine"}, "it holds levels/3/sub/mine.txt"},
		"a folder":          {map[string]string{"sub/a.parquet": "mine"}, "it holds sub/a.parquet"},
		"a level of others": {map[string]string{"levels/3/manifest.json": `{"kind": "web"}`}, "it holds levels/3/"},
		"another kind": {map[string]string{"manifest.json": `{"kind": "anchorage/sketch", "outputs": []}`},
			"it is a directory of the kind anchorage/sketch"},
		"somebody else's":    {map[string]string{"manifest.json": `{"kind": "web"}`}, "it has no manifest of this program"},
		"no manifest":        {map[string]string{"manifest.json": "-"}, "it has no manifest of this program"},
		"a damaged manifest": {map[string]string{"manifest.json": manifest[:40]}, "it has no manifest of this program"},
		"not complete":       {map[string]string{"_SUCCESS": "-"}, "it is no complete output"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for file, text := range whole {
				lay(t, map[string]string{"out/" + file: text})
			}
			for file, text := range test.change {
				if lay(t, map[string]string{"out/" + file: text}); text == "-" {
					os.Remove("out/" + file)
				}
			}
			d, err := Begin(t.Context(), "out", "anchorage/model", true, nil)
			if test.want != "" {
				if !errors.Is(err, durable.ErrNotReplaceable) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%v, want %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer d.Abort()
			// What a person puts there while the run lasts is not lost either.
			lay(t, map[string]string{"out/late.txt": "mine"})
			if err := d.Commit(); !errors.Is(err, durable.ErrNotReplaceable) || content(t, "out/late.txt") != "mine" {
				t.Errorf("a file that came late: %v", err)
			}
			os.Remove("out/late.txt")
			if d, err = Begin(t.Context(), "out", "anchorage/model", true, nil); err != nil {
				t.Fatal(err)
			}
			defer d.Abort()
			if err := List(d, "anchorage/model"); err != nil {
				t.Fatal(err)
			}
			if err := d.Commit(); err != nil {
				t.Fatal(err)
			}
			if err := Replaceable("out", "anchorage/model"); err != nil { // by _manifest.json
				t.Error(err)
			}
		})
	}
}

// TestVacant wants a file to be written in place of another only where that was asked for.
func TestVacant(t *testing.T) {
	t.Chdir(t.TempDir())
	lay(t, map[string]string{"there": "mine", "folder/x": "", "ours.prom": "# HELP anchorage_run_x", "empty": ""})
	err := WriteFile(t.Context(), "there", false, nil, write("new"))
	if !errors.Is(err, durable.ErrExists) || content(t, "there") != "mine" {
		t.Error(err)
	}
	err = WriteFile(t.Context(), "late", false, nil, func(io.Writer) error {
		lay(t, map[string]string{"late": "mine"})
		return nil
	})
	if !errors.Is(err, durable.ErrExists) || content(t, "late") != "mine" {
		t.Error(err)
	}
	if err := WriteFile(t.Context(), "there", true, nil, write("new")); err != nil || content(t, "there") != "new" {
		t.Error(err)
	}
	var wrong *PlaceError
	if err := Vacant(t.Context(), "folder", true); !errors.As(err, &wrong) {
		t.Error(err)
	}
	for path, want := range map[string]bool{"there": false, "ours.prom": true, "empty": true, "nothing": true,
		"folder": false} {
		if err := Kept(t.Context(), path, "# HELP anchorage_run_"); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}
