// Package drift compares the topics of two models: which topics of the later one are those of the earlier one, and how
// they changed. It knows no files: model.Model.Compare hands it the topics. Results are equal, bit for bit, for any
// number of workers.
package drift

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"anchorage/corpus"
	"anchorage/internal/assignment"
)

// Options say how models are compared.
type Options struct {
	// Threshold is the distance at which two topics are no longer the same, above 0 and at most 1; 0 means
	// DefaultThreshold.
	Threshold float64
	Workers   int // goroutines; 0 for one per processor
	// Continues are topics of now that continue a topic of then, whatever their distance.
	Continues map[int]int
}

// Topics are the topics of one of the models that are compared.
type Topics struct {
	Vocabulary *corpus.Vocabulary            // N items
	Row        func(dst []float64, item int) // sets dst to p(item | topic) of all K topics
	Shares     []float64                     // p(topic)
	IDs        []int                         // of the topics
	Names      []string                      // of the topics, empty for those without
	Prominent  [][]string                    // at most Items items by which to read each topic
}

// K returns the number of topics.
func (t *Topics) K() int { return len(t.Shares) }

// DefaultThreshold is the distance at which two topics are no longer the same. A topic that gives up 29 % of its tokens
// for items that it did not have is that far from what it was. docs/decisions/drift.md says why.
const DefaultThreshold = 0.4

// Items is the greatest number of risen, and of fallen items that a Drift lists for a topic.
const Items = 10

// Kind says what became of a topic.
type Kind string

// The kinds. A topic has split if several topics of the later model together are clearly nearer to it than any one of
// them; topics have merged if the same holds the other way round.
const (
	Kept   Kind = "kept"
	Born   Kind = "born"
	Died   Kind = "died"
	Split  Kind = "split"
	Merged Kind = "merged"
)

// Drift says how the topics of one model, now, differ from those of an earlier one, then.
type Drift struct {
	Summary Summary `json:"summary"`
	// Topics has a value for every topic of then, in their order, each with the topic of now that continues it, if there
	// is one; and after them one for every other topic of now, in their order.
	Topics []Topic `json:"topics"`
}

// Summary counts what became of the topics. Kept, Died, Split and Merged are topics of then, which they add up to.
// Topics of now that continue none of then, and are neither part of one that split nor the whole of some that merged,
// are Born.
type Summary struct {
	TopicsThen int `json:"topics_then"`
	TopicsNow  int `json:"topics_now"`
	Kept       int `json:"kept"`
	Born       int `json:"born"`
	Died       int `json:"died"`
	Split      int `json:"split"`
	Merged     int `json:"merged"`
	// MeanDistance and LargestDistance are over the pairs of topics that continue each other; 0 if there are none.
	MeanDistance    float64 `json:"mean_distance"`
	LargestDistance float64 `json:"largest_distance"`
	Threshold       float64 `json:"threshold"`
	ItemsCommon     int     `json:"items_common"` // items of both models
	ItemsNew        int     `json:"items_new"`    // only of now
	ItemsGone       int     `json:"items_gone"`   // only of then
}

// Topic is what became of a topic. Then and Now are its numbers in the two models, and ThenID and NowID its ids; -1 if
// it is in one of the models only.
type Topic struct {
	Kind   Kind `json:"kind"`
	Then   int  `json:"then"`
	Now    int  `json:"now"`
	ThenID int  `json:"then_id"`
	NowID  int  `json:"now_id"`
	// Name is the topic's name as it is now or, of a topic that is no more, as it was; empty if it has none.
	Name string `json:"name,omitempty"`
	// Whole is the id of the topic of then that split, or of the topic of now into which others merged; -1 for other
	// kinds.
	Whole int `json:"whole_id"`
	// Distance is the Hellinger distance of the topic then and now, √(½ Σ_i (√b_i − √c_i)²), where b and c are p(item |
	// topic) among the items of both models; from 0 to 1. For a topic of one model only it is that to the nearest topic of
	// the other. It is 1 for a topic of which less than half is in the items of both models.
	Distance float64 `json:"distance"`
	// UnionDistance is the distance of the whole and the union of its parts, if topics split or merged; else it is
	// Distance.
	UnionDistance float64 `json:"union_distance"`
	ShareThen     float64 `json:"share_then"` // p(topic), 0 if the model does not have the topic
	ShareNow      float64 `json:"share_now"`
	OutsideThen   float64 `json:"outside_then"` // the part of the topic that is in items which the other model lacks
	OutsideNow    float64 `json:"outside_now"`
	// Prominent are items by which to read the topic, as it is now; of a topic that is no more, as it was.
	Prominent []string `json:"prominent"`
	// Risen and Fallen are the items whose p(item | topic) changed most, by (√now − √then)². A model gives items that it
	// lacks the probability 0.
	Risen  []Item `json:"risen"`
	Fallen []Item `json:"fallen"`
}

