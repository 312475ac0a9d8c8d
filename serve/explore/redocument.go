// This file finds the documents of topics again after a model was steered.

package explore

import (
	"slices"

	"anchorage/internal/toplist"
	"anchorage/model"
)

// documents returns the documents of every topic, which must have been read. For a model that was steered since, they are chosen among those
// that were kept: their topics are found again if their items are known, and are otherwise those of the topics with the same ids.
func (st *state) documents(d *documents) [][]*kept {
	st.once.Do(func() {
		switch {
		case st.model == d.from:
			st.ofTopics = d.topics
		case d.state.HasItems:
			st.ofTopics = ranked(st.model.Topics(), again(d.all(), st.shares))
		default:
			st.ofTopics = ranked(st.model.Topics(), again(d.all(), st.renumbered(d.from)))
		}
	})
	return st.ofTopics
}

// all returns every document once, in a fixed order.
func (d *documents) all() (list []*kept) {
	seen := make(map[*kept]bool)
	for _, topic := range d.topics {
		for _, one := range topic {
			if !seen[one] {
				seen[one] = true
				list = append(list, one)
			}
		}
	}
	return list
}

// again returns copies of documents with other shares.
func again(list []*kept, shares func(*kept) []float32) []*kept {
	copies := make([]*kept, len(list))
	for at, one := range list {
		anew := *one
		anew.shares = shares(one)
		copies[at] = &anew
	}
	return copies
}

// shares returns the topics of a document under the model.
func (st *state) shares(d *kept) []float32 {
	var topics model.DocumentTopics
	st.transformer.Transform(&topics, d.items, d.counts)
	return topics.Mixture
}

// renumbered returns a function that brings the shares of a document under another model to the topics of the same ids.
func (st *state) renumbered(from *model.Model) func(*kept) []float32 {
	places := make([]int, st.model.Topics())
	for k := range places {
		places[k] = -1
		for j := range from.Topics() {
			if topicID(from, j) == topicID(st.model, k) {
				places[k] = j
			}
		}
	}
	return func(d *kept) []float32 {
		shares := make([]float32, len(places))
		for k, j := range places {
			if j >= 0 {
				shares[k] = d.shares[j]
			}
		}
		return shares
	}
}

// ranked returns the documents of each topic, those with most of it first.
func ranked(topics int, list []*kept) [][]*kept {
	best := make([][]*kept, topics)
	for k := range best {
		top := toplist.New(DocumentsPerTopic)
		for at, one := range list {
			if one.shares[k] > 0 {
				top.Offer(at, float64(one.shares[k]))
			}
		}
		for _, e := range top.Sorted() {
			best[k] = append(best[k], list[e.Item])
		}
		best[k] = slices.Clip(best[k])
	}
	return best
}
