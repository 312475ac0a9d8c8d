// This file holds the ids of topics, by which they are known from one generation of a model to the next.

package model

import (
	"context"
	"fmt"

	"anchorage/model/drift"
)

// topicIDs returns the ids of K topics: those of the manifest, or 0 to K−1.
func (m *Manifest) topicIDs(k int) []int {
	if m.TopicIDs != nil {
		return m.TopicIDs
	}
	ids := make([]int, k)
	for i := range ids {
		ids[i] = i
	}
	return ids
}

// nextTopicID returns the least id that no topic has had.
func (m *Manifest) nextTopicID(k int) int { return max(m.NextTopicID, k) }

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

// setTopicIDs records ids. Those of a first generation are not written, so that its manifest is that of a fit.
func (m *Manifest) setTopicIDs(ids []int, next int) {
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

// NextTopicID returns the least id that no topic has had, in this model and those that it continues.
func (f *Fitted) NextTopicID() int { return f.Manifest.nextTopicID(f.Manifest.Sketch.Topics) }

// Compare returns what became of the topics of an earlier model, then, in m; see drift.Compare. The error is that of ctx.
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

// Continue compares the model with an earlier one, and gives topics that continue one of its topics that topic's id. The others get new
// ids, which no topic has had before and which are not below used; so ids name the same topic in all generations. Save then writes the
// ids into the manifest, and drift.parquet, which says what became of the topics. Call it when the topics are final, before Save. Beside
// the fit it holds then, and what Model.Compare takes. The error is that of ctx.
func (f *Fitted) Continue(ctx context.Context, then *Model, used int) (*drift.Drift, error) {
	defer f.run.Stage("compare")()
	f.Manifest.TopicIDs, f.Manifest.NextTopicID = nil, 0
	found, err := f.Overview().Compare(ctx, then, drift.Options{Workers: f.run.Workers, Continues: f.continued(then)})
	if err != nil {
		return nil, err
	}
	ids, next := found.CarryOn(max(then.Manifest.nextTopicID(then.Topics()), used))
	f.Manifest.setTopicIDs(ids, next)
	f.settleWishes()
	f.Drift = found
	s := found.Summary
	f.run.found("topics", s.TopicsNow, "kept", s.Kept, "born", s.Born, "died", s.Died, "split", s.Split, "merged", s.Merged,
		"mean_distance", s.MeanDistance, "largest_distance", s.LargestDistance)
	return found, nil
}
