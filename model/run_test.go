package model

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// The stages of a run follow each other, and its peak is the greatest of theirs or greater, though the mark of the
// system was set back with every one.
func TestRunRecord(t *testing.T) {
	_, path := fitted(t, "word-%d")
	record, err := ReadRun(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	seconds := 0.0
	for _, stage := range record.Stages {
		names = append(names, stage.Name)
		seconds += stage.Seconds
		if known := resetHighWaterMark() == nil; (stage.PeakBytes > 0) != known || stage.PeakBytes > record.PeakBytes {
			t.Errorf("peak of %s is %d, of the run %d", stage.Name, stage.PeakBytes, record.PeakBytes)
		}
	}
	if want := []string{"sketch", "evidence", "rectify", "anchor", "write"}; !slices.Equal(names, want) {
		t.Errorf("stages %v, want %v", names, want)
	}
	if seconds > record.Seconds {
		t.Errorf("stages take %v s of %v s", seconds, record.Seconds)
	}
	if len(record.Passes) == 0 || len(record.Iterations) == 0 {
		t.Errorf("no passes or no iterations: %+v", record)
	}
}

func TestStageEndsOnce(t *testing.T) {
	r := NewRun(1)
	end := r.Stage("a")
	end()
	end()
	if stages := r.Stages(); len(stages) != 1 || stages[0].Name != "a" || stages[0].Seconds < 0 {
		t.Errorf("%+v", stages)
	}
}

func TestReadRunRefuses(t *testing.T) {
	folder := t.TempDir()
	if _, err := ReadRun(folder); err == nil || !strings.Contains(err.Error(), "no record of its run") {
		t.Errorf("without a file: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "run.json"), []byte("[1]"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRun(folder); err == nil || !strings.Contains(err.Error(), "run.json cannot be understood") {
		t.Errorf("of something else: %v", err)
	}
}

// A stage whose peak is not known does not have the key.
func TestUnknownPeak(t *testing.T) {
	if peak := memory.end(nil); peak != 0 {
		t.Errorf("a watch that was not begun has seen %d bytes", peak)
	}
	text, err := json.Marshal(StageTime{Name: "a"})
	if err != nil || strings.Contains(string(text), "peak") {
		t.Errorf("%s, %v", text, err)
	}
}

// What a watch sees lies between its beginning and its end, whatever other watches do to the mark of the system.
func TestMemoryWatch(t *testing.T) {
	if resetHighWaterMark() != nil {
		t.Skip("the system's mark cannot be set back")
	}
	const size = 256 << 20
	outer := memory.watch()
	before := memory.watch()
	quiet := memory.end(before)
	inner := memory.watch()
	block := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		block[i] = 1
	}
	high := memory.end(inner)
	if block[4096] != 1 {
		t.Fatal("the block has to live until here")
	}
	block = nil
	debug.FreeOSMemory()
	later := memory.watch()
	low := memory.end(later)
	whole := memory.end(outer)
	if high < size || quiet > high-size/2 || low > high-size/2 {
		t.Errorf("%d bytes before, %d with a block of %d, %d after it", quiet, high, size, low)
	}
	if whole < high || PeakMemory() < high {
		t.Errorf("%d bytes in all and %d of the process, but %d in between", whole, PeakMemory(), high)
	}
	if len(memory.watches) != 0 {
		t.Errorf("%d watches go on", len(memory.watches))
	}
}