// Item is an item of a topic, with p(item | topic) then and now.
type Item struct {
	Item string  `json:"item"`
	Name string  `json:"name,omitempty"` // where it has one beside its id
	Then float64 `json:"then"`
	Now  float64 `json:"now"`
}

// Names returns the names of items, by which people know them.
func Names(items []Item) []string {
	names := make([]string, len(items))
	for i, item := range items {
		names[i] = cmp.Or(item.Name, item.Item)
	}
	return names
}

// What returns the kind of a topic, with the whole of a topic that is part of one.
func (t *Topic) What() string {
	switch {
	case t.Kind == Split && t.ThenID != t.Whole:
		return fmt.Sprintf("split of %d", t.Whole)
	case t.Kind == Merged && t.NowID != t.Whole:
		return fmt.Sprintf("merged into %d", t.Whole)
	}
	return string(t.Kind)
}

// Order returns the topics as people read them: groups that split or merged, then those that died and were born, then
// those that were kept. Within a group the whole comes first; otherwise the topic that changed most.
func (d *Drift) Order() []*Topic {
	list := make([]*Topic, len(d.Topics))
	for i := range d.Topics {
		list[i] = &d.Topics[i]
	}
	rank := []Kind{Split, Merged, Died, Born, Kept}
	slices.SortStableFunc(list, func(a, b *Topic) int {
		return cmp.Or(cmp.Compare(slices.Index(rank, a.Kind), slices.Index(rank, b.Kind)), cmp.Compare(a.Whole, b.Whole),
			cmp.Compare(strings.Count(a.What(), " "), strings.Count(b.What(), " ")), cmp.Compare(b.Distance, a.Distance))
	})
	return list
}

// String says it in a line: "23 of 25 topics kept, 1 born, 1 died, 1 split; mean distance 0.08".
func (s Summary) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d of %d topics kept", s.Kept, s.TopicsThen)
	for _, count := range []struct {
		of   int
		kind Kind
	}{{s.Born, Born}, {s.Died, Died}, {s.Split, Split}, {s.Merged, Merged}} {
		if count.of > 0 {
			fmt.Fprintf(&text, ", %d %s", count.of, count.kind)
		}
	}
	if s.LargestDistance > 0 || s.Kept > 0 {
		fmt.Fprintf(&text, "; mean distance %.2f", s.MeanDistance)
	}
	return text.String()
}

// Compare returns what became of the topics of an earlier model, then, in a later one, now. The models may have other
// items and other numbers of topics. Topics are paired one to one so that the sum over pairs of the distance, or of the
// threshold where that is less, is the least. Topics that have no partner, and those of pairs at or above the
// threshold, continue nothing. It takes O(N·K²) time, and memory for K² values and a block of rows. The error is that
// of ctx.
func Compare(ctx context.Context, then, now *Topics, opts Options) (*Drift, error) {
	c, err := newComparison(ctx, then, now, opts)
	if err != nil {
		return nil, err
	}
	if err := c.findGroups(ctx); err != nil {
		return nil, err
	}
	topics := c.topics()
	if err := c.measure(ctx, topics); err != nil {
		return nil, err
	}
	if err := c.list(ctx, topics); err != nil {
		return nil, err
	}
	common := len(c.then.common)
	summary := Summary{Threshold: c.opts.Threshold, ItemsCommon: common,
		ItemsNew: now.Vocabulary.Len() - common, ItemsGone: then.Vocabulary.Len() - common}
	summary.Count(topics)
	return &Drift{Summary: summary, Topics: topics}, nil
}

// Match returns for each topic of now the topic of then that it continues, −1 for none, as Compare pairs them. It needs
// no ids and no prominent items, and only the number of shares.
func Match(ctx context.Context, then, now *Topics, opts Options) ([]int, error) {
	c, err := newComparison(ctx, then, now, opts)
	if err != nil {
		return nil, err
	}
	return c.continues, nil
}

// comparison is two models that are being compared. K and L are their numbers of topics.
type comparison struct {
	then, now   *side
	opts        Options
	distance    []float64 // K×L row-major
	continuedBy []int     // of each topic of then, that of now which continues it, or -1
	continues   []int     // the same for the topics of now
	splits      []group   // wholes are topics of then
	merges      []group   // wholes are topics of now
}

