// This file holds the ids of topics, by which they are known from one generation of a model to the next.

package model

import (
	"context"
	"fmt"

	"anchorage/model/drift"
)

// IDs returns the ids of K topics: those of the manifest, or 0 to K−1.
func (m *Manifest) IDs(k int) []int {
	if m.TopicIDs != nil {
		return m.TopicIDs
	}
	ids := make([]int, k)
	for i := range ids {
		ids[i] = i
	}
	return ids
}

// NextID returns the least id that no topic has had.
func (m *Manifest) NextID(k int) int { return max(m.NextTopicID, k) }

// checkTopicIDs returns an error if the manifest does not give K topics an id each.
func (m *Manifest) checkTopicIDs(k int) error {
	if m.TopicNames != nil && len(m.TopicNames) != k {
		return fmt.Errorf("has %d topic_names for %d topics", len(m.TopicNames), k)
	}
	if m.TopicIDs == nil && m.NextTopicID == 0 {
		return nil
	}
	if len(m.TopicIDs) != k {
		return fmt.Errorf("has %d topic_ids for %d topics", len(m.TopicIDs), k)
	}
	taken := make(map[int]bool, k)
	for _, id := range m.TopicIDs {
		if id < 0 || id >= m.NextTopicID || taken[id] {
			return fmt.Errorf("has the topic id %d twice, or not below next_topic_id", id)
		}
		taken[id] = true
	}
	return nil
}

// SetIDs records ids. Those of a first generation are not written, so that its manifest is that of a fit.
func (m *Manifest) SetIDs(ids []int, next int) {
	m.TopicIDs, m.NextTopicID = ids, next
	for k, id := range ids {
		if id != k {
			return
		}
	}
	if next == len(ids) {
		m.TopicIDs, m.NextTopicID = nil, 0
	}
}

// topicName returns the name of topic k, empty if it has none.
func (m *Model) topicName(k int) string {
	if k < len(m.TopicNames) {
		return m.TopicNames[k]
	}
	return ""
}

// TopicLabel returns what topic k is called: its name or, if it has none, "topic" and its id.
func (m *Model) TopicLabel(k int) string {
	if name := m.topicName(k); name != "" {
		return name
	}
	return fmt.Sprintf("topic %d", m.TopicIDs[k])
}

// Compare returns what became of the topics of an earlier model, then, in m; see drift.Compare. The error is that of
// ctx.
func (m *Model) Compare(ctx context.Context, then *Model, opts drift.Options) (*drift.Drift, error) {
	return drift.Compare(ctx, then.drifting(), m.drifting(), opts)
}

// drifting returns the topics as package drift compares them.
func (m *Model) drifting() *drift.Topics {
	t := &drift.Topics{Vocabulary: m.Vocabulary, Row: m.ItemRow, Shares: m.Shares, IDs: m.TopicIDs, Names: m.TopicNames}
	for _, list := range m.Prominent {
		t.Prominent = append(t.Prominent, m.Names(list[:min(drift.Items, len(list))]))
	}
	return t
}
