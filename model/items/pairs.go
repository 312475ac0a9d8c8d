// This file defines Pairs, the strongest neighbours of every item.

package items

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Pairs has the counts of all N items and, of each, the neighbours that were kept: at most n, all if n is 0.
type Pairs struct {
	Documents  int64   // that were counted
	Counts     []int64 // c_i, N
	Companions []int64 // s_i, N: the sum of c_ij over all j, kept or not
	// Weighted has w_i, N: the sum of Weight over the documents with item i.
	Weighted []float64

	// Item i has the neighbours Others[Offsets[i]] to Others[Offsets[i+1]−1], with the counts c_ij at the same places of
	// Together, and w_ij, the sum of Weight over the same documents, in Weights. They are sorted by decreasing strength,
	// and equal ones by item.
	Offsets  []int64
	Others   []int32
	Together []int32
	Weights  []float32
	// Inverse has b_ji, what the neighbour j says of item i, at the places of Others; nil before Invert.
	Inverse []float32

	// Long counts what was left out because a document has too many items.
	Long Long
}

// Long says which documents were not counted because they have more distinct items than Options.MaxItems. They count
// neither in Pairs.Documents nor in any c_i or c_ij.
type Long struct {
	Documents int64 `json:"documents"`
	Entries   int64 `json:"entries"` // pairs of a document and an item in it
	Pairs     int64 `json:"pairs"`   // Σ_m n_m(n_m−1) over them, with n_m the distinct items of document m
}

// NoPairs returns Pairs without pairs, for a recommender that must do with topics and frequencies. counts has c_i, of
// the given number of documents. What items have in pairs is not known, so that each is taken to have as many
// companions in a document as the mean document has others, Σ_i c_i/M − 1, and a recommender shares these out by what
// is expected.
func NoPairs(counts []int64, documents int64) *Pairs {
	n, total := len(counts), int64(0)
	for _, c := range counts {
		total += c
		documents = max(documents, c)
	}
	others := max(float64(total)/float64(max(documents, 1))-1, 0)
	p := &Pairs{Documents: documents, Counts: counts, Companions: make([]int64, n), Weighted: make([]float64, n),
		Offsets: make([]int64, n+1)}
	for i, c := range counts {
		p.Companions[i], p.Weighted[i] = int64(math.Round(others*float64(c))), float64(c)
	}
	return p
}

// Items returns N.
func (p *Pairs) Items() int { return len(p.Counts) }

// Row returns the neighbours of item i, the counts of documents that contain both, and the sums of the documents'
// weights. They alias p.
func (p *Pairs) Row(i int) (others, together []int32, weights []float32) {
	first, last := p.Offsets[i], p.Offsets[i+1]
	return p.Others[first:last:last], p.Together[first:last:last], p.Weights[first:last:last]
}

// Weight is what a document of n distinct items counts for in w_i and w_ij: 1/√(n−1). That two items share a short
// document says more than that they share a long one.
func Weight(n int) float64 { return 1 / math.Sqrt(float64(max(n-1, 1))) }

// Owners returns the items of the pairs at places first to last−1 of Others.
func (p *Pairs) Owners(first, last int) []int32 {
	owners := make([]int32, 0, last-first)
	i, _ := slices.BinarySearch(p.Offsets, int64(first)+1)
	for i--; len(owners) < last-first; i++ {
		for x := max(p.Offsets[i], int64(first)); x < min(p.Offsets[i+1], int64(last)); x++ {
			owners = append(owners, int32(i))
		}
	}
	return owners
}

// Complete reports whether all pairs were kept.
func (p *Pairs) Complete() bool {
	for i, companions := range p.Companions {
		_, together, _ := p.Row(i)
		for _, c := range together {
			companions -= int64(c)
		}
		if companions != 0 {
			return false
		}
	}
	return true
}

// Check returns what is wrong with pairs that were read from a file, "" if nothing is: a recommender of pairs without
// fault gives finite scores. It does not compare the rows of two items. If they disagree about their pair, a
// recommender takes that of the item that comes first.
func (p *Pairs) Check() string {
	n, pairs := p.Items(), int64(len(p.Others))
	if len(p.Companions) != n || len(p.Weighted) != n || len(p.Offsets) != n+1 || p.Offsets[n] != pairs ||
		int64(len(p.Together)) != pairs ||
		int64(len(p.Weights)) != pairs || p.Inverse != nil && int64(len(p.Inverse)) != pairs {
		return fmt.Sprintf("has %d pairs, which is not what the items have", pairs)
	}
	owner := make([]int32, n) // 1 + the last item that has each as a neighbour
	for i := range n {
		if !p.possible(i) {
			return fmt.Sprintf("has impossible counts of item %d", i)
		}
		others, together, weights := p.Row(i)
		left := p.Companions[i]
		for x, j := range others {
			c := int64(together[x])
			if j < 0 || int(j) >= n || int(j) == i || c < 1 || c > min(p.Counts[i], p.Counts[j]) ||
				!(weights[x] > 0 && weights[x] <= float32(c)) {
				return fmt.Sprintf("has an impossible pair of item %d", i)
			}
			if owner[j] == int32(i)+1 {
				return fmt.Sprintf("has a neighbour of item %d twice", i)
			}
			if p.Inverse != nil && !(math.Abs(float64(p.Inverse[p.Offsets[i]+int64(x)])) <= mostInverse) {
				return fmt.Sprintf("has an impossible inverse of item %d", i)
			}
			owner[j] = int32(i) + 1
			left -= c
		}
		if left < 0 {
			return fmt.Sprintf("has more pairs of item %d than it has companions", i)
		}
	}
	return ""
}

