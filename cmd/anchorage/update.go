// This file holds the update command: new shards into a store, and a new model of all its documents.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"anchorage/internal/checkpoint"
	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/steer"
	"anchorage/shard"
	"anchorage/store"
	"anchorage/stream"
)

// updateFlags are those of a fit, and what becomes of the store.
type updateFlags struct {
	fit           fitFlags
	remove        []string
	window        string
	date          string
	datePattern   string
	retain        int
	steer         string
	rehash        bool
	again         bool
	dryRun        bool
	fromScratch   bool
	changeOptions bool
}

func (p *program) updateCommand() *cobra.Command {
	var f updateFlags
	return p.command("update", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		if err := f.run(ctx, p, args[0], args[1:]); err != nil {
			return &updateError{err}
		}
		return nil
	}, f.rows(), p.resume.rows(), []row{p.topRow()}, p.monitorRows())
}

// updateError marks the errors of updates, which keep the shards that they had read.
type updateError struct{ error }

func (e *updateError) Unwrap() error { return e.error }

// notOfStores are the flags of fit that update lacks: the items of a store are those of its shards, it keeps no
// documents to transform, a fit starts from the generation before, topics of one level keep their ids, and more can be
// required.
var notOfStores = []string{"vocab", "documents", "time-column", "start", "levels", "require"}

// rows are the flags of fit except those of notOfStores, and those of a store.
func (f *updateFlags) rows() []row {
	fitted := slices.DeleteFunc(f.fit.rows(topicsRow(&f.fit.learning.Topics)),
		func(r row) bool { return slices.Contains(notOfStores, r.name) })
	return append(fitted, []row{
		storeGroup.flag("remove", &f.remove, repeatable.named("NAME"),
			"shard that is to leave the store, or a pattern; repeatable").does(once),
		storeGroup.flag("window", &f.window, anyText.named("DAYS"),
			"days or weeks, such as 90d, whose shards count; older ones leave"),
		storeGroup.flag("retain", &f.retain, wholes(1, 1_000_000),
			"generations to keep").by(strconv.Itoa(store.DefaultRetain)).does(none),
		storeGroup.flag("change-options", &f.changeOptions, boolean,
			"let the given flags replace those that the store remembers").does(once),
		storeGroup.flag("dry-run", &f.dryRun, boolean,
			"say what would be read, removed and left out, and do nothing").does(none),
		requireRow(&f.fit.require, "figures that new shards and the model must reach; else code 16",
			metric.OfCertificate, metric.OfUpdate),
		storeGroup.more("again", &f.again, boolean, "add shards that a rollback has taken out").does(once),
		storeGroup.more("steer", &f.steer, anyFile, "steps of anchorage steer that every generation respects"),
		storeGroup.more("date", &f.date, anyText.named("DATE"),
			"date of the given shards that are new, such as 2026-11-22").does(none),
		storeGroup.more("date-pattern", &f.datePattern, anyText.named("PATTERN"),
			"where names of shards have the date, such as DD.MM.YYYY"),
		expert("rehash", &f.rehash, boolean, "hash all given shards, also those that look unchanged").does(none),
		storeGroup.more("from-scratch", &f.fromScratch, boolean,
			"learn the model without help of the last generation").does(once),
	}...)
}

