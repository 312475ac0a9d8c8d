// This file compares labels with groups class by class of the items' document frequency.

package metric

import "math"

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
