// This file makes one corpus of those of several ranks, each of which has read its own documents.

package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"slices"

	"anchorage/internal/collective"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// join lets the corpus share its items with those of the other ranks of the context, if it has some. Rank 0 logs for
// all.
func (c *Corpus) join(ctx context.Context) error {
	comm := collective.From(ctx)
	if c.layout = comm.Layout(); c.layout == nil {
		return nil
	}
	comm.Begin("read")
	if !comm.First() {
		c.options.Log = slog.New(slog.DiscardHandler)
	}
	if c.options.NoPrune && c.options.Vocabulary == nil && c.options.Passes == 1 {
		return errors.New("several ranks cannot number items during the only pass: fix the vocabulary, or make more passes")
	}
	return c.agree(ctx)
}

// Layout returns who holds the rows of the items: the ranks of the job in whose context the corpus was opened. It is
// nil for one process.
func (c *Corpus) Layout() matrix.Layout { return c.layout }

// ranks returns the ranks that share the corpus; nil for one process.
func (c *Corpus) ranks() *collective.Comm { return collective.Of(c.layout) }

// agree returns an error unless all ranks have the same fixed vocabulary and the same stopwords. Each has read its own
// files, and the counts of other items cannot be added.
func (c *Corpus) agree(ctx context.Context) error {
	fixed, stopwords := "", ""
	if v := c.options.Vocabulary; v != nil {
		fixed = v.Fingerprint()
	}
	if words := c.options.Pruning.Stopwords; len(words) > 0 {
		digest := sha256.New()
		for _, word := range slices.Sorted(maps.Keys(words)) {
			writePrefixed(digest, []byte(word))
		}
		stopwords = hex.EncodeToString(digest.Sum(nil))
	}
	if err := collective.Agree(ctx, c.ranks(), "items of the vocabulary", fixed); err != nil {
		return err
	}
	return collective.Agree(ctx, c.ranks(), "stopwords", stopwords)
}

// lost returns the loss of another rank, if err only says that the context has ended and that is why, else err.
func (c *Corpus) lost(ctx context.Context, err error) error {
	if lost := new(collective.LostError); c.layout != nil && errors.Is(err, context.Canceled) &&
		errors.As(context.Cause(ctx), &lost) {
		return lost
	}
	return err
}

// common returns an error that all ranks come to. None returns it before all have it: the first to return would end the
// work of the others, who then would report the loss of a rank instead.
func (c *Corpus) common(ctx context.Context, err error) error {
	if c.layout != nil && err != nil {
		_ = c.ranks().Barrier(ctx) // err is returned, whatever happens
	}
	return err
}

// onlyPass reports whether the only pass to come could read the origin: no items need to be chosen before it.
func (o *Options) onlyPass() bool { return o.Passes == 1 && (o.Vocabulary != nil || o.NoPrune) }

// readHere are the facts of a reading that ranks send each other as text.
type readHere struct {
	Inputs   []Input `json:"inputs"`
	FirstBad string  `json:"first_bad"`
}

// mergeReadings makes intake and the tally those of all ranks, except the vocabulary of a corpus that counts items.
// Rank order is document order.
func (c *Corpus) mergeReadings(ctx context.Context, intake *Intake) error {
	if c.layout == nil {
		return nil
	}
	t, l := &c.tally, &intake.LeftOut
	figures := []*int64{&intake.Documents, &intake.Entries, &intake.Tokens, &intake.Unknown.Entries,
		&intake.Unknown.Tokens,
		&t.Documents, &t.Small, &t.Single, &l.Negative, &l.Zero, &l.Empty, &l.Bad}
	var own []int64
	for _, f := range figures {
		own = append(own, *f)
		*f = 0
	}
	all, err := collective.AllGather(ctx, c.ranks(), own)
	if err != nil {
		return err
	}
	for r, counts := range all {
		if r == c.ranks().Rank() {
			c.readBefore = intake.Documents
		}
		for i, f := range figures {
			*f += counts[i]
		}
	}
	c.readAll, c.view.before = intake.Documents, c.readBefore
	greatest := []int64{intake.Bytes} // decisions about memory must be the same on all ranks
	if err := kernel.Greatest(ctx, c.layout, greatest); err != nil {
		return err
	}
	intake.Bytes = greatest[0]
	return c.mergeInputs(ctx, intake)
}

