// This file makes one run in a process of its own, so that time and memory are those of the method alone.

package truth

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"time"

	"anchorage/anchor"
	"anchorage/bench/internal/report"
	"anchorage/bench/internal/topics"
	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// order is what a grid asks a child to do, as JSON on its standard input.
type order struct {
	Run     Run         `json:"run"`
	Model   synth.Model `json:"model"` // what the corpus was drawn from
	Shards  []string    `json:"shards"`
	Scratch string      `json:"scratch"` // folder for everything temporary
	Python  string      `json:"python"`
	Workers int         `json:"workers"`

	stderr io.Writer
	record *Record // the method may note figures of its own
}

// answer is what the child writes on its standard output, in the encoding of gob, which has NaN.
type answer struct {
	Record Record
	Absent string // why the other program cannot run here; the record then means nothing
}

// Child makes the run that an order on in asks for, and writes the answer to out. A grid starts a process for each run that calls
// it.
func Child(ctx context.Context, in io.Reader, out, stderr io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("only `bench truth` runs this command: %w", err)
	}
	made := answer{Record: newRecord(o.Run)}
	made.Record.Program = "anchorage " + model.Version
	o.stderr, o.record = stderr, &made.Record
	err := o.run(ctx)
	var absent *topics.AbsentError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &absent):
		made.Absent = absent.Reason
	case err != nil && !made.Record.noteFailure(err):
		// Results do not name the folders of this machine.
		made.Record.Failure = strings.ReplaceAll(err.Error(), o.Scratch+string(filepath.Separator), "")
	}
	if made.Record.Failure != "" {
		made.Record.clear()
	}
	return gob.NewEncoder(out).Encode(made)
}

// run opens the corpus as any other, with all items that occur, learns, and compares what is found with the truth. The truth is drawn
// after the peak of memory is noted.
func (o *order) run(ctx context.Context) (err error) {
	m, err := find(o.Run.Method)
	if err != nil {
		return err
	}
	if m.learn == nil {
		return fmt.Errorf("%s does not run in a process of its own", m.name)
	}
	shards, err := shard.Discover(ctx, o.Shards, shard.Options{})
	if err != nil {
		return err
	}
	docs, err := stream.Open(ctx, shards, corpus.Options{Dir: o.Scratch, Pruning: corpus.Pruning{MinDF: 1}, Workers: o.Workers})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	items, err := synth.ItemsOf(docs.Vocabulary)
	if err != nil {
		return err
	}
	r := o.record
	begin, used := time.Now(), report.CPUTime()
	found, err := m.learn(ctx, docs, o)
	if err != nil {
		return err
	}
	if math.IsNaN(r.Seconds) { // another program says its own
		r.Seconds, r.CPU = time.Since(begin).Seconds(), (report.CPUTime() - used).Seconds()
		r.PeakBytes = process.PeakMemory()
	}
	r.Passes, r.Iterations = found.passes, found.iterations
	truth := o.Model.Plant().Truth
	r.note(truth.Recover(synth.Estimate{Items: items, Row: found.row, Correlations: found.joint, Anchors: found.anchors}))
	return nil
}

// noteFailure notes that a method finds no topics. It reports whether err says so.
func (r *Record) noteFailure(err error) bool {
	var pairs *sketch.RankError
	var rank *anchor.RankError
	var item *anchor.ItemError
	var data *corpus.DataError
	if !errors.As(err, &pairs) && !errors.As(err, &rank) && !errors.As(err, &item) && !(errors.As(err, &data) && data.Lack == corpus.TooFewDocuments) {
		return false
	}
	r.Failure = err.Error()
	return true
}
