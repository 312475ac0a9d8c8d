// This file leaves items out of a vocabulary.

package corpus

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// Pruning says which items are left out of a vocabulary. Its zero value leaves out none.
type Pruning struct {
	// MinDF leaves out items with df < MinDF.
	MinDF int64
	// MaxDFRatio leaves out items with df > MaxDFRatio·M, if it is positive. The ratio counts as the decimal number it
	// prints as and the product is exact: of 100 documents, 0.29 lets an item be in 29, although the product of these two
	// float64 is less than 29.
	MaxDFRatio float64
	// Stopwords are ids to leave out.
	Stopwords map[string]struct{}
	// MaxItems keeps of the items that the other rules leave no more than this many, if it is positive: those with the
	// greatest tf·idf, where idf = log(⌊M/df⌋); among equals those with the higher df, then those whose id comes first.
	MaxItems int
}

// Pruned is what fell to each rule of a Pruning. An item that falls to several counts for the first in this order.
type Pruned struct {
	MinDF      Loss `json:"min_df"`
	MaxDFRatio Loss `json:"max_df_ratio"`
	Stopwords  Loss `json:"stopwords"`
	MaxItems   Loss `json:"max_items"`
}

// Loss is a number of items and of their tokens.
type Loss struct {
	Items  int64 `json:"items"`
	Tokens int64 `json:"tokens"`
}

// Total returns the sum over the rules.
func (p Pruned) Total() Loss {
	var total Loss
	for _, loss := range []Loss{p.MinDF, p.MaxDFRatio, p.Stopwords, p.MaxItems} {
		total.Items += loss.Items
		total.Tokens += loss.Tokens
	}
	return total
}

// Prune returns the vocabulary of the items that p leaves, where the number of documents read is M. They are in order of
// decreasing df, and of their ids where df is the same, so that the order of the documents has no influence; counts are
// taken over. The new index of item i is remap[i], or -1. It panics if v has no counts.
func (v *Vocabulary) Prune(p Pruning, documents int64) (kept *Vocabulary, remap []int32, pruned Pruned) {
	if !v.Counted {
		panic("corpus: pruning by counts of a vocabulary that has none")
	}
	highest := int64(math.MaxInt64)
	if p.MaxDFRatio > 0 {
		highest = share(p.MaxDFRatio, documents)
	}
	items := make([]int32, 0, v.Len())
	for i, df := range v.DocumentFrequency {
		var loss *Loss
		switch _, stop := p.Stopwords[string(v.id(i))]; {
		case df < p.MinDF:
			loss = &pruned.MinDF
		case df > highest:
			loss = &pruned.MaxDFRatio
		case stop:
			loss = &pruned.Stopwords
		default:
			items = append(items, int32(i))
			continue
		}
		loss.Items++
		loss.Tokens += v.TermFrequency[i]
	}
	if p.MaxItems > 0 && len(items) > p.MaxItems {
		v.sortByTFIDF(items, documents)
		for _, i := range items[p.MaxItems:] {
			pruned.MaxItems.Items++
			pruned.MaxItems.Tokens += v.TermFrequency[i]
		}
		items = items[:p.MaxItems]
	}
	slices.SortFunc(items, v.compareDF)
	kept, remap = v.subset(items)
	return kept, remap, pruned
}

// share returns ⌊ratio·documents⌋, exactly, with the ratio as the shortest decimal number that is read as it.
func share(ratio float64, documents int64) int64 {
	exact, ok := new(big.Rat).SetString(strconv.FormatFloat(ratio, 'g', -1, 64))
	if !ok || ratio >= 1 { // not finite, or no restriction: df ≤ M
		return math.MaxInt64
	}
	exact.Mul(exact, new(big.Rat).SetInt64(documents))
	return new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()
}

// sortByTFIDF sorts items by decreasing tf·log(⌊M/df⌋), and where that is the same as compareDF does.
func (v *Vocabulary) sortByTFIDF(items []int32, documents int64) {
	score := make([]float64, v.Len())
	for _, i := range items {
		// The quotient is below 1 only for counts that were not made over these documents; such an item is in all of them.
		if df := v.DocumentFrequency[i]; df > 0 && documents > df {
			score[i] = float64(v.TermFrequency[i]) * math.Log(float64(documents/df))
		}
	}
	slices.SortFunc(items, func(a, b int32) int {
		if c := cmp.Compare(score[b], score[a]); c != 0 {
			return c
		}
		return v.compareDF(a, b)
	})
}

// compareDF orders items by decreasing df, then by id.
func (v *Vocabulary) compareDF(a, b int32) int {
	if c := cmp.Compare(v.DocumentFrequency[b], v.DocumentFrequency[a]); c != 0 {
		return c
	}
	return bytes.Compare(v.id(int(a)), v.id(int(b)))
}

// subset returns the vocabulary of the given items, in that order, and the mapping to it.
func (v *Vocabulary) subset(items []int32) (kept *Vocabulary, remap []int32) {
	remap = make([]int32, v.Len())
	for i := range remap {
		remap[i] = -1
	}
	kept = v.room(items)
	kept.Counted = true
	for _, i := range items {
		index := kept.InternKeyed(v.id(int(i)), v.keys[i])
		kept.DocumentFrequency[index] = v.DocumentFrequency[i]
		kept.TermFrequency[index] = v.TermFrequency[i]
		remap[i] = index
	}
	return kept, remap
}
