// This file is our own program's side of the interface: what bench/peers/beside has for the others.

package systems

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/npy"
	"anchorage/internal/process"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// ChildCommand is the argument by which the program makes one run, as Child does.
const ChildCommand = "system"

// The files that a system leaves.
const (
	topicsFile = "topics.npy" // p(item | topic), K×N in rows, float32; each row sums to 1 or is 0
	// The items that the program lists for each topic, the first one first; without it these are the most probable ones.
	listsFile  = "lists.json"
	answerFile = "answer.json" // the stages, the peak memory in bytes and the name of the program
)

// memoryVariable is the variable of the environment with the number of bytes that a run may take; it is empty
// without a limit. Ours takes it as `anchorage fit` takes --memory-limit.
const memoryVariable = "BENCH_MEMORY_LIMIT"

// Child makes a run of ours: SYSTEM FOLDER OUTPUT ITEMS TOPICS SEED THREADS. It reads the shard, as a user does, and
// not the arrays. The error is a syscall.ENOMEM if the run does not fit into the limit.
func Child(ctx context.Context, words []string) error {
	if len(words) != 7 {
		return errors.New("only bench itself runs this command")
	}
	var sizes [4]int
	for i, word := range words[3:] {
		var err error
		if sizes[i], err = strconv.Atoi(word); err != nil {
			return err
		}
	}
	folder, output, items, k, seed, workers := words[1], words[2], sizes[0], sizes[1], uint64(sizes[2]), sizes[3]
	var stages []fit.StageTime
	lap := stopwatch(&stages)
	docs, err := open(ctx, folder, workers)
	if err != nil {
		return err
	}
	defer docs.Close()
	if docs.Vocabulary.Len() != items {
		return fmt.Errorf("there are %d items, and not %d", docs.Vocabulary.Len(), items)
	}
	lap(loadStage)
	fitted, run, err := find(words[0]).learn(ctx, docs, k, seed, workers)
	if err != nil {
		return refused(err)
	}
	found := fitted.Loaded()
	a := answer{Program: "anchorage " + model.Version, Joint: found.TopicJoint, Anchors: found.Anchors}
	m := fitted.Manifest
	a.Passes = m.Sketch.Passes
	if m.Refine != nil {
		a.Iterations = m.Refine.Epochs + m.Refine.Passes
	}
	stages = append(stages, run.Stages()...)
	lap = stopwatch(&stages)
	if err := writeTopics(filepath.Join(output, topicsFile), found.Items); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(output, listsFile), Prominent(found)); err != nil {
		return err
	}
	lap(writeStage)
	a.Stages, a.PeakBytes = stages, process.PeakMemory()
	return writeJSON(filepath.Join(output, answerFile), a)
}

// learn fits the topics of a system of ours.
func (s *system) learn(ctx context.Context, docs *corpus.Corpus, k int, seed uint64,
	workers int) (*fit.Fitted, *fit.Run, error) {
	options := fit.Options{Topics: k, Seed: seed, Run: &fit.Run{Workers: workers}}
	s.fit(&options)
	if err := setRun(options.Run); err != nil {
		return nil, nil, err
	}
	fitted, err := fit.Fit(ctx, docs, options)
	if err == nil && s.begin != nil {
		s.begin(fitted.Topics, seed)
		// The choice by burstiness could take reading, which holds topics to their start.
		options.Refine = fit.RefineOptions{For: refine.ForPrediction}
		err = fitted.Refine(ctx, docs, options)
	}
	return fitted, options.Run, err
}

// RefineFrom refines for prediction, in this process, topics that begin sets, with the documents of a folder.
func RefineFrom(ctx context.Context, folder string, k int, seed uint64, workers int,
	begin func(*anchor.Topics)) (*model.Model, error) {
	docs, err := open(ctx, folder, workers)
	if err != nil {
		return nil, err
	}
	defer docs.Close()
	s := system{fit: spectral(), begin: func(t *anchor.Topics, _ uint64) { begin(t) }}
	fitted, _, err := s.learn(ctx, docs, k, seed, workers)
	if err != nil {
		return nil, err
	}
	return fitted.Loaded(), nil
}

