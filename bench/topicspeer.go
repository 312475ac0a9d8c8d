// This file runs other programs' methods on exactly the documents and items that ours get.

package bench

import (
	"bytes"
	"context"
	_ "embed" // the program that runs the other methods
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/model"
)

//go:embed peers/topics.py
var peersProgram []byte

// peersAbsent is the exit code by which the program says that a library is not there.
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
func (o *topicsOrder) runPeer(ctx context.Context, docs *corpus.Corpus, record *TopicsRecord, lap func(string), stderr io.Writer) (*matrix.Tall, error) {
	program := filepath.Join(o.Scratch, "topics.py")
	if err := os.WriteFile(program, peersProgram, 0o644); err != nil {
		return nil, err
	}
	if err := exportDocuments(ctx, docs, o.Scratch); err != nil {
		return nil, err
	}
	lap("export")
	output := filepath.Join(o.Scratch, "topics.npy")
	cmd := exec.CommandContext(ctx, o.Python, program, o.Run.Method, o.Scratch, output,
		strconv.Itoa(docs.Vocabulary.Len()), strconv.Itoa(o.Run.Topics), strconv.FormatUint(o.Run.Seed, 10))
	cmd.WaitDelay = 10 * time.Second
	var stdout, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, io.MultiWriter(stderr, &said)
	err := cmd.Run()
	var exit *exec.ExitError
	var missing *exec.Error
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &missing):
		return nil, &absentError{fmt.Sprintf("%v: say with --python which Python there is", missing)}
	case errors.As(err, &exit) && exit.ExitCode() == peersAbsent:
		return nil, &absentError{lastLine(said.Bytes())}
	case err != nil:
		return nil, fmt.Errorf("%s ended with %w: %s", o.Run.Method, err, lastLine(said.Bytes()))
	}
	var answer peerAnswer
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		return nil, fmt.Errorf("%s answered with what is no JSON: %w", o.Run.Method, err)
	}
	for _, stage := range answer.Stages {
		record.Stages = append(record.Stages, stage)
		if stage.Name != "load" {
			record.Seconds += stage.Seconds
			record.CPU += stage.CPU
		}
	}
	record.PeakBytes, record.Program = answer.PeakBytes, answer.Program
	return readTopics(output, o.Run.Topics, docs.Vocabulary.Len())
}

// lastLine returns the last line of a text that is not empty.
func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}

// exportDocuments writes the documents that count as compressed sparse rows, in three arrays: indptr (int64), indices and
// counts (int32).
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
