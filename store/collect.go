// This file removes what no state of a store needs.

package store

import (
	"context"
	"errors"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
)

// Removed is something that Collect removed.
type Removed struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// Collect removes the folders of shards, generations and states that neither the current state nor one that came with a
// retained generation refers to, and temporary files of dead runs. In an object store no other run may be writing to
// the store meanwhile. The vocabulary stays.
func (w *Writer) Collect(ctx context.Context) ([]Removed, error) {
	if !w.made {
		return nil, &Error{Path: w.Path, Fault: NotAStore, Reason: "is not a store: it has no " + markFile}
	}
	temporaries, err := w.clear(ctx)
	var removed []Removed
	for _, path := range append(w.cleared, temporaries...) {
		removed = append(removed, Removed{Path: path})
	}
	if err != nil {
		return removed, err
	}
	more, err := w.collect(ctx, true)
	return append(removed, more...), err
}

// collect removes what nothing refers to: generations and states, and shards. Unless all is set, shards that no state
// on disk has ever referred to stay, because the next update may take them over.
func (w *Writer) collect(ctx context.Context, all bool) ([]Removed, error) {
	keptStates, keptShards := make(map[int]bool), make(map[string]bool)
	for state, err := range w.states(ctx) {
		if err != nil {
			return nil, err
		}
		keptStates[state.Number] = true
		for _, shard := range state.Shards {
			keptShards[shard.SHA256] = true
		}
	}
	c := &collection{writer: w}
	states, err := numbersIn(ctx, w.folder(statesFolder), ".json")
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for _, number := range states {
		if keptStates[number] {
			continue
		}
		if state, err := readState(ctx, w.Path, number); err == nil {
			for _, s := range state.Shards {
				known[s.SHA256] = true
			}
		}
	}
	generations, err := numbersIn(ctx, w.folder(generationFolder), "")
	if err != nil {
		return nil, err
	}
	for _, number := range generations {
		// Another run may be writing a later generation of a store at a URL.
		if w.State.generation(number) == nil && (all || number < w.State.Generation) {
			c.removeGeneration(ctx, w.GenerationPath(number))
		}
	}
	shards, err := namesIn(ctx, w.folder(shardsFolder))
	if err != nil {
		return c.removed, err
	}
	for _, name := range shards {
		if !keptShards[name] && !isTemporary(name) && (all || known[name]) {
			c.remove(ctx, w.shardFolder(name))
		}
	}
	// States go last: they say which shards were known.
	for _, number := range states {
		if !keptStates[number] && number < w.State.Number {
			c.remove(ctx, objects.Join(w.folder(statesFolder), numbered(number, ".json")))
		}
	}
	return c.removed, c.err
}

// collection removes paths until one cannot be removed.
type collection struct {
	writer  *Writer
	removed []Removed
	err     error
}

// removeGeneration removes a generation, unless somebody reads it: then the next update does.
func (c *collection) removeGeneration(ctx context.Context, path string) {
	if !objects.IsURL(path) {
		lock, err := durable.LockDir(path)
		if errors.Is(err, durable.ErrLocked) {
			return
		}
		if err == nil { // else the removal says what is wrong
			defer lock.Unlock()
		}
	}
	c.remove(ctx, path)
}

func (c *collection) remove(ctx context.Context, path string) {
	if c.err == nil {
		c.err = ctx.Err()
	}
	if c.err != nil {
		return
	}
	size, err := objects.Size(ctx, path)
	if err == nil {
		err = removeAll(ctx, path, c.writer.options.Warn)
	}
	if c.err = err; err == nil {
		c.removed = append(c.removed, Removed{path, size})
	}
}
