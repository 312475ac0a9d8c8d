// This file prints what an update did.

package main

import (
	"fmt"
	"io"
	"maps"
	"strings"

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
