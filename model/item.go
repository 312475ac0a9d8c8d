// This file says what a model knows of one item.

package model

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Item is what a model knows of an item.
type Item struct {
	ID          string      `json:"item"`
	Name        string      `json:"name,omitempty"`     // where it has one beside its id
	Index       int         `json:"index"`              // −1 if it was folded in
	Folded      bool        `json:"folded"`             // it shaped no topics: its own are those of its documents
	LeftOut     string      `json:"left_out,omitempty"` // why
	Documents   int64       `json:"documents"`          // that contain it, among those that the model was learned from
	Tokens      int64       `json:"tokens"`             // the sum of its counts there
	Probability float64     `json:"probability"`        // p(item)
	Reliability float64     `json:"reliability"`        // ρ, 0 to 1: the share of its topics that comes from its documents
	Uncertain   bool        `json:"uncertain"`          // see Model.Uncertain
	AnchorOf    []int       `json:"anchor_of"`          // the ids of the topics whose anchor it is
	Topics      []ItemTopic `json:"topics"`             // all K, the greatest share first
}

// ItemTopic is a topic of an item.
type ItemTopic struct {
	Topic       int     `json:"topic"`       // its id
	Name        string  `json:"name"`        // see Model.TopicName
	Share       float64 `json:"share"`       // p(topic | item)
	Lift        float64 `json:"lift"`        // p(topic | item)/p(topic); 0 for an empty topic
	Probability float64 `json:"probability"` // p(item | topic)
}

// Item returns what the model knows of an item, of which text is the id or the name. The error is an *UnknownItemError
// if it does not have it, or one of reading.
func (m *Model) Item(ctx context.Context, text string) (*Item, error) {
	i, folded, err := m.place(ctx, text)
	if err != nil {
		return nil, err
	}
	item := &Item{Index: i, AnchorOf: []int{}, Topics: make([]ItemTopic, m.Topics())}
	var shares, probabilities []float64
	if f := folded; f != nil {
		item.ID, item.Name = f.id, f.name
		item.Folded, item.LeftOut, item.Documents, item.Tokens = true, m.whyLeft(f.documents), f.documents, f.tokens
		item.Probability, item.Reliability, item.Uncertain = f.probability(m), f.reliability, uncertain(f.reliability,
			f.documents)
		shares, probabilities = f.mixture, f.row(m)
	} else {
		item.ID, item.Name = m.Vocabulary.ID(i), m.Vocabulary.OwnName(i)
		item.Documents, item.Tokens, item.Probability = m.DocumentFrequency[i], m.TermFrequency[i], m.Probability[i]
		item.Reliability, item.Uncertain = m.ReliabilityOf(i), m.Uncertain(i)
		shares, probabilities = m.Mixtures.Row(i), m.Items.Row(i)
	}
	for k := range item.Topics {
		topic := ItemTopic{Topic: m.TopicIDs[k], Name: m.TopicName(k), Share: shares[k], Probability: probabilities[k]}
		if share := m.Shares[k]; share > 0 {
			topic.Lift = topic.Share / share
		}
		item.Topics[k] = topic
	}
	slices.SortStableFunc(item.Topics, func(a, b ItemTopic) int { return cmp.Compare(b.Share, a.Share) })
	for k, anchor := range m.Anchors {
		if anchor == i {
			item.AnchorOf = append(item.AnchorOf, m.TopicIDs[k])
		}
	}
	return item, nil
}

// TopTopic returns the most probable topic of item i.
func (m *Model) TopTopic(i int) int32 {
	return int32(floats.MaxIdx(m.Mixtures.Row(i)))
}
