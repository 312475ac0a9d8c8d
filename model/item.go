// This file says what a model knows of one item, and finds what goes with a basket of items.

package model

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/model/items"
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

	mixture []float64 // K: p(topic | item)
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
	item, err := m.place(ctx, text)
	if err != nil {
		return nil, err
	}
	item.Probability, item.Uncertain = item.probability(m), uncertain(item.Reliability, item.Documents)
	item.AnchorOf, item.Topics = []int{}, make([]ItemTopic, m.Topics())
	row := item.row(m)
	for k, share := range item.mixture {
		topic := ItemTopic{Topic: m.TopicIDs[k], Name: m.TopicName(k), Share: share, Probability: row[k]}
		if all := m.Shares[k]; all > 0 {
			topic.Lift = share / all
		}
		item.Topics[k] = topic
	}
	slices.SortStableFunc(item.Topics, func(a, b ItemTopic) int { return cmp.Compare(b.Share, a.Share) })
	for k, anchor := range m.Anchors {
		if anchor == item.Index {
			item.AnchorOf = append(item.AnchorOf, m.TopicIDs[k])
		}
	}
	return item, nil
}

// TopTopic returns the most probable topic of item i.
func (m *Model) TopTopic(i int) int32 {
	return int32(floats.MaxIdx(m.Mixtures.Row(i)))
}

// recommending is the recommender of a model, and what is stored about it.
type recommending struct {
	recommender *items.Recommender
	record      *RecommendRecord
}

// Recommender returns the model's recommender and what is stored about it. A model without pairs of items recommends by
// its topics; then the record is nil. The error is an *InputError for tables that do not fit the model, or one of
// reading.
func (m *Model) Recommender(ctx context.Context) (*items.Recommender, *RecommendRecord, error) {
	r, err := m.recommending.get(func() (of recommending, err error) {
		stored, err := m.Pairs(ctx)
		if err != nil {
			return of, err
		}
		if stored == nil {
			pairs := items.NoPairs(m.DocumentFrequency, m.Manifest.Corpus.Documents)
			of.recommender = items.NewRecommender(pairs, m.ItemTopics(), items.TopicsOnly)
			return of, nil
		}
		of.record = &stored.Record
		of.recommender = items.NewRecommender(stored.Pairs, m.ItemTopics(), stored.Record.Setting(items.Balanced))
		return of, nil
	})
	return r.recommender, r.record, err
}

// Pairs returns the pairs of the model, in memory or on disk; nil if there are none.
func (m *Model) Pairs(ctx context.Context) (*Recommendation, error) {
	switch {
	case m.Recommendation != nil:
		return m.Recommendation, nil
	case m.lent != nil && m.lent.kept == nil:
		return m.lent.model.loadRecommendation(ctx)
	case m.from != nil:
		return m.loadRecommendation(ctx)
	}
	return nil, nil
}

// Complement is an item that goes with a basket.
type Complement struct {
	ID          string  `json:"item"`
	Name        string  `json:"name,omitempty"` // where it has one beside its id
	Score       float64 `json:"score"`
	Probability float64 `json:"probability"` // that a document with an item of the basket has it; see items.Suggestion
	Lift        float64 `json:"lift"`        // Probability divided by the share of documents with the item
	Pairs       int     `json:"pairs"`       // items of the basket counted with it; 0 if only topics suggest it
	Together    int64   `json:"together"`    // documents with it and an item of the basket, added up over the basket
	Documents   int64   `json:"documents"`   // that contain it
	// Because has the items of the basket that speak most for it, two at most, and Topic the id of the topic that does;
	// −1 if none does.
	Because []string `json:"because"`
	Topic   int      `json:"topic"`
}

// With returns the n items that go best with a basket of items, the best first: by the pairs where there are counts,
// and by topics and frequencies where there are none, as for rare items and for a model without pairs, whose
// complements all have Pairs 0. Of items that were folded in, only the topics count. Items that occur twice count
// once. by is a recommender of another setting, nil for the
// model's. The error is an *UnknownItemError for an item that the model does not have, or that of Recommender.
//
// Several goroutines may call With at once. The first call reads the pairs and takes 4·N·K bytes.
func (m *Model) With(ctx context.Context, ids []string, n int, by *items.Recommender) ([]Complement, error) {
	if by == nil {
		var err error
		if by, _, err = m.Recommender(ctx); err != nil {
			return nil, err
		}
	}
	var basket []int32
	var folded [][]float64
	for _, id := range ids {
		of, err := m.place(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case of.Folded:
			folded = append(folded, of.mixture)
		default:
			basket = append(basket, int32(of.Index))
		}
	}
	found := []Complement{}
	for _, s := range by.Suggest(basket, folded, n) {
		because := []string{}
		for _, i := range s.Because {
			if i >= 0 {
				because = append(because, m.Vocabulary.ID(int(i)))
			}
		}
		topic := s.Topic
		if topic >= 0 {
			topic = m.TopicIDs[topic]
		}
		found = append(found, Complement{m.Vocabulary.ID(s.Item), m.OwnName(s.Item), s.Score, s.Probability, s.Lift, s.Pairs,
			s.Together, by.Documents(s.Item), because, topic})
	}
	return slices.Clip(found), nil
}
