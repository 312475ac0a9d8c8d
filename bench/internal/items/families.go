// This file draws baskets of two families on which nothing of the program was chosen, and which are not drawn from
// topics: histories of viewers, and baskets of a market.

package items

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/random"
	"anchorage/internal/synth"
)

// families are the kinds of baskets that are drawn without topics: each makes a function that draws a basket of some of
// n items.
var families = map[string]func(r *random.Source, n int) func(r *random.Source) []int32{
	"viewers": newViewers,
	"market":  newMarket,
}

// drawBaskets draws baskets of a family with n items.
func drawBaskets(ctx context.Context, family string, n, baskets int) iter.Seq2[corpus.Document, error] {
	r := random.NewSource()
	r.Seek(1, random.SyntheticBasket, math.MaxUint64) // the family itself; baskets have smaller keys
	draw := families[family](r, n)
	return func(yield func(corpus.Document, error) bool) {
		for b := range baskets {
			if ctx.Err() != nil {
				yield(corpus.Document{}, ctx.Err())
				return
			}
			r.Seek(1, random.SyntheticBasket, uint64(b))
			basket := draw(r)
			slices.Sort(basket)
			var doc corpus.Document
			for _, item := range slices.Compact(basket) {
				doc.Items = append(doc.Items, synth.ItemID(int(item)))
				doc.Counts = append(doc.Counts, 1)
			}
			if !yield(doc, nil) {
				return
			}
		}
	}
}

// tastes is the number of directions in which viewers differ.
const tastes = 16

// newViewers makes long histories: a viewer has seen about 98 of the items, those of the greatest a_i + u·v_i + g.
// Fame a_i, and each of the tastes u and v_i, are normal; g has a Gumbel distribution, so these are draws without
// replacement from a softmax.
func newViewers(r *random.Source, n int) func(r *random.Source) []int32 {
	fame, directions := make([]float64, n), make([][tastes]float64, n)
	for i := range n {
		fame[i] = 1.6 * r.NormFloat64()
		for t := range tastes {
			directions[i][t] = r.NormFloat64()
		}
	}
	return func(r *random.Source) []int32 {
		var taste [tastes]float64
		for t := range taste {
			taste[t] = r.NormFloat64() / math.Sqrt(float64(t+2)) // some tastes divide viewers more than others
		}
		seen := min(n/2, max(5, int(math.Exp(4.2+0.9*r.NormFloat64()))))
		liking, list := make([]float64, n), make([]int32, n)
		for i := range n {
			liking[i], list[i] = fame[i]-math.Log(r.ExpFloat64()), int32(i)
			for t, u := range taste {
				liking[i] += u * directions[i][t]
			}
		}
		slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(liking[b], liking[a]) })
		return list[:seen]
	}
}

// newMarket makes short baskets: about 7 items, some of what sells, some of a shelf, and some that go with an item of
// the basket, which only pairs know. Item i is bought with a probability of about 1/(i+10)^0.9; every item has four
// companions, and the first of them half of their weight.
func newMarket(r *random.Source, n int) func(r *random.Source) []int32 {
	const shelf, companions = 60, 4
	total, upTo := 0.0, make([]float64, n)
	for i := range n {
		total += math.Pow(float64(i+10), -0.9)
		upTo[i] = total
	}
	sold := func(r *random.Source) int32 {
		i, _ := slices.BinarySearch(upTo, total*r.Float64())
		return int32(min(i, n-1))
	}
	places, shelves := r.Perm(n), make([]int32, n) // which items share a shelf has nothing to do with how they sell
	for i, place := range places {
		shelves[place] = int32(i)
	}
	goes := make([][companions]int32, n)
	for i := range goes {
		for c := range companions {
			goes[i][c] = int32(r.IntN(n))
			if c%2 == 0 {
				goes[i][c] = sold(r)
			}
		}
	}
	return func(r *random.Source) []int32 {
		basket := []int32{sold(r), sold(r)}
		for range min(int(5.5*r.ExpFloat64()), 100) {
			of, next := basket[r.IntN(len(basket))], int32(0)
			switch u := r.Float64(); {
			case u < 0.35:
				next = goes[of][min(r.IntN(2)*(1+r.IntN(companions-1)), companions-1)]
			case u < 0.5:
				next = shelves[min(places[of]/shelf*shelf+r.IntN(shelf), n-1)]
			default:
				next = sold(r)
			}
			basket = append(basket, next)
		}
		return basket
	}
}
