// Package ranks fits one corpus in one process and over several ranks, and compares the results: their bytes, their
// figures, what ranks send and what memory each takes. It runs a program that was built with MPI, by the launcher that
// the machine has.
package ranks

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"anchorage/bench/internal/run"
	"anchorage/model"
	"anchorage/model/fit"
)

//go:embed page.md
var page string

// Part needs a program that was built by CC=mpicc go build -tags mpi -o anchorage-mpi ./cmd/anchorage. A run with 0
// ranks is one process that was started without the launcher; the others are compared with it.
var Part = &run.Part{
	Name: "ranks", Title: "One fit over several ranks",
	Uses:  run.With("internal/collective"),
	About: "Compare fits over several ranks with the fit of one process",
	Settings: []run.Setting{
		{Name: "data", Default: "data", Help: "folder of the corpora", How: true},
		{Name: "corpus", Default: "wiki", Help: "folders of the data"},
		{Name: "topics", Default: "20", Help: "topics, K"},
		{Name: "refined", Default: "false,true", Help: "whether topics are refined"},
		{Name: "ranks", Default: "0,1,2,3,4,8", Help: "numbers of ranks"},
		{Name: "program", Default: "", Help: "the program, built with MPI", How: true},
		{Name: "launcher", Default: "mpirun --allow-run-as-root --oversubscribe --bind-to none",
			Help: "what starts several ranks, before -n P", How: true},
	},
	Keys: []string{"corpus", "topics", "refined", "ranks"},
	Check: func(v *run.Values) error {
		if v.Text("program") == "" || v.Text("launcher") == "" {
			return errors.New("--program and --launcher are needed: build the program by CC=mpicc go build -tags mpi " +
				"./cmd/anchorage")
		}
		return nil
	},
	Shared: []string{"corpus", "topics", "refined"},
	Prepare: func(ctx context.Context, j *run.Job) error {
		of := *j
		of.Values = j.With("ranks", 0)
		return learn(ctx, &of, filepath.Join(j.Shared, "model"))
	},
	Measure: measure,
	Page:    page,
}

func measure(ctx context.Context, j *run.Job) error {
	alone, path := filepath.Join(j.Shared, "model"), filepath.Join(j.Scratch, "model")
	if j.Int("ranks") == 0 {
		path = alone
	} else if err := learn(ctx, j, path); err != nil {
		return err
	}
	ran, err := fit.ReadRun(ctx, path)
	if err != nil {
		return err
	}
	j.Row("seconds", ran.Seconds)
	if ran.Ranks == nil {
		for _, s := range ran.Stages {
			j.Add("stages", "stage", s.Name, "sent_bytes", "", "sent_bytes_most", "", "messages", "", "messages_most", "",
				"peak_bytes_most", s.PeakBytes)
		}
	} else {
		for at, stage := range ran.Ranks[0].Stages {
			var sum, most fit.RankStage
			for _, rank := range ran.Ranks {
				s := rank.Stages[at]
				sum.Bytes, most.Bytes = sum.Bytes+s.Bytes, max(most.Bytes, s.Bytes)
				sum.Messages, most.Messages = sum.Messages+s.Messages, max(most.Messages, s.Messages)
				most.PeakBytes = max(most.PeakBytes, s.PeakBytes)
			}
			j.Add("stages", "stage", stage.Name, "sent_bytes", sum.Bytes, "sent_bytes_most", most.Bytes, "messages",
				sum.Messages, "messages_most", most.Messages, "peak_bytes_most", most.PeakBytes)
		}
	}
	return compare(ctx, j, alone, path)
}

// learn makes one fit by the program.
func learn(ctx context.Context, j *run.Job, path string) error {
	program, err := filepath.Abs(j.Text("program")) // launchers look for names in PATH
	if err != nil {
		return err
	}
	command := []string{program, "fit", filepath.Join(j.Text("data"), j.Text("corpus")), "-k", j.Text("topics"),
		"--no-report", "--workers", "2", "-o", path}
	if ranks := j.Int("ranks"); ranks > 0 {
		command = append(append(strings.Fields(j.Text("launcher")), "-n", strconv.Itoa(ranks)), command...)
	}
	if !j.Bool("refined") {
		command = append(command, "--refine", "none")
	}
	ended, err := run.Start(ctx, command, nil, io.Discard, j.Stderr)
	if err == nil && ended.Failure != "" {
		err = fmt.Errorf("%s ranks: %s", j.Text("ranks"), ended.Failure)
	}
	return err
}

// compare reports how far the model at path is from the one at want: tables with the same bytes, topics with the same
// anchor in the same place, the greatest relative difference of an eigenvalue, ‖B − B'‖_F/‖B‖_F, the greatest
// difference of an entry of A in parts of the greatest entry, and of a p(topic).
func compare(ctx context.Context, j *run.Job, want, path string) error {
	a, err := model.Load(ctx, want)
	if err != nil {
		return err
	}
	b, err := model.Load(ctx, path)
	if err != nil {
		return err
	}
	same := 0
	for k, item := range a.Anchors {
		if k < len(b.Anchors) && a.Vocabulary.ID(item) == b.Vocabulary.ID(b.Anchors[k]) {
			same++
		}
	}
	values, moved, square := 0.0, 0.0, 0.0
	for i, v := range a.Eigen.Values {
		values = max(values, math.Abs(b.Eigen.Values[i]-v)/math.Abs(v))
	}
	for i := range a.Items.Rows() {
		other := b.Items.Row(i)
		for k, v := range a.Items.Row(i) {
			moved += (v - other[k]) * (v - other[k])
			square += v * v
		}
	}
	joint, greatest := greatestDifference(a.TopicJoint, b.TopicJoint)
	shares, _ := greatestDifference(a.Shares, b.Shares)
	j.Row("files", len(a.Manifest.Outputs), "equal_files",
		run.Common(a.Manifest.Outputs, b.Manifest.Outputs), "same_anchors", same, "eigenvalues", values,
		"difference_b", math.Sqrt(moved/square), "joint", joint/greatest, "probabilities", shares)
	return nil
}

func greatestDifference(a, b []float64) (difference, greatest float64) {
	for i, v := range a {
		difference, greatest = max(difference, math.Abs(b[i]-v)), max(greatest, math.Abs(v))
	}
	return difference, greatest
}
