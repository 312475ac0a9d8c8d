package fit

import (
	"anchorage/internal/process"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Stages of a run do not overlap. A run that does not own its process does not reset the system's high-water mark.
func TestRunRecord(t *testing.T) {
	_, path := fitted(t, "word-%d")
	record, err := ReadRun(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	seconds := 0.0
	for _, stage := range record.Stages {
		names = append(names, stage.Name)
		seconds += stage.Seconds
		if stage.PeakBytes != 0 {
			t.Errorf("peak of %s is %d: the run does not own the process", stage.Name, stage.PeakBytes)
		}
	}
	if want := []string{"sketch", "evidence", "rectify", "anchor", "refine", "write"}; !slices.Equal(names, want) {
		t.Errorf("stages %v, want %v", names, want)
	}
	if seconds > record.Seconds {
		t.Errorf("stages take %v s of %v s", seconds, record.Seconds)
	}
	if len(record.Passes) == 0 || len(record.Iterations) == 0 {
		t.Errorf("no passes or no iterations: %+v", record)
	}
}

// A run that owns its process measures its stages. The peak of the run is at least that of every stage.
func TestStagePeaks(t *testing.T) {
	r := &Run{OwnsProcess: true}
	r.Stage("a")()
	r.Stage("b")()
	known := process.StartWatch().End() > 0
	for _, stage := range r.Stages() {
		if peak := r.Record().PeakBytes; (stage.PeakBytes > 0) != known || stage.PeakBytes > peak {
			t.Errorf("peak of %s is %d, of the run %d", stage.Name, stage.PeakBytes, peak)
		}
	}
}

func TestStageEndsOnce(t *testing.T) {
	r := new(Run)
	end := r.Stage("a")
	end()
	end()
	if stages := r.Stages(); len(stages) != 1 || stages[0].Name != "a" || stages[0].Seconds < 0 {
		t.Errorf("%+v", stages)
	}
}

func TestReadRunRefuses(t *testing.T) {
	folder := t.TempDir()
	if _, err := ReadRun(context.Background(), folder); err == nil || !strings.Contains(err.Error(),
		"no readable record of its run") {
		t.Errorf("without a file: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "run.json"), []byte("[1]"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRun(context.Background(), folder); err == nil || !strings.Contains(err.Error(),
		"run.json cannot be read") {
		t.Errorf("of something else: %v", err)
	}
}

// The key is absent if the peak of a stage is unknown.
func TestUnknownPeak(t *testing.T) {
	text, err := json.Marshal(StageTime{Name: "a"})
	if err != nil || strings.Contains(string(text), "peak") {
		t.Errorf("%s, %v", text, err)
	}
}