// newComparison finds the common items and the distances of all topics, and pairs them.
func newComparison(ctx context.Context, then, now *Topics, opts Options) (*comparison, error) {
	opts.Threshold = cmp.Or(opts.Threshold, DefaultThreshold)
	if !(opts.Threshold > 0 && opts.Threshold <= 1) {
		panic("drift: the threshold must be above 0 and at most 1")
	}
	c := &comparison{then: &side{topics: then}, now: &side{topics: now}, opts: opts}
	for i := range then.Vocabulary.Len() {
		if j, known := now.Vocabulary.Lookup([]byte(then.Vocabulary.ID(i))); known {
			c.then.common, c.now.common = append(c.then.common, i), append(c.now.common, int(j))
		}
	}
	for _, s := range []*side{c.then, c.now} {
		if err := s.measure(ctx, opts.Workers); err != nil {
			return nil, err
		}
	}
	affinity, err := affinities(ctx, c.then, c.now, opts.Workers)
	if err != nil {
		return nil, err
	}
	c.distance = affinity
	for at, a := range affinity {
		c.distance[at] = topicDistance(c.then, c.now, at/len(c.now.inside), at%len(c.now.inside), a)
	}
	c.match()
	return c, nil
}

// match pairs topics.
func (c *comparison) match() {
	k, l := len(c.then.inside), len(c.now.inside)
	n := max(k, l)
	cost := make([]float64, n*n)
	for at := range cost {
		cost[at] = c.opts.Threshold
		if a, b := at/n, at%n; a < k && b < l {
			cost[at] = min(c.distance[a*l+b], c.opts.Threshold)
		}
	}
	for b, a := range c.opts.Continues {
		cost[a*n+b] = -float64(n) // before all others
	}
	c.continuedBy, c.continues = slices.Repeat([]int{-1}, k), slices.Repeat([]int{-1}, l)
	for a, b := range assignment.Least(cost, n)[:k] {
		if b < l && (c.distance[a*l+b] < c.opts.Threshold || cost[a*n+b] < 0) {
			c.continuedBy[a], c.continues[b] = b, a
		}
	}
}

// topics returns what became of the topics, without distances and items.
func (c *comparison) topics() []Topic {
	var list []Topic
	for a, b := range c.continuedBy {
		t := Topic{Kind: Kept, Then: a, Now: b, ThenID: c.then.topics.IDs[a], NowID: -1, Whole: -1,
			ShareThen: c.then.share(a), OutsideThen: c.then.outside[a]}
		if b < 0 {
			t.Kind = Died
		}
		list = append(list, t)
	}
	for b, a := range c.continues {
		if a < 0 {
			list = append(list, Topic{Kind: Born, Then: -1, Now: b, ThenID: -1, Whole: -1})
		}
	}
	for i := range list {
		t := &list[i]
		if t.Now >= 0 {
			t.NowID, t.ShareNow, t.OutsideNow = c.now.topics.IDs[t.Now], c.now.share(t.Now), c.now.outside[t.Now]
		}
		t.Kind, t.Whole, t.UnionDistance = c.kindOf(t)
		if t.Now >= 0 {
			t.Prominent, t.Name = c.now.topics.Prominent[t.Now], c.now.topics.Names[t.Now]
		} else {
			t.Prominent, t.Name = c.then.topics.Prominent[t.Then], c.then.topics.Names[t.Then]
		}
	}
	return list
}

// Count counts the topics of either model and their kinds, and sums up their distances.
func (s *Summary) Count(topics []Topic) {
	count := map[Kind]*int{Kept: &s.Kept, Died: &s.Died, Split: &s.Split, Merged: &s.Merged}
	pairs := 0
	for _, t := range topics {
		if t.Now >= 0 {
			s.TopicsNow++
		}
		switch {
		case t.Then >= 0:
			s.TopicsThen++
			if of := count[t.Kind]; of != nil {
				*of++
			}
		case t.Kind == Born:
			s.Born++
		}
		if t.Then >= 0 && t.Now >= 0 {
			pairs++
			s.MeanDistance += t.Distance
			s.LargestDistance = max(s.LargestDistance, t.Distance)
		}
	}
	s.MeanDistance /= float64(max(pairs, 1))
}

// CarryOn renames the topics of now: those that continue a topic of then take its id, and the others get ids from next
// on, in their order. It returns the ids of the topics of now, and the next id after them.
func (d *Drift) CarryOn(next int) ([]int, int) {
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
		if t := &d.Topics[i]; t.Kind == Merged {
			t.Whole = renamed[t.Whole]
		}
	}
	return ids, next
}
