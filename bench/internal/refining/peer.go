// This file runs other programs on the same documents and scores their topics.

package refining

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/report"
	"anchorage/bench/internal/topics"
	"anchorage/bench/peers"
	"anchorage/corpus"
	"anchorage/internal/durable"
)

// found is what refine.py writes about the best of its topics.
type found struct {
	LogLikelihood float64 `json:"log_likelihood"`
	Impossible    float64 `json:"impossible"`
	Tokens        int64   `json:"tokens"`
	Lists         [][]int `json:"lists"` // the most probable items of each topic
}

// ask lets another program learn, and scores its topics. The error is a *report.AbsentError if the program is not installed.
func (g *Grid) ask(ctx context.Context, of *documents.Division, r *Record) (err error) {
	folder, remove, err := report.Scratch("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := export(ctx, of, folder); err != nil {
		return err
	}
	program, output := filepath.Join(folder, "refine.py"), filepath.Join(folder, "found.json")
	if err := os.WriteFile(program, peers.Refine, 0o644); err != nil {
		return err
	}
	said, err := topics.AskPeer(ctx, r.Setting, []string{g.Python, program, r.Setting, folder, output,
		strconv.Itoa(of.Learning.Vocabulary.Len()), strconv.Itoa(r.Topics), strconv.Itoa(seed)}, g.Stderr)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	var best found
	if err := json.Unmarshal(text, &best); err != nil {
		return fmt.Errorf("%s: %w", r.Setting, err)
	}
	r.LogLikelihood, r.Impossible, r.Tokens = best.LogLikelihood, best.Impossible, best.Tokens
	r.Burstiness, r.Passes, r.Program, r.Stages, r.Workers = math.NaN(), said.Passes, said.Program, said.Stages, 1
	for _, stage := range r.Stages {
		r.Seconds += stage.Seconds
		r.CPU += stage.CPU
	}
	return r.read(ctx, of.Learning, best.Lists, g.Workers)
}

// export writes train.txt, test.txt and held.txt: a line per document, of item:count.
func export(ctx context.Context, of *documents.Division, folder string) (err error) {
	file, err := os.Create(filepath.Join(folder, "train.txt"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := of.Learning.Pass(ctx, func(docs *corpus.Documents) error { return documents.Write(file, docs) }); err != nil {
		return err
	}
	for name, docs := range map[string]*corpus.Documents{"test.txt": of.Test, "held.txt": of.Held} {
		if err := durable.WriteFile(filepath.Join(folder, name), func(w io.Writer) error { return documents.Write(w, docs) }); err != nil {
			return err
		}
	}
	return nil
}
