// This file holds the ids of topics, by which they are known from one generation of a model to the next.

package model

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"anchorage/internal/safetext"
	"anchorage/internal/toplist"
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
	m.TopicIDs, m.NextTopicID = nil, 0
	if next != len(ids) || !slices.Equal(ids, m.IDs(len(ids))) {
		m.TopicIDs, m.NextTopicID = ids, next
	}
}

// TopicName returns what topic k is called: the name that a person gave it or, until then, its most telling items.
func (m *Model) TopicName(k int) string {
	if k < len(m.TopicNames) && m.TopicNames[k] != "" {
		return m.TopicNames[k]
	}
	return strings.Join(m.telling(k), " · ")
}

// TopicLabel returns the number of topic k, which is its id, and its name.
func (m *Model) TopicLabel(k int) string {
	return fmt.Sprintf("topic %d: %s", m.TopicIDs[k], m.TopicName(k))
}

// TopicOf returns the topic of an id; −1 if no topic has it.
func (m *Model) TopicOf(id int) int { return slices.Index(m.TopicIDs, id) }

const (
	// tellingItems is how many items make a name, and readItems the number of prominent ones that they are taken from.
	tellingItems, readItems = 3, 10
	// A name does not have two items of which one is the other with at most wordEnd more characters, such as a plural, if
	// the shorter has at least wordStem.
	wordEnd, wordStem = 3, 3
	// tellingWidth is how wide an item may be in a name.
	tellingWidth = 32
)

// telling returns the items that name topic k: of the first prominent ones those with the greatest relevance, with
// λ = 0.6 as Sievert and Shirley found it best for readers, in the order of their prominence.
func (m *Model) telling(k int) []string {
	list := m.Prominent[k][:min(readItems, len(m.Prominent[k]))]
	relevance := make([]float64, len(list))
	for at, l := range list {
		relevance[at] = math.Log(l.Weighted) - 0.4*math.Log(m.WeightedProbability[l.Item])
	}
	var taken []int
	for _, at := range toplist.Order(relevance) {
		if len(taken) < tellingItems && !slices.ContainsFunc(taken, func(other int) bool {
			return sameWord(m.Name(list[at].Item), m.Name(list[other].Item))
		}) {
			taken = append(taken, at)
		}
	}
	slices.Sort(taken)
	var names []string
	for _, at := range taken {
		names = append(names, safetext.Shorten(m.Name(list[at].Item), tellingWidth))
	}
	return names
}

// sameWord reports whether two items differ only in a short ending.
func sameWord(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	end, begins := strings.CutPrefix(b, a)
	return begins && utf8.RuneCountInString(a) >= wordStem && utf8.RuneCountInString(end) <= wordEnd
}

// Compare returns what became of the topics of an earlier model, then, in m; see drift.Compare. The error is that of
// ctx.
func (m *Model) Compare(ctx context.Context, then *Model, opts drift.Options) (*drift.Drift, error) {
	return drift.Compare(ctx, then.drifting(), m.drifting(), opts)
}

// drifting returns the topics as package drift compares them.
func (m *Model) drifting() *drift.Topics {
	t := &drift.Topics{Vocabulary: m.Vocabulary, Row: m.ItemRow, Shares: m.Shares, IDs: m.TopicIDs}
	for k, list := range m.Prominent {
		t.Names = append(t.Names, m.TopicName(k))
		t.Prominent = append(t.Prominent, m.Names(list[:min(drift.Items, len(list))]))
	}
	return t
}
