// This file learns a model of the documents of a store and puts it into effect.

package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/model/fit"
)

// GenerateOptions say how a model is learned.
type GenerateOptions struct {
	Run *fit.Run
	// Corpus says which documents and items count. Its Dir is ignored.
	Corpus corpus.Options
	// Scratch is the folder for temporary files; "" for one in the store, or of the system for a store at a URL.
	Scratch string
	// Options and Files become those of the state.
	Options, Files map[string]string
	// Retain is the number of generations that stay, at least 1.
	Retain int
	// HalfLife is the number of days after which documents weigh half as much; 0 if all weigh the same.
	HalfLife int
	// Fit learns the model. before is the current generation, nil if there is none. Files that it writes into out become part of the
	// generation; Run.SpillDir is set.
	Fit func(ctx context.Context, docs *corpus.Corpus, out *model.Output, before *Before) (*fit.Fitted, error)
	// Finish, if not nil, is called once the model is compared with that of the generation before, and may write more files into out.
	Finish func(ctx context.Context, fitted *fit.Fitted, out *model.Output) error
}

// Before is the generation that a new one takes the place of.
type Before struct {
	Number int
	Path   string // of its model
}

// Generated is what Generate made and Commit put into effect.
type Generated struct {
	Generation
	Path   string // of the model
	Fitted *fit.Fitted
	// Drift says what became of the topics of the generation before; nil if there was none.
	Drift *drift.Drift
	// Dropped are the numbers of the generations that Retain left no room for.
	Dropped []int
}

// Generate learns a model of the documents of the shards that a plan leaves, writes it as the next generation, and makes it the current
// one. Errors before that leave the store in its state; those of the clean-up after it are logged. A *durable.UnsyncedError of the store's path
// says that the generation is in effect, but that its name may not outlast a power cut: the result is there then, too.
func (w *Writer) Generate(ctx context.Context, p *Plan, added *Added, opts GenerateOptions) (*Generated, error) {
	if err := w.make(ctx); err != nil {
		return nil, err
	}
	selected, err := w.Select(p, added, opts.HalfLife)
	if err != nil {
		return nil, err
	}
	number, err := w.nextGeneration(ctx)
	if err != nil {
		return nil, err
	}
	g := &Generated{Path: w.GenerationPath(number)}
	g.Number, g.Shards = number, len(selected)
	out, err := opts.Run.Create(ctx, g.Path)
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	w.know(opts.Run.Checkpoint, selected)
	if g.Fitted, err = w.fit(ctx, selected, out, &opts); err != nil {
		return nil, err
	}
	if g.Drift, err = w.carryOn(ctx, g.Fitted, opts.Run); err != nil {
		return nil, err
	}
	if opts.Finish != nil {
		if err := opts.Finish(ctx, g.Fitted, out); err != nil {
			return nil, err
		}
	}
	if err := opts.Run.Checkpoint.Saving(strconv.Itoa(number)); err != nil {
		return nil, err
	}
	if err := g.Fitted.SaveTo(out); err != nil {
		return nil, err
	}
	if err := w.commit(ctx, g, selected, &opts); err != nil && !errors.As(err, new(*durable.UnsyncedError)) {
		return nil, err
	} else if err != nil {
		return g, &durable.UnsyncedError{Path: filepath.Clean(w.Path), Err: err}
	}
	return g, nil
}

// nextGeneration returns a number that no generation has had.
func (w *Writer) nextGeneration(ctx context.Context) (int, error) {
	numbers, err := numbersIn(ctx, w.folder(generationFolder), "")
	if err != nil {
		return 0, err
	}
	last := 0
	if len(numbers) > 0 {
		last = numbers[len(numbers)-1]
	}
	for _, g := range w.State.Generations {
		last = max(last, g.Number)
	}
	return last + 1, nil
}

// fit opens the documents and learns the model.
func (w *Writer) fit(ctx context.Context, selected []Selected, out *model.Output, opts *GenerateOptions) (fitted *fit.Fitted, err error) {
	run := opts.Run
	if run.SpillDir = opts.Scratch; run.SpillDir == "" {
		scratch, err := out.Scratch()
		if err != nil {
			return nil, err
		}
		run.SpillDir = scratch
	}
	end := run.Stage("read")
	defer end()
	options := opts.Corpus
	scratch, err := durable.NewScratch(run.SpillDir, "store")
	if err != nil {
		return nil, err
	}
	options.Dir = scratch.Path()
	defer func() {
		if removal := scratch.Remove(); removal != nil {
			w.options.Log.Warn("temporary files could not be removed", "folder", scratch.Path(), "error", removal)
		}
	}()
	docs, err := w.open(ctx, selected, options)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := docs.Close(); closing != nil {
			w.options.Log.Warn("the documents could not be closed", "error", closing)
		}
	}()
	end()
	return opts.Fit(ctx, docs, out, w.before())
}

