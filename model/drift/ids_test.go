package drift

import (
	"slices"
	"testing"
)

// Ids follow their topics through generations, and those of topics that died are never given again.
func TestTopicIDsAreCarriedOn(t *testing.T) {
	names, b := drawnTopics(9, 0, 4000, 20)
	next := 4
	generation := func(before *Topics, topics ...int) *Topics {
		var columns [][]float64
		for _, k := range topics {
			columns = append(columns, b[k])
		}
		m := modelOfTopics(names, columns, even(len(topics)))
		if before != nil {
			d := compared(t, before, m)
			m.IDs, next = d.CarryOn(next)
			for _, topic := range d.Topics {
				if topic.Now >= 0 && topic.NowID != m.IDs[topic.Now] || topic.Kind == Kept && topic.NowID != topic.ThenID {
					t.Errorf("%+v has not the id %d", topic, m.IDs[topic.Now])
				}
			}
		}
		return m
	}
	at := generation(nil, 0, 1, 2, 3)
	for _, c := range []struct {
		topics []int
		ids    []int
		next   int
	}{
		{[]int{0, 1, 2, 3}, []int{0, 1, 2, 3}, 4},
		{[]int{3, 1, 4, 0}, []int{3, 1, 4, 0}, 5}, // 2 dies and 4 is born
		{[]int{1, 5, 0}, []int{1, 5, 0}, 6},       // 3 and 4 die: the next id is not theirs
		{[]int{6, 7, 0, 2, 1}, []int{6, 7, 0, 8, 1}, 9},
	} {
		at = generation(at, c.topics...)
		if !slices.Equal(at.IDs, c.ids) || next != c.next {
			t.Errorf("topics %v have ids %v, want %v; the next is %d, want %d", c.topics, at.IDs, c.ids, next, c.next)
		}
	}
}

// A merged topic has the same new id in all its rows.
func TestTopicIDsOfMergedTopics(t *testing.T) {
	names, b := drawnTopics(4, 0, 3000, 21)
	then := modelOfTopics(names, b, even(4))
	then.IDs = []int{7, 1, 0, 5}
	now := modelOfTopics(names, [][]float64{mixed([]float64{0.5, 0.5}, b[2], b[3]), b[0], b[1]},
		[]float64{0.5, 0.25, 0.25})
	d := compared(t, then, now)
	if ids, next := d.CarryOn(9); !slices.Equal(ids, []int{9, 7, 1}) || next != 10 {
		t.Errorf("ids %v, next %d", ids, next)
	}
	if got := kinds(d); got != "kept 0:1, kept 1:2, merged 2:-1 of 9, merged 3:-1 of 9, merged -1:0 of 9" {
		t.Error(got)
	}
}
