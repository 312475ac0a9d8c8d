// This file finds out which shards are new to a store, and which of its shards are to leave.

package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"anchorage/internal/objects"
	"anchorage/shard"
)

// PlanOptions say what an update is to change beside adding shards.
type PlanOptions struct {
	Remove []string // names of shards, or patterns of path.Match for whole names or their last elements
	Window int      // days, up to the date of the latest shard, that count; 0 for all
	Date   string   // of the given shards that the store does not know, as 2006-01-02; "" to find it in their names
	Names  DatePattern
	// Rehash hashes all shards that are given, and what the store has of them. Otherwise those whose name, size and time
	// of modification are known count as unchanged, and what the store has is only looked for. A shard of which the store
	// has a damaged copy is added again.
	Rehash bool
	// Again adds shards that a rollback has taken out.
	Again bool
	// KeepBad keeps shards that cannot be hashed among those to be added, for the caller to set aside.
	KeepBad bool
}

// Plan is what an update changes.
type Plan struct {
	Fresh   []Fresh  // to be added
	Kept    []Shard  // of the store; those of Fresh replace shards of the same names
	Removed []string // names that leave because they are asked to
	Expired []string // names that leave the window
	Outside int      // number of given shards that are older than the window
	Known   int      // number of given shards whose content the store has under the same name, undamaged
	Twins   []Twin
	// Moved are shards to be added that may be ones of the store under another path: both count.
	Moved []Twin
	// RolledBack are the names of given shards that are left out, because a rollback has taken out their content.
	RolledBack []string
	Redated    int // number of shards of the store that get another date
}

// Fresh is a shard to be added.
type Fresh struct {
	Name   string
	Shard  shard.Shard // expects its digest
	SHA256 string
	Date   string
	// DateGiven says that the date is not from the name.
	DateGiven bool
	Replaces  bool // a shard of the same name and another content
	Heals     bool // the store has the content, but what it has of it is damaged
}

// Twin is a shard whose content, of Plan.Twins, or whose date and file name, of Plan.Moved, are those of another name.
type Twin struct {
	Name string `json:"name"`
	Of   string `json:"of"`
}

// Nothing reports whether the plan changes nothing.
func (p *Plan) Nothing() bool {
	return len(p.Fresh) == 0 && len(p.Removed) == 0 && len(p.Expired) == 0 && p.Redated == 0
}

// Shards returns the shards to be added.
func (p *Plan) Shards() []shard.Shard {
	shards := make([]shard.Shard, len(p.Fresh))
	for i, f := range p.Fresh {
		shards[i] = f.Shard
	}
	return shards
}

// Retain keeps of the shards to be added only the given ones. Shards of the store that the others would replace stay.
func (p *Plan) Retain(shards []shard.Shard) {
	p.Fresh = slices.DeleteFunc(p.Fresh, func(f Fresh) bool {
		return !slices.ContainsFunc(shards, func(s shard.Shard) bool { return s.Path == f.Shard.Path })
	})
	p.separate() // a content may be known under the name that it would have replaced
}

// NameOf returns the name by which a store knows the shard at a path: the path, cleaned, with slashes, or the URL
// without its query.
func NameOf(path string) string {
	if place, err := objects.Parse(path); err == nil {
		place.Query = ""
		return place.String()
	}
	return filepath.ToSlash(filepath.Clean(path))
}

// Plan compares shards with those of the store. It hashes those that may be new. It writes nothing.
func (w *Writer) Plan(ctx context.Context, shards []shard.Shard, opts PlanOptions) (*Plan, error) {
	p := &Plan{}
	if err := p.remove(w, opts.Remove); err != nil {
		return nil, err
	}
	given, err := p.dated(shards, opts)
	if err != nil {
		return nil, err
	}
	if given, err = p.rolledBack(ctx, w, given, opts); err != nil {
		return nil, err
	}
	if given, err = p.window(given, opts.Window); err != nil {
		return nil, err
	}
	for _, f := range given {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := p.compare(ctx, w, f, opts); err != nil {
			return nil, err
		}
	}
	p.separate()
	p.suspect(given)
	return p, nil
}

// suspect finds the shards that have the date and the file name of one of the store that is not given: the folder may
// have moved, or its path may have been written otherwise.
func (p *Plan) suspect(given []Fresh) {
	for _, f := range p.Fresh {
		for _, s := range p.Kept {
			if f.Date != "" && f.Date == s.Date && f.Name != s.Name && path.Base(f.Name) == path.Base(s.Name) &&
				!slices.ContainsFunc(given, func(g Fresh) bool { return g.Name == s.Name }) {
				p.Moved = append(p.Moved, Twin{f.Name, s.Name})
			}
		}
	}
}