// randomize replaces topics by random ones: every mixture is drawn from the uniform distribution on the simplex, and A
// is that of documents whose mixtures have a Dirichlet distribution of total concentration 1.
func randomize(t *anchor.Topics, seed uint64) {
	s, k := random.NewSource(), t.K
	for i := range t.Mixtures.Rows() {
		s.Seek(seed, random.RandomTopics, uint64(i))
		row, sum := t.Mixtures.Row(i), 0.0
		for j := range row {
			row[j] = s.ExpFloat64()
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	for at := range t.TopicJoint {
		t.TopicJoint[at] = 1 / float64(2*k*k)
		if at%(k+1) == 0 {
			t.TopicJoint[at] += 1 / float64(2*k)
		}
	}
}

// stopwatch returns a function that notes a stage, which began with the call before.
func stopwatch(stages *[]fit.StageTime) func(name string) {
	begin, used := time.Now(), process.CPUSeconds()
	return func(name string) {
		*stages = append(*stages, fit.StageTime{Name: name, Seconds: time.Since(begin).Seconds(),
			CPU: process.CPUSeconds() - used})
		begin, used = time.Now(), process.CPUSeconds()
	}
}

func writeJSON(path string, value any) error {
	return durable.WriteFile(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(value) })
}

// Prominent returns the items that `anchorage topics` lists for each topic.
func Prominent(m *model.Model) [][]int {
	lists := make([][]int, m.Topics())
	for k, list := range m.Prominent {
		for _, listed := range list[:min(TopItems, len(list))] {
			lists[k] = append(lists[k], listed.Item)
		}
	}
	return lists
}

// setRun sets what `anchorage fit` sets: the run has the process for itself, and the limit of memory, if there is one.
func setRun(run *fit.Run) error {
	_, tuned := os.LookupEnv("GOGC")
	run.Log, run.OwnsProcess, run.TunesCollector, run.SpillDir = slog.New(slog.DiscardHandler), true, !tuned, os.TempDir()
	text := os.Getenv(memoryVariable)
	if text == "" {
		return nil
	}
	limit, err := strconv.ParseInt(text, 10, 64)
	if err != nil || limit < 1 {
		return fmt.Errorf("%s is %q: it must be a number of bytes", memoryVariable, text)
	}
	_, kept := os.LookupEnv("GOMEMLIMIT")
	process.LimitMemory(limit, kept)
	run.MemoryLimit = limit
	return nil
}

// refused makes a syscall.ENOMEM of an error that says before any work that the run does not fit.
func refused(err error) error {
	var (
		fit   *fit.MemoryError
		dense *sketch.DenseError
	)
	if errors.As(err, &fit) || errors.As(err, &dense) {
		return fmt.Errorf("refused in advance: %w: %w", err, syscall.ENOMEM)
	}
	return err
}

// The stages that are not those of a method.
const (
	loadStage  = "load"
	writeStage = "write"
)

// open opens the shard, with its items in their order. The copy of the documents goes to the folder for temporary
// files, as its size counts.
func open(ctx context.Context, folder string, workers int) (*corpus.Corpus, error) {
	vocabulary, err := stream.ReadVocabulary(ctx, filepath.Join(folder, vocabularyFile))
	if err != nil {
		return nil, err
	}
	shards, err := shard.Discover(ctx, []string{filepath.Join(folder, shardFile)}, shard.Options{})
	if err != nil {
		return nil, err
	}
	return stream.Open(ctx, shards, corpus.Options{Vocabulary: vocabulary, MinItems: 1, MinTokens: 1, Dir: os.TempDir(),
		Workers: workers})
}

// writeTopics writes B, N×K, as K×N.
func writeTopics(path string, b *matrix.Tall) error {
	return durable.WriteFile(path, func(w io.Writer) error {
		return npy.WriteRows(w, b.Cols(), b.Rows(), func(dst []float32, k int) {
			for i := range dst {
				dst[i] = float32(b.Row(i)[k])
			}
		})
	})
}