// run updates a store.
func (f *updateFlags) run(ctx context.Context, p *program, path string, args []string) (err error) {
	ctx, stop := p.resume.limited(ctx)
	defer stop()
	defer func() { err = p.resume.ended(ctx, err) }()
	w, err := store.Begin(ctx, path, store.Options{Workers: p.workers, Warn: p.warn, Log: p.log, Progress: p.advance})
	if err != nil {
		return err
	}
	defer w.Close()
	// A run that died after it had made the current generation has left a checkpoint of no use.
	p.resume.clear(p, w.Path, func(result string) bool {
		number, err := strconv.Atoi(result)
		return err == nil && number <= w.State.Generation
	})
	remembered, err := recallOptions(ctx, p.flags, w.State, f.changeOptions)
	if err != nil {
		return err
	}
	if err := setPublished(p.flags); err != nil { // again: --paper may be remembered
		return err
	}
	options, err := f.fit.options()
	if err != nil && w.State.Number == 0 {
		err = &usageError{fmt.Errorf("%s is no store yet, and to make one: %w", path, err)}
	}
	if err != nil {
		return err
	}
	p.warnOfPaper()
	if w.State.Number == 0 {
		if len(args) == 0 {
			return &usageError{errors.New("the store has no shards yet: name some after it")}
		}
		if err := output.CheckPlace(ctx, path, args); err != nil {
			return &usageError{fmt.Errorf("the store %w: choose another place", err)}
		}
	}
	plan, err := f.plan(ctx, p, w, args)
	if err != nil {
		return err
	}
	report := updateReport{Store: path, Window: f.window, plan: plan, DryRun: f.dryRun}
	if plan.Nothing() && !remembered.changed && w.State.Generation > 0 {
		return p.printNothing(report.complete(w, nil, nil))
	}
	if f.dryRun {
		return p.printPlan(report.complete(w, nil, nil))
	}
	if err := f.room(p, w.Path, "the copy of the new shards", stream.LeastCopy(plan.Shards())); err != nil {
		return err
	}
	run := p.newRun()
	if err := p.resume.open(ctx, p, run, w.Path, nil); err != nil {
		return err
	}
	added, err := w.Add(ctx, plan, store.AddOptions{Reading: remembered.reading(), BadRows: lookup(p.flags,
		"on-bad-row").Value.String()})
	if err != nil {
		return errors.Join(err, run.Checkpoint.Close())
	}
	options.Run = run
	generated, err := f.generate(ctx, p, w, plan, added, options, remembered)
	if errors.Is(err, fit.ErrChanged) && p.resume.mode == string(checkpoint.Auto) {
		// The store continues with what it has today; a checkpoint of other shards is of no use to it.
		p.log.Warn("the checkpoint is dropped, because it belongs to another update", "reason", err)
		if options.Run, err = p.resume.again(ctx, p, w.Path); err == nil {
			generated, err = f.generate(ctx, p, w, plan, added, options, remembered)
		}
	}
	return p.finish(w.Path, err, func() error { return p.printUpdate(report.complete(w, added, generated), generated) })
}

// plan finds the shards and compares them with those of the store.
func (f *updateFlags) plan(ctx context.Context, p *program, w *store.Writer, args []string) (*store.Plan, error) {
	source := &f.fit.source
	plan := store.PlanOptions{Remove: f.remove, Date: f.date, Rehash: f.rehash, Again: f.again,
		KeepBad: source.skipShards}
	var err error
	if plan.Window, err = store.ParseDays(f.window); err != nil {
		return nil, err
	}
	if plan.Names, err = store.ParseDatePattern(f.datePattern); err != nil {
		return nil, err
	}
	if f.date != "" {
		if err := store.CheckDate(f.date); err != nil {
			return nil, err
		}
	}
	if err := source.check(p); err != nil {
		return nil, err
	}
	if err := source.ready(p); err != nil {
		return nil, err
	}
	var shards []shard.Shard
	if len(args) > 0 {
		source.shard.SpillDir = source.spillDir
		if shards, err = source.find(ctx, p, args); err != nil {
			return nil, err
		}
		source.found = shards
		if err := source.enoughShards(); err != nil {
			return nil, err
		}
		source.minShards = 0 // those that are new are fewer
	}
	compared, err := w.Plan(ctx, shards, plan)
	if err != nil {
		return nil, err
	}
	for _, twin := range compared.Twins {
		p.log.Warn("shard left out, because the store has its content under another name", "shard", twin.Name, "as", twin.Of)
	}
	for _, moved := range compared.Moved {
		p.log.Warn("a new shard has the date and the file name of one that counts under another path, and both count: "+
			"if it is the same one, leave the other out with --remove", "shard", moved.Name, "other", moved.Of)
	}
	if len(compared.Fresh) == 0 {
		return compared, nil
	}
	if path, mapping, found, err := w.Mapping(ctx); err != nil {
		return nil, err
	} else if found {
		source.earlier, source.earlierMappings = []shard.Shard{{Path: path}}, []shard.Mapping{mapping}
	}
	source.hasOthers = w.State.Generation > 0
	good, err := source.sift(ctx, p, compared.Shards())
	if err != nil {
		return nil, err
	}
	compared.Retain(good)
	return compared, nil
}