// remove decides which shards of the store leave because they are asked to.
func (p *Plan) remove(w *Writer, patterns []string) error {
	used := make([]bool, len(patterns))
	for _, s := range w.State.Shards {
		if doomed(s.Name, patterns, used) {
			p.Removed = append(p.Removed, s.Name)
		} else {
			p.Kept = append(p.Kept, s)
		}
	}
	for i, found := range used {
		if !found {
			return &Error{Path: w.Path, Fault: NoMatch, Reason: "has no shard of the name " + patterns[i]}
		}
	}
	return nil
}

// doomed reports whether a name is to be removed, and marks the patterns that say so.
func doomed(name string, patterns []string, used []bool) (found bool) {
	for i, pattern := range patterns {
		whole, _ := path.Match(pattern, name) // a malformed pattern matches nothing but itself
		last, _ := path.Match(pattern, path.Base(name))
		if whole || last || pattern == name || NameOf(pattern) == name {
			used[i], found = true, true
		}
	}
	return found
}

// dated returns the given shards with names and dates. Shards that are to be removed are not among them.
func (p *Plan) dated(shards []shard.Shard, opts PlanOptions) (given []Fresh, err error) {
	for _, s := range shards {
		if s.Path == "-" {
			return nil, &Error{Path: "standard input", Fault: Unnamed,
				Reason: "has no name by which a store could know it: save it to a file"}
		}
		f := Fresh{Name: NameOf(s.Path), Shard: s, Date: opts.Date, DateGiven: opts.Date != ""}
		if slices.Contains(p.Removed, f.Name) || doomed(f.Name, opts.Remove, make([]bool, len(opts.Remove))) {
			continue
		}
		if f.Date == "" {
			f.Date = opts.Names.Find(f.Name)
		}
		// A date that was given once stays: the shard comes again every night.
		if at := p.kept(f.Name); at >= 0 && (f.Date == "" || p.Kept[at].Date != "" && (f.DateGiven || p.Kept[at].DateGiven)) {
			f.Date, f.DateGiven = p.Kept[at].Date, p.Kept[at].DateGiven
		}
		given = append(given, f)
	}
	return given, nil
}

// rolledBack leaves out what a rollback has taken out. It hashes shards that have the size of one of those.
func (p *Plan) rolledBack(ctx context.Context, w *Writer, given []Fresh, opts PlanOptions) ([]Fresh, error) {
	if opts.Again {
		return given, nil
	}
	var left []Fresh
	for _, f := range given {
		sized := func(s Shard) bool { return s.Size == f.Shard.Size }
		if slices.ContainsFunc(w.State.RolledBack, sized) {
			if err := f.hash(ctx, opts, w.State.RolledBack); err != nil {
				return nil, err
			}
		}
		if f.SHA256 != "" && hasContent(w.State.RolledBack, f.SHA256) {
			p.RolledBack = append(p.RolledBack, f.Name)
		} else {
			left = append(left, f)
		}
	}
	return left, nil
}

// hash finds the content of a shard: that of one of known, if it looks unchanged. It stays empty for a bad shard that
// is to be kept.
func (f *Fresh) hash(ctx context.Context, opts PlanOptions, known []Shard) (err error) {
	at := slices.IndexFunc(known, func(s Shard) bool {
		return s.Name == f.Name && !opts.Rehash && s.Size == f.Shard.Size && !s.Modified.IsZero() &&
			s.Modified.Equal(f.Shard.Modified())
	})
	if at >= 0 {
		f.SHA256 = known[at].SHA256
		return nil
	}
	if f.SHA256, err = f.Shard.Digest(ctx); opts.KeepBad && errors.As(err, new(*shard.Error)) {
		return nil
	}
	return err
}

// kept returns the index of the shard of a name among those that stay, -1 if there is none.
func (p *Plan) kept(name string) int {
	return slices.IndexFunc(p.Kept, func(s Shard) bool { return s.Name == name })
}

