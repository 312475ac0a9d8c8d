// This file makes one corpus of those of several ranks, each of which has read its own documents.

package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"anchorage/internal/collective"
)

// join makes the corpus one of several, if the context has other ranks. Those of rank 0 log for all.
func (c *Corpus) join(ctx context.Context) error {
	comm := collective.From(ctx)
	if comm.Size() == 1 {
		return nil
	}
	c.comm = comm
	comm.Begin("read")
	if !comm.First() {
		c.options.Log = slog.New(slog.DiscardHandler)
	}
	if c.options.NoPrune && c.options.Vocabulary == nil && c.options.Passes == 1 {
		return errors.New("several ranks cannot number items during the only pass: fix the vocabulary, or make more passes")
	}
	return c.agree(ctx)
}

// agree returns an error unless all ranks have the same fixed vocabulary and the same stopwords. Each has read its own files, and the counts of
// other items cannot be added.
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
	if err := collective.Agree(ctx, c.comm, "items in its vocabulary", fixed); err != nil {
		return err
	}
	return collective.Agree(ctx, c.comm, "stopwords", stopwords)
}

// lost returns the loss of another rank, if err only says that the context has ended and that is why, else err.
func (c *Corpus) lost(ctx context.Context, err error) error {
	if lost := new(collective.LostError); c.comm != nil && errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &lost) {
		return lost
	}
	return err
}

// common returns an error that all ranks come to. None returns it before all have it: the first to return would end the work of the others, who then
// would report the loss of a rank instead.
func (c *Corpus) common(ctx context.Context, err error) error {
	if c.comm != nil && err != nil {
		_ = c.comm.Barrier(ctx) // err stands, whatever happens
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

// unite makes intake and the tally those of all ranks, but for the vocabulary of a corpus that counts items. Rank order is document order.
func (c *Corpus) unite(ctx context.Context, intake *Intake) error {
	if c.comm == nil {
		return nil
	}
	t, l := &c.tally, &intake.LeftOut
	figures := []*int64{&intake.Documents, &intake.Entries, &intake.Tokens, &intake.Unknown.Entries, &intake.Unknown.Tokens,
		&t.Documents, &t.Small, &t.Single, &l.Negative, &l.Zero, &l.Empty, &l.Bad}
	var own []int64
	for _, f := range figures {
		own = append(own, *f)
		*f = 0
	}
	all, err := collective.AllGather(ctx, c.comm, own)
	if err != nil {
		return err
	}
	for r, counts := range all {
		if r == c.comm.Rank() {
			c.readBefore = intake.Documents
		}
		for i, f := range figures {
			*f += counts[i]
		}
	}
	c.readAll, c.view.before = intake.Documents, c.readBefore
	greatest := []int64{intake.Bytes} // decisions about memory must be the same on all ranks
	if err := collective.Max(ctx, c.comm, greatest); err != nil {
		return err
	}
	intake.Bytes = greatest[0]
	return c.uniteInputs(ctx, intake)
}

// uniteInputs makes the list of inputs, and the first row that was left out, those of all ranks.
func (c *Corpus) uniteInputs(ctx context.Context, intake *Intake) error {
	text, err := json.Marshal(readHere{intake.Inputs, intake.LeftOut.First})
	if err != nil {
		return err
	}
	all, err := collective.AllGather(ctx, c.comm, text)
	if err != nil {
		return err
	}
	intake.Inputs, intake.LeftOut.First = nil, ""
	for r, text := range all {
		var there readHere
		if err := json.Unmarshal(text, &there); err != nil {
			return fmt.Errorf("what rank %d has read: %w", r, err)
		}
		intake.Inputs = append(intake.Inputs, there.Inputs...)
		if intake.LeftOut.First == "" {
			intake.LeftOut.First = there.FirstBad
		}
	}
	return nil
}

// number takes over the items of all ranks: it merges their vocabularies, prunes, and gives the items that are left the numbers that they
// would have in one process.
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
		return errors.Join(sumLong(ctx, c.comm, local.DocumentFrequency), sumLong(ctx, c.comm, local.TermFrequency))
	}
	items := local.Len()
	m, err := merge(ctx, c.comm, local)
	if err != nil {
		return err
	}
	local, intake.Vocabulary = nil, nil // its ids have gone to other ranks
	kept, order := m.all(), m.byAppearance
	if c.pruned() {
		if kept, c.Account.Pruned, err = m.prune(ctx, &c.options.Pruning, intake.Documents); err != nil {
			return err
		}
		order = m.byFrequency
	}
	counts := []int64{int64(m.items.Len()), int64(len(kept))}
	if err := collective.Sum(ctx, c.comm, counts); err != nil {
		return err
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
	err = collective.Max(ctx, c.comm, longest)
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

// sumLong replaces a long vector by the sum of those of all ranks: each rank adds up its rows, and all share the sums. A rank sends as much as
// twice the vector.
func sumLong(ctx context.Context, c *collective.Comm, values []int64) error {
	parts := make([][]int64, c.Size())
	for r := range parts {
		first, last := c.RowsOf(r, len(values))
		parts[r] = values[first:last]
	}
	received, err := collective.AllToAll(ctx, c, parts)
	if err != nil {
		return err
	}
	for r, part := range received {
		if r != c.Rank() {
			for i, v := range part {
				parts[c.Rank()][i] += v
			}
		}
	}
	return collective.Share(ctx, c, values)
}

// measure counts what the passes of all ranks deliver and leave out. So a pass itself waits for no other rank, and what gets its documents may
// talk to others.
func (c *Corpus) measure(ctx context.Context) error {
	if c.comm == nil || c.measured {
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
	all, err := collective.AllGather(ctx, c.comm, []int64{here, dropped.NoPair, dropped.FewItems, dropped.FewTokens, dropped.ItemTokens, dropped.DocumentTokens})
	if err != nil {
		return err
	}
	c.here, c.before, dropped = here, 0, Dropped{}
	for r, counts := range all {
		if r < c.comm.Rank() {
			c.before += counts[0]
		}
		dropped.Add(Dropped{counts[1], counts[2], counts[3], counts[4], counts[5]})
	}
	c.count(dropped)
	c.measured = true
	return nil
}

// Before returns how many documents come before those that a pass delivers to this rank: the passes of lower ranks deliver them. So the first
// document of a pass has this number among those of all ranks, from 0.
func (c *Corpus) Before() int64 { return c.before }

// ReadBefore returns how many documents lower ranks have read. It is to be added to the numbers that Documents.Places and Documents.Read tell,
// for the number of a document among all that were read.
func (c *Corpus) ReadBefore() int64 { return c.readBefore }