// generate learns the model of all documents and makes it the current generation.
func (f *updateFlags) generate(ctx context.Context, p *program, w *store.Writer, plan *store.Plan, added *store.Added,
	options fit.Options, remembered *options) (*store.Generated, error) {
	source, run := &f.fit.source, options.Run
	run.MemoryLimit = source.limit.chosen()
	opening := source.options(p, "")
	opening.NoPrune, opening.Skipped, opening.KeepLeft = source.noPrune, p.skipped, true
	var err error
	if opening.Pruning, err = source.pruning(ctx); err != nil {
		return nil, err
	}
	var script steer.Script
	if f.steer != "" {
		if script, err = p.readScript(ctx, f.steer); err != nil {
			return nil, err
		}
	}
	opening.Passes = f.fit.passes(&options)
	begun := time.Now()
	generated, err := f.next(ctx, p, w, plan, added, store.GenerateOptions{Fit: options, Require: f.fit.require,
		FromScratch: f.fromScratch, Corpus: opening, Script: script, Scratch: source.spillDir, Options: remembered.values,
		Files: remembered.files, Retain: f.retain, Names: f.names(plan)})
	if generated == nil || errors.As(err, new(*model.ShortError)) { // a model that falls short would do so again
		if errors.As(err, new(*model.ShortError)) {
			p.resume.saved(p, run)
		}
		return nil, errors.Join(run.Checkpoint.Interrupted(err), run.Checkpoint.Close())
	}
	p.resume.saved(p, run)
	if generated.Drift != nil {
		p.outcome.Drift = &generated.Drift.Summary
	}
	p.log.Info("generation made", "generation", generated.Number, "shards", generated.Shards, "documents",
		generated.Documents, "seconds", time.Since(begun).Seconds())
	return generated, err
}

// names returns what reads the names of the items of the new shards; nil if items are to have none.
func (f *updateFlags) names(plan *store.Plan) func(context.Context) (*stream.ItemNames, error) {
	source := &f.fit.source
	if source.shard.NamesColumn == shard.NoNames && source.namesFile == "" {
		return nil
	}
	return func(ctx context.Context) (*stream.ItemNames, error) { return source.itemNames(ctx, plan.Shards()) }
}

// next learns the next generation and puts it into effect. What the machine and the flags allow is checked once the
// documents are known.
func (f *updateFlags) next(ctx context.Context, p *program, w *store.Writer, plan *store.Plan, added *store.Added,
	opts store.GenerateOptions) (*store.Generated, error) {
	next, err := w.Open(ctx, plan, added, opts)
	if err != nil {
		return nil, err
	}
	defer next.Close()
	docs := next.Documents
	p.tellRead(docs)
	p.outcome.Account = &docs.Account
	if err := f.fit.source.enoughDocuments(docs.Account.DocumentsRead); err != nil {
		return nil, err
	}
	if err := f.room(p, w.Path, "the model", modelBytes*int64(docs.Vocabulary.Len())*int64(opts.Fit.Topics)); err != nil {
		return nil, err
	}
	err = next.Learn(ctx)
	if next.Fitted != nil {
		p.outcome.made(next.Fitted)
		next.Fitted.Manifest.Reading = remembered(p.flags)
	}
	if err != nil {
		return nil, err
	}
	if err := next.Continue(ctx); err != nil {
		return nil, err
	}
	return next.Commit(ctx)
}

// room checks that need bytes fit on the disk of a store of this machine.
func (f *updateFlags) room(p *program, path, what string, need int64) error {
	if f.fit.source.noDisk || need <= 0 || objects.IsURL(path) {
		return nil
	}
	folder := filepath.Clean(path)
	if _, err := os.Stat(folder); err != nil { // the first update makes it
		folder = filepath.Dir(folder)
	}
	return p.room(what, folder, need, "make room, with anchorage store gc or elsewhere, or move the store to a larger "+
		"disk; a lower --retain takes effect at the end of an update, and so helps the next one")
}
