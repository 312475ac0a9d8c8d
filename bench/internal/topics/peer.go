// This file runs other programs' methods on the documents and items that ours get.

package topics

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"anchorage/bench/internal/report"
	"anchorage/bench/peers"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/model"
)

// peersAbsent is the exit code of the program where a library is missing.
const peersAbsent = 3

// absentError says that another program is not installed.
type absentError struct{ reason string }

func (e *absentError) Error() string { return e.reason }

// peerAnswer is what the program says of its run.
type peerAnswer struct {
	Stages    []model.StageTime `json:"stages"`
	PeakBytes int64             `json:"peak_bytes"`
	Program   string            `json:"program"`
}

// runPeer hands the documents over, runs the method, and returns its p(w|k) as N×K.
func (o *order) runPeer(ctx context.Context, docs *corpus.Corpus, record *Record, lap func(string), stderr io.Writer) (*matrix.Tall, error) {
	program := filepath.Join(o.Scratch, "topics.py")
	if err := os.WriteFile(program, peers.Topics, 0o644); err != nil {
		return nil, err
	}
	if err := exportDocuments(ctx, docs, o.Scratch); err != nil {
		return nil, err
	}
	lap("export")
	output := filepath.Join(o.Scratch, "topics.npy")
	command := []string{o.Python, program, o.Run.Method, o.Scratch, output,
		strconv.Itoa(docs.Vocabulary.Len()), strconv.Itoa(o.Run.Topics), strconv.FormatUint(o.Run.Seed, 10)}
	var stdout bytes.Buffer
	ended, err := report.RunProcess(ctx, command, nil, &stdout, stderr)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &absentError{fmt.Sprintf("%v: name the Python to use with --python", err)}
	case ended.Code == peersAbsent:
		return nil, &absentError{ended.Said}
	case ended.Failure != "":
		return nil, fmt.Errorf("%s: %s", o.Run.Method, ended.Failure)
	}
	var said peerAnswer
	if err := json.Unmarshal(stdout.Bytes(), &said); err != nil {
		return nil, fmt.Errorf("%s did not answer with JSON: %w", o.Run.Method, err)
	}
	for _, stage := range said.Stages {
		record.Stages = append(record.Stages, stage)
		if stage.Name != "load" {
			record.Seconds += stage.Seconds
			record.CPU += stage.CPU
		}
	}
	record.PeakBytes, record.Program = said.PeakBytes, said.Program
	return readTopics(output, o.Run.Topics, docs.Vocabulary.Len())
}

// exportDocuments writes the documents that count as compressed sparse rows in three arrays: indptr (int64), indices and counts
// (int32).
func exportDocuments(ctx context.Context, docs *corpus.Corpus, folder string) error {
	offsets := []int64{0}
	err := docs.Pass(ctx, func(docs *corpus.Documents) error {
		last := offsets[len(offsets)-1]
		for _, end := range docs.Offsets[1:] {
			offsets = append(offsets, last+int64(end))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := writeNPY(filepath.Join(folder, "indptr.npy"), int64(len(offsets)), func(write func([]int64) error) error { return write(offsets) }); err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		of   func(*corpus.Documents) []int32
	}{
		{"indices", func(d *corpus.Documents) []int32 { return d.Items[:d.Entries()] }},
		{"counts", func(d *corpus.Documents) []int32 { return d.Counts[:d.Entries()] }},
	} {
		err := writeNPY(filepath.Join(folder, part.name+".npy"), offsets[len(offsets)-1], func(write func([]int32) error) error {
			return docs.Pass(ctx, func(docs *corpus.Documents) error { return write(part.of(docs)) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}
