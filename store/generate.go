// This file learns a model of the documents of a store and puts it into effect.

package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/model/fit"
	"anchorage/model/steer"
	"anchorage/stream"
)

// GenerateOptions say how a model is learned.
type GenerateOptions struct {
	// Fit says how the model is learned, and what it gets beside its topics. Its Run must be set; the store sets the
	// folder for temporary files, and the output.
	Fit fit.Options
	// Require is what the new shards, before a model is learned, and the certificate must reach, so that the generation
	// counts.
	Require []model.Requirement
	// FromScratch learns the model without help of the generation before.
	FromScratch bool
	// Corpus says which documents and items count. Its Dir is ignored.
	Corpus corpus.Options
	// Script has changes by hand that the generation respects; nil for none. Items of seeds must be those of the
	// documents, or of the generation before.
	Script steer.Script
	// Scratch is the folder for temporary files; "" for one in the store, or of the system for a store at a URL.
	Scratch string
	// Options and Files become those of the state.
	Options, Files map[string]string
	// Retain is the number of generations that stay; 0 means DefaultRetain.
	Retain int
	// Names, if not nil, reads names of items from the shards that are new, which may be nil. Other items keep the names
	// that they have in the generation before.
	Names func(ctx context.Context) (*stream.ItemNames, error)
}

// Generated is what Generate made and put into effect.
type Generated struct {
	Generation
	Path   string // of the model
	Fitted *fit.Fitted
	// Drift says what became of the topics of the generation before; nil if there was none.
	Drift *drift.Drift
	// Dropped are the numbers of the generations that Retain left no room for.
	Dropped []int
}

// Next is a generation that is being made: Open, Learn, Continue, Commit. The caller must Close it.
type Next struct {
	Generated
	Output    *model.Output  // of the model: files that are written into it before Commit become part of the generation
	Documents *corpus.Corpus // of the store, until Continue

	writer   *Writer
	opts     GenerateOptions
	selected []Shard
	scratch  *durable.Scratch
	from     int          // the generation that it continues, 0 for none; see fromBefore
	before   *model.Model // of that generation; nil until it is asked for
}

// Generate learns a model of the documents of the shards that a plan leaves, writes it as the next generation, and
// makes it the current one: Open, Learn, Continue and Commit.
func (w *Writer) Generate(ctx context.Context, p *Plan, added *Added, opts GenerateOptions) (*Generated, error) {
	n, err := w.Open(ctx, p, added, opts)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	if err := n.Learn(ctx); err != nil {
		return nil, err
	}
	if err := n.Continue(ctx); err != nil {
		return nil, err
	}
	return n.Commit(ctx)
}

// Open begins the next generation, and opens the documents of the shards that a plan leaves. The error wraps a
// *model.ShortError if the new shards fall short.
func (w *Writer) Open(ctx context.Context, p *Plan, added *Added, opts GenerateOptions) (_ *Next, err error) {
	if err := added.Night.require(opts.Require); err != nil {
		return nil, err
	}
	if err := w.make(ctx); err != nil {
		return nil, err
	}
	n := &Next{writer: w, opts: opts, selected: p.merge(added.Shards), from: w.State.Generation}
	if n.Number, err = w.nextGeneration(ctx); err != nil {
		return nil, err
	}
	n.Path, n.Shards = w.GenerationPath(n.Number), len(n.selected)
	run := opts.Fit.Run
	if n.Output, err = run.Create(ctx, n.Path); err != nil {
		return nil, overtaken(w.Path, err)
	}
	defer func() {
		if err != nil {
			n.Close()
		}
	}()
	w.know(run.Checkpoint, n.selected)
	if run.SpillDir = opts.Scratch; run.SpillDir == "" {
		if run.SpillDir, err = n.Output.Scratch(); err != nil {
			return nil, err
		}
	}
	defer run.Stage("read")()
	options := opts.Corpus
	if err := n.respect(ctx, opts.Script, &options); err != nil {
		return nil, err
	}
	if n.scratch, err = durable.NewScratch(run.SpillDir, "store"); err != nil {
		return nil, err
	}
	options.Dir = n.scratch.Path()
	if n.Documents, err = w.open(ctx, n.selected, options); err != nil {
		return nil, err
	}
	if opts.Names != nil {
		n.Documents.Naming = n.names
	}
	if n.Documents.Growing() { // the items are not known yet
		return n, nil
	}
	return n, opts.Script.CheckItems(n.Documents.Vocabulary, n.before)
}

