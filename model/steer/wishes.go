// This file turns a script into what a fit can respect: the steps that the next generation of a model can repeat.

package steer

import (
	"cmp"
	"slices"
	"strconv"

	"anchorage/corpus"
	"anchorage/model"
)

// Repeated is a script as a fit can respect it.
type Repeated struct {
	Wishes  *model.Wishes
	Removed map[string]struct{} // items that the vocabulary is to leave out
	Lost    []*Error            // steps about topics that are no more
}

// Repeat turns a script into wishes for a fit that continues an earlier model, whose ids and names the steps use.
// Before may be nil: then no step can name a topic but a new one. A seed of a new topic that the model before has
// already means that topic. The error is an *Error: merges and splits are of one model's topics, and cannot be
// repeated.
func (s Script) Repeat(before *model.Model) (*Repeated, error) {
	w := &wishing{before: before, Repeated: Repeated{Wishes: new(model.Wishes), Removed: make(map[string]struct{})}}
	for i := range s {
		if err := s[i].check(); err != nil {
			return nil, err
		}
		if err := w.add(&s[i]); err != nil {
			return nil, err
		}
	}
	for i := range w.Wishes.Topics {
		wish := &w.Wishes.Topics[i]
		if wish.Corner = wish.Seed; wish.Pinned && len(wish.Seed) == 0 {
			k := slices.Index(before.TopicIDs, wish.ID)
			wish.Corner, wish.Fallback = []string{before.Vocabulary.ID(before.Anchors[k])}, w.typical(k)
		}
	}
	return &w.Repeated, w.conflict(s)
}

// fallbacks is how many items can take the place of a pinned topic's anchor.
const fallbacks = 10

// typical returns listed items of a topic of the model before that can be its corner if its anchor is no more: those
// that belong to it most come first.
func (w *wishing) typical(k int) (ids []string) {
	m := w.before
	var items []int
	for _, list := range [][]model.Listed{m.Prominent[k], m.Characteristic[k]} {
		for _, listed := range list {
			id := m.Vocabulary.ID(listed.Item)
			if _, gone := w.Removed[id]; !gone && listed.Item != m.Anchors[k] && !slices.Contains(items, listed.Item) &&
				!slices.Contains(w.Wishes.BannedAnchors, id) {
				items = append(items, listed.Item)
			}
		}
	}
	slices.SortStableFunc(items, func(a, b int) int { return cmp.Compare(m.Mixtures.Row(b)[k], m.Mixtures.Row(a)[k]) })
	for _, i := range items[:min(fallbacks, len(items))] {
		ids = append(ids, m.Vocabulary.ID(i))
	}
	return ids
}

// wishing is a script that is being turned into wishes.
type wishing struct {
	Repeated
	before *model.Model
	taken  []int // wishes of the model before that a new topic's seed meant
}

func (w *wishing) add(step *Step) error {
	switch step.Kind {
	case Merge, Split:
		return step.fail("merges and splits are of one model's topics, and cannot be repeated when a store learns again")
	case Ban:
		if step.Scope == AsAnchor {
			w.Wishes.BannedAnchors = append(w.Wishes.BannedAnchors, step.Items...)
		} else {
			w.Wishes.BannedItems = append(w.Wishes.BannedItems, step.Items...)
		}
		return nil
	case Remove:
		for _, item := range step.Items {
			w.Removed[item] = struct{}{}
		}
		return nil
	}
	if step.Kind == Seed && step.Topics[0] == NewTopic {
		w.Wishes.Topics = append(w.Wishes.Topics, model.TopicWish{ID: w.again(step.Items), Seed: step.Items})
		return nil
	}
	for _, text := range step.Topics {
		wish, err := w.topic(step, text)
		if err != nil {
			return err
		}
		if wish == nil {
			w.Lost = append(w.Lost, step.fail("topic %s is no more", text))
			continue
		}
		switch step.Kind {
		case Name:
			wish.Name = step.Name
		case Pin:
			wish.Pinned = true
		case Seed:
			wish.Seed = step.Items
		}
	}
	return nil
}

// again returns the id of the topic that a seed made in the generation before, −1 for a new one.
func (w *wishing) again(items []string) int {
	if w.before == nil || w.before.Manifest.Wishes == nil {
		return -1
	}
	for at, wish := range w.before.Manifest.Wishes.Topics {
		if slices.Equal(wish.Seed, items) && !slices.Contains(w.taken, at) {
			w.taken = append(w.taken, at)
			return wish.ID
		}
	}
	return -1
}

// topic returns the wish about a topic, given by its id or its name; nil for a topic that an earlier generation had.
func (w *wishing) topic(step *Step, text string) (*model.TopicWish, error) {
	id, err := strconv.Atoi(text)
	if err != nil {
		if id = w.named(text); id < 0 {
			return nil, step.fail("no topic is called %q", text)
		}
	}
	has := func(wish model.TopicWish) bool { return wish.ID == id }
	if i := slices.IndexFunc(w.Wishes.Topics, has); i >= 0 {
		return &w.Wishes.Topics[i], nil
	}
	if w.before == nil {
		return nil, step.fail("there is no generation yet whose topic %d is", id)
	}
	if !slices.Contains(w.before.TopicIDs, id) {
		if id < w.before.Manifest.NextTopicID {
			return nil, nil
		}
		return nil, step.fail("the current generation has no topic %d", id)
	}
	w.Wishes.Topics = append(w.Wishes.Topics, model.TopicWish{ID: id})
	return &w.Wishes.Topics[len(w.Wishes.Topics)-1], nil
}

// named returns the id of the topic of a name, −1 if none has it.
func (w *wishing) named(name string) int {
	for _, wish := range w.Wishes.Topics {
		if wish.Name == name {
			return wish.ID
		}
	}
	if w.before != nil && name != "" {
		if k := slices.Index(w.before.TopicNames, name); k >= 0 {
			return w.before.TopicIDs[k]
		}
	}
	return -1
}

// conflict returns the error of a step that contradicts the others.
func (w *wishing) conflict(s Script) error {
	names := make(map[string]bool)
	for i := range s {
		step := &s[i]
		if step.Kind == Name && step.Name != "" {
			if names[step.Name] {
				return step.fail("another topic has this name already")
			}
			names[step.Name] = true
		}
		if step.Kind != Seed {
			continue
		}
		for _, item := range step.Items {
			if _, gone := w.Removed[item]; gone {
				return step.fail("item %.80q is to be removed", item)
			}
			if slices.Contains(w.Wishes.BannedAnchors, item) {
				return step.fail("item %.80q is banned as an anchor", item)
			}
		}
	}
	return nil
}

// CheckItems returns an *Error if a seed has an item that neither a vocabulary nor an earlier model has.
func (s Script) CheckItems(v *corpus.Vocabulary, before *model.Model) error {
	for i := range s {
		if s[i].Kind != Seed {
			continue
		}
		for _, item := range s[i].Items {
			_, known := v.Lookup([]byte(item))
			if !known && before != nil {
				_, err := before.Index(item)
				known = err == nil
			}
			if !known {
				return s[i].fail("no document that counts has the item %.80q", item)
			}
		}
	}
	return nil
}
