// This file compares the flags of an update with those that a store remembers, and prints what an update did.

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"anchorage/internal/objects"
	"anchorage/model/drift"
	"anchorage/store"
)

// updateReport is an update as JSON has it.
type updateReport struct {
	Store      string       `json:"store"`
	New        bool         `json:"new"` // there was something to do
	Generation int          `json:"generation"`
	Model      string       `json:"model"`
	Shards     int          `json:"shards"`
	Documents  int64        `json:"documents"`
	Window     string       `json:"window,omitempty"`
	Added      []string     `json:"added"`
	Replaced   []string     `json:"replaced"`
	Removed    []string     `json:"removed"`
	Expired    []string     `json:"expired"`
	Twins      []store.Twin `json:"left_out_as_known"`
	RolledBack []string     `json:"left_out_as_rolled_back"`
	Unchanged  int          `json:"unchanged"`
	Outside    int          `json:"outside_window"`
	Read       int          `json:"read"`
	Adopted    int          `json:"adopted"`
	Dropped    []int        `json:"generations_removed"`
	DryRun     bool         `json:"dry_run,omitempty"`
	Night      *store.Night `json:"night,omitempty"` // what the new shards hold; nil if none were added
	// Drift says what became of the topics of the generation before; nil if there was none.
	Drift *drift.Summary `json:"drift"`

	plan *store.Plan
}

// complete fills the report. added and generated are nil if nothing was done.
func (r *updateReport) complete(w *store.Writer, added *store.Added, generated *store.Generated) *updateReport {
	r.Generation, r.Shards = w.State.Generation, len(w.State.Shards)
	r.Model, _ = w.Model() // empty without a generation
	for _, s := range w.State.Shards {
		r.Documents += s.Documents
	}
	r.Added, r.Replaced, r.Dropped = []string{}, []string{}, []int{}
	for _, f := range r.plan.Fresh {
		if f.Replaces {
			r.Replaced = append(r.Replaced, f.Name)
		} else {
			r.Added = append(r.Added, f.Name)
		}
	}
	r.Twins = append([]store.Twin{}, r.plan.Twins...)
	r.Removed, r.Expired = append([]string{}, r.plan.Removed...), append([]string{}, r.plan.Expired...)
	r.RolledBack = append([]string{}, r.plan.RolledBack...)
	r.Unchanged, r.Outside = r.plan.Known, r.plan.Outside
	if added != nil {
		r.New, r.Read, r.Adopted = true, added.Read, added.Adopted
		if len(added.Shards) > 0 {
			r.Night = &added.Night
		}
		r.Dropped = append(r.Dropped, generated.Dropped...)
		if generated.Drift != nil {
			r.Drift = &generated.Drift.Summary
		}
	}
	return r
}

// printNothing says that there was nothing new, and lets the program end with the code for that.
func (p *program) printNothing(r *updateReport) error {
	p.nothing = true
	return p.print(r, func(w io.Writer) {
		known := ""
		if n := r.Unchanged + len(r.Twins); n > 0 {
			known = fmt.Sprintf(" has %s already, and", count(n, "shard that was given", "shards that were given"))
		}
		printf(w, "Nothing new: %s%s keeps generation %d as its model%s.\n", r.Store, known, r.Generation, r.leftOut())
	})
}

// printPlan says what an update would do.
func (p *program) printPlan(r *updateReport) error {
	r.New = true
	return p.print(r, func(w io.Writer) {
		printf(w, "An update of %s would learn a new generation%s\n", r.Store, r.changes())
		for _, change := range r.plannedChanges() {
			for _, name := range change.names {
				printf(w, "%-22s %s\n", change.what, name)
			}
		}
	})
}

// printUpdate prints what an update did, and the model.
func (p *program) printUpdate(r *updateReport, g *store.Generated) error {
	m := g.Fitted.Overview()
	value := p.modelValue(g.Fitted, m, g.Path)
	maps.Copy(value, map[string]any{"update": r})
	return p.print(value, func(w io.Writer) {
		printf(w, "Generation %d of %s: %s, %d documents%s\n", r.Generation, r.Store, count(r.Shards, "shard", "shards"),
			r.Documents, r.changes())
		if r.Drift != nil {
			printf(w, "Topics since the generation before: %s.\n", r.Drift)
		}
		p.writeModel(w, g.Fitted, m, g.Path, r.Store)
	})
}

// changes lists what an update changed.
func (r *updateReport) changes() string {
	var parts []string
	for _, change := range r.plannedChanges()[:4] {
		if n := len(change.names); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, change.what))
		}
	}
	if r.Adopted > 0 {
		parts = append(parts, fmt.Sprintf("%d of them read by an earlier update", r.Adopted))
	}
	if n := len(r.Dropped); n > 0 {
		parts = append(parts, fmt.Sprintf("%s removed (--retain)", count(n, "old generation", "old generations")))
	}
	text := r.leftOut() + "."
	if len(parts) > 0 {
		text = "; " + strings.Join(parts, ", ") + text
	}
	return text
}

// namedChange is what becomes of some shards.
type namedChange struct {
	names []string
	what  string
}

// plannedChanges lists what becomes of shards: the changes, and then those that are left out.
func (r *updateReport) plannedChanges() []namedChange {
	return []namedChange{{r.Added, "added"}, {r.Replaced, "replaced"}, {r.Removed, "removed"},
		{r.Expired, "older than the window"}, {r.RolledBack, "left out: rolled back"}}
}

// leftOut says how many of the given shards are left out.
func (r *updateReport) leftOut() (text string) {
	if r.Outside > 0 {
		text = fmt.Sprintf("; %s older than the window", count(r.Outside, "shard that was given is",
			"shards that were given are"))
	}
	if n := len(r.RolledBack); n > 0 {
		text += fmt.Sprintf("; %s left out, because a rollback took this content out (--again adds it)",
			count(n, "shard that was given is", "shards that were given are"))
	}
	return text
}

// count returns a number with a noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

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
