// This file finds the shards that a command reads, says how they are read, and opens their documents.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/stream"
)

// documents is what a command reads: shards, and which of their documents and items count.
type documents struct {
	shards []shard.Shard
	corpus.Options
	flags *sourceFlags
	kept  *fit.Checkpoint
}

// open opens the documents for a number of passes, 0 if it is not known yet.
func (d documents) open(ctx context.Context, passes int) (*corpus.Corpus, error) {
	d.Passes = passes
	docs, err := stream.Open(d.kept.Reading(ctx), d.shards, d.Options)
	if err == nil && d.flags.namesFile != "" {
		docs.Naming = func(ctx context.Context) (func(id []byte) string, error) {
			names, err := d.flags.itemNames(ctx, d.shards)
			return names.Of, err
		}
	}
	if err != nil || !docs.Copied() {
		return docs, err
	}
	if err := d.flags.enoughDocuments(docs.Account.DocumentsRead); err != nil {
		return nil, errors.Join(err, docs.Close())
	}
	return docs, nil
}

// ofReading reports whether a row says how shards are read, with what becomes of bad rows.
func ofReading(v *value) bool { return v.effect == reads || v.name == "on-bad-row" }

// remembered returns the flags that say how shards are read and that were given, with their values; nil for none. A
// model keeps them for the commands that read more documents for it.
func remembered(flags *pflag.FlagSet) map[string]string {
	var values map[string]string
	eachRow(flags, func(v *value, flag *pflag.Flag) {
		if ofReading(v) && flag.Changed {
			if values == nil {
				values = make(map[string]string)
			}
			values[v.name] = v.String()
		}
	})
	return values
}

// recall sets the flags that say how shards are read to what the model at a path remembers. Those that are given win,
// and with --format all are as they are given: the shards are of another kind.
func (p *program) recall(ctx context.Context, path string) error {
	flags := make(map[string]*pflag.Flag) // by name; a flag of the same name may be of the output
	eachRow(p.flags, func(v *value, flag *pflag.Flag) {
		if ofReading(v) {
			flags[v.name] = flag
		}
	})
	if flags["format"] == nil || flags["format"].Changed {
		return nil
	}
	manifest, err := model.ReadManifest(ctx, path, model.KindModel)
	if err != nil {
		return nil // loading the model says what is wrong
	}
	var recalled []any
	for _, name := range slices.Sorted(maps.Keys(manifest.Reading)) {
		if flag := flags[name]; flag != nil && !flag.Changed {
			if err := flag.Value.Set(manifest.Reading[name]); err != nil {
				return &runError{&model.InputError{Path: path, Reason: fmt.Sprintf("remembers %s: %v", spelled(p.flags, name),
					err)}}
			}
			recalled = append(recalled, name, manifest.Reading[name])
		}
	}
	if len(recalled) > 0 {
		p.log.Info("documents are read as those of the model were", recalled...)
	}
	return nil
}

// options returns the options that all commands share which open documents. Without --spill-dir, the copy of the
// documents goes to scratch.
func (f *sourceFlags) options(p *program, scratch string) corpus.Options {
	kind := corpus.AnyKind
	if f.shard.Tokenizes() {
		kind = corpus.Texts
	}
	return corpus.Options{MinItems: limitOf(f.corpus.MinItems), MinTokens: limitOf(f.corpus.MinTokens), Kind: kind,
		AllowSingles: f.corpus.AllowSingles, KeepLeft: f.corpus.KeepLeft, StopWord: stream.IsStopword,
		Dir: cmp.Or(f.spillDir, scratch), Workers: p.workers, Log: p.log, Progress: p.advance}
}

// source returns the documents that the flags and arguments name.
func (f *sourceFlags) source(ctx context.Context, p *program, args []string, scratch string) (documents, error) {
	s := documents{Options: f.options(p, scratch), flags: f}
	s.NoPrune = f.noPrune
	err := f.check(p)
	if err != nil {
		return s, err
	}
	if s.Pruning, err = f.pruning(ctx); err != nil {
		return s, err
	}
	if f.vocab != "" {
		if s.Vocabulary, err = stream.ReadVocabulary(ctx, f.vocab); err != nil {
			return s, err
		}
	}
	f.shard.SpillDir = s.Dir
	s.shards, err = f.discover(ctx, p, args)
	s.Skipped = p.skipped
	return s, err
}

// openItems opens the documents of args that have a pair of items of a model.
func (f *sourceFlags) openItems(ctx context.Context, p *program, args []string,
	items *corpus.Vocabulary) (*corpus.Corpus, error) {
	options := f.options(p, "")
	options.Vocabulary, options.MinItems, options.MinTokens = items, 2, 2
	return f.open(ctx, p, args, options, 0)
}

// open opens the documents of args for a number of passes, 0 if it is not known yet.
func (f *sourceFlags) open(ctx context.Context, p *program, args []string, options corpus.Options,
	passes int) (*corpus.Corpus, error) {
	shards, err := f.discover(ctx, p, args)
	if err != nil {
		return nil, err
	}
	return documents{shards: shards, Options: options, flags: f}.open(ctx, passes)
}

