package model

import (
	"testing"
)

func TestTopicIDsAreChecked(t *testing.T) {
	for _, c := range []struct {
		ids  []int
		next int
		good bool
	}{
		{nil, 0, true}, {[]int{4, 0, 2}, 5, true}, {[]int{4, 0, 2}, 4, false}, {[]int{0, 0, 2}, 5, false},
		{[]int{0, 1}, 5, false},
		{[]int{-1, 1, 2}, 5, false}, {nil, 5, false},
	} {
		m := Manifest{TopicIDs: c.ids, NextTopicID: c.next}
		if err := m.checkTopicIDs(3); (err == nil) != c.good {
			t.Errorf("%v, %d: %v", c.ids, c.next, err)
		}
	}
}
