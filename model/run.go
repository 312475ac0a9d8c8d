// This file holds the record of a run: everything that may differ between equal runs.

package model

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"anchorage/internal/kernel"
	"anchorage/rectify"
)

// Run gathers times and figures while stages go on.
type Run struct {
	Workers    int
	Progress   Progress // told of passes and iterations; may be nil
	stages     []StageTime
	iterations []iterationRecord
	passes     []passRecord
	started    time.Time
}

// StageTime is what a stage took: on the clock, and of all processors together.
type StageTime struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"` // 0 where the system does not tell
}

// Stages returns the stages that have ended, in their order.
func (r *Run) Stages() []StageTime { return slices.Clone(r.stages) }

type iterationRecord struct {
	Number         int     `json:"number"`
	Change         float64 `json:"change"`
	Density        float64 `json:"density"`
	Shift          float64 `json:"shift"`
	CorrectionsSum float64 `json:"corrections_sum"`
	// How ENN kept its corrections, and why.
	Corrections       rectify.CorrectionsMode `json:"corrections,omitempty"`
	CorrectionsBytes  int64                   `json:"corrections_bytes,omitempty"`
	CorrectionsReason string                  `json:"corrections_reason,omitempty"`
	Seconds           float64                 `json:"seconds"`
}

type passRecord struct {
	Number          int     `json:"number"`
	LargestResidual float64 `json:"largest_residual"`
	Seconds         float64 `json:"seconds"`
}

// NewRun begins a record.
func NewRun(workers int) *Run { return &Run{Workers: kernel.Workers(workers), started: time.Now()} }

// stage notes the time from now until the function it returns is called.
func (r *Run) stage(name string) func() {
	begin, cpu := time.Now(), CPUSeconds()
	return func() {
		r.stages = append(r.stages, StageTime{name, time.Since(begin).Seconds(), CPUSeconds() - cpu})
	}
}

// iteration returns a function that notes iterations as they are reported.
func (r *Run) iteration() func(rectify.Iteration) {
	begin := time.Now()
	return func(i rectify.Iteration) {
		if r.Progress != nil {
			r.Progress("rectifying", int64(i.Number), rectify.DefaultIterations)
		}
		r.iterations = append(r.iterations, iterationRecord{i.Number, i.Change, i.Density, i.Shift, i.CorrectionsSum,
			i.Corrections, i.CorrectionBytes, i.CorrectionReason, time.Since(begin).Seconds()})
		begin = time.Now()
	}
}

// pass returns a function that notes passes as they are reported.
func (r *Run) pass() func(number int, residual float64) {
	begin := time.Now()
	return func(number int, residual float64) {
		if r.Progress != nil {
			r.Progress("sketching", int64(number), 0)
		}
		r.passes = append(r.passes, passRecord{number, residual, time.Since(begin).Seconds()})
		begin = time.Now()
	}
}

// record is the content of run.json.
func (r *Run) record() any {
	return struct {
		Started      time.Time         `json:"started"`
		Seconds      float64           `json:"seconds"`
		Workers      int               `json:"workers"`
		Processors   int               `json:"processors"`
		Instructions string            `json:"instructions"`
		Go           string            `json:"go"`
		Platform     string            `json:"platform"`
		PeakBytes    int64             `json:"peak_memory_bytes"`
		Stages       []StageTime       `json:"stages"`
		Passes       []passRecord      `json:"passes,omitempty"`
		Iterations   []iterationRecord `json:"iterations,omitempty"`
	}{
		r.started.UTC().Truncate(time.Second), time.Since(r.started).Seconds(), r.Workers, runtime.GOMAXPROCS(0), kernel.Instructions(),
		runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, PeakMemory(), r.stages, r.passes, r.iterations,
	}
}

// PeakMemory returns the largest resident size of the process so far, in bytes, or 0 where the system does not tell.
func PeakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if rest, found := bytes.CutPrefix(line, []byte("VmHWM:")); found {
			kilobytes, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
			if err == nil {
				return kilobytes << 10
			}
		}
	}
	return 0
}
