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

// PeerAnswer is what a program of package peers says of its run.
type PeerAnswer struct {
	Stages    []model.StageTime `json:"stages"`
	PeakBytes int64             `json:"peak_bytes"`
	Program   string            `json:"program"`
	Joint     []float64         `json:"joint"`  // A, K×K, where the program finds it
	Passes    int               `json:"passes"` // over the documents, likewise
}

// AskPeer runs a method of another program and returns what it says. The error is that of ctx, a *report.AbsentError, or says how the
// program ended.
func AskPeer(ctx context.Context, method string, command []string, stderr io.Writer) (*PeerAnswer, error) {
	var stdout bytes.Buffer
	ended, err := report.RunProcess(ctx, command, nil, &stdout, stderr)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &report.AbsentError{Reason: fmt.Sprintf("%v: name the Python to use with --python", err)}
	case ended.Code == peersAbsent:
		return nil, &report.AbsentError{Reason: ended.Said}
	case ended.Failure != "":
		return nil, fmt.Errorf("%s: %s", method, ended.Failure)
	}
	said := new(PeerAnswer)
	if err := json.Unmarshal(stdout.Bytes(), said); err != nil {
		return nil, fmt.Errorf("%s did not answer with JSON: %w", method, err)
	}
	return said, nil
}

// runPeer hands the documents over, runs the method, and returns its p(w|k) as N×K.
func (o *order) runPeer(ctx context.Context, docs *corpus.Corpus, record *Record, lap func(string), stderr io.Writer) (*matrix.Tall, error) {
	program := filepath.Join(o.Scratch, "topics.py")
	if err := os.WriteFile(program, peers.Topics, 0o644); err != nil {
		return nil, err
	}
	if err := ExportDocuments(ctx, docs, o.Scratch); err != nil {
		return nil, err
	}
	lap("export")
	output := filepath.Join(o.Scratch, "topics.npy")
	command := []string{o.Python, program, o.Run.Method, o.Scratch, output,
		strconv.Itoa(docs.Vocabulary.Len()), strconv.Itoa(o.Run.Topics), strconv.FormatUint(o.Run.Seed, 10)}
	said, err := AskPeer(ctx, o.Run.Method, command, stderr)
	if err != nil {
		return nil, err
	}
	for _, stage := range said.Stages {
		record.Stages = append(record.Stages, stage)
		if stage.Name != "load" {
			record.Seconds += stage.Seconds
			record.CPU += stage.CPU
		}
	}
	record.PeakBytes, record.Program = said.PeakBytes, said.Program
	return ReadTopics(output, o.Run.Topics, docs.Vocabulary.Len())
}

// ExportDocuments writes the documents that count into a folder, as compressed sparse rows in three arrays: indptr (int64),
// indices and counts (int32).
func ExportDocuments(ctx context.Context, docs *corpus.Corpus, folder string) error {
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
