// This file compares the shards that an update adds with those that the store has.

package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"anchorage/metric"
	"anchorage/model"
)

// Night is what the shards hold that an update adds, beside what is usual. Shares are of rows and of tokens.
type Night struct {
	Documents int64   `json:"documents"`
	Usual     float64 `json:"usual_documents,omitempty"` // see usualDocuments; 0 if there is too little to compare with
	BadRows   float64 `json:"bad_rows"`
	Unknown   float64 `json:"unknown_tokens"` // of items that the store did not have; 0 in a new store

	rows, bad, tokens, unseen int64
}

// note counts a shard. known is the number of items that the store had, 0 in a new one.
func (n *Night) note(ctx context.Context, folder string, c *Content, known int) error {
	n.Documents += c.Documents
	rows := c.Documents
	if c.Mapping.Long {
		rows = c.Entries
	}
	n.rows, n.bad, n.tokens = n.rows+rows+c.LeftOut.Bad, n.bad+c.LeftOut.Bad, n.tokens+c.Tokens
	if known == 0 {
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
func (w *Writer) compare(n *Night, added []Shard) {
	n.BadRows = float64(n.bad) / float64(max(n.rows, 1))
	n.Unknown = float64(n.unseen) / float64(max(n.tokens, 1))
	n.Usual = w.usualDocuments(added)
	w.options.Log.Info("new shards compared", "documents", n.Documents, "usual_documents", n.Usual, "bad_rows", n.BadRows,
		"unknown_tokens", n.Unknown)
}

// usualDocuments returns how many documents are usual in place of those of some shards: as many medians of the other
// dates of the store as the shards have dates. A shard without a date counts as one. It returns 0 if there are fewer
// than three others.
func (w *Writer) usualDocuments(added []Shard) float64 {
	dateOf := func(s Shard) string { return cmp.Or(s.Date, s.Name) }
	tonight, others := make(map[string]bool), make(map[string]int64)
	for _, s := range added {
		tonight[dateOf(s)] = true
	}
	for _, s := range w.State.Shards {
		if !tonight[dateOf(s)] {
			others[dateOf(s)] += s.Documents
		}
	}
	each := slices.Sorted(maps.Values(others))
	if len(each) < 3 {
		return 0
	}
	return float64(len(tonight)) * float64(each[(len(each)-1)/2]+each[len(each)/2]) / 2
}

// ofUpdate reports whether a requirement is about new shards.
func ofUpdate(r model.Requirement) bool {
	of := metric.Defined(metric.OfUpdate)
	return slices.ContainsFunc(of, func(d *metric.Definition) bool { return d.Name == r.Figure })
}

// require returns an error that wraps a *model.ShortError if the new shards do not meet the requirements that are about
// them. What there is nothing to compare with meets them.
func (n *Night) require(requirements []model.Requirement) error {
	figures := []model.Figure{{Name: "bad_rows", Value: n.BadRows}, {Name: "unknown_tokens", Value: n.Unknown}}
	if n.Usual > 0 && n.rows > 0 {
		figures = append(figures, model.Figure{Name: "new_documents", Value: float64(n.Documents) / n.Usual})
	}
	met := slices.DeleteFunc(slices.Clone(requirements), func(r model.Requirement) bool {
		return !slices.ContainsFunc(figures, func(f model.Figure) bool { return f.Name == r.Figure })
	})
	if err := (&model.Certificate{Figures: figures}).Require(met); err != nil {
		return fmt.Errorf("the new shards, of %d documents where %.0f are usual, fall short, so the store keeps the model "+
			"that it has: %w", n.Documents, cmp.Or(n.Usual, float64(n.Documents)), err)
	}
	return nil
}
