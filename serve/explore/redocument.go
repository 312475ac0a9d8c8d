// This file finds the documents of topics again after a model was steered.

package explore

import (
	"slices"

	"anchorage/internal/toplist"
	"anchorage/model"
)

// documents returns the documents of every topic, which must have been read. For a model that was steered since, they are chosen among those
// that were kept, by their topics under it; none if their items are not known.
func (st *state) documents(d *documents) [][]*kept {
	st.once.Do(func() {
		switch {
		case st.model == d.from:
			st.ofTopics = d.topics
		case d.state.HasItems:
			st.ofTopics = ranked(st.model.Topics(), again(d.all(), st.shares))
		default:
			st.ofTopics = make([][]*kept, st.model.Topics())
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
		changed := *one
		changed.shares = shares(one)
		copies[at] = &changed
	}
	return copies
}

// shares returns the topics of a document under the model.
func (st *state) shares(d *kept) []float32 {
	var topics model.DocumentTopics
	st.transformer.Transform(&topics, d.items, d.counts)
	return topics.Mixture
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
