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

// fileFlags are the remembered flags that may name a file, of which the content counts; readFiles decide how shards are
// read.
var (
	readFiles = []string{"docword-vocab"}
	fileFlags = append([]string{"stopwords", "steer"}, readFiles...)
)

// options are those that a store remembers.
type options struct {
	values, files map[string]string
	flags         *pflag.FlagSet
	changed       bool // they are not those that it has
}

// recallOptions sets the flags that were not given to what the store remembers, and returns what it is to remember. It
// returns an error if a flag was given that contradicts, unless change is set.
func recallOptions(ctx context.Context, flags *pflag.FlagSet, state *store.State, change bool) (*options, error) {
	o := &options{flags: flags, values: make(map[string]string), files: make(map[string]string)}
	var differing []string
	var wrong error
	eachRow(flags, func(v *value, flag *pflag.Flag) {
		if wrong != nil || v.effect != reads && v.effect != learns && v.effect != gates {
			return
		}
		known, has := state.Options[v.name]
		switch {
		case state.Number == 0:
		case !flag.Changed && has:
			if err := flag.Value.Set(known); err != nil {
				wrong = fmt.Errorf("the store remembers %s: %w", withValue(flags, v.name, known, true), err)
			}
			flag.Changed = true
		case v.effect == gates: // the new one counts
		case flag.Changed && flag.Value.String() != known && (has || flag.Value.String() != flag.DefValue ||
			v.name == "memory-limit"):
			if v.effect == reads {
				wrong = &usageError{fmt.Errorf("the shards of the store were read with %s, and it does not read them again: "+
					"leave %s out, or make another store", withValue(flags, v.name, known, has), flagName(flag))}
			}
			differing = append(differing, fmt.Sprintf("%s (now %s)", withValue(flags, v.name, flag.Value.String(), true),
				withValue(flags, v.name, known, has)))
		}
		if flag.Changed {
			o.values[v.name] = flag.Value.String()
		}
	})
	if wrong != nil {
		return nil, wrong
	}
	if len(differing) > 0 && !change {
		return nil, &usageError{fmt.Errorf("the store remembers other options than %s: leave them out, or change them for "+
			"good with --change-options", strings.Join(differing, ", "))}
	}
	if err := o.hashFiles(ctx, state, change); err != nil {
		return nil, err
	}
	o.changed = len(differing) > 0 || state.Number > 0 && !maps.Equal(o.files, state.Files)
	return o, nil
}

// withValue returns a flag or setting with a value, as it is written.
func withValue(flags *pflag.FlagSet, name, value string, has bool) string {
	as, between := spelled(flags, name), " "
	if strings.HasPrefix(as, "--set ") {
		between = "="
	}
	if !has {
		return as + " not given"
	}
	return as + between + value
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
		case slices.Contains(readFiles, name):
			return &usageError{fmt.Errorf("%s has changed since the shards of the store were read with it: give it its former "+
				"content, or make another store", path)}
		case !change:
			return &usageError{fmt.Errorf("%s has changed since the last update: give it its former content, or take the new "+
				"one with --change-options", path)}
		}
	}
	return nil
}

// reading returns what gates on the documents of a shard without bad rows, as text.
func (o *options) reading() string {
	var text strings.Builder
	eachRow(o.flags, func(v *value, _ *pflag.Flag) {
		if value, given := o.values[v.name]; given && v.effect == reads {
			fmt.Fprintf(&text, "%s=%s\n", v.name, value)
		}
	})
	if sum := o.files["docword-vocab"]; sum != "" {
		fmt.Fprintf(&text, "docword-vocab is %s\n", sum)
	}
	return text.String()
}
