// This file compares the flags of an update with those that a store remembers.

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"anchorage/internal/objects"
	"anchorage/store"
)

// notOfStores are the flags of fit that update lacks: the items of a store are those of its shards, it keeps no documents to transform,
// a fit starts from the generation before, and topics of one level keep their ids.
var notOfStores = map[string]bool{"vocab": true, "documents": true, "time-column": true, "start": true, "levels": true}

// readingFlags are the flags that decide how shards are read. A store keeps them for good, because its shards are not read again.
var readingFlags = []string{"format", "items-column", "counts-column", "counts", "document-column", "docword-vocab", "tokenize", "min-word-length",
	"separator", "vw-namespace", "mtx-columns", "group"}

// learningFlags are the other flags that decide on the model. A store remembers them until they are changed.
var learningFlags = []string{"topics", "passes", "sketch-method", "sketch-columns", "seed", "item-weights", "evidence", "min-df", "max-df-ratio", "max-items",
	"stopwords", "min-items", "min-tokens", "no-prune", "allow-single-items", "enn-iterations", "enn-eigenpairs", "normalization", "row-sums", "anchor-min-df", "relevance", "polish", "refine", "for", "paper", "method", "baseline", "neighbours", "no-report", "diagnostics", "examples",
	"pair-items", "memory-limit", "window", "half-life", "date-pattern", "steer"}

// onceFlags are the flags of one update alone.
var onceFlags = []string{"no-disk-check", "min-shards", "min-documents", "mixed", "on-bad-shard", "on-bad-row", "max-bad-rows", "checksums", "spill-dir", "corrections", "corrections-memory", "spill-limit", "remove", "date", "retain", "rehash",
	"resume", "restart", "checkpoint-dir", "checkpoint-interval", "time-limit", "from-scratch", "change-options", "top", "json", "require", "metrics-file", "openlineage", "job-name"}

// fileFlags are the remembered flags that may name a file, of which the content counts.
var fileFlags = []string{"stopwords", "docword-vocab", "steer"}

// options are those that a store remembers.
type options struct {
	values, files map[string]string
	changed       bool // they are not those that it has
}

// recallOptions sets the flags that were not given to what the store remembers, and returns what it is to remember. It returns an error
// if a flag was given that contradicts, unless change is set.
func recallOptions(ctx context.Context, flags *pflag.FlagSet, state *store.State, change bool) (*options, error) {
	o := &options{values: make(map[string]string), files: make(map[string]string)}
	var differing []string
	for _, name := range slices.Concat(readingFlags, learningFlags) {
		flag := flags.Lookup(name)
		known, has := state.Options[name]
		switch {
		case state.Number == 0:
		case !flag.Changed && has:
			if err := flags.Set(name, known); err != nil {
				return nil, fmt.Errorf("the store remembers --%s %s: %w", name, known, err)
			}
		case flag.Changed && flag.Value.String() != known && (has || flag.Value.String() != flag.DefValue || name == "memory-limit"):
			if slices.Contains(readingFlags, name) {
				return nil, &usageError{fmt.Errorf("the shards of the store were read with %s, and it does not read them again: leave %s out, or make another store", told(name, known, has), flagName(flag))}
			}
			differing = append(differing, fmt.Sprintf("%s %s (now %s)", flagName(flag), flag.Value, told(name, known, has)))
		}
		if flag.Changed {
			o.values[name] = flag.Value.String()
		}
	}
	if len(differing) > 0 && !change {
		return nil, &usageError{fmt.Errorf("the store remembers other options than %s: leave them out, or change them for good with --change-options", strings.Join(differing, ", "))}
	}
	if err := o.hashFiles(ctx, state, change); err != nil {
		return nil, err
	}
	o.changed = len(differing) > 0 || state.Number > 0 && !maps.Equal(o.files, state.Files)
	return o, nil
}

// told returns a remembered flag for messages.
func told(name, value string, has bool) string {
	if !has {
		return "--" + name + " not given"
	}
	return "--" + name + " " + value
}

// hashFiles hashes the files that flags name, and compares them with those that the store remembers.
func (o *options) hashFiles(ctx context.Context, state *store.State, change bool) error {
	for _, name := range fileFlags {
		path := o.values[name]
		if path == "" {
			continue
		}
		if _, err := objects.Exists(ctx, path); err != nil {
			return err
		}
		content, err := objects.ReadFile(ctx, path)
		if err != nil {
			if name == "stopwords" && state.Files[name] == "" {
				continue // names of languages, or reading says what is wrong
			}
			return &usageError{fmt.Errorf("--%s %s, which the store remembers, cannot be read: %w", name, path, err)}
		}
		o.files[name] = store.Digest(content)
		known, has := state.Files[name]
		switch {
		case !has || known == o.files[name] || state.Options[name] != path:
		case slices.Contains(readingFlags, name):
			return &usageError{fmt.Errorf("%s has changed since the shards of the store were read with it: give it its former content, or make another store", path)}
		case !change:
			return &usageError{fmt.Errorf("%s has changed since the last update: give it its former content, or take the new one with --change-options", path)}
		}
	}
	return nil
}

// reading returns what decides on the documents of a shard without bad rows, as text.
func (o *options) reading() string {
	var text strings.Builder
	for _, name := range readingFlags {
		if value, given := o.values[name]; given {
			fmt.Fprintf(&text, "%s=%s\n", name, value)
		}
	}
	if sum := o.files["docword-vocab"]; sum != "" {
		fmt.Fprintf(&text, "docword-vocab is %s\n", sum)
	}
	return text.String()
}
