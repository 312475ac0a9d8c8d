// This file lets several ranks agree on what rank 0 finds in a folder.

package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"anchorage/internal/collective"
)

// told is an error on its way to other ranks.
type told struct {
	Text  string
	Known int // which of known it wraps, from 1; 0 for none
}

// tell returns the form in which an error reaches other ranks.
func tell(err error) []byte {
	t := told{Text: err.Error()}
	for i, is := range known {
		if errors.Is(err, is) {
			t.Known = i + 1
			break
		}
	}
	text, _ := json.Marshal(t) // a text and a number cannot fail
	return text
}

// heard returns the error that rank 0 has told.
func heard(text []byte) error {
	var t told
	if err := json.Unmarshal(text, &t); err != nil || t.Known == 0 {
		return errors.Join(err, errors.New(t.Text))
	}
	return &caused{t.Text, known[t.Known-1]}
}

// shareError returns the error of rank 0 on all ranks.
func shareError(ctx context.Context, ranks *collective.Comm, err error) error {
	if ranks.Size() == 1 {
		return err
	}
	var text []byte
	if ranks.First() && err != nil {
		text = tell(err)
	}
	text, failed := shareText(ctx, ranks, text)
	switch {
	case failed != nil:
		return failed
	case len(text) == 0:
		return nil
	case ranks.First():
		return err
	}
	return heard(text)
}

// shareText returns the text of rank 0 on all ranks.
func shareText(ctx context.Context, ranks *collective.Comm, text []byte) ([]byte, error) {
	size := []int64{int64(len(text))}
	if err := collective.Broadcast(ctx, ranks, 0, size); err != nil {
		return nil, err
	}
	if !ranks.First() {
		text = make([]byte, size[0])
	}
	return text, collective.Broadcast(ctx, ranks, 0, text)
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

// move moves the values of a block from one rank to another.
func move[T float32 | float64](v *Values, from, to int, values []T) error {
	return collective.Move(v.ctx, v.ranks, from, to, values)
}

// shareLoaded returns the state that rank 0 has opened, or its error, on all ranks.
func shareLoaded(ctx context.Context, ranks *collective.Comm, l *Loaded, err error) (*Loaded, error) {
	if err := shareError(ctx, ranks, err); err != nil || ranks.Size() == 1 {
		return l, err
	}
	var found struct {
		There bool
		Kind  string
		Left  int64
	}
	var text []byte
	if ranks.First() {
		if found.There = l != nil; found.There {
			found.Kind, found.Left = l.Kind, l.left
		}
		text, _ = json.Marshal(found) // texts and numbers cannot fail
	}
	if text, err = shareText(ctx, ranks, text); err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil || !found.There {
		return nil, err
	}
	if !ranks.First() {
		l = &Loaded{Kind: found.Kind}
		l.from, l.left = strings.NewReader(""), found.Left // what is read comes from rank 0
	}
	l.ctx, l.ranks = ctx, ranks
	return l, nil
}

// allDue reports whether rank 0 finds that a state is due.
func (c *Chain) allDue() bool {
	ranks := c.folder.ranks
	if ranks.Size() == 1 {
		return c.due(c.bytes)
	}
	due := []uint8{0}
	if ranks.First() && c.due(c.bytes) {
		due[0] = 1
	}
	if err := collective.Broadcast(c.folder.ctx, ranks, 0, due); err != nil {
		return false // the stage will see the end of its context
	}
	return due[0] == 1
}