// names returns what the items of the generation are called.
func (n *Next) names(ctx context.Context) (func(id []byte) string, error) {
	fresh, err := n.opts.Names(ctx)
	if err != nil {
		return nil, err
	}
	var before func(id []byte) string
	err = n.fromBefore(func(path string) error {
		manifest, err := model.ReadManifest(ctx, path, model.KindModel)
		if err == nil {
			before, err = manifest.ItemNames(ctx, path)
		}
		return err
	})
	if fresh == nil || err != nil {
		return before, err
	}
	return func(id []byte) string {
		if name := fresh.Of(id); name != "" || before == nil {
			return name
		}
		return before(id)
	}, nil
}

// Learn learns the model. The error wraps a *model.ShortError if it falls short; Fitted is set then.
func (n *Next) Learn(ctx context.Context) (err error) {
	options := n.opts.Fit
	options.Output = n.Output
	if err := n.startFrom(ctx, &options); err != nil {
		return err
	}
	if n.Fitted, err = fit.Fit(ctx, n.Documents, options); err != nil {
		return err
	}
	required := slices.DeleteFunc(slices.Clone(n.opts.Require), ofUpdate)
	if err := n.Fitted.Manifest.Certificate.Require(required); err != nil {
		return fmt.Errorf("the new model falls short, so the store keeps the one that it has: %w", err)
	}
	return nil
}

// Continue lets the topics keep the ids that they have in the generation before, and says in Drift what became of its
// topics. It uses up the documents.
func (n *Next) Continue(ctx context.Context) error {
	n.release()
	then, err := n.continued(ctx)
	if then == nil {
		return err
	}
	used := 0 // generations that a rollback left behind have other ids
	for _, g := range n.writer.State.Generations {
		used = max(used, g.NextTopicID)
	}
	n.Drift, err = n.Fitted.Continue(ctx, then, used)
	return err
}

// startFrom lets the fit start from the generation before, if there is one and it serves.
func (n *Next) startFrom(ctx context.Context, options *fit.Options) error {
	if n.opts.FromScratch {
		return nil
	}
	var start *model.Start
	err := n.fromBefore(func(path string) (err error) {
		start, err = model.ReadStart(ctx, path)
		return err
	})
	if input := (*model.InputError)(nil); errors.As(err, &input) && input.Fault == model.NoFactor {
		return nil // another method found it
	}
	if err == nil && n.from > 0 && options.CanStart(start, n.Documents) {
		start.Generation = n.from
		options.Start = start
	}
	return err
}

// fromBefore calls read with the path of the generation that this one continues. If it is damaged, the one before it is
// continued in its place; without one, read is not called.
func (n *Next) fromBefore(read func(path string) error) error {
	for n.from > 0 {
		err := read(n.writer.GenerationPath(n.from))
		if input := (*model.InputError)(nil); !errors.As(err, &input) || input.Fault != model.Damaged &&
			input.Fault != model.Incomplete {
			return err
		}
		n.writer.options.Log.Warn("a generation is damaged, so that the one before it is continued; it stays until newer "+
			"ones take its place", "generation", n.from, "error", err)
		n.from = n.writer.State.earlier(n.from)
	}
	return nil
}

// Commit writes the model and makes it the current generation. Errors before that leave the store in its state; those
// of the clean-up after it are logged. A *durable.UnsyncedError of the store's path says that the generation is in
// effect, but that its name may not outlast a power cut: the result is there then, too.
func (n *Next) Commit(ctx context.Context) (*Generated, error) {
	if err := n.opts.Fit.Run.Checkpoint.Saving(strconv.Itoa(n.Number)); err != nil {
		return nil, err
	}
	if err := n.Fitted.SaveTo(n.Output); err != nil {
		return nil, overtaken(n.writer.Path, err)
	}
	err := n.writer.commit(ctx, &n.Generated, n.selected, &n.opts)
	if errors.As(err, new(*durable.UnsyncedError)) {
		return &n.Generated, &durable.UnsyncedError{Path: filepath.Clean(n.writer.Path), Err: err}
	}
	if err != nil {
		return nil, err
	}
	return &n.Generated, nil
}

// Close gives back what the generation holds, and removes it unless it was committed.
func (n *Next) Close() {
	n.release()
	n.Output.Abort()
}

// release closes the documents, and removes their temporary files.
func (n *Next) release() {
	log := n.writer.options.Log
	if n.Documents != nil {
		if err := n.Documents.Close(); err != nil {
			log.Warn("the documents could not be closed", "error", err)
		}
	}
	n.scratch.Remove()
	n.Documents, n.scratch = nil, nil
}

