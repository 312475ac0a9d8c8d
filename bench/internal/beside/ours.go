// This file is our own program's side of the interface: what bench/peers/beside has for the others.

package beside

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

	"anchorage/bench/internal/report"
	"anchorage/bench/internal/topics"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/npy"
	"anchorage/internal/process"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/rectify"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// ChildCommand is the argument by which the program makes one run, as Child does.
const ChildCommand = "peers-run"

// The files that a system leaves.
const (
	topicsFile = "topics.npy"  // p(item | topic), K×N in rows, float32; each row sums to 1 or is 0
	listsFile  = "lists.json"  // the items that the program lists for each topic, the first one first; where it is missing, the most probable ones
	answerFile = "answer.json" // the stages, the peak memory in bytes and the name of the program
)

// memoryVariable is the variable of the environment that tells a system how many bytes its run may take; it is empty without a limit. Ours
// takes it as `anchorage fit` takes --memory-limit.
const memoryVariable = "BENCH_MEMORY_LIMIT"

// Child makes a run of ours: METHOD FOLDER OUTPUT ITEMS TOPICS SEED THREADS. It reads the shard, as a user does, and not the arrays. The error
// is a syscall.ENOMEM if the run does not fit into the limit.
func Child(ctx context.Context, words []string) error {
	if len(words) != 7 {
		return errors.New("only `bench peers` runs this command")
	}
	var sizes [4]int
	for i, word := range words[3:] {
		var err error
		if sizes[i], err = strconv.Atoi(word); err != nil {
			return err
		}
	}
	folder, output, items, workers := words[1], words[2], sizes[0], sizes[3]
	options, err := topics.FitOptions(words[0], sizes[1], uint64(sizes[2]), workers)
	if err != nil {
		return err
	}
	if err := setRun(options.Run); err != nil {
		return err
	}
	begin, used := time.Now(), report.CPUTime()
	docs, err := open(ctx, folder, workers)
	if err != nil {
		return err
	}
	defer docs.Close()
	load := model.StageTime{Name: loadStage, Seconds: time.Since(begin).Seconds(), CPU: (report.CPUTime() - used).Seconds()}
	if docs.Vocabulary.Len() != items {
		return fmt.Errorf("there are %d items, and not %d", docs.Vocabulary.Len(), items)
	}
	fitted, err := model.Fit(ctx, docs, options)
	if err != nil {
		return refused(err)
	}
	begin, used = time.Now(), report.CPUTime()
	found := fitted.Loaded()
	if err := writeTopics(filepath.Join(output, topicsFile), found.Items); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(output, listsFile), prominent(found)); err != nil {
		return err
	}
	write := model.StageTime{Name: writeStage, Seconds: time.Since(begin).Seconds(), CPU: (report.CPUTime() - used).Seconds()}
	stages := append(append([]model.StageTime{load}, options.Run.Stages()...), write)
	answer := topics.PeerAnswer{Stages: stages, PeakBytes: process.PeakMemory(), Program: "anchorage " + model.Version}
	return writeJSON(filepath.Join(output, answerFile), answer)
}

func writeJSON(path string, value any) error {
	return durable.WriteFile(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(value) })
}

// prominent returns the items that `anchorage topics` lists for each topic.
func prominent(m *model.Model) [][]int {
	lists := make([][]int, m.Topics())
	for k, list := range m.Prominent {
		for _, listed := range list[:min(topItems, len(list))] {
			lists[k] = append(lists[k], listed.Item)
		}
	}
	return lists
}

// setRun sets what `anchorage fit` sets: the run has the process for itself, and the limit of memory, if there is one.
func setRun(run *model.Run) error {
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
		fit         *model.MemoryError
		dense       *sketch.DenseError
		corrections *rectify.CorrectionsError
	)
	if errors.As(err, &fit) || errors.As(err, &dense) || errors.As(err, &corrections) {
		return fmt.Errorf("refused in advance: %w: %w", err, syscall.ENOMEM)
	}
	return err
}

// The stages that are not those of a method.
const (
	loadStage  = "load"
	startStage = "import" // of a program's library
	writeStage = "write"
)

// open opens the shard, with its items in their order. The copy of the documents goes to the folder for temporary files, as its size counts.
func open(ctx context.Context, folder string, workers int) (*corpus.Corpus, error) {
	vocabulary, err := stream.ReadVocabulary(ctx, filepath.Join(folder, vocabularyFile))
	if err != nil {
		return nil, err
	}
	shards, err := shard.Discover(ctx, []string{filepath.Join(folder, shardFile)}, shard.Options{})
	if err != nil {
		return nil, err
	}
	return stream.Open(ctx, shards, corpus.Options{Vocabulary: vocabulary, MinItems: 1, MinTokens: 1, Dir: os.TempDir(), Workers: workers})
}

// writeTopics writes B, N×K, as K×N.
func writeTopics(path string, b *matrix.Tall) error {
	return durable.WriteFile(path, func(w io.Writer) error {
		row := make([]float32, b.Rows())
		return npy.Write(w, []int64{int64(b.Cols()), int64(b.Rows())}, func(write func([]float32) error) error {
			for k := range b.Cols() {
				for i := range row {
					row[i] = float32(b.Row(i)[k])
				}
				if err := write(row); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
