// This file makes steps: what each kind changes of the topics, and when it is impossible.

package steer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"anchorage/anchor"
)

// clone returns a copy whose slices and maps can be changed, without a model.
func (at *state) clone() *state {
	next := *at
	next.topics, next.heir = slices.Clone(at.topics), slices.Clone(at.heir)
	next.banned, next.hidden, next.removed = maps.Clone(at.banned), maps.Clone(at.hidden), maps.Clone(at.removed)
	next.forget()
	return &next
}

// forget gives up the model.
func (at *state) forget() {
	at.kept, at.mixtures, at.joint, at.fitted, at.model = nil, nil, nil, nil, nil
}

// change makes a step.
func (s *Session) change(ctx context.Context, at *state, step *Step) error {
	return map[Kind]func(context.Context, *state, *Step) error{
		Name: s.name, Seed: s.seed, Ban: s.ban, Merge: s.merge, Split: s.split, Pin: s.pin, Remove: s.remove,
	}[step.Kind](ctx, at, step)
}

// find returns the position of a topic, given by its id or its name.
func (at *state) find(step *Step, text string) (int, error) {
	if id, err := strconv.Atoi(text); err == nil {
		if t := slices.IndexFunc(at.topics, func(t topic) bool { return t.id == id }); t >= 0 {
			return t, nil
		}
		return 0, step.fail("there is no topic %d: %s", id, at.ids())
	}
	if t := slices.IndexFunc(at.topics, func(t topic) bool { return t.name == text }); t >= 0 && text != "" {
		return t, nil
	}
	return 0, step.fail("no topic is called %q: %s", text, at.ids())
}

// ids says which topics there are.
func (at *state) ids() string {
	var ids []int
	for _, t := range at.topics {
		ids = append(ids, t.id)
	}
	slices.Sort(ids)
	text := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ids[:min(len(ids), mostNamed)])), ", "), "[]")
	if len(ids) > mostNamed {
		text += " and others"
	}
	return "there are " + text
}

// mostNamed is how many ids an error lists.
const mostNamed = 20

// label names a topic in errors.
func (t *topic) label() string {
	if t.name != "" {
		return fmt.Sprintf("topic %d (%s)", t.id, t.name)
	}
	return fmt.Sprintf("topic %d", t.id)
}

// items returns the numbers of items, each once.
func (s *Session) items(at *state, step *Step) ([]int, error) {
	var list []int
	seen := make(map[int]bool, len(step.Items))
	step.Items = slices.Clone(step.Items)
	for n, id := range step.Items {
		i, err := s.base.Index(id)
		if err != nil {
			failed := step.fail("%v", err)
			failed.Err = err
			return nil, failed
		}
		step.Items[n] = s.base.Vocabulary.ID(i) // of an item that was called by its name
		if at.removed[i] {
			return nil, step.fail("item %.80q was removed", id)
		}
		if !seen[i] {
			seen[i] = true
			list = append(list, i)
		}
	}
	return list, nil
}

func (s *Session) name(_ context.Context, at *state, step *Step) error {
	t, err := at.find(step, step.Topics[0])
	if err != nil {
		return err
	}
	for other := range at.topics {
		if other != t && step.Name != "" && at.topics[other].name == step.Name {
			return step.fail("topic %d has this name already", at.topics[other].id)
		}
	}
	at.topics[t].name = step.Name
	return nil
}

func (s *Session) pin(_ context.Context, at *state, step *Step) error {
	for _, text := range step.Topics {
		t, err := at.find(step, text)
		if err != nil {
			return err
		}
		at.topics[t].pinned = true
	}
	return nil
}

// loose returns an *Error if a topic is pinned.
func (t *topic) loose(step *Step) error {
	if t.pinned {
		return step.fail("%s is pinned", t.label())
	}
	return nil
}

func (s *Session) merge(ctx context.Context, at *state, step *Step) error {
	var places []int
	for _, text := range step.Topics {
		t, err := at.find(step, text)
		if err != nil {
			return err
		}
		if slices.Contains(places, t) {
			return step.fail("%s is to be merged with itself", at.topics[t].label())
		}
		if err := at.topics[t].loose(step); err != nil {
			return err
		}
		places = append(places, t)
	}
	if len(at.topics)-len(places)+1 < 2 {
		return step.fail("fewer than two topics would be left")
	}
	largest, err := s.largest(ctx, at, places)
	if err != nil {
		return err
	}
	into, from := &at.topics[places[0]], at.topics[largest]
	into.anchor, into.of, into.pivot, into.margin, into.beside = from.anchor, from.of, from.pivot, from.margin, from.beside
	into.corners = slices.Clone(into.corners)
	for _, t := range places[1:] {
		into.corners = append(into.corners, at.topics[t].corners...)
		into.seed = append(slices.Clone(into.seed), at.topics[t].seed...)
	}
	slices.Sort(into.corners)
	at.drop(places[1:], places[0])
	return nil
}