// window leaves out what is older than a number of days before the latest shard, and returns the given shards that are
// not.
func (p *Plan) window(given []Fresh, days int) ([]Fresh, error) {
	if days == 0 {
		return given, nil
	}
	dates := make(map[string]string)
	for _, s := range p.Kept {
		dates[s.Name] = s.Date
	}
	for _, f := range given {
		dates[f.Name] = f.Date
	}
	latest := ""
	for name, date := range dates {
		if date == "" {
			return nil, p.undated(dates, name)
		}
		latest = max(latest, date)
	}
	if err := p.emptied(given, dates, latest, days); err != nil {
		return nil, err
	}
	p.Kept = slices.DeleteFunc(p.Kept, func(s Shard) bool {
		expired := !inWindow(dates[s.Name], latest, days)
		if expired {
			p.Expired = append(p.Expired, s.Name)
		}
		return expired
	})
	return slices.DeleteFunc(given, func(f Fresh) bool {
		outside := !inWindow(f.Date, latest, days)
		if outside {
			p.Outside++
		}
		return outside
	}), nil
}

// emptied returns an error if none of several shards of the store is within the window of the latest date: that date is
// more likely wrong than all that the store has of no use any more.
func (p *Plan) emptied(given []Fresh, dates map[string]string, latest string, days int) error {
	if slices.ContainsFunc(p.Kept, func(s Shard) bool { return inWindow(dates[s.Name], latest, days) }) {
		return nil
	}
	for _, f := range given {
		if len(p.Kept) > 0 && f.Date == latest {
			return &Error{Path: f.Name, Fault: Emptied, Reason: fmt.Sprintf("has the date %s: a window of %d days up to it "+
				"holds none of the %d shards of the store", latest, days, len(p.Kept))}
		}
	}
	return nil
}

// undated returns the error about the first shard without a date, in the order of names.
func (p *Plan) undated(dates map[string]string, name string) error {
	for other, date := range dates {
		if date == "" && Less(other, name) < 0 {
			name = other
		}
	}
	return &Error{Path: name, Fault: Undated, Reason: "has no date in its name, which a window of dates needs"}
}

// compare decides what becomes of a given shard.
func (p *Plan) compare(ctx context.Context, w *Writer, f Fresh, opts PlanOptions) (err error) {
	var known *Shard
	if at := p.kept(f.Name); at >= 0 {
		known = &p.Kept[at]
	}
	if f.SHA256 == "" {
		if err := f.hash(ctx, opts, p.Kept); err != nil {
			return err
		}
	}
	if known != nil && f.SHA256 == known.SHA256 {
		if known.Date != f.Date {
			known.Date, known.DateGiven = f.Date, f.DateGiven
			p.Redated++
		}
		if f.Heals, err = w.harmed(ctx, known, opts.Rehash); err != nil {
			return err
		}
		if !f.Heals {
			known.Modified = f.Shard.Modified()
			p.Known++
			return nil
		}
		w.options.Log.Warn("what the store has of a shard is damaged: it is read again", "shard", f.Name)
	}
	f.Replaces = known != nil
	if f.SHA256 != "" {
		f.Shard = f.Shard.Expecting(f.SHA256, "its first reading")
	}
	p.Fresh = append(p.Fresh, f)
	return nil
}

// separate leaves out shards whose content comes under another name. Of several that are given, the first by name
// counts.
func (p *Plan) separate() {
	slices.SortFunc(p.Fresh, func(a, b Fresh) int { return Less(a.Name, b.Name) })
	replaced := make(map[string]bool)
	for _, f := range p.Fresh {
		replaced[f.Name] = f.Replaces
	}
	owner := make(map[string]string)
	for _, s := range p.Kept {
		if !replaced[s.Name] {
			owner[s.SHA256] = s.Name
		}
	}
	fresh := p.Fresh
	p.Fresh = nil
	for _, f := range fresh {
		if name, known := owner[f.SHA256]; known && f.SHA256 != "" {
			p.Twins = append(p.Twins, Twin{f.Name, name})
			if f.Replaces { // what the shard was is gone, and what it is counts already
				p.Kept = slices.Delete(p.Kept, p.kept(f.Name), p.kept(f.Name)+1)
				p.Removed = append(p.Removed, f.Name)
			}
			continue
		}
		owner[f.SHA256] = f.Name
		p.Fresh = append(p.Fresh, f)
	}
}

// merge returns the shards that count after the plan, in the order of Less, given those that were added.
func (p *Plan) merge(added []Shard) []Shard {
	merged := slices.Clone(added)
	for _, s := range p.Kept {
		if !slices.ContainsFunc(added, func(a Shard) bool { return a.Name == s.Name }) {
			merged = append(merged, s)
		}
	}
	slices.SortFunc(merged, func(a, b Shard) int { return Less(a.Name, b.Name) })
	return merged
}
