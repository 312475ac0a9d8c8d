// This file lets a fit respect what a person wants of topics.

package fit

import (
	"anchorage/model"
	"slices"
)

// fixed returns the groups of items that are corners by wish, and for each wish the number of its group, −1 for none.
func (r *Rectified) fixed(w *model.Wishes) (groups [][]int, of []int) {
	if w == nil {
		return nil, nil
	}
	for _, wish := range w.Topics {
		var group []int
		for _, id := range wish.Corner {
			i, known := r.Vocabulary.Lookup([]byte(id))
			switch {
			case !known || !(r.Marginals.RowSums[i] > 0):
				r.run.log().Warn("an item of a corner is left out, because no document that counts has it", "item", id,
					"topic", wish.ID)
			case !slices.Contains(group, int(i)):
				group = append(group, int(i))
			}
		}
		if len(group) == 0 {
			for _, id := range wish.Fallback {
				if i, known := r.Vocabulary.Lookup([]byte(id)); known && r.Marginals.RowSums[i] > 0 {
					group = append(group, int(i))
					r.run.log().Warn("a topic has another corner, because no document that counts has its items", "topic",
						wish.ID, "item", id)
					break
				}
			}
		}
		at := -1
		if len(group) > 0 {
			at = len(groups)
			groups = append(groups, group)
		} else if len(wish.Corner) > 0 {
			r.run.log().Warn("a topic cannot keep its corner, because no document that counts has its items", "topic", wish.ID)
		}
		of = append(of, at)
	}
	return groups, of
}

// known returns the numbers of those items that the vocabulary has.
func (r *Rectified) known(ids []string) []int {
	var items []int
	for _, id := range ids {
		if i, known := r.Vocabulary.Lookup([]byte(id)); known {
			items = append(items, int(i))
		}
	}
	return items
}

// wish notes what was wanted. Topics of fixed corners come first, in the order of the wishes.
func (f *Fitted) wish(r *Rectified, w *model.Wishes) {
	if w == nil {
		return
	}
	noted := *w
	noted.Topics = slices.Clone(w.Topics)
	f.Manifest.Wishes = &noted
	_, f.wished = r.fixed(w)
	if items := r.known(w.BannedItems); len(items) > 0 {
		f.hidden = make(map[int]bool, len(items))
		for _, i := range items {
			f.hidden[i] = true
		}
	}
}

// settleWishes gives wishes of new topics the ids that these have got, and topics the names that were wished.
func (f *Fitted) settleWishes() {
	w := f.Manifest.Wishes
	if w == nil || f.wished == nil {
		return
	}
	ids := f.Manifest.IDs(f.Topics.K)
	names, named := make([]string, len(ids)), false
	for i := range w.Topics {
		wish := &w.Topics[i]
		if f.wished[i] >= 0 {
			wish.ID = ids[f.wished[i]]
		}
		if k := slices.Index(ids, wish.ID); k >= 0 && wish.Name != "" {
			names[k], named = wish.Name, true
		}
	}
	if f.Manifest.TopicNames = nil; named {
		f.Manifest.TopicNames = names
	}
}

// continued returns, for the topics whose corners were wished, the topics of an earlier model that they continue.
func (f *Fitted) continued(then *model.Model) map[int]int {
	continues := make(map[int]int)
	if w := f.Manifest.Wishes; w != nil {
		for i, k := range f.wished {
			if at := slices.Index(then.TopicIDs, w.Topics[i].ID); k >= 0 && at >= 0 {
				continues[k] = at
			}
		}
	}
	return continues
}

// corners returns the number of topics that have their own corners.
func corners(w *model.Wishes) (count int) {
	if w != nil {
		for _, wish := range w.Topics {
			if len(wish.Corner) > 0 {
				count++
			}
		}
	}
	return count
}