// nextGeneration returns a number that no generation has had.
func (w *Writer) nextGeneration(ctx context.Context) (int, error) {
	numbers, err := numbersIn(ctx, w.folder(generationFolder), "")
	if err != nil {
		return 0, err
	}
	for _, g := range w.State.Generations {
		numbers = append(numbers, g.Number)
	}
	return slices.Max(append(numbers, 0)) + 1, nil
}

// know records in a checkpoint of which documents it is, and of which generation before.
func (w *Writer) know(kept *fit.Checkpoint, selected []Shard) {
	digest := sha256.New()
	for _, s := range selected {
		fmt.Fprintf(digest, "%q %s\n", s.Name, s.SHA256) // a hash never fails
	}
	kept.Know("the shards of the store", fmt.Sprintf("%d with the digest %x", len(selected), digest.Sum(nil)))
	kept.Know("the generation before", fmt.Sprint(w.State.Generation))
}

// commit writes the state in which the generation is the current one, then removes what the new state has no room for.
func (w *Writer) commit(ctx context.Context, g *Generated, selected []Shard, opts *GenerateOptions) error {
	next, err := w.nextState(ctx)
	if err != nil {
		return err
	}
	next.Options, next.Files = opts.Options, opts.Files
	next.Shards, next.Segments, next.Generation = selected, w.segments, g.Number
	for _, s := range selected {
		g.Documents += s.Documents
		if s.Date != "" {
			g.To = max(g.To, s.Date)
			if g.From == "" || s.Date < g.From {
				g.From = s.Date
			}
		}
	}
	next.RolledBack = without(next.RolledBack, next.Shards)
	g.Before, g.NextTopicID = w.State.Generation, g.Fitted.Manifest.NextID(g.Fitted.Manifest.Sketch.Topics)
	g.State, g.Items, g.Topics = next.Number, g.Fitted.Vocabulary.Len(), g.Fitted.Manifest.Sketch.Topics
	if g.Manifest, _, err = objects.Digest(ctx, objects.Join(g.Path, model.ManifestFile)); err != nil {
		return err
	}
	next.Generations = append(next.Generations, g.Generation)
	g.Dropped = next.drop(cmp.Or(opts.Retain, DefaultRetain))
	// From here on the update either takes effect or does not: an interrupt comes too late.
	ctx = context.WithoutCancel(ctx)
	err = writeState(ctx, w.Path, next, w.options.Warn)
	if err != nil && !errors.As(err, new(*durable.UnsyncedError)) {
		return err
	}
	w.State = next
	w.tidy(ctx)
	return err // the state is in effect, but its name is not known to last
}

// nextState returns a copy of the current state with the next number. Of several runs that began with the same state,
// one can write that number.
func (w *Writer) nextState(ctx context.Context) (*State, error) {
	numbers, err := numbersIn(ctx, w.folder(statesFolder), ".json")
	if err != nil {
		return nil, err
	}
	next := *w.State
	next.Number = w.State.Number + 1
	if n := len(numbers); n > 0 && numbers[n-1] > w.State.Number {
		if !w.passed {
			return nil, &Error{Path: w.Path, Fault: Outdated, Reason: "was updated by another run meanwhile",
				Err: durable.ErrLocked}
		}
		next.Number = numbers[n-1] + 1
	}
	next.Generations, next.RolledBack = slices.Clone(w.State.Generations), slices.Clone(w.State.RolledBack)
	return &next, nil
}

// drop removes the oldest generations from a state, but never the current one, until as many are left as there should
// be, and returns their numbers.
func (s *State) drop(retain int) (dropped []int) {
	excess := len(s.Generations) - max(retain, 1)
	s.Generations = slices.DeleteFunc(s.Generations, func(g Generation) bool {
		drops := len(dropped) < excess && g.Number != s.Generation
		if drops {
			dropped = append(dropped, g.Number)
		}
		return drops
	})
	return dropped
}

// tidy points people to the current generation, and removes what only dropped generations needed and generations that
// never counted. The state is written, so what fails here is logged, and left to Collect.
func (w *Writer) tidy(ctx context.Context) {
	if !objects.IsURL(w.Path) {
		w.point()
	}
	if _, err := w.collect(ctx, false); err != nil {
		w.options.Log.Warn("old generations could not be removed", "error", err)
	}
}

// point makes the link to the current generation, unless it is there: a run may have ended after it wrote its state.
func (w *Writer) point() {
	target, link := generationFolder+"/"+numbered(w.State.Generation, ""), objects.Join(w.Path, currentLink)
	if there, err := os.Readlink(link); err == nil && there == target || w.State.Generation == 0 {
		return
	}
	if err := durable.Symlink(target, link); err != nil {
		w.options.Log.Warn("the link to the current generation could not be made", "error", err)
	}
}
