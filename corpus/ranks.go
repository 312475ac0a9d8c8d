// This file makes one corpus of those of several ranks, each of which has read its own documents.

package corpus

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"

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
	fixed := ""
	if v := c.options.Vocabulary; v != nil {
		fixed = v.Fingerprint()
	}
	if err := collective.Agree(ctx, c.ranks(), "items of the vocabulary", fixed); err != nil {
		return err
	}
	return collective.Agree(ctx, c.ranks(), "stopwords", c.options.Pruning.stopwords())
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

// readHere are the facts of a reading that ranks send each other.
type readHere struct {
	Figures  []int64 `json:"figures"`
	Bytes    int64   `json:"bytes"`
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
		&intake.Unknown.Tokens, &t.Documents, &t.Small, &t.Single, &l.Negative, &l.Zero, &l.Empty, &l.Totals, &l.Bad}
	own := readHere{Bytes: intake.Bytes, Inputs: intake.Inputs, FirstBad: l.First}
	for _, f := range figures {
		own.Figures = append(own.Figures, *f)
		*f = 0
	}
	all, err := collective.GatherJSON(ctx, c.ranks(), own)
	if err != nil {
		return err
	}
	intake.Inputs, l.First = nil, ""
	for r, there := range all {
		if r == c.ranks().Rank() {
			c.readBefore = intake.Documents
		}
		for i, f := range figures {
			*f += there.Figures[i]
		}
		intake.Bytes = max(intake.Bytes, there.Bytes) // decisions about memory must be the same on all ranks
		intake.Inputs = append(intake.Inputs, there.Inputs...)
		l.First = cmp.Or(l.First, there.FirstBad)
	}
	c.readAll, c.view.before = intake.Documents, c.readBefore
	return nil
}

// pieceBytes is about how many bytes of items a rank sends at a time. Tests make it small.
var pieceBytes = 16 << 20

// shareItems makes the vocabulary of the intake that of all ranks, as one process would have met the items: those of
// rank 0 come first, then those of rank 1. It returns the numbers there of the items that this rank has met, nil if the
// vocabulary is fixed.
func (c *Corpus) shareItems(ctx context.Context, intake *Intake) (numbers []int32, err error) {
	comm, local := c.ranks(), intake.Vocabulary
	if fixed := c.options.Vocabulary; fixed != nil { // every rank has it whole
		if fixed.Counted {
			return nil, nil
		}
		if c.options.onlyPass() { // what comes of it must not hang on counts that one process would not have yet
			c.counted, intake.Vocabulary = local, fixed
		}
		return nil, kernel.AddUpLong(ctx, c.layout, local.DocumentFrequency, local.TermFrequency)
	}
	all := NewVocabulary()
	all.Counted = true
	for r := range comm.Size() {
		for sent := 0; ; {
			var piece []byte
			if r == comm.Rank() {
				for ; sent < local.Len() && len(piece) < pieceBytes; sent++ {
					piece = appendItem(piece, local, sent)
				}
			}
			pieces, err := collective.AllGather(ctx, comm, piece)
			if err != nil {
				return nil, err
			}
			if len(pieces[r]) == 0 {
				break
			}
			if err := all.takeItems(pieces[r], func(index int32) {
				if r == comm.Rank() {
					numbers = append(numbers, index)
				}
			}); err != nil {
				return nil, err
			}
		}
	}
	intake.Vocabulary = all
	c.bytes += all.Bytes()
	longest := []int64{4 * int64(len(numbers))}
	err = kernel.Greatest(ctx, c.layout, longest)
	c.viewBytes = longest[0]
	return numbers, err
}

// appendItem appends an item to a message or a list: its counts and its id.
func appendItem(message []byte, v *Vocabulary, item int) []byte {
	id := v.id(item)
	for _, value := range []int64{v.DocumentFrequency[item], v.TermFrequency[item], int64(len(id))} {
		message = binary.AppendUvarint(message, uint64(value))
	}
	return append(message, id...)
}

// takeItems adds the items of a message with their counts, and calls met with their numbers, in their order.
func (v *Vocabulary) takeItems(message []byte, met func(index int32)) error {
	const least = 8 // bytes of most items, or more
	if err := v.Reserve(len(message)/least, len(message)); err != nil {
		return err
	}
	for len(message) > 0 {
		var values [3]uint64
		for i := range values {
			value, n := binary.Uvarint(message)
			if n <= 0 {
				panic("corpus: ranks do not understand each other")
			}
			values[i], message = value, message[n:]
		}
		index := v.Intern(message[:values[2]])
		message = message[values[2]:]
		v.DocumentFrequency[index] += int64(values[0])
		v.TermFrequency[index] += int64(values[1])
		met(index)
	}
	return nil
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
