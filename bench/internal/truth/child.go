// This file makes one run in a process of its own, so that time and memory are those of the method alone.

package truth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/shard"
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

// answer is what the child writes on its standard output.
type answer = report.Answer[Record]

// begun returns the record of the run before it is made.
func (o *order) begun() Record {
	r := newRecord(o.Run)
	r.Program = "anchorage " + model.Version
	return r
}

// Child makes the run that an order on in asks for, and writes the answer to out. A grid starts a process for each run that calls
// it.
func Child(ctx context.Context, in io.Reader, out, stderr io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("only `bench truth` runs this command: %w", err)
	}
	record := o.begun()
	o.stderr, o.record = stderr, &record
	err := o.run(ctx)
	if err != nil {
		record.clear()
	}
	return report.Reply(ctx, out, &record, &record.Failure, err, strings.NewReplacer(o.Scratch+string(filepath.Separator), ""))
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