// read opens the documents of args for a number of passes, 0 if it is not known yet: the stage "read" of the run.
// Temporary files go to --spill-dir, or beside the output.
func (f *sourceFlags) read(ctx context.Context, p *program, w work, passes int) (*corpus.Corpus, error) {
	w.run.MemoryLimit = f.limit.chosen()
	var err error
	if w.run.SpillDir, err = workingFolder(f.spillDir, w.out); err != nil {
		return nil, err
	}
	defer w.run.Stage("read")()
	from, err := f.source(ctx, p, w.args, w.run.SpillDir)
	if err != nil {
		return nil, err
	}
	if copied := passes != 1 || from.Vocabulary == nil && !from.NoPrune; copied {
		if err := f.roomForCopy(p, from.shards, w.out); err != nil {
			return nil, err
		}
	}
	from.kept = w.run.Checkpoint
	docs, err := from.open(ctx, passes)
	if err != nil {
		return nil, err
	}
	p.tellRead(docs)
	p.outcome.Account = &docs.Account
	return docs, nil
}

// discover finds the shards. With --on-bad-shard skip it also reads them, and sets aside those that cannot be read.
func (f *sourceFlags) discover(ctx context.Context, p *program, args []string) ([]shard.Shard, error) {
	shards, err := f.find(ctx, p, args)
	if err != nil {
		return nil, err
	}
	return f.sift(ctx, p, shards)
}

// find finds the shards, and what they should hold.
func (f *sourceFlags) find(ctx context.Context, p *program, args []string) ([]shard.Shard, error) {
	if err := f.ready(p); err != nil {
		return nil, err
	}
	if f.namesFile != "" {
		if err := stream.CheckItemNamesFile(ctx, f.namesFile, f.shard.Encoding); err != nil {
			return nil, err
		}
	}
	f.shard.KeepBad = f.skipShards
	f.shard.Warn, f.shard.Input = p.warn, p.stdin
	if f.shard.KeepBad && slices.Contains(args, "-") {
		return nil, &usageError{errors.New("--on-bad-shard skip reads shards twice, which standard input does not allow: " +
			"save it to a file")}
	}
	var passed, links []string
	f.shard.PassedOver = func(path string, link bool) {
		if link {
			links = append(links, path)
		} else {
			passed = append(passed, path)
		}
	}
	shards, err := shard.Discover(ctx, args, f.shard)
	if len(links) > 0 {
		p.log.Warn("links in folders passed over: --follow-links takes them, if only you can write there", "links",
			len(links), "first", links[0])
	}
	if err != nil {
		return nil, err
	}
	if lookup(p.flags, "min-df") != nil { // a command that learns of items
		if err := stream.CheckStock(shards); err != nil {
			return nil, err
		}
	}
	if len(passed) > 0 {
		p.log.Warn("files passed over, because their format is not known: name it with --format", "files", len(passed),
			"first", passed[0])
	}
	if err := f.applies(p, shards); err != nil {
		return nil, err
	}
	if err := p.agreeOnShards(ctx, shards); err != nil {
		return nil, err
	}
	return f.dealing.deal(shards)
}

// sift sets aside the shards that cannot be read, with --on-bad-shard skip, and says how the others are read.
func (f *sourceFlags) sift(ctx context.Context, p *program, shards []shard.Shard) ([]shard.Shard, error) {
	f.found = shards
	p.outcome.read(shards)
	if f.skipShards {
		good, skipped, err := stream.Sift(ctx, shards, p.workers)
		for _, s := range skipped {
			p.log.Warn("shard skipped", "reason", s.Reason)
		}
		p.skipped = append(p.skipped, skipped...)
		f.found = good
		if all := len(skipped) == len(shards); err != nil && !(all && f.hasOthers) {
			return good, err
		}
	}
	if err := f.enoughShards(); err != nil {
		return f.found, err
	}
	return f.found, f.announce(ctx, p, f.found)
}

// announce says how the shards are read: in the log, and on a terminal whose log does not show it. It returns an error
// if they are not all read in one way, unless --mixed allows it.
func (f *sourceFlags) announce(ctx context.Context, p *program, shards []shard.Shard) error {
	if lookup(p.flags, "mixed") == nil { // inspect, which shows shards that cannot be read together too
		return nil
	}
	mappings, err := stream.Mappings(ctx, shards, p.workers)
	if err != nil {
		return err
	}
	if !f.mixed {
		if err := shard.Uniform(slices.Concat(f.earlier, shards), slices.Concat(f.earlierMappings, mappings)); err != nil {
			return err
		}
	}
	var order []shard.Mapping
	first, number := make(map[shard.Mapping]string), make(map[shard.Mapping]int)
	for i, m := range mappings {
		if number[m]++; number[m] == 1 {
			order, first[m] = append(order, m), shards[i].Path
		}
	}
	for _, m := range order {
		p.log.Info("mapping", "shards", number[m], "first", first[m], "format", m.Format, "documents", m.Documents, "items",
			m.Items, "counts", m.Counts,
			"count_rule", m.CountRule, "separator", m.Separator, "texts", m.Texts, "words", m.Words, "read_as", m.String())
		if p.bar != nil && !p.log.Enabled(ctx, slog.LevelInfo) {
			p.bar.close()
			name := first[m]
			if number[m] > 1 {
				name = fmt.Sprintf("%d shards, %s first,", number[m], name)
			}
			printf(p.stderr, "Reading %s as %s\n", name, m)
		}
	}
	return nil
}
