// This file defines Run: the settings of a run, and the record of everything that may differ between equal runs.

package fit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/internal/kernel"
	"anchorage/internal/objects"
	"anchorage/internal/process"
	"anchorage/model"
	"anchorage/rectify"
	"anchorage/sketch"
)

// Run holds the settings of a run, and records the time and memory of its stages. The zero value is ready to use. A Run
// serves one run and belongs to one goroutine.
type Run struct {
	Workers int // goroutines; 0 for as many as there are processors. Results do not depend on it.
	// MemoryLimit, if not 0, is the memory that the process may take, in bytes. A run that does not fit is refused in
	// advance, with a *MemoryError, or a *sketch.DenseError if C is held. The Krylov basis goes to
	// SpillDir if it does not fit, and corrections get as much room as the limit allows. Neither changes the result; the
	// columns of a single pass, and whether topics are refined, follow from the limit and do. With 0, a run that owns its
	// process is still refused if it does not fit into what the program lets the process take; that limit changes no
	// result. Of several ranks each may take as much; the least of their limits counts.
	MemoryLimit int64
	// SpillDir is the folder for files that spill memory to disk. If it is empty, nothing is spilled unless the options
	// ask for it; then files go to the system's folder for temporary files.
	SpillDir string
	Log      *slog.Logger // receives what stages find; may be nil
	// Progress, if not nil, is called with a stage and how much of it is done; total is 0 while it is unknown. It is
	// called from one goroutine at a time.
	Progress func(stage string, done, total int64)
	// Checkpoint, if not nil, is where Fit and Sketch keep their state, so that a run that was interrupted or killed can
	// continue. Results do not depend on it. The caller removes it once the result is saved, and closes it otherwise.
	Checkpoint *Checkpoint
	Source     string // what the result is made of, by Source, for run.json
	// OwnsProcess says that the process exists for this run. Then the run measures the memory of its stages, which resets
	// the system's high-water mark, and returns memory to the system between stages.
	OwnsProcess bool
	// TunesCollector lets a run that owns its process set GOGC, so that garbage stays within the memory model.
	TunesCollector bool

	modelled   map[string]int64 // bytes of the stages that the memory model covers
	stages     []StageTime
	iterations []IterationRecord
	passes     []PassRecord
	visits     visits // of the present pass
	figures    []any  // of the present stage, for the log: keys and values
	started    time.Time
	kept       *keeping

	ranks  *collective.Comm // nil unless there are other ranks
	lowest *int64           // the ceiling of the rank that has least; nil unless there are other ranks
	// of the vocabulary and view, and of the reading, of the rank that has most; nil unless there are other ranks
	idBytes  []int64
	together []RankRecord // nil unless there are other ranks
}

// progress calls Progress.
func (r *Run) progress(stage string, done, total int64) {
	if r.Progress != nil {
		r.Progress(stage, done, total)
	}
}

// watched returns the pass over a corpus, which is shown as the given stage while it lasts. What follows it has no
// known length.
func (r *Run) watched(docs *corpus.Corpus, stage string) corpus.Pass {
	pass, shown := docs.Pass, r.Progress != nil && docs.Copied()
	if shown {
		pass = docs.Watched(func(done, total int64) { r.Progress(stage, done, total) })
	}
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		begin, cpu := time.Now(), process.CPUSeconds()
		err := pass(ctx, fn)
		r.visits.seconds += time.Since(begin).Seconds()
		r.visits.cpu += process.CPUSeconds() - cpu
		if shown {
			r.Progress("solving", 0, 0)
		}
		return err
	}
}

// visits is the time from the first to the last document of watched passes.
type visits struct{ seconds, cpu float64 }

// begin records the start of the run.
func (r *Run) begin() {
	if r.started.IsZero() {
		r.started = time.Now()
	}
}

// log returns the logger, or one that discards everything if there is none.
func (r *Run) log() *slog.Logger {
	return cmp.Or(r.Log, discard)
}

