// This file finds topics that split or merged.

package drift

import (
	"cmp"
	"context"
	"slices"
)

const (
	// groupGain is by what share the square of the distance to a union must be below that to the nearest topic, and to the
	// union without its last part. The union of two estimates of one topic that err independently is a quarter nearer to a
	// third.
	groupGain = 1.0 / 3
	// leastPart is the least share of a part in a union.
	leastPart = 0.1
	// groupCandidates is the number of nearest wholes that a topic may be a part of.
	groupCandidates = 4
)

// group is a topic of one model, the whole, that is several topics of the other, its parts.
type group struct {
	union
	distance float64 // of the whole and the union of the parts
	// While it is looked for:
	nearest    float64 // the distance of the whole and the nearest topic of the other model
	candidates []int
	grown      bool
}

// gain returns by how much the union is nearer than the nearest topic.
func (g *group) gain() float64 { return g.nearest*g.nearest - g.distance*g.distance }

// findGroups sets splits and merges. Only topics that nothing continues, or that continue nothing, can join a group;
// beside them a group may have the pair that continues the whole. A topic is in one group at most, and splits go first.
func (c *comparison) findGroups(ctx context.Context) error {
	k, l := len(c.then.inside), len(c.now.inside)
	free := make([]bool, l)
	for b, a := range c.continues {
		free[b] = a < 0
	}
	search := groupSearch{wholes: c.then, parts: c.now, match: c.continuedBy, free: free, opts: c.opts,
		open: slices.Repeat([]bool{true}, k), distance: func(whole, part int) float64 { return c.distance[whole*l+part] }}
	var err error
	if c.splits, err = search.run(ctx); err != nil {
		return err
	}
	left, open := make([]bool, k), slices.Repeat([]bool{true}, l)
	for a, b := range c.continuedBy {
		left[a] = b < 0
	}
	for _, split := range c.splits {
		left[split.whole] = false
		for _, b := range split.parts {
			open[b] = false
		}
	}
	search = groupSearch{wholes: c.now, parts: c.then, match: c.continues, free: left, opts: c.opts,
		open: open, distance: func(whole, part int) float64 { return c.distance[part*l+whole] }}
	c.merges, err = search.run(ctx)
	return err
}

// groupSearch looks for groups.
type groupSearch struct {
	wholes, parts *side
	match         []int  // of each whole, the part that it is paired with, or -1
	free          []bool // parts that may join a group
	open          []bool // topics that may be a whole
	distance      func(whole, part int) float64
	opts          Options
}

// run returns the groups, in the order of their wholes. Where two groups want the same part, the one gets it that gains
// more from its parts; the other is looked for again without it.
func (s *groupSearch) run(ctx context.Context) ([]group, error) {
	var found []group
	for {
		proposals, err := s.grow(ctx)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(proposals, func(a, b group) int { return cmp.Compare(b.gain(), a.gain()) })
		again := false
		for _, p := range proposals {
			if slices.ContainsFunc(p.parts, func(part int) bool { return part != s.match[p.whole] && !s.free[part] }) {
				again = true
				continue
			}
			s.open[p.whole] = false
			for _, part := range p.parts {
				s.free[part] = false
			}
			found = append(found, p)
		}
		if !again {
			slices.SortFunc(found, func(a, b group) int { return cmp.Compare(a.whole, b.whole) })
			return found, nil
		}
	}
}

// grow returns a group for every open whole that is nearer to a union of parts than to any topic. It adds the part that
// brings the union nearest, as long as that gains enough.
func (s *groupSearch) grow(ctx context.Context) ([]group, error) {
	growing := s.seeds()
	var done []group
	for len(growing) > 0 {
		var unions []union
		for _, g := range growing {
			for _, part := range g.candidates {
				unions = append(unions, union{g.whole, append(slices.Clone(g.parts), part)})
			}
		}
		distances, err := unionDistances(ctx, s.wholes, s.parts, unions, s.opts.Workers)
		if err != nil {
			return nil, err
		}
		var next []group
		at := 0
		for _, g := range growing {
			tried := len(g.candidates)
			g.take(s.parts, unions[at:at+tried], distances[at:at+tried])
			at += tried
			switch {
			case g.grown && len(g.candidates) > 0:
				next = append(next, g)
			case len(g.parts) > 1 && g.distance < s.opts.Threshold:
				done = append(done, g)
			}
		}
		growing = next
	}
	return done, nil
}

// seeds returns a beginning for every open whole with candidates: the topic that it is paired with, otherwise the
// nearest candidate.
func (s *groupSearch) seeds() []group {
	candidates := make([][]int, len(s.open))
	for part, free := range s.free {
		if !free || !s.parts.comparable(part) || s.parts.share(part) == 0 {
			continue
		}
		for _, whole := range s.nearestWholes(part) {
			candidates[whole] = append(candidates[whole], part)
		}
	}
	var seeds []group
	for whole, list := range candidates {
		if len(list) == 0 {
			continue
		}
		g := group{union: union{whole: whole}, nearest: 1, candidates: list}
		for part := range s.parts.inside {
			g.nearest = min(g.nearest, s.distance(whole, part))
		}
		g.distance = g.nearest
		if paired := s.match[whole]; paired >= 0 {
			g.parts = []int{paired}
		} else {
			nearest := 0
			for at, part := range list {
				if s.distance(whole, part) < s.distance(whole, list[nearest]) {
					nearest = at
				}
			}
			g.parts, g.candidates = []int{list[nearest]}, slices.Delete(slices.Clone(list), nearest, nearest+1)
		}
		if len(g.candidates) > 0 {
			seeds = append(seeds, g)
		}
	}
	return seeds
}

// nearestWholes returns the open wholes that are nearest to a part.
func (s *groupSearch) nearestWholes(part int) []int {
	var near []int
	for whole, open := range s.open {
		if open && s.wholes.comparable(whole) && s.distance(whole, part) < 1 {
			near = append(near, whole)
		}
	}
	slices.SortStableFunc(near, func(a, b int) int { return cmp.Compare(s.distance(a, part), s.distance(b, part)) })
	return near[:min(groupCandidates, len(near))]
}

// take makes the nearest of the unions the group, if that gains enough.
func (g *group) take(parts *side, unions []union, distances []float64) {
	best := -1
	for u := range unions {
		if parts.balanced(unions[u].parts) && (best < 0 || distances[u] < distances[best]) {
			best = u
		}
	}
	g.grown = best >= 0 && distances[best]*distances[best] <= (1-groupGain)*g.distance*g.distance
	if g.grown {
		g.union, g.distance = unions[best], distances[best]
		g.candidates = slices.Delete(slices.Clone(g.candidates), best, best+1)
	}
}

// balanced reports whether every topic has a part in their union that counts.
func (s *side) balanced(topics []int) bool {
	sum, least := 0.0, 1.0
	for _, k := range topics {
		sum += s.share(k)
		least = min(least, s.share(k))
	}
	return least >= leastPart*sum
}

// kindOf returns the kind of a topic, which is kept, born or died unless it is in a group, with the group's whole and
// distance.
func (c *comparison) kindOf(t *Topic) (kind Kind, whole int, distance float64) {
	for _, split := range c.splits {
		if split.whole == t.Then || t.Now >= 0 && slices.Contains(split.parts, t.Now) {
			return Split, c.then.topics.IDs[split.whole], split.distance
		}
	}
	for _, merge := range c.merges {
		if merge.whole == t.Now || t.Then >= 0 && slices.Contains(merge.parts, t.Then) {
			return Merged, c.now.topics.IDs[merge.whole], merge.distance
		}
	}
	return t.Kind, -1, 0
}
