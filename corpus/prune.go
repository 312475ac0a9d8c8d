// This file prunes a vocabulary.

package corpus

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// Pruning says which items are left out of a vocabulary.
type Pruning struct {
	// MinDF leaves out items with df < MinDF. In Options, 0 leaves it to the kind of the documents; 1 is no limit.
	MinDF int64
	// MaxDFRatio, if positive, leaves out items with df > MaxDFRatio·M. In Options, 0 leaves it to the kind of the
	// documents; 1 is no limit. The product is exact, with the ratio as the decimal number that it prints as. So with 0.29
	// an item may be in 29 of 100 documents, although the float64 product 0.29·100 is less than 29.
	MaxDFRatio float64
	// Stopwords are ids to leave out.
	Stopwords map[string]struct{}
	// MaxItems, if positive, limits the number of items that remain after the other rules. Items with the greatest tf·idf
	// are kept, idf = log(⌊M/df⌋). Ties go to the item with the higher df, then to the smaller id.
	MaxItems int
}

// stopwords returns the Fingerprint of the sorted stop words; "" without any.
func (p *Pruning) stopwords() string {
	if len(p.Stopwords) == 0 {
		return ""
	}
	words := slices.Sorted(maps.Keys(p.Stopwords))
	return fingerprint(len(words), func(i int) []byte { return []byte(words[i]) })
}

// Pruned counts what each rule of a Pruning left out. If several rules apply to an item, it counts for the first in
// this order.
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

// Prune returns the vocabulary of the items that p keeps, with their counts. documents is M, the number of documents
// read. Items are sorted by decreasing df, then by id, so the order of the documents has no influence. remap[i] is the
// new index of item i, or -1 if it was left out. Prune panics if v has no counts.
func (v *Vocabulary) Prune(p Pruning, documents int64) (kept *Vocabulary, remap []int32, pruned Pruned) {
	if !v.Counted {
		panic("corpus: pruning a vocabulary without counts")
	}
	items, pruned := v.sift(&p, documents)
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

// sift applies the rules that look at one item at a time: all but MaxItems. It returns the items that they keep.
func (v *Vocabulary) sift(p *Pruning, documents int64) (items []int32, pruned Pruned) {
	highest := int64(math.MaxInt64)
	if p.MaxDFRatio > 0 {
		highest = share(p.MaxDFRatio, documents)
	}
	items = make([]int32, 0, v.Len())
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
	return items, pruned
}

// pruneBytes returns about how many bytes Prune allocates: the numbers of the items, old and new, and the vocabulary of
// those that it keeps.
func (v *Vocabulary) pruneBytes(p Pruning) int64 {
	kept := int64(0)
	for _, df := range v.DocumentFrequency {
		if df >= p.MinDF {
			kept++
		}
	}
	const id, slot = 32, 8 // end, key and counts; in the hash table
	bytes := 8*int64(v.Len()) + kept*(id+slot)
	if v.Len() > 0 {
		bytes += int64(float64(len(v.arena)) * float64(kept) / float64(v.Len()))
	}
	if p.MaxItems > 0 {
		bytes += 8 * int64(v.Len()) // scores
	}
	return bytes
}

// share returns ⌊ratio·documents⌋, computed exactly, with the ratio as the shortest decimal number that parses to it.
func share(ratio float64, documents int64) int64 {
	exact, ok := new(big.Rat).SetString(strconv.FormatFloat(ratio, 'g', -1, 64))
	if !ok || ratio >= 1 { // not finite, or no restriction: df ≤ M
		return math.MaxInt64
	}
	exact.Mul(exact, new(big.Rat).SetInt64(documents))
	return new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()
}

// sortByTFIDF sorts items by decreasing tf·log(⌊M/df⌋), and ties by compareDF.
func (v *Vocabulary) sortByTFIDF(items []int32, documents int64) {
	score := make([]float64, v.Len())
	for _, i := range items {
		// If documents ≤ df, the item is in all documents (or was counted over others), and scores 0.
		if df := v.DocumentFrequency[i]; df > 0 && documents > df {
			score[i] = float64(v.TermFrequency[i]) * math.Log(float64(documents/df))
		}
	}
	slices.SortFunc(items, func(a, b int32) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), v.compareDF(a, b))
	})
}

// compareDF orders items by decreasing df, then by id.
func (v *Vocabulary) compareDF(a, b int32) int {
	if c := cmp.Compare(v.DocumentFrequency[b], v.DocumentFrequency[a]); c != 0 {
		return c
	}
	return bytes.Compare(v.id(int(a)), v.id(int(b)))
}

// Subset returns the vocabulary of some items in the given order, with their counts.
func (v *Vocabulary) Subset(items []int32) *Vocabulary {
	kept, _ := v.subset(items)
	return kept
}

// subset returns the vocabulary of the given items, in that order, and the new index of each item of v, or -1.
func (v *Vocabulary) subset(items []int32) (kept *Vocabulary, remap []int32) {
	remap = make([]int32, v.Len())
	for i := range remap {
		remap[i] = -1
	}
	kept = v.room(items)
	kept.Counted = true
	if v.Names != nil {
		kept.Names = make([]string, len(items))
	}
	for _, i := range items {
		index := kept.InternKeyed(v.id(int(i)), v.keys[i])
		kept.DocumentFrequency[index] = v.DocumentFrequency[i]
		kept.TermFrequency[index] = v.TermFrequency[i]
		remap[i] = index
		if int(i) < len(v.Names) {
			kept.Names[index] = v.Names[i]
		}
	}
	return kept, remap
}