var discard = slog.New(slog.DiscardHandler)

// ceiling returns the memory that the process may take although no limit was chosen for the run, in bytes; 0 if there
// is no limit.
func (r *Run) ceiling() int64 {
	if r.lowest != nil {
		return *r.lowest
	}
	if !r.OwnsProcess {
		return 0
	}
	return process.MemoryLimit()
}

// denseBytes returns the memory that a dense C and its copies may take within the memory limit; 0 means the default. A
// quarter of the limit, without that of the program itself, is left for everything else.
func (r *Run) denseBytes() int64 {
	limit := cmp.Or(r.MemoryLimit, r.ceiling())
	if limit == 0 {
		return 0
	}
	return min(max((limit-processBytes)/4*3, 1), sketch.DefaultDenseBytes)
}

// StageTime is the time and memory of a stage.
type StageTime struct {
	Name      string  `json:"name"`
	Seconds   float64 `json:"seconds"`                     // wall-clock time
	CPU       float64 `json:"cpu_seconds"`                 // of all processors; 0 if not reported
	PeakBytes int64   `json:"peak_memory_bytes,omitempty"` // largest resident size; 0 if the system does not report it
	// Modelled is PeakBytes according to the memory model; 0 if it does not cover the stage.
	Modelled int64 `json:"modelled_memory_bytes,omitempty"`
}

// Stages returns the stages that have ended, in their order.
func (r *Run) Stages() []StageTime {
	stages := slices.Clone(r.stages)
	for i := range stages {
		stages[i].Modelled = r.modelled[stages[i].Name]
	}
	return stages
}

// model records the memory model's figures for the given stages. They replace earlier figures.
func (r *Run) model(stages []StageMemory) {
	if r.modelled == nil {
		r.modelled = make(map[string]int64)
	}
	for _, s := range stages {
		r.modelled[s.Stage] = s.Bytes
	}
}

// IterationRecord is an iteration of a rectification.
type IterationRecord struct {
	rectify.Iteration
	Seconds float64 `json:"seconds"`
}

// PassRecord is a pass over the documents on the way to eigenpairs.
type PassRecord struct {
	Number          int     `json:"number"`
	LargestResidual float64 `json:"largest_residual"`
	Seconds         float64 `json:"seconds"`
	// The part of it between the first and the last document, with that of the first pass in the second, on the clock and
	// of all processors together. What follows is algebra with blocks of N rows.
	VisitSeconds float64 `json:"visit_seconds"`
	VisitCPU     float64 `json:"visit_cpu_seconds"`
}

// found adds figures of the present stage, keys and values, to the line of the log that ends it. A stage without
// figures has no line; so a stage calls found when nothing can fail any more.
func (r *Run) found(figures ...any) { r.figures = append(r.figures, figures...) }

// Stage measures a stage from now until end is called. Further calls of end do nothing. Stages do not overlap, so their
// seconds add up to those of the run.
func (r *Run) Stage(name string) (end func()) {
	r.begin()
	r.ranks.Begin(name)
	r.figures = nil
	var watch *process.Watch
	if r.OwnsProcess {
		process.Trim(processBytes) // of a small model there is nothing to give back, and fetching it again takes time
		if r.TunesCollector {
			debug.SetGCPercent(collectorPercent(r.modelled[name]))
		}
		watch = process.StartWatch()
	}
	begin, cpu, ended := time.Now(), process.CPUSeconds(), false
	return func() {
		if !ended {
			seconds := time.Since(begin).Seconds()
			r.stages = append(r.stages, StageTime{Name: name, Seconds: seconds, CPU: process.CPUSeconds() - cpu,
				PeakBytes: watch.End()})
			if len(r.figures) > 0 {
				r.log().Info("stage done", append([]any{"stage", name, "seconds", seconds}, r.figures...)...)
			}
		}
		ended = true
	}
}