// mergeInputs makes the list of inputs, and the first row that was left out, those of all ranks.
func (c *Corpus) mergeInputs(ctx context.Context, intake *Intake) error {
	all, err := collective.GatherJSON(ctx, c.ranks(), readHere{intake.Inputs, intake.LeftOut.First})
	if err != nil {
		return err
	}
	intake.Inputs, intake.LeftOut.First = nil, ""
	for _, there := range all {
		intake.Inputs = append(intake.Inputs, there.Inputs...)
		if intake.LeftOut.First == "" {
			intake.LeftOut.First = there.FirstBad
		}
	}
	return nil
}

// number takes over the items of all ranks: it merges their vocabularies, prunes, and gives the items that are left the
// numbers that they would have in one process.
func (c *Corpus) number(ctx context.Context, intake *Intake) error {
	local := intake.Vocabulary
	if c.options.Vocabulary != nil { // every rank has it whole
		c.Vocabulary, c.seen = local, local.Len()
		if c.options.Vocabulary.Counted {
			return nil
		}
		if c.options.onlyPass() { // what comes of it must not hang on counts that one process would not have yet
			c.Vocabulary, c.counted = c.options.Vocabulary, local
		}
		return kernel.AddUpLong(ctx, c.layout, local.DocumentFrequency, local.TermFrequency)
	}
	items := local.Len()
	m, err := merge(ctx, c.ranks(), local)
	if err != nil {
		return err
	}
	local, intake.Vocabulary = nil, nil // its ids have gone to other ranks
	kept, order := m.all(), m.byAppearance
	var counts []int64 // of all items, and of those that are kept
	for again := true; again; again = c.pruned() && c.lower(int(counts[1])) {
		if c.pruned() {
			if kept, c.Account.Pruned, err = m.prune(ctx, &c.options.Pruning, intake.Documents); err != nil {
				return err
			}
			order = m.byFrequency
		}
		counts = []int64{int64(m.items.Len()), int64(len(kept))}
		if err := kernel.AddUp(ctx, c.layout, counts); err != nil {
			return err
		}
	}
	numbers, err := m.order(ctx, kept, order)
	if err != nil {
		return err
	}
	c.seen = int(counts[0])
	if c.view.Remap, err = m.remap(ctx, kept, numbers, items); err != nil {
		return err
	}
	if c.Vocabulary, err = m.part(ctx, kept, numbers, int(counts[1])); err != nil {
		return err
	}
	longest := []int64{4 * int64(items)}
	err = kernel.Greatest(ctx, c.layout, longest)
	c.viewBytes = longest[0]
	return err
}

// all returns all items of the range.
func (m *merged) all() []int32 {
	items := make([]int32, m.items.Len())
	for i := range items {
		items[i] = int32(i)
	}
	return items
}

// countPasses counts what the passes of all ranks deliver and leave out. So a pass itself waits for no other rank, and
// what gets its documents may talk to others.
func (c *Corpus) countPasses(ctx context.Context) error {
	if c.layout == nil || c.measured {
		return nil
	}
	here := int64(0)
	dropped, err := c.copy.Pass(ctx, c.options.Workers, &c.view, func(docs *Documents) error {
		here += int64(docs.Documents())
		return nil
	})
	if err != nil {
		return err
	}
	all, err := collective.AllGather(ctx, c.ranks(), []int64{here, dropped.NoPair, dropped.FewItems, dropped.FewTokens,
		dropped.ItemTokens, dropped.DocumentTokens})
	if err != nil {
		return err
	}
	c.here, c.before, dropped = here, 0, Dropped{}
	for r, counts := range all {
		if r < c.ranks().Rank() {
			c.before += counts[0]
		}
		dropped.Add(Dropped{counts[1], counts[2], counts[3], counts[4], counts[5]})
	}
	c.count(dropped)
	c.measured = true
	return nil
}

// Before returns how many documents come before those that a pass delivers to this rank: the passes of lower ranks
// deliver them. So the first document of a pass has this number among those of all ranks, from 0.
func (c *Corpus) Before() int64 { return c.before }

// Here returns how many documents a pass delivers to this rank. In one process that is Account.Documents.
func (c *Corpus) Here() int64 {
	if c.layout == nil {
		return c.Account.Documents
	}
	return c.here
}

// ReadBefore returns how many documents lower ranks have read. Add it to the numbers of Documents.Places and
// Documents.Read for the number of a document among all that were read.
func (c *Corpus) ReadBefore() int64 { return c.readBefore }
