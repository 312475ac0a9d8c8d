// Package fitting makes fits as anchorage fit makes them, of corpora that a command line names.
package fitting

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// Corpus is shards under a name, and how many topics to fit.
type Corpus struct {
	Name   string
	Topics int
	Path   string // a file, folder or pattern
}

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
	return fmt.Sprintf("%s:%d:%s", c.Name, c.Topics, strings.ToUpper(c.Name))
}

// Documents returns the options by which fits open documents; temporary files go to dir.
func Documents(dir string, workers int) corpus.Options {
	return corpus.Options{Pruning: corpus.Pruning{MinDF: corpus.ByKind, MaxDFRatio: corpus.ByKind}, MinItems: corpus.ByKind, MinTokens: corpus.ByKind,
		Workers: workers, Dir: dir}
}

// Fit fits a model of shards and writes it to output, which does not exist. options.Run must be set.
func Fit(ctx context.Context, shards []shard.Shard, output string, documents corpus.Options, options model.Options) (err error) {
	out, err := options.Run.Create(ctx, output)
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
