package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"anchorage/bench/internal/benchtest"
	"anchorage/model/fit"
)

// record has a field of every type.
type record struct {
	Name    string
	Good    bool
	Count   int
	Large   int64
	Seed    uint64
	Value   float64
	Started time.Time
	Lines   []string
	stages  []fit.StageTime
}

var testLog = Log[string, record]{
	Fields: []Field[record]{
		{"name", func(r *record) any { return &r.Name }}, {"good", func(r *record) any { return &r.Good }},
		{"count", func(r *record) any { return &r.Count }}, {"large", func(r *record) any { return &r.Large }},
		{"seed", func(r *record) any { return &r.Seed }}, {"value", func(r *record) any { return &r.Value }},
		{"started", func(r *record) any { return &r.Started }}, {"lines", func(r *record) any { return &r.Lines }},
	},
	Run:    func(r *record) string { return r.Name },
	Stages: func(r *record) *[]fit.StageTime { return &r.stages },
	Check: func(r *record) error {
		if r.Count < 0 {
			return fmt.Errorf("the count is %d", r.Count)
		}
		return nil
	},
}

func someRecords() []record {
	day := time.Date(2026, 11, 21, 12, 30, 5, 0, time.UTC)
	return []record{
		{"first, \"quoted\"", true, 1, 1 << 60, 1<<64 - 1, 1.0 / 3, day, []string{"a, b", "c"},
			[]fit.StageTime{{Name: "read", Seconds: 0.1, CPU: 0.2, PeakBytes: 3, Modelled: 4}, {Name: "write", Seconds: 1e-9}}},
		{"second", false, 2, -1, 0, math.Inf(1), day.Add(time.Hour), nil, nil},
		{"third\nline", true, 3, 0, 7, -0.5, day, []string{"x"}, []fit.StageTime{{Name: "read", Seconds: 5}}},
	}
}

// put puts records into a folder.
func put(t *testing.T, folder string, records ...record) {
	t.Helper()
	for i := range records {
		if err := testLog.Put(folder, &records[i]); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLog(t *testing.T) {
	folder := t.TempDir()
	if records, err := testLog.Read(folder); err != nil || records != nil {
		t.Fatalf("an empty folder: %v, %v", records, err)
	}
	want := someRecords()
	put(t, folder, want...)
	got, err := testLog.Read(folder)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
	benchtest.Results(t, folder)
	// A run that is made again takes its place, with its stages.
	again := want[0]
	again.Value, again.stages = 9, []fit.StageTime{{Name: "other", Seconds: 8}}
	put(t, folder, again)
	want[0] = again
	if got, err = testLog.Read(folder); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
	unknown := record{Name: "unknown", Value: math.NaN()}
	put(t, folder, unknown)
	if got, err = testLog.Read(folder); err != nil || !math.IsNaN(got[3].Value) {
		t.Errorf("a number that is not known is %v: %v", got[3].Value, err)
	}
}

// Stages of a run that is not in runs.csv, left by an end between the two files, do not count.
func TestLogStagesWithoutRun(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, someRecords()[:1]...)
	runs := benchtest.Text(t, folder, RunsFile)
	put(t, folder, someRecords()...)
	if err := os.WriteFile(filepath.Join(folder, RunsFile), []byte(runs), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := testLog.Read(folder)
	if err != nil || !reflect.DeepEqual(got, someRecords()[:1]) {
		t.Errorf("%+v, %v", got, err)
	}
	put(t, folder, someRecords()[1])
	if got, err := testLog.Read(folder); err != nil || !reflect.DeepEqual(got, someRecords()[:2]) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestLogRefuses(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, someRecords()...)
	runs, stages := benchtest.Text(t, folder, RunsFile), benchtest.Text(t, folder, stagesFile)
	for name, test := range map[string]struct{ file, from, to, want string }{
		"other columns":  {RunsFile, "name,good", "name,bad", "has other columns"},
		"a short row":    {RunsFile, "second,false,", "second,", "wrong number of fields"},
		"no bool":        {RunsFile, "second,false", "second,maybe", "row 3 is not a record of a run: good"},
		"no number":      {RunsFile, "second,false,2", "second,false,two", "row 3 is not a record of a run: count"},
		"no time":        {RunsFile, "2026-11-21T13", "2026-11-41T13", "row 3 is not a record of a run: started"},
		"a bad record":   {RunsFile, "second,false,2", "second,false,-2", "row 3 is not a record of a run: the count is -2: take it out"},
		"other stages":   {stagesFile, "run,stage", "run,step", "does not have the columns of stages"},
		"a broken stage": {stagesFile, "1,read,0.1", "1,read,x", "row 2, seconds"},
	} {
		for file, text := range map[string]string{RunsFile: runs, stagesFile: stages} {
			if file == test.file {
				if !strings.Contains(text, test.from) {
					t.Fatalf("%s: %s does not have %q", name, file, test.from)
				}
				text = strings.Replace(text, test.from, test.to, 1)
			}
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := testLog.Read(folder); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		// What cannot be read is not written over.
		if err := testLog.Put(folder, &record{Name: "new"}); err == nil {
			t.Errorf("%s: a record was added", name)
		}
	}
}

func TestCellPanics(t *testing.T) {
	for name, call := range map[string]func(){
		"cell":    func() { cell(new(int8)) },
		"setCell": func() { _ = setCell(new(int8), "1") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
