// This file holds the flags that say which shards are read, and what to do with bad ones.

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/stream"
)

// sourceFlags say what is read.
type sourceFlags struct {
	format       string
	counts       string
	onBadRow     string
	maxBadRows   int64
	mixed        bool
	layoutFlags  *pflag.FlagSet
	trusts       *pflag.FlagSet // set where bad rows can be left out
	shard        shard.Options
	vocab        string
	noPrune      bool
	minDF        int64
	maxDFRatio   float64
	maxItems     int
	stopwords    string
	minItems     int64
	minTokens    int64
	singles      bool
	separator    string
	textFlags    *pflag.FlagSet
	spillDir     string
	checksums    string
	minShards    int
	minDocuments int64
	onBadShard   string
	memory       string
	noDiskCheck  bool
	pruningFlags *pflag.FlagSet
	found        []shard.Shard // by discover, without bad ones
	dealing      dealing       // of shards among tasks
	// earlier are shards that were read before, and how: those found must be read alike.
	earlier         []shard.Shard
	earlierMappings []shard.Mapping
	before          func(ctx context.Context, from documents) // is called before documents are read; nil for nothing
}

// addCorpus adds the flags of commands that read shards, choose among their documents and choose among their items.
func (f *sourceFlags) addCorpus(flags *pflag.FlagSet) {
	f.addFormat(flags)
	f.addDocuments(flags)
	f.addPruning(flags)
}

// addFormat adds the flags about reading shards.
func (f *sourceFlags) addFormat(flags *pflag.FlagSet) {
	f.addLayout(flags)
	f.addTrust(flags)
}

// addTrust adds the flags that say which shards to trust.
func (f *sourceFlags) addTrust(flags *pflag.FlagSet) {
	f.trusts = flags
	flags.BoolVar(&f.mixed, "mixed", false, "let shards differ in their formats and columns")
	flags.StringVar(&f.onBadShard, "on-bad-shard", "fail", "what to do with a shard that cannot be read: fail ends the run; skip leaves it out, reads all shards once more beforehand to find such shards, and ends with code 3")
	flags.StringVar(&f.onBadRow, "on-bad-row", "fail", "what to do with a row or line that cannot be read: fail ends the run; skip leaves it out, counts it and shows the first")
	flags.Int64Var(&f.maxBadRows, "max-bad-rows", 1000, "with --on-bad-row skip, the run ends at more bad rows than this")
	flags.StringVar(&f.checksums, "checksums", "", "list of SHA-256 that the shards must match, as sha256sum writes it, with names relative to its folder; all files that it lists must be there")
	flags.IntVar(&f.minShards, "min-shards", 0, "end with code 11 if there are fewer shards than this that can be read")
	flags.Int64Var(&f.minDocuments, "min-documents", 0, "end with code 11, and write nothing, if the shards hold fewer documents than this")
}

// ready checks the flags about reading shards, so that commands can do it before any work.
func (f *sourceFlags) ready(p *program) error {
	if err := f.layouts(p); err != nil {
		return err
	}
	if f.onBadShard == "" { // a command without the flag
		f.onBadShard = "fail"
	}
	if err := oneOf("--on-bad-shard", f.onBadShard, "fail", "skip"); err != nil {
		return err
	}
	return f.badRows()
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
	if flags := f.layoutFlags; flags != nil && flags.Lookup("output") != nil {
		if err := apart(flags.Lookup("output").Value.String(), args); err != nil {
			return nil, err
		}
	}
	f.shard.KeepBad = f.onBadShard == "skip"
	f.shard.Warn, f.shard.Input = p.warn, p.stdin
	if f.shard.KeepBad && slices.Contains(args, "-") {
		return nil, &usageError{errors.New("--on-bad-shard skip reads shards twice, which standard input does not allow: save it to a file")}
	}
	var passed []string
	f.shard.PassedOver = func(path string) { passed = append(passed, path) }
	shards, err := shard.Discover(ctx, args, f.shard)
	if err != nil {
		return nil, err
	}
	if f.pruningFlags != nil { // a command that learns of items
		if err := stream.CheckStock(shards); err != nil {
			return nil, err
		}
	}
	if len(passed) > 0 {
		p.log.Warn("files passed over, because nothing tells their format: name it with --format", "files", len(passed), "first", passed[0])
	}
	p.logFormats(shards)
	if err := f.applies(shards); err != nil {
		return nil, err
	}
	if f.checksums != "" {
		sums, err := shard.ReadChecksums(ctx, f.checksums)
		if err != nil {
			return nil, err
		}
		if shards, err = sums.Expect(ctx, shards); err != nil {
			return nil, err
		}
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
	if f.onBadShard == "fail" {
		if err := f.enoughShards(); err != nil {
			return nil, err
		}
		return shards, f.announce(ctx, p, shards)
	}
	good, skipped, err := stream.Sift(ctx, shards, p.workers, nil)
	for _, s := range skipped {
		p.log.Warn("shard skipped", "reason", s.Reason)
	}
	p.skipped = append(p.skipped, skipped...)
	f.found = good
	if err != nil {
		return good, err
	}
	if err := f.enoughShards(); err != nil {
		return good, err
	}
	return good, f.announce(ctx, p, good)
}

// open opens the documents of args for a number of passes, 0 if it is not known yet.
func (f *sourceFlags) open(ctx context.Context, p *program, args []string, options corpus.Options, passes int) (*corpus.Corpus, error) {
	shards, err := f.discover(ctx, p, args)
	if err != nil {
		return nil, err
	}
	return documents{shards: shards, Options: options, enough: f.enoughDocuments}.open(ctx, passes)
}

// scratch returns the folder for temporary files: that of --spill-dir, or the given one without it.
func (f *sourceFlags) scratch(otherwise string) string {
	if f.spillDir != "" {
		return f.spillDir
	}
	return otherwise
}

// oneOf checks the value of a flag that takes a few words.
func oneOf[S ~string](flag string, value S, words ...S) error {
	list := ""
	for i, word := range words {
		switch {
		case word == value:
			return nil
		case i == 0:
		case i == len(words)-1:
			list += " or "
		default:
			list += ", "
		}
		list += string(word)
	}
	return &usageError{fmt.Errorf("%s is %q: use %s", flag, value, list)}
}
