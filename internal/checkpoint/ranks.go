// This file lets several ranks agree on what rank 0 finds in a folder.

package checkpoint

import (
	"context"
	"errors"
	"slices"
	"strings"

	"anchorage/internal/collective"
)

// told is an error on its way to other ranks.
type told struct {
	Text  string
	Known int // which of known it wraps, from 1; 0 for none
}

// shareError returns the error of rank 0 on all ranks.
func shareError(ctx context.Context, ranks *collective.Comm, err error) error {
	if ranks.Size() == 1 {
		return err
	}
	var own told
	if err != nil {
		own = told{err.Error(), slices.IndexFunc(known, func(is error) bool { return errors.Is(err, is) }) + 1}
	}
	all, failed := collective.GatherJSON(ctx, ranks, own)
	switch {
	case failed != nil:
		return failed
	case ranks.First() || all[0].Text == "":
		return err
	case all[0].Known == 0:
		return errors.New(all[0].Text)
	}
	return &caused{all[0].Text, known[all[0].Known-1]}
}

// shared returns the error of rank 0 on all ranks, or gives them p.
func (v *Values) shared(err error, p []byte) error {
	if v.ranks.Size() == 1 {
		return err
	}
	if err := shareError(v.ctx, v.ranks, err); err != nil {
		return err
	}
	return collective.Broadcast(v.ctx, v.ranks, 0, p)
}

// shareLoaded returns the state that rank 0 has opened, or its error, on all ranks.
func shareLoaded(ctx context.Context, ranks *collective.Comm, l *Loaded, err error) (*Loaded, error) {
	if err := shareError(ctx, ranks, err); err != nil || ranks.Size() == 1 {
		return l, err
	}
	type state struct {
		There bool
		Kind  string
		Left  int64
	}
	var own state
	if l != nil {
		own = state{true, l.Kind, l.left}
	}
	all, err := collective.GatherJSON(ctx, ranks, own)
	if err != nil || !all[0].There {
		return nil, err
	}
	found := all[0]
	if !ranks.First() {
		l = &Loaded{Kind: found.Kind}
		l.from, l.left = strings.NewReader(""), found.Left // what is read comes from rank 0
	}
	l.ctx, l.ranks = ctx, ranks
	return l, nil
}
