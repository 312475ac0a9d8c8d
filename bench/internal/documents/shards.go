// This file finds the documents of a corpus, and fits topics to them.

package documents

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/stream"
)

// LabelsFile is the file of a corpus with the columns item and label; not all have it.
const LabelsFile = "labels.csv"

// Shards finds the shards of a corpus. Its labels are not among them.
func Shards(ctx context.Context, folder string) ([]shard.Shard, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, errors.New("DATA has no such folder")
	}
	var paths []string
	for _, entry := range entries {
		if entry.Name() != LabelsFile && entry.Type().IsRegular() {
			paths = append(paths, filepath.Join(folder, entry.Name()))
		}
	}
	if len(paths) == len(entries) {
		paths = []string{folder} // the folder as a whole knows which of its files belong together
	}
	return shard.Discover(ctx, paths, shard.Options{})
}

// Open opens the documents of a folder.
func Open(ctx context.Context, folder string, limits corpus.Options) (*corpus.Corpus, error) {
	shards, err := Shards(ctx, folder)
	if err != nil {
		return nil, err
	}
	return stream.Open(ctx, shards, limits)
}

// OpenDrawn opens a drawn corpus. Every item that occurs counts.
func OpenDrawn(ctx context.Context, of *synth.Drawn, spill string, workers int) (*corpus.Corpus, error) {
	return corpus.FromSeq(ctx, Named(ctx, of.Pass, of.Vocabulary()), corpus.Options{Dir: spill,
		Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}, Workers: workers, MinItems: 1, MinTokens: 1})
}

// Fit fits topics to shards as `anchorage fit` does, and writes the model to a folder that does not exist. Options need
// a Run with a folder for temporary files.
func Fit(ctx context.Context, shards []shard.Shard, path string, limits corpus.Options, o fit.Options) (err error) {
	_, tuned := os.LookupEnv("GOGC")
	o.Run.OwnsProcess, o.Run.TunesCollector = true, !tuned
	out, err := o.Run.Create(ctx, path)
	if err != nil {
		return err
	}
	defer out.Abort()
	end := o.Run.Stage("read")
	defer end()
	docs, err := stream.Open(ctx, shards, limits)
	if err != nil {
		return err
	}
	end()
	defer func() { err = errors.Join(err, docs.Close()) }()
	fitted, err := fit.Fit(ctx, docs, o)
	if err != nil {
		return err
	}
	return fitted.SaveTo(out)
}
