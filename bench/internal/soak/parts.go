// This file holds the parts of the soak in one table, and runs them.

package soak

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// Options say how long the soak is.
type Options struct {
	Seed uint64
	// Documents is the number of documents of the corpus; 0 for 2,000.
	Documents int
	// Counts says by the name of a part how much it disturbs; parts that it lacks have their usual count.
	Counts map[string]int
	// Limit ends the soak about then, with what was found until then: parts share it equally. 0 for no limit.
	Limit time.Duration
	// Report, if not nil, is called with every outcome.
	Report func(*Outcome)
	Log    *slog.Logger
}

// Part is a part of the soak.
type Part struct {
	Name string
	What string // what is disturbed and counted
	Goal int    // the usual count, which is the goal
	run  func(ctx context.Context, w *Workshop, enough int) ([]*Outcome, error)
}

// Parts are all parts.
var Parts = []Part{
	{"kill", "runs that kill -9 ends", 1000, func(ctx context.Context, w *Workshop, enough int) ([]*Outcome, error) {
		return w.each(ctx, tasks, enough, w.kill)
	}},
	{"terminate", "runs that SIGTERM ends", 200, func(ctx context.Context, w *Workshop, enough int) ([]*Outcome, error) {
		return w.each(ctx, tasks, enough, w.terminate)
	}},
	{"fail", "runs in which operations on files fail", 1000, failAll},
	{"writers", "pairs of updates of one store, and of fits of one model, at once", 60, func(ctx context.Context, w *Workshop, enough int) ([]*Outcome, error) {
		return w.each(ctx, racing, enough, w.race)
	}},
	{"readers", "readings of a store while updates change it", 300, func(ctx context.Context, w *Workshop, enough int) ([]*Outcome, error) {
		return w.each(ctx, readings, enough, w.read)
	}},
	{"disk", "runs on a disk that becomes full", 120, func(ctx context.Context, w *Workshop, enough int) ([]*Outcome, error) {
		return w.each(ctx, failing, enough, w.fill)
	}},
	{"store", "runs over an object store that fails", 200, func(ctx context.Context, w *Workshop, enough int) ([]*Outcome, error) {
		return w.each(ctx, remote, enough, w.reach)
	}},
	{"flip", "flipped bits of what was written", 10000, func(ctx context.Context, w *Workshop, enough int) ([]*Outcome, error) {
		return w.damage(ctx, enough, 0)
	}},
	{"cut", "lengths at which files of what was written are cut off; the goal is all of them", 300000, func(ctx context.Context, w *Workshop, enough int) ([]*Outcome, error) {
		return w.damage(ctx, 0, enough)
	}},
	{"crash", "states that a crash of the machine leaves", 1000, func(ctx context.Context, w *Workshop, enough int) ([]*Outcome, error) {
		return w.each(ctx, tasks, enough, w.crash)
	}},
}

// count returns how much a part disturbs.
func (o *Options) count(p Part) int {
	if count, given := o.Counts[p.Name]; given {
		return count
	}
	return p.Goal
}

// chosen returns the parts that disturb something.
func (o *Options) chosen() []Part {
	return slices.DeleteFunc(slices.Clone(Parts), func(p Part) bool { return o.count(p) == 0 })
}

// Run makes the parts that count something, in a folder that must exist. What was found is complete if there is no error.
func Run(ctx context.Context, folder string, o Options) (found []*Outcome, err error) {
	if o.Documents == 0 {
		o.Documents = 2000
	}
	w, err := NewWorkshop(ctx, folder, o.Documents, o.Seed, o.Log)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	parts := o.chosen()
	for i, part := range parts {
		if o.Limit > 0 {
			w.deadline = time.Now().Add((o.Limit - time.Since(begun)) / time.Duration(len(parts)-i))
		}
		enough := o.count(part)
		w.report = func(outcome *Outcome) {
			outcome.Part = part.Name
			if o.Report != nil {
				o.Report(outcome)
			}
		}
		more, err := part.run(ctx, w, enough)
		if found = append(found, more...); err != nil {
			return found, fmt.Errorf("%s: %w", part.Name, err)
		}
	}
	return found, nil
}
