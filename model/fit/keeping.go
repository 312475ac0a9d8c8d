// This file keeps the checkpoint of a fit, and continues from it.

package fit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/kernel"
	"anchorage/model"
	"anchorage/rectify"
)

// keeping is the checkpoint of a fit under way. All methods of a nil *keeping do nothing.
type keeping struct {
	docs   *corpus.Corpus
	folder *checkpoint.Folder
	chain  *checkpoint.Chain
	at     position           // of the state to continue from; "" if there is none
	from   snapshot           // of that state
	loaded *checkpoint.Loaded // the rest of it, which is a stage's
	last   *checkpoint.Point
}

// keep opens the checkpoint of a run of the named stages, if the run has one.
func (r *Run) keep(docs *corpus.Corpus, opts *Options, stages string) error {
	folder := r.Checkpoint.open()
	if folder == nil {
		return nil
	}
	if of := opts.Start; of != nil {
		folder.Know(checkpoint.Fact{Name: "the model to start from", Value: of.SHA256})
	}
	err := r.know(docs, stages, opts.decisive())
	if err != nil {
		return err
	}
	r.kept, err = folderChain(folder, docs, "fit", r.Workers)
	if r.kept != nil && r.kept.from.Vocabulary != nil {
		docs.Vocabulary, docs.Inputs = r.kept.from.Vocabulary, r.kept.from.Manifest.Inputs
	}
	return err
}

// know adds the facts that decide the result: the program, the documents and the exported fields of options.
func (r *Run) know(docs *corpus.Corpus, command string, options any) error {
	facts, err := optionFacts(options)
	if err != nil {
		return err
	}
	folder := r.Checkpoint.open()
	folder.Know(checkpoint.Fact{Name: "program", Value: model.Version},
		checkpoint.Fact{Name: "instruction set", Value: kernel.Instructions()},
		checkpoint.Fact{Name: "command", Value: command},
		checkpoint.Fact{Name: "memory limit", Value: fmt.Sprint(r.MemoryLimit)})
	folder.Know(facts...)
	folder.Know(documentFacts(docs)...)
	return nil
}

// folderChain opens a chain of a checkpoint.
func folderChain(folder *checkpoint.Folder, docs *corpus.Corpus, name string, workers int) (k *keeping, err error) {
	k = &keeping{docs: docs, folder: folder, chain: folder.Chain(name)}
	if k.loaded, err = k.chain.Load(); err != nil || k.loaded == nil {
		return k, damaged(folder.Path(), err)
	}
	k.at, k.from.workers = position(k.loaded.Kind), workers
	k.from.checkpoint(&k.loaded.Values)
	if k.at != krylov && k.at != rectifying && k.at != refining { // no stage reads on
		k.loaded.Close()
	}
	if !slices.Contains(positions, k.at) {
		return k, damaged(folder.Path(), fmt.Errorf("%w: it is at %q", checkpoint.ErrDamaged, k.at))
	}
	return k, damaged(folder.Path(), k.loaded.Err())
}

// solved says that a level is complete, and writes its state, so that it is not computed again.
func (k *keeping) solved(s snapshot) {
	if k == nil || k.past(solved) {
		return
	}
	k.last = k.chain.Point(string(solved), s.checkpoint, nil)
	k.last.Finished()
}

// damaged makes an error of a checkpoint one of an input.
func damaged(path string, err error) error {
	if err == nil {
		return nil
	}
	return &model.InputError{Path: path, Fault: BadCheckpoint, Reason: "cannot be resumed: " + err.Error(), Err: err}
}

// decisive returns the options that decide the result. Diagnostics come last, and several ranks leave them out: one
// process may continue from their state.
func (o Options) decisive() Options {
	o.Run, o.Start, o.Sketch.Mergeable, o.Rectify.Corrections = nil, nil, nil, rectify.Corrections{}
	return o
}

// optionFacts returns a fact for every field of options.
func optionFacts(options any) (facts []checkpoint.Fact, err error) {
	text, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		facts = append(facts, checkpoint.Fact{Name: "option " + name, Value: string(fields[name])})
	}
	return facts, nil
}

// documentFacts returns what identifies the documents of a corpus.
func documentFacts(docs *corpus.Corpus) []checkpoint.Fact {
	a := &docs.Account
	digest := sha256.New()
	for _, in := range docs.Inputs {
		fmt.Fprintf(digest, "%q %s\n", in.Path, in.SHA256) // a hash never fails
	}
	return []checkpoint.Fact{
		{Name: "digest of the inputs", Value: hex.EncodeToString(digest.Sum(nil))},
		{Name: "digest of the vocabulary", Value: a.VocabularySHA256},
		{Name: "documents", Value: fmt.Sprintf("%d with %d entries and %d tokens", a.DocumentsRead, a.Entries, a.Tokens)},
		{Name: "limits of documents", Value: fmt.Sprintf("%d items and %d tokens", a.MinItems, a.MinTokens)},
	}
}

// past reports whether the state to continue from is at a position or beyond it.
func (k *keeping) past(p position) bool {
	return k != nil && k.at != "" && slices.Index(positions, k.at) >= slices.Index(positions, p)
}

// reached says that a stage has ended, with everything that was found in the snapshot. It must stay as it is until
// leave is called.
func (k *keeping) reached(p position, s snapshot) {
	if k == nil || k.past(p) {
		return
	}
	k.last = k.chain.Point(string(p), s.checkpoint, nil)
	k.last.Reached(nil)
}

// leave says that what was found changes.
func (k *keeping) leave() {
	if k != nil {
		k.last.Leave()
	}
}

// within returns the context of a stage that keeps its own state beside the snapshot.
func (k *keeping) within(ctx context.Context, p position, s snapshot) context.Context {
	if k == nil {
		return ctx
	}
	var loaded *checkpoint.Loaded
	if k.at == p {
		loaded = k.loaded
	}
	return k.chain.Point(string(p), s.checkpoint, loaded).In(ctx)
}
