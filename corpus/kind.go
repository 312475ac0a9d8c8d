// This file chooses limits that the caller leaves to the documents: they differ between texts and baskets.

package corpus

import (
	"cmp"
	"context"
	"unicode"

	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
)

// Kind is what documents are like.
//
// Documents are Baskets if at least nine in ten of those with items have fewer than 50 distinct items. Longer ones may
// be texts or histories, such as the films of a viewer, which are Baskets as well. They are Texts if stop words of a
// language are among the items of most documents; otherwise Baskets if most of these items look like names, with blanks
// or capital letters; otherwise Texts if items are repeated within documents as words are: 1.05 times in the mean or
// more, and at most 3 times unless the items look like words.
//
// The limits of Texts are MinDF 5, MaxDFRatio 0.2 (0.5 of fewer than 1,000 documents), MinItems 3 and MinTokens 5.
// Those of Baskets are MinDF 2 and MaxDFRatio 1: what most people buy is what most others want, too. For MinItems and
// MinTokens of Baskets, the pairs 3 and 5, 3 and 4, 3 and 3, 2 and 2 are tried in this order, after the items have been
// chosen, until two thirds of the documents with at least two tokens are left. If the origin is read in a single pass,
// MinItems is 3 and MinTokens 5. The measurements are in docs/decisions/defaults.md. Limits for items that the kind
// decides and that would keep fewer than five items, as of five orders, are lowered to none.
type Kind string

// The kinds of documents. AnyKind is one that is to be found out.
const (
	AnyKind Kind = ""
	Texts   Kind = "texts"
	Baskets Kind = "baskets"
)

// basketItems is the number of distinct items that a document of Baskets rarely has.
const basketItems = 50

// The limits for items. The words that every text needs are in more than a fifth of texts, whatever the language. In a
// corpus of few documents and topics, so may be the words of a topic.
const (
	manyTexts        = 1000
	textMinDF        = 5
	textMaxDFRatio   = 0.2
	fewMaxDFRatio    = 0.5 // of fewer than manyTexts
	basketMinDF      = 2
	basketMaxDFRatio = 1
)

// limits are those for documents.
type limits struct{ items, tokens int }

// ladder holds the limits in the order in which they are tried. The first are those of texts.
var ladder = [...]limits{{3, 5}, {3, 4}, {3, 3}, {2, 2}}

// Tally counts documents as they are read, to find out their kind. Documents without items are left out.
type Tally struct {
	Documents int64 `json:"documents"`
	Small     int64 `json:"small"`  // with fewer than 50 distinct items
	Single    int64 `json:"single"` // with one
}

// Merge adds the documents of another tally.
func (t *Tally) Merge(other Tally) {
	t.Documents += other.Documents
	t.Small += other.Small
	t.Single += other.Single
}

// Add counts documents.
func (t *Tally) Add(docs *Documents) {
	for m := range docs.Documents() {
		switch n := docs.Offsets[m+1] - docs.Offsets[m]; {
		case n == 0:
			continue
		case n == 1:
			t.Single++
			t.Small++
		case n < basketItems:
			t.Small++
		}
		t.Documents++
	}
}

// The lookedAt items of most documents say what items look like; stopsFew stop words among the first lookedForStop
// make a text.
const (
	lookedAt      = 200
	lookedForStop = 50
	stopsFew      = 10
)

// What words are repeated within a document, in the mean; see Kind.
const (
	fewRepeats  = 1.05
	mostRepeats = 3
)

// kind returns the kind of the documents, and why. v are the items, and repeats is the number of tokens of an entry.
// stop knows stop words; it may be nil.
func (t *Tally) kind(v *Vocabulary, repeats float64, stop func(id string) bool) (Kind, string) {
	if 10*t.Small >= 9*t.Documents && t.Documents > 0 {
		return Baskets, "nine in ten have fewer than 50 distinct items"
	}
	var stops, names, words, all int
	if v != nil && v.Counted {
		top := toplist.New(lookedAt)
		for i, df := range v.DocumentFrequency {
			top.Offer(i, float64(df))
		}
		for at, e := range top.Sorted() {
			id := v.ID(e.Item)
			all++
			if at < lookedForStop && stop != nil && stop(id) {
				stops++
			}
			switch named, word := look(id); {
			case named:
				names++
			case word:
				words++
			}
		}
	}
	switch {
	case stops >= stopsFew:
		return Texts, "stop words are among the most frequent items"
	case 2*names > all:
		return Baskets, "most frequent items are names, not words"
	case repeats < fewRepeats:
		return Baskets, "hardly any item is repeated within a document, as words are"
	case repeats > mostRepeats && 2*words <= all && all > 0:
		return Baskets, "items are repeated within a document more than words are"
	}
	return Texts, "they are long, and items are repeated within a document, as words are"
}