// know tells a checkpoint which documents and which generation before it is of.
func (w *Writer) know(kept *fit.Checkpoint, selected []Selected) {
	digest := sha256.New()
	for _, s := range selected {
		fmt.Fprintf(digest, "%q %s %v\n", s.Name, s.SHA256, s.Weight) // a hash never fails
	}
	kept.Know("the shards of the store", fmt.Sprintf("%d with the digest %x", len(selected), digest.Sum(nil)))
	kept.Know("the generation before", fmt.Sprint(w.State.Generation))
}

// before returns the current generation, nil if there is none.
func (w *Writer) before() *Before {
	if w.State.Generation == 0 {
		return nil
	}
	return &Before{w.State.Generation, w.GenerationPath(w.State.Generation)}
}

// carryOn lets the topics keep the ids that they have in the generation before, and returns what became of its topics.
func (w *Writer) carryOn(ctx context.Context, fitted *fit.Fitted, run *fit.Run) (*drift.Drift, error) {
	before := w.before()
	if before == nil {
		return nil, nil
	}
	then, err := model.Load(ctx, before.Path)
	if err != nil {
		return nil, err
	}
	// Generations that a rollback left behind have other ids.
	used := 0
	for _, g := range w.State.Generations {
		used = max(used, g.NextTopicID)
	}
	return fitted.Continue(ctx, then, used)
}

// commit writes the state in which the generation is the current one, then removes what the new state has no room for.
func (w *Writer) commit(ctx context.Context, g *Generated, selected []Selected, opts *GenerateOptions) error {
	next, err := w.nextState(ctx)
	if err != nil {
		return err
	}
	next.Options, next.Files = opts.Options, opts.Files
	next.Shards, next.Segments, next.Generation = nil, w.segments, g.Number
	for _, s := range selected {
		next.Shards = append(next.Shards, s.Shard)
		g.Documents += s.Documents
		if s.Date != "" {
			g.To = max(g.To, s.Date)
			if g.From == "" || s.Date < g.From {
				g.From = s.Date
			}
		}
	}
	g.Before, g.NextTopicID = w.State.Generation, g.Fitted.NextTopicID()
	g.State, g.Items, g.Topics = next.Number, g.Fitted.Vocabulary.Len(), g.Fitted.Manifest.Sketch.Topics
	if g.Manifest, _, err = hashOf(ctx, objects.Join(g.Path, manifestFile)); err != nil {
		return err
	}
	next.Generations = append(next.Generations, g.Generation)
	g.Dropped = next.drop(opts.Retain)
	// From here on the update is in effect, or it is not: an interrupt comes too late.
	ctx = context.WithoutCancel(ctx)
	err = writeState(ctx, w.Path, next, w.options.Warn)
	if err != nil && !errors.As(err, new(*durable.UnsyncedError)) {
		return err
	}
	w.State = next
	w.tidy(ctx)
	return err // the state is in effect, but its name is not known to last
}

// manifestFile is the name of the manifest in a model.
const manifestFile = "manifest.json"

// nextState returns a copy of the current state with the next number. Of several runs that began with the same state, one can write
// that number.
func (w *Writer) nextState(ctx context.Context) (*State, error) {
	numbers, err := numbersIn(ctx, w.folder(statesFolder), ".json")
	if err != nil {
		return nil, err
	}
	next := *w.State
	next.Number = w.State.Number + 1
	if n := len(numbers); n > 0 && numbers[n-1] > w.State.Number {
		if !w.passed {
			return nil, &Error{Path: w.Path, Fault: Outdated, Reason: "was updated by another run meanwhile", Err: durable.ErrLocked}
		}
		next.Number = numbers[n-1] + 1
	}
	next.Generations = append([]Generation(nil), w.State.Generations...)
	return &next, nil
}

// drop removes the oldest generations from a state, but never the current one, until as many are left as there should be, and returns
// their numbers.
func (s *State) drop(retain int) (dropped []int) {
	for i := 0; i < len(s.Generations) && len(s.Generations) > max(retain, 1); {
		if s.Generations[i].Number == s.Generation {
			i++
			continue
		}
		dropped = append(dropped, s.Generations[i].Number)
		s.Generations = append(s.Generations[:i], s.Generations[i+1:]...)
	}
	return dropped
}

// tidy points people to the current generation, and removes what only dropped generations needed and generations that never counted. The
// state is written, so what fails here is logged, and left to Collect.
func (w *Writer) tidy(ctx context.Context) {
	if !objects.IsURL(w.Path) {
		target := generationFolder + "/" + numbered(w.State.Generation, "")
		if err := durable.Symlink(target, objects.Join(w.Path, currentLink)); err != nil {
			w.options.Log.Warn("the link to the current generation could not be made", "error", err)
		}
	}
	if _, err := w.collect(ctx, false); err != nil {
		w.options.Log.Warn("old generations could not be removed", "error", err)
	}
}