// iteration returns a function that records and logs iterations.
func (r *Run) iteration() func(rectify.Iteration) {
	begin := time.Now()
	r.progress("rectifying", 0, 0)
	return func(i rectify.Iteration) {
		r.progress("rectifying", int64(i.Number), int64(i.Of))
		r.log().Debug("rectification", "iteration", i.Number, "change", i.Change, "density", i.Density, "shift", i.Shift,
			"corrections_sum", i.CorrectionsSum, "applications", i.Applications, "residual", i.Residual, "corrections",
			i.Corrections, "corrections_bytes", i.CorrectionBytes)
		r.iterations = append(r.iterations, IterationRecord{i, time.Since(begin).Seconds()})
		begin = time.Now()
	}
}

// pass returns a function that records and logs passes.
func (r *Run) pass() func(number int, residual float64) {
	begin := time.Now()
	r.visits = visits{}
	return func(number int, residual float64) {
		r.passes = append(r.passes, PassRecord{number, residual, time.Since(begin).Seconds(), r.visits.seconds, r.visits.cpu})
		r.log().Debug("pass over the documents", "pass", number, "largest_residual", residual)
		begin, r.visits = time.Now(), visits{}
	}
}

// runFile is the file of a directory that may differ between equal runs.
const runFile = "run.json"

// RunRecord is the content of run.json.
type RunRecord struct {
	Started      time.Time         `json:"started"`
	Seconds      float64           `json:"seconds"`
	Workers      int               `json:"workers"`
	Processors   int               `json:"processors"`
	Instructions string            `json:"instructions"`
	Go           string            `json:"go"`
	Platform     string            `json:"platform"`
	PeakBytes    int64             `json:"peak_memory_bytes"` // of the process
	Stages       []StageTime       `json:"stages"`
	Passes       []PassRecord      `json:"passes,omitempty"`
	Iterations   []IterationRecord `json:"iterations,omitempty"`
	Source       string            `json:"source,omitempty"` // what the result is made of, by Source
	// Ranks says what each of several ranks has taken; nil if there was one process. All else is of rank 0.
	Ranks []RankRecord `json:"ranks,omitempty"`
}

// Record returns what the run has recorded so far.
func (r *Run) Record() RunRecord {
	r.begin()
	return RunRecord{
		r.started.UTC().Truncate(time.Second), time.Since(r.started).Seconds(), kernel.Workers(r.Workers),
		runtime.GOMAXPROCS(0), kernel.Instructions(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH,
		process.PeakMemory(), r.Stages(), r.passes, r.iterations, r.Source, r.together,
	}
}

// ReadRun reads the run.json of a directory.
func ReadRun(ctx context.Context, path string) (*RunRecord, error) {
	data, err := objects.ReadFile(ctx, objects.Join(path, runFile))
	if err != nil {
		return nil, &model.InputError{Path: path, Reason: "has no readable record of its run: " + err.Error()}
	}
	record := new(RunRecord)
	if err := json.Unmarshal(data, record); err != nil {
		return nil, &model.InputError{Path: objects.Join(path, runFile), Reason: "cannot be read: " + err.Error()}
	}
	return record, nil
}

// Source returns what a result is made of, for Run.Source: the SHA-256 of how it is made and of the manifests of the
// directories at paths, in their order, without empty ones; "" if one cannot be read. If the output is there, is of the
// kind and was made of the same, as an earlier attempt leaves it, before is its manifest, otherwise nil.
func Source(ctx context.Context, output, kind, how string, paths ...string) (source string, before *model.Manifest) {
	for _, path := range paths {
		if path == "" {
			continue
		}
		sum, _, err := objects.Digest(ctx, objects.Join(path, model.ManifestFile))
		if err != nil {
			return "", nil
		}
		how += "\n" + sum
	}
	source = fmt.Sprintf("%x", sha256.Sum256([]byte(how)))
	manifest, err := model.ReadManifest(ctx, output, kind)
	if err != nil {
		return source, nil
	}
	if run, err := ReadRun(ctx, output); err != nil || run.Source != source {
		return source, nil
	}
	return source, &manifest
}
