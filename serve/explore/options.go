// This file defines the options of an explorer.

package explore

import (
	"log/slog"

	"anchorage/shard"
)

// Options say what is explored. Model must be given.
type Options struct {
	Model string // path or URL of a model
	// Compare is the path or URL of an earlier model, to show beside the first; empty for none.
	Compare string
	// Shards are read once, for the documents of each topic. Without any, the examples in the model are shown.
	Shards []shard.Shard
	// Output is where a model that was steered may be saved; empty for nowhere. Nothing else is written.
	Output string
	// Hosts are further names by which the server may be asked; see serve.Options.
	Hosts  []string
	Browse bool // opens the page in a browser when the server listens
	// Workers is the number of goroutines of long computations; 0 means the number of processors.
	Workers  int
	Progress func(stage string, done, total int64) // of reading the documents; may be nil
	Log      *slog.Logger                          // gets errors of the server; nil discards them
}

// DocumentsPerTopic is the number of documents that are kept for each topic.
const DocumentsPerTopic = 100
