// This file chooses limits that the caller leaves to the documents: they differ between texts and baskets.

package corpus

import "context"

// ByKind, as Pruning.MinDF, Options.MinItems or Options.MinTokens, leaves the limit to the kind of the documents; see Kind.
const ByKind = -1

// Kind is what documents are like.
//
// Documents are Baskets if at least nine in ten of those with items have fewer than 50 distinct items, and Texts otherwise. The
// limits of Texts are MinDF 5, MinItems 3 and MinTokens 5. That of Baskets is MinDF 2. For MinItems and MinTokens of Baskets, the
// pairs 3 and 5, 3 and 4, 3 and 3, 2 and 2 are tried in this order, after the items have been chosen, until two thirds of the
// documents with at least two tokens are left. If the origin is read in a single pass, MinItems is 3 and MinTokens 5. The
// measurements are in docs/decisions/defaults.md.
type Kind string

// The kinds of documents. AnyKind stands for one that is to be found out.
const (
	AnyKind Kind = ""
	Texts   Kind = "texts"
	Baskets Kind = "baskets"
)

// basketItems is the number of distinct items that a document of Baskets rarely has.
const basketItems = 50

// The limits for MinDF.
const (
	textMinDF   = 5
	basketMinDF = 2
)

// limits are those for documents.
type limits struct{ items, tokens int }

// ladder holds the limits in the order in which they are tried. The first are those of texts.
var ladder = [...]limits{{3, 5}, {3, 4}, {3, 3}, {2, 2}}

// tally counts documents as they are read. Documents without items are left out.
type tally struct {
	documents int64
	small     int64 // with fewer than basketItems distinct items
	single    int64 // with one
}

// add counts documents.
func (t *tally) add(docs *Documents) {
	for m := range docs.Documents() {
		switch n := docs.Offsets[m+1] - docs.Offsets[m]; {
		case n == 0:
			continue
		case n == 1:
			t.single++
			t.small++
		case n < basketItems:
			t.small++
		}
		t.documents++
	}
}

// kind returns the kind of the documents.
func (t *tally) kind() Kind {
	if 10*t.small >= 9*t.documents && t.documents > 0 {
		return Baskets
	}
	return Texts
}

// fewDocuments is a number of documents that tells nothing.
const fewDocuments = 10

// check fails if most documents have a single item.
func (t *tally) check() error {
	if 2*t.single <= t.documents || t.documents < fewDocuments {
		return nil
	}
	return lacks(SingleItems, "%d of %d documents have a single item, so that few items occur together: perhaps the items of a document are not told apart, or each of its rows is taken for a document",
		t.single, t.documents)
}

// settle sets the kind of the documents, and with it MinDF.
func (c *Corpus) settle() error {
	c.Account.Kind = c.options.Kind
	if c.Account.Kind == AnyKind {
		c.Account.Kind = c.tally.kind()
	}
	if c.options.Pruning.MinDF == ByKind {
		c.options.Pruning.MinDF = textMinDF
		if c.Account.Kind == Baskets {
			c.options.Pruning.MinDF = basketMinDF
		}
	}
	if c.pruned() {
		c.Account.MinDF = c.options.Pruning.MinDF
	}
	if c.options.RefuseSingles && c.options.Vocabulary == nil {
		return c.tally.check()
	}
	return nil
}

// limit sets the limits for documents that are left to their kind. If they depend on the documents, it makes a pass over the copy.
func (c *Corpus) limit(ctx context.Context) error {
	v := &c.view
	if v.MinItems != ByKind && v.MinTokens != ByKind {
		return nil
	}
	given := *v
	chosen := given.within(ladder[0])
	if c.Account.Kind == Baskets && c.copy != nil {
		all := View{Remap: v.Remap}
		var pairs int64
		var left [len(ladder)]int64
		_, err := c.copy.Pass(ctx, c.options.Workers, &all, func(docs *Documents) error {
			pairs += int64(docs.Documents())
			for m := range docs.Documents() {
				items, counts := docs.Row(m)
				n := tokens(counts)
				for i, l := range ladder {
					if l = given.within(l); len(items) >= l.items && n >= int64(l.tokens) {
						left[i]++
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i, l := range ladder {
			if chosen = given.within(l); 3*left[i] >= 2*pairs {
				break
			}
		}
	}
	v.MinItems, v.MinTokens = chosen.items, chosen.tokens
	c.Account.MinItems, c.Account.MinTokens = v.MinItems, v.MinTokens
	return nil
}

// within returns the limits of the view, and those of l where the view leaves them open.
func (v *View) within(l limits) limits {
	if v.MinItems != ByKind {
		l.items = v.MinItems
	}
	if v.MinTokens != ByKind {
		l.tokens = v.MinTokens
	}
	return l
}