// largest returns the topic of some that has the most tokens.
func (s *Session) largest(ctx context.Context, at *state, places []int) (int, error) {
	best, most := places[0], -1.0
	mixtures := s.mixer(at)
	for _, t := range places {
		shares, err := mixtures.group(ctx, t)
		if err != nil {
			return 0, err
		}
		tokens := 0.0
		for i, share := range shares {
			tokens += share * s.base.Tokens[i]
		}
		if tokens > most {
			best, most = t, tokens
		}
	}
	return best, nil
}

// drop takes topics out. The topic at position heir inherits those of the model.
func (at *state) drop(places []int, heir int) {
	to := make([]int, len(at.topics))
	var left []topic
	for t := range at.topics {
		if to[t] = len(left); !slices.Contains(places, t) {
			left = append(left, at.topics[t])
		}
	}
	for _, t := range places {
		to[t] = to[heir]
	}
	for k, t := range at.heir {
		at.heir[k] = to[t]
	}
	at.topics = left
}

func (s *Session) seed(ctx context.Context, at *state, step *Step) error {
	items, err := s.items(at, step)
	if err != nil {
		return err
	}
	if n := slices.IndexFunc(items, func(i int) bool { return at.banned[i] }); n >= 0 {
		return step.fail("item %.80q is banned as an anchor", s.base.Vocabulary.ID(items[n]))
	}
	corner, err := s.base.Rows.Tandem(ctx, items)
	if err != nil {
		return err
	}
	if corner == nil {
		return step.fail("none of its items occurs beside another, so they have no row")
	}
	place := len(at.topics)
	if step.Topics[0] == NewTopic {
		at.topics = append(at.topics, topic{id: at.nextID, of: -1})
		at.nextID++
	} else if place, err = at.find(step, step.Topics[0]); err != nil {
		return err
	}
	t := &at.topics[place]
	if err := t.loose(step); err != nil {
		return err
	}
	t.seed = items
	if len(t.corners) == 0 {
		t.corners = at.release(corner, place)
	}
	if err := s.replace(ctx, at, step, t, corner); err != nil {
		return err
	}
	shares, err := s.mixer(at).group(ctx, place)
	if err != nil {
		return err
	}
	anchor, err := s.best(ctx, shares, func(i int) bool { return slices.Contains(items, i) })
	if err != nil {
		return err
	}
	if anchor < 0 {
		return step.fail("none of its items would be of the topic: other topics explain them better")
	}
	return s.setAnchor(ctx, t, anchor)
}

// release takes a corner out of a merged topic if a new corner is mostly that one, and returns it. The topic at
// position place inherits what the corner had.
func (at *state) release(corner []float64, place int) []int {
	nearest := make([]float64, at.hull.Corners())
	at.hull.Nearest(nearest, corner)
	for t := range at.topics {
		of := &at.topics[t]
		for c, id := range of.corners {
			if len(of.corners) > 1 && nearest[id] >= mainly {
				of.corners = slices.Delete(slices.Clone(of.corners), c, c+1)
				if id < len(at.heir) {
					at.heir[id] = place
				}
				return []int{id}
			}
		}
	}
	return nil
}

// replace gives a topic one corner in place of those it has.
func (s *Session) replace(ctx context.Context, at *state, step *Step, t *topic, corner []float64) error {
	first, err := s.move(ctx, at, step, t.corners, [][]float64{corner})
	if err == nil {
		t.corners = []int{first}
	}
	return err
}

// move changes corners of the hull. It returns the id of the first new one; the others follow.
func (s *Session) move(ctx context.Context, at *state, step *Step, leave []int, join [][]float64) (first int, _ error) {
	for _, corner := range join {
		for id := range at.hull.Corners() {
			if other := at.hull.Corner(id); other != nil && !slices.Contains(leave, id) && sameCorners(corner, other) {
				owner := "another topic"
				if t := slices.IndexFunc(at.topics, func(t topic) bool { return slices.Contains(t.corners, id) }); t >= 0 {
					owner = at.topics[t].label()
				}
				return 0, step.fail("its corner would be that of %s, whose items occur beside the same items", owner)
			}
		}
	}
	first = at.hull.Corners()
	hull, err := at.hull.Move(ctx, leave, join)
	if errors.As(err, new(*anchor.ItemError)) {
		return 0, step.fail("the mixtures cannot be solved again: %v", err)
	}
	if err == nil {
		at.hull = hull
	}
	return first, err
}

// sameCorner is the distance, relative to the lengths, up to which two corners are the same. Rows have single
// precision.
const sameCorner = 1e-5

func sameCorners(a, b []float64) bool {
	distance, length := 0.0, 0.0
	for j, v := range a {
		distance += (v - b[j]) * (v - b[j])
		length += v*v + b[j]*b[j]
	}
	return distance <= sameCorner*sameCorner*length
}

// setAnchor gives a topic an anchor that no topic of the model has.
func (s *Session) setAnchor(ctx context.Context, t *topic, item int) error {
	beside, err := s.base.beside(ctx, item, besideItems)
	if err != nil {
		return err
	}
	t.anchor, t.of, t.beside, t.pivot, t.margin = item, -1, beside, 0, 0
	return nil
}

// mainly is the share from which on an item is mainly of a topic.
const mainly = 0.5

// halvings is how often the parts of a topic are assigned again.
const halvings = 10
