package run

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bench/internal/show"
)

// options are those of a test.
func options(t *testing.T) Options {
	return Options{Folder: filepath.Join(t.TempDir(), "results"), Command: "bench test", Again: AgainNone,
		Log: slog.New(slog.DiscardHandler)}
}

// closer counts how often it is closed.
type closer struct{ closed *int }

func (c closer) Close() error { *c.closed++; return nil }

// A grid is made once; rows of a run that is made again take the place of the old ones; what is shared is prepared once
// and closed.
func TestRun(t *testing.T) {
	made, prepared, closed, broken := 0, 0, 0, "2"
	part := &Part{Name: "test", Title: "Test", Page: `{{origin}}`,
		Settings: []Setting{{Name: "size", Default: "1,2"}, {Name: "method", Default: "a,b"}, {Name: "scale", Default: "1"},
			{Name: "data", Default: "x", How: true}},
		Keys: []string{"size", "flags", "method"}, Shared: []string{"size"},
		Prepare: func(_ context.Context, j *Job) error {
			prepared++
			j.State = closer{&closed}
			return os.WriteFile(filepath.Join(j.Shared, "corpus"), nil, 0o644)
		},
		Measure: func(_ context.Context, j *Job) error {
			made++
			if _, err := os.Stat(filepath.Join(j.Shared, "corpus")); err != nil {
				return err
			}
			j.Add("stages", "stage", "fit", "made", made)
			if j.Text("size") == broken {
				return errors.New("broken in " + filepath.Join(j.Scratch, "x"))
			}
			j.Row("twice", 2*j.Int("size")*j.Int("scale"))
			return nil
		}}
	o := options(t)
	try := func(v Values, wantMade int) (runs, stages show.View) {
		t.Helper()
		made = 0
		if err := part.Run(t.Context(), v, o); err != nil || made != wantMade {
			t.Fatalf("%d made, want %d: %v", made, wantMade, err)
		}
		runs, err := read(o.Folder, "runs")
		if err != nil {
			t.Fatal(err)
		}
		stages, err = read(o.Folder, "stages")
		if err != nil {
			t.Fatal(err)
		}
		return runs, stages
	}
	runs, stages := try(part.Defaults(), 4)
	if len(runs.Rows) != 4 || len(stages.Rows) != 4 || prepared != 2 || closed != 2 || runs.Rows[1]["twice"] != "2" ||
		runs.Rows[3]["failure"] != "broken in x" {
		t.Errorf("%+v, %d prepared, %d closed", runs.Rows, prepared, closed)
	}
	try(part.Defaults(), 0)
	o.Again, broken = AgainFailed, ""
	runs, stages = try(part.Defaults(), 2)
	if len(runs.Rows) != 4 || len(stages.Rows) != 4 || runs.Rows[3]["failure"] != "" || runs.Rows[3]["twice"] != "4" {
		t.Errorf("made again: %+v, %+v", runs.Rows, stages.Rows)
	}
	runs, _ = try(part.Defaults().With("scale", 10, "data", "y", "size", 1, "method", "b"), 1)
	if last := runs.Rows[4]; last["flags"] != "--scale 10" || last["twice"] != "20" || last["command"] != "bench test" ||
		last["machine"] == "" {
		t.Errorf("%+v", last)
	}
}

// Wrong settings are told before anything is written; a grid of which no run succeeds is an error, and an interrupted
// one keeps its rows.
func TestRunFails(t *testing.T) {
	part := &Part{Name: "test", Page: `{{failures "n"}}`, Settings: []Setting{{Name: "n", Default: "1,2"}},
		Keys:    []string{"n"},
		Measure: func(_ context.Context, j *Job) error { return errors.New("broken") }}
	o := options(t)
	var usage *UsageError
	for _, v := range []Values{{"n": "1,x"}, {"n": ""}} {
		if err := part.Run(t.Context(), v, o); !errors.As(err, &usage) {
			t.Errorf("%v: %v", v, err)
		}
	}
	if _, err := os.Stat(o.Folder); err == nil {
		t.Error("there is a folder")
	}
	if err := part.Run(t.Context(), part.Defaults(), o); err == nil || !strings.Contains(err.Error(),
		"no run succeeded: broken") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	part.Measure = func(_ context.Context, j *Job) error {
		if j.Int("n") == 2 {
			cancel()
		}
		return nil
	}
	o = options(t)
	if err := part.Run(ctx, part.Defaults(), o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if runs, err := read(o.Folder, "runs"); err != nil || len(runs.Rows) != 1 {
		t.Errorf("%+v, %v", runs, err)
	}
	part.Measure = func(context.Context, *Job) error { return &Absent{"it is not installed"} }
	o = options(t)
	if err := part.Run(t.Context(), part.Defaults(), o); err != nil {
		t.Error(err)
	}
	if runs, err := read(o.Folder, "runs"); err != nil || len(runs.Rows) != 0 {
		t.Errorf("%+v, %v", runs, err)
	}
}
