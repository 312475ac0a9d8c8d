// This file measures how far topics agree with labels that people gave to items, also class by class of the items'
// document frequency.

package metric

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
)

// Agreement says how much two groupings of the same observations tell of each other. Figures are 0 if either grouping
// has a single group.
type Agreement struct {
	Observations int // n
	Groups       int // groups with an observation, in the first grouping
	Labels       int // groups with an observation, in the second
	// MutualInformation is I = Σ_gl (n_gl/n)·ln(n·n_gl/(a_g·b_l)), in nats; a and b are the sizes of groups and labels.
	MutualInformation float64
	// Normalized is the normalized mutual information I/((H_g + H_l)/2), from 0 to 1. H are the entropies of the two
	// groupings. It grows with the number of groups even where they mean nothing.
	Normalized float64
	// Adjusted is the adjusted mutual information (I − E)/((H_g + H_l)/2 − E), at most 1 and about 0 for groupings that
	// have nothing to do with each other (Vinh, Epps & Bailey, JMLR 11, 2010). E is the mean of I over all ways to deal
	// the same labels to the observations.
	Adjusted float64
}

// Agree compares two groupings: observation x is in groups[x] and has the label labels[x], both not negative. An item
// with several labels is an observation for each of them. Agree panics if the slices differ in length.
func Agree(groups, labels []int32) Agreement {
	if len(groups) != len(labels) {
		panic("metric: as many groups as labels are needed")
	}
	a := Agreement{Observations: len(groups)}
	first, second := sizes(groups), sizes(labels)
	a.Groups, a.Labels = positive(first), positive(second)
	if a.Groups < 2 || a.Labels < 2 {
		return a
	}
	n := float64(len(groups))
	counts := make(map[[2]int32]int)
	for x, g := range groups {
		counts[[2]int32{g, labels[x]}]++
	}
	inOrder := func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) } // so that the sum is always the same
	for _, cell := range slices.SortedFunc(maps.Keys(counts), inOrder) {
		c := float64(counts[cell])
		a.MutualInformation += c / n * math.Log(n*c/(float64(first[cell[0]])*float64(second[cell[1]])))
	}
	mean := (entropy(first, n) + entropy(second, n)) / 2
	expected := expectedInformation(first, second, len(groups))
	a.MutualInformation = max(a.MutualInformation, 0)
	a.Normalized = a.MutualInformation / mean
	a.Adjusted = (a.MutualInformation - expected) / math.Max(mean-expected, 0x1p-52) // at 0 every grouping is as good
	return a
}

// sizes returns how many observations each group has.
func sizes(groups []int32) []int {
	most := int32(-1)
	for _, g := range groups {
		most = max(most, g)
	}
	counts := make([]int, most+1)
	for _, g := range groups {
		counts[g]++
	}
	return counts
}

// positive returns how many counts are positive.
func positive(counts []int) (number int) {
	for _, count := range counts {
		if count > 0 {
			number++
		}
	}
	return number
}

// entropy returns −Σ (c/n)·ln(c/n) over counts with the sum n.
func entropy(counts []int, n float64) (h float64) {
	for _, count := range counts {
		if count > 0 {
			p := float64(count) / n
			h -= p * math.Log(p)
		}
	}
	return h
}

// expectedInformation returns E of Agreement.Adjusted for groups and labels of the given sizes: the sum over all pairs
// of E of their part, where their common observations have a hypergeometric distribution. Pairs of equal sizes are
// computed once.
func expectedInformation(first, second []int, n int) (expected float64) {
	groups, labels := multiplicities(first), multiplicities(second)
	others := slices.Sorted(maps.Keys(labels))
	for _, a := range slices.Sorted(maps.Keys(groups)) {
		for _, b := range others {
			expected += float64(groups[a]*labels[b]) * expectedPart(a, b, n)
		}
	}
	return expected
}

// multiplicities returns how many groups have each positive size.
func multiplicities(sizes []int) map[int]int {
	times := make(map[int]int)
	for _, size := range sizes {
		if size > 0 {
			times[size]++
		}
	}
	return times
}

// expectedPart returns Σ_c P(c)·(c/n)·ln(n·c/(a·b)) over the common observations c of a group and a label of sizes a
// and b, with P(c) = C(a, c)·C(n−a, b−c)/C(n, b). It begins at the most probable c and goes both ways until nothing
// changes.
func expectedPart(a, b, n int) float64 {
	least, most := max(a+b-n, 0), min(a, b)
	mode := min(max(int(float64(a+1)*float64(b+1)/float64(n+2)), least), most)
	logChoose := func(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }
	p := math.Exp(logChoose(a, mode) + logChoose(n-a, b-mode) - logChoose(n, b))
	scale := float64(n) / (float64(a) * float64(b))
	part := func(c int) float64 {
		if c == 0 {
			return 0
		}
		return float64(c) / float64(n) * math.Log(float64(c)*scale)
	}
	const negligible = 1e-18 // of the greatest probability
	sum := p * part(mode)
	for c, q := mode, p; c < most && q > p*negligible; c++ {
		q *= float64(a-c) * float64(b-c) / (float64(c+1) * float64(n-a-b+c+1))
		sum += q * part(c+1)
	}
	for c, q := mode, p; c > least && q > p*negligible; c-- {
		q *= float64(c) * float64(n-a-b+c) / (float64(a-c+1) * float64(b-c+1))
		sum += q * part(c-1)
	}
	return sum
}

// dfClass is a class of items, by how many documents contain them.
type dfClass struct {
	name        string
	least, most int64
}

// dfClasses are the classes for which agreement is shown.
var dfClasses = []dfClass{
	{"all", 0, math.MaxInt64}, {"1-4", 1, 4}, {"5-19", 5, 19}, {"20-99", 20, 99}, {"100 or more", 100, math.MaxInt64},
	{"20 or more", 20, math.MaxInt64},
}

// LabelClass is the agreement for a class of items. Pairs are items with one of their labels.
type LabelClass struct {
	Documents         string  `json:"documents"` // in which the items are
	Items             int     `json:"items"`
	Labelled          int     `json:"labelled"`
	Pairs             int     `json:"pairs"`
	Labels            int     `json:"labels"`
	Topics            int     `json:"topics"`
	MutualInformation float64 `json:"mutual_information"`
	Normalized        float64 `json:"normalized"`
	Adjusted          float64 `json:"adjusted"`
}

// AgreeByFrequency compares the groups of items with their labels, class by class of df, the document frequency of
// every item; group returns the group of an item. Item items[x] has the label labels[x].
func AgreeByFrequency(df []int64, group func(item int) int32, items, labels []int32) []LabelClass {
	var all []LabelClass
	for _, class := range dfClasses {
		in := func(item int32) bool { return df[item] >= class.least && df[item] <= class.most }
		var labelled, groups, names []int32
		for x, item := range items {
			if in(item) {
				labelled, groups, names = append(labelled, item), append(groups, group(int(item))), append(names, labels[x])
			}
		}
		count := 0
		for i := range df {
			if in(int32(i)) {
				count++
			}
		}
		a := Agree(groups, names)
		all = append(all, LabelClass{class.name, count, Distinct(labelled), a.Observations, a.Labels, a.Groups,
			a.MutualInformation, a.Normalized, a.Adjusted})
	}
	return all
}

// Distinct returns how many different items there are.
func Distinct(items []int32) int { return positive(sizes(items)) }