// possible reports whether the counts of item i can be: every one of its documents has the weight 1 at most, and each
// other item once at most.
func (p *Pairs) possible(i int) bool {
	c, s, w := p.Counts[i], p.Companions[i], p.Weighted[i]
	return c >= 0 && c <= p.Documents && s >= 0 && float64(s) <= float64(c)*float64(p.Items()-1) && w <= float64(c) &&
		(w > 0 || c == 0 && w == 0)
}

// Strength is by what the neighbours of an item are chosen: c_ij/(c_j+20)^0.3. It is close to what the pair adds to a
// score (Weights), so that what is not kept matters least. The shrinking keeps pairs of items that only one document
// has from coming first.
func Strength(together, other int64) float64 { return float64(together) / strengthDivisor(other) }

// strengthDivisor returns (c_j+20)^0.3.
func strengthDivisor(other int64) float64 {
	return math.Pow(float64(other)+strengthShrink, strengthExponent)
}

// mostInverse bounds the coefficients that are read from a file, so that scores stay finite.
const mostInverse = 1e6

const (
	strengthShrink   = 20
	strengthExponent = 0.3
)

// both returns the pairs with every kept pair in the rows of both of its items, each row sorted by item. A frequent
// item is among the strongest of many rare items that are not among its own. In row i, Inverse has what i says of the
// others.
func (p *Pairs) both() *Pairs {
	n := p.Items()
	starts := make([]int64, n+1)
	for i := range n {
		others, _, _ := p.Row(i)
		starts[i+1] += int64(len(others))
		for _, j := range others {
			starts[j+1]++
		}
	}
	for i := range n {
		starts[i+1] += starts[i]
	}
	b := *p
	b.Offsets, b.Others = make([]int64, n+1), make([]int32, 0, starts[n])
	b.Together, b.Weights = make([]int32, 0, starts[n]), make([]float32, 0, starts[n])
	if p.Inverse != nil {
		b.Inverse = make([]float32, 0, starts[n])
	}
	// Rows are filled in blocks of 256 MiB, for each of which all pairs are read once more.
	const block = 1 << 24
	var ends []directed
	for first := 0; first < n; {
		last, _ := slices.BinarySearch(starts, starts[first]+block)
		last = max(min(last, n), first+1)
		ends = p.ending(ends, starts, first, last)
		for i := first; i < last; i++ {
			b.append(ends[starts[i]-starts[first] : starts[i+1]-starts[first]])
			b.Offsets[i+1] = int64(len(b.Others))
		}
		first = last
	}
	return &b
}

// directed is a pair in the row of one of its items.
type directed struct {
	other, together int32
	weight, inverse float32
}

// ending returns the pairs of the rows first to last−1, of both directions. Row i begins at starts[i].
func (p *Pairs) ending(dst []directed, starts []int64, first, last int) []directed {
	origin := starts[first]
	dst = slices.Grow(dst[:0], int(starts[last]-origin))[:starts[last]-origin]
	at := slices.Clone(starts[first:last])
	for i := range int32(p.Items()) {
		others, together, weights := p.Row(int(i))
		own := int(i) >= first && int(i) < last
		for x, j := range others {
			if own {
				dst[at[int(i)-first]-origin] = directed{j, together[x], weights[x], 0}
				at[int(i)-first]++
			}
			if int(j) >= first && int(j) < last {
				d := directed{i, together[x], weights[x], 0}
				if p.Inverse != nil {
					d.inverse = p.Inverse[p.Offsets[i]+int64(x)] // what j says of i
				}
				dst[at[int(j)-first]-origin] = d
				at[int(j)-first]++
			}
		}
	}
	return dst
}

// append appends a row, sorted by item. If a pair is in it twice, it is the same, or that of the item that comes first;
// one of the two at most has an inverse.
func (p *Pairs) append(row []directed) {
	slices.SortStableFunc(row, func(a, b directed) int { return cmp.Compare(a.other, b.other) })
	last := int32(-1)
	for _, d := range row {
		if d.other != last {
			p.Others, p.Together, p.Weights = append(p.Others, d.other), append(p.Together, d.together),
				append(p.Weights, d.weight)
			if p.Inverse != nil {
				p.Inverse = append(p.Inverse, 0)
			}
			last = d.other
		}
		if p.Inverse != nil {
			p.Inverse[len(p.Inverse)-1] += d.inverse
		}
	}
}

// place returns where pair i, j is in Others, −1 if it was not kept. The rows of p must be sorted by item, as those of
// both are.
func (p *Pairs) place(i, j int32) int64 {
	others, _, _ := p.Row(int(i))
	if at, found := slices.BinarySearch(others, j); found {
		return p.Offsets[i] + int64(at)
	}
	return -1
}
