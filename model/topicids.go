// This file holds the ids of topics, by which they are known from one generation of a model to the next.

package model

import (
	"context"
	"fmt"
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

// Continue compares the model with an earlier one, and gives topics that continue one of its topics that topic's id. The others get new
// ids, which no topic has had before; so ids name the same topic in all generations. Save then writes the ids into the manifest, and
// drift.parquet, which says what became of the topics. Call it when the topics are final, before Save. Beside the fit it holds then, and
// what Compare takes. The error is that of Compare.
func (f *Fitted) Continue(ctx context.Context, then *Model, opts CompareOptions) (*Drift, error) {
	defer f.run.Stage("compare")()
	f.Manifest.TopicIDs, f.Manifest.NextTopicID = nil, 0
	opts.continues = f.continued(then)
	drift, err := Compare(ctx, then, f.Overview(), opts)
	if err != nil {
		return nil, err
	}
	ids, next := drift.carryOn(max(then.Manifest.nextTopicID(then.Topics()), opts.UsedIDs))
	f.Manifest.setTopicIDs(ids, next)
	f.settleWishes()
	f.Drift = drift
	s := drift.Summary
	f.run.found("topics", s.TopicsNow, "kept", s.Kept, "born", s.Born, "died", s.Died, "split", s.Split, "merged", s.Merged,
		"mean_distance", s.MeanDistance, "largest_distance", s.LargestDistance)
	return drift, nil
}

// carryOn renames the topics of now: those that continue a topic of then take its id, and the others get ids from next on, in their order.
// It returns the ids of the topics of now, and the next id after them.
func (d *Drift) carryOn(next int) ([]int, int) {
	ids := make([]int, d.Summary.TopicsNow)
	renamed := make(map[int]int) // from the ids that topics of now had
	for i := range d.Topics {
		t := &d.Topics[i]
		if t.Now < 0 {
			continue
		}
		had := t.NowID
		if t.NowID = t.ThenID; t.Then < 0 {
			t.NowID = next
			next++
		}
		ids[t.Now], renamed[had] = t.NowID, t.NowID
	}
	for i := range d.Topics {
		if t := &d.Topics[i]; t.Kind == DriftMerged {
			t.Whole = renamed[t.Whole]
		}
	}
	return ids, next
}
