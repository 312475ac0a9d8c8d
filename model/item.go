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
	of, err := m.place(ctx, text)
	if err != nil {
		return nil, err
	}
	item := &Item{ID: of.id, Name: of.name, Index: of.index, Folded: of.index < 0, Documents: of.documents,
		Tokens: of.tokens, Probability: of.probability(m), Reliability: of.reliability,
		Uncertain: uncertain(of.reliability, of.documents), AnchorOf: []int{}, Topics: make([]ItemTopic, m.Topics())}
	if item.Folded {
		item.LeftOut = m.whyLeft(of.documents)
	}
	row := of.row(m)
	for k, share := range of.mixture {
		topic := ItemTopic{Topic: m.TopicIDs[k], Name: m.TopicName(k), Share: share, Probability: row[k]}
		if all := m.Shares[k]; all > 0 {
			topic.Lift = share / all
		}
		item.Topics[k] = topic
	}
	slices.SortStableFunc(item.Topics, func(a, b ItemTopic) int { return cmp.Compare(b.Share, a.Share) })
	for k, anchor := range m.Anchors {
		if anchor == of.index {
			item.AnchorOf = append(item.AnchorOf, m.TopicIDs[k])
		}
	}
	return item, nil
}

// TopTopic returns the most probable topic of item i.
func (m *Model) TopTopic(i int) int32 {
	return int32(floats.MaxIdx(m.Mixtures.Row(i)))
}
