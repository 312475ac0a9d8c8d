// Package fitting makes fits as anchorage fit makes them, of corpora that a command line names.
package fitting

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// Corpus is shards under a name, and how many topics to fit.
type Corpus struct {
	Name   string
	Topics int
	Path   string // a file, folder or pattern, or a number of items of a corpus to draw
}

// drawnTokens is the mean length of drawn documents, of which there are twice as many as items: those of bench scale.
const drawnTokens = 20

// ParseCorpus reads NAME:TOPICS:PATH.
func ParseCorpus(text string) (Corpus, error) {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) != 3 || parts[0] == "" || parts[2] == "" {
		return Corpus{}, fmt.Errorf("%q is not a corpus: write NAME:TOPICS:PATH", text)
	}
	topics, err := strconv.Atoi(parts[1])
	if err != nil || topics < 2 {
		return Corpus{}, fmt.Errorf("%q is not a number of topics", parts[1])
	}
	return Corpus{parts[0], topics, parts[2]}, nil
}

// String returns the corpus as a command line has it, without what it is called on this machine.
func (c Corpus) String() string {
	path := c.Path
	if c.items() == 0 {
		path = strings.ToUpper(c.Name)
	}
	return fmt.Sprintf("%s:%d:%s", c.Name, c.Topics, path)
}

// items returns the number of items of a corpus to draw, 0 if there are shards.
func (c Corpus) items() int {
	n, err := strconv.Atoi(c.Path)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// Documents returns the options by which fits open documents; temporary files go to dir.
func Documents(dir string, workers int) corpus.Options {
	return corpus.Options{Pruning: corpus.Pruning{MinDF: corpus.ByKind, MaxDFRatio: corpus.ByKind}, MinItems: corpus.ByKind, MinTokens: corpus.ByKind,
		Workers: workers, Dir: dir}
}

// Fit fits a model of shards and writes it to output, which does not exist. options.Run must be set.
func Fit(ctx context.Context, shards []shard.Shard, output string, documents corpus.Options, options model.Options) (err error) {
	out, err := model.Create(ctx, output, options.Run)
	if err != nil {
		return err
	}
	defer out.Abort()
	end := options.Run.Stage("read")
	defer end()
	docs, err := stream.Open(ctx, shards, documents)
	if err != nil {
		return err
	}
	end()
	defer func() { err = errors.Join(err, docs.Close()) }()
	fitted, err := model.Fit(ctx, docs, options)
	if err != nil {
		return err
	}
	return fitted.SaveTo(out)
}

// Model fits the corpus with the defaults and returns the path of the model, which has the name of the corpus in folder. A drawn corpus keeps all its
// items.
func (c Corpus) Model(ctx context.Context, folder string, workers int) (path string, err error) {
	documents, paths := Documents(folder, workers), []string{c.Path}
	if items := c.items(); items > 0 {
		m := synth.Model{Items: items, Topics: c.Topics, Documents: 2 * items, Tokens: drawnTokens, Seed: 1, Workers: workers}
		if err := m.Check(); err != nil {
			return "", fmt.Errorf("%s: %w", c, err)
		}
		shards := filepath.Join(folder, "shards")
		if err := os.Mkdir(shards, 0o755); err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(shards)) }()
		if paths, err = m.Plant().WriteShards(ctx, shards, drawnShards); err != nil {
			return "", err
		}
		documents.Pruning.MinDF = 1
	}
	shards, err := shard.Discover(ctx, paths, shard.Options{})
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, c.Name)
	return path, Fit(ctx, shards, path, documents, model.Options{Topics: c.Topics, Seed: 1, Run: &model.Run{Workers: workers, SpillDir: folder}})
}

// drawnShards is the number of shards of a drawn corpus.
const drawnShards = 8

// Check returns an error if a word of a command line names neither a model nor a corpus.
func Check(word string) error {
	if _, err := os.Stat(word); err == nil {
		return nil
	}
	if _, err := ParseCorpus(word); err != nil {
		return fmt.Errorf("there is no model %s, and %w", word, err)
	}
	return nil
}

// Ready returns the path of a model that a command line names: a folder, or NAME:TOPICS:PATH, which it fits first, into folder; and what the word
// stands for, without a path of this machine. The word must pass Check.
func Ready(ctx context.Context, word, folder string, workers int) (path, says string, err error) {
	if _, err := os.Stat(word); err == nil {
		return word, filepath.Base(word), nil
	}
	c, err := ParseCorpus(word)
	if err != nil {
		return "", "", err
	}
	path, err = c.Model(ctx, folder, workers)
	return path, c.String(), err
}