// look reports whether an item looks like a name or like a word of running text. It may be neither, such as a number.
func look(id string) (named, word bool) {
	word = id != ""
	for _, r := range id {
		switch {
		case unicode.IsSpace(r) || unicode.IsUpper(r):
			return true, false
		case !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != '’' && r != '-':
			word = false
		}
	}
	return false, word
}

// fewDocuments is a number of documents that says nothing.
const fewDocuments = 10

// check fails if most documents have a single item.
func (t *Tally) check() error {
	if 2*t.Single <= t.Documents || t.Documents < fewDocuments {
		return nil
	}
	return lacks(SingleItems, "%d of %d documents have a single item, so that few items occur together: perhaps the "+
		"items of a document are not told apart, or each of its rows is taken for a document",
		t.Single, t.Documents)
}

// fewItems is the number of items that the limits of a kind must leave: otherwise they are lowered. A topic needs two
// items that occur together, so two topics need four, beside one that most documents have.
const fewItems = 5

// chooseKind sets the kind of the documents with the given items, and with it MinDF and MaxDFRatio.
func (c *Corpus) chooseKind(v *Vocabulary, repeats float64) error {
	c.Account.Kind, c.Account.KindBecause = c.options.Kind, "they were cut into words"
	if c.Account.Kind == AnyKind {
		c.Account.Kind, c.Account.KindBecause = c.tally.kind(v, repeats, c.options.StopWord)
	}
	minDF, maxDFRatio := int64(textMinDF), textMaxDFRatio
	if c.tally.Documents < manyTexts {
		maxDFRatio = fewMaxDFRatio
	}
	if c.Account.Kind == Baskets {
		minDF, maxDFRatio = basketMinDF, basketMaxDFRatio
	}
	p := &c.options.Pruning
	if c.lowest = *p; p.MinDF == 0 {
		p.MinDF, c.lowest.MinDF = minDF, 1
	}
	if p.MaxDFRatio == 0 {
		p.MaxDFRatio, c.lowest.MaxDFRatio = maxDFRatio, 1
	}
	if c.pruned() {
		c.Account.MinDF, c.Account.MaxDFRatio = p.MinDF, p.MaxDFRatio
	}
	if !c.options.AllowSingles && c.options.Vocabulary == nil {
		return c.tally.check()
	}
	return nil
}

// limit sets the limits for documents that are left to their kind. If they depend on the documents, it makes a pass
// over the copy.
func (c *Corpus) limit(ctx context.Context) error {
	v := &c.view
	if v.MinItems != 0 && v.MinTokens != 0 {
		return nil
	}
	given := *v
	chosen := given.within(ladder[0])
	if c.Account.Kind == Baskets && c.copy != nil && !c.options.onlyPass() {
		all := View{Remap: v.Remap}
		left := make([]int64, len(ladder)+1) // documents within each limit, and all documents
		_, err := c.copy.Pass(ctx, c.options.Workers, &all, func(docs *Documents) error {
			left[len(ladder)] += int64(docs.Documents())
			for m := range docs.Documents() {
				items, counts := docs.Row(m)
				n := Tokens(counts)
				for i, l := range ladder {
					if l = given.within(l); len(items) >= l.items && n >= int64(l.tokens) {
						left[i]++
					}
				}
			}
			return nil
		})
		if err == nil {
			err = kernel.AddUp(ctx, c.layout, left)
		}
		if err != nil {
			return err
		}
		for i, l := range ladder {
			if chosen = given.within(l); 3*left[i] >= 2*left[len(ladder)] {
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
	return limits{cmp.Or(v.MinItems, l.items), cmp.Or(v.MinTokens, l.tokens)}
}
