// This file compares the shards that an update adds with those before.

package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"anchorage/metric"
	"anchorage/model"
)

// Night is what the shards hold that an update adds, beside what is usual. Shares are of rows and of tokens.
type Night struct {
	Documents int64   `json:"documents"`
	Usual     float64 `json:"usual_documents,omitempty"` // see usualDocuments; 0 if there is nothing to compare with
	BadRows   float64 `json:"bad_rows"`
	Unknown   float64 `json:"unknown_tokens"` // of items that the store did not have; 0 in a new store

	compared                  bool // the store has items
	rows, bad, tokens, unseen int64
}

// note counts a shard.
func (n *Night) note(ctx context.Context, folder string, c *Content, known int) error {
	rows := c.Documents
	if c.Mapping.Long {
		rows = c.Entries
	}
	n.Documents += c.Documents
	n.rows, n.bad, n.tokens = n.rows+rows+c.LeftOut.Bad, n.bad+c.LeftOut.Bad, n.tokens+c.Tokens
	if !n.compared {
		return nil
	}
	return c.eachItem(ctx, folder, func(item itemCount) error {
		if int(item.number) >= known {
			n.unseen += item.tf
		}
		return nil
	})
}

// compare completes the night of shards that were added.
func (w *Writer) compare(ctx context.Context, n *Night, added []Shard) (err error) {
	n.BadRows = float64(n.bad) / float64(max(n.rows, 1))
	n.Unknown = float64(n.unseen) / float64(max(n.tokens, 1))
	n.Usual, err = w.usualDocuments(ctx, added)
	w.options.Log.Info("new shards compared", "documents", n.Documents, "usual_documents", n.Usual, "bad_rows", n.BadRows,
		"unknown_tokens", n.Unknown)
	return err
}

// usualDocuments returns how many documents are usual in place of those of some shards. If these have dates, it is the
// median of other dates of the store, times the number of their dates; otherwise, or without other dates, the median of
// what earlier generations added, without the first; 0 if there were none.
func (w *Writer) usualDocuments(ctx context.Context, added []Shard) (float64, error) {
	tonight, dates := make(map[string]bool), make(map[string]int64)
	for _, s := range added {
		tonight[s.Date] = true
	}
	for _, s := range w.State.Shards {
		if s.Date != "" && !tonight[s.Date] {
			dates[s.Date] += s.Documents
		}
	}
	if !tonight[""] && len(dates) > 0 {
		var each []int64
		for _, documents := range dates {
			each = append(each, documents)
		}
		return float64(len(tonight)) * median(each), nil
	}
	var each []int64
	for _, g := range w.State.Generations {
		before := w.State.generation(g.Before)
		if before == nil {
			continue
		}
		now, err := readState(ctx, w.Path, g.State)
		var then *State
		if err == nil {
			then, err = readState(ctx, w.Path, before.State)
		}
		if errors.As(err, new(*Error)) {
			continue // damaged
		}
		if err != nil {
			return 0, err
		}
		documents := int64(0)
		for _, s := range without(now.Shards, then.Shards) {
			documents += s.Documents
		}
		if documents > 0 {
			each = append(each, documents)
		}
	}
	return median(each), nil
}

// median returns the median of some values; 0 of none.
func median(values []int64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return float64(values[(len(values)-1)/2]+values[len(values)/2]) / 2
}

// Require returns an error that wraps a *model.ShortError if the new shards do not meet the requirements that are about
// them. What there is nothing to compare with meets them.
func (n *Night) Require(requirements []model.Requirement) error {
	err := model.Require(requirements, metric.OfUpdate, func(name string) (float64, bool) {
		switch {
		case name == "bad_rows":
			return n.BadRows, true
		case name == "unknown_tokens":
			return n.Unknown, true
		case n.Usual == 0 || n.rows == 0:
			return math.Inf(1), false
		}
		return float64(n.Documents) / n.Usual, true
	})
	if err == nil {
		return nil
	}
	usual := ""
	if n.Usual > 0 {
		usual = fmt.Sprintf(", where %.0f are usual", n.Usual)
	}
	return fmt.Errorf("the new shards, of %d documents%s, fall short, so the store keeps the model that it has: %w",
		n.Documents, usual, err)
}
