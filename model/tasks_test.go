package model

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestMissingTasks(t *testing.T) {
	var none *TasksRecord
	if none.Whole("x") != nil {
		t.Error("a sketch of no tasks misses some")
	}
	some := &TasksRecord{Numbers: []int{1, 3}, Of: 5}
	var input *InputError
	if err := some.Whole("x"); !errors.As(err, &input) || input.Fault != PartialSketch ||
		err.Error() != "x is of 2 of 5 tasks; missing: 0, 2, 4" {
		t.Error(err)
	}
	all := &TasksRecord{Of: 30}
	for number := 20; number < 30; number++ {
		all.Numbers = append(all.Numbers, number)
	}
	if err := all.Whole(""); !errors.As(err, &input) || input.Fault != PartialSum ||
		err.Error() != "the sum is of 10 of 30 tasks; missing: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 10 more" {
		t.Error(err)
	}
}

// Tasks come together in any order, each once, and none of other shards.
func TestMergeTasks(t *testing.T) {
	of := func(numbers ...int) *TasksRecord {
		return &TasksRecord{Numbers: numbers, Of: 4, Shards: 9, SHA256: "a"}
	}
	sum, err := of(2).merge(of(0, 3), "first", "second")
	if err != nil || !slices.Equal(sum.Numbers, []int{0, 2, 3}) ||
		sum.Whole("").Error() != "the sum is of 3 of 4 tasks; missing: 1" {
		t.Fatalf("%+v, %v", sum, err)
	}
	if sum, err := (*TasksRecord)(nil).merge(nil, "first", "second"); sum != nil || err != nil {
		t.Errorf("%v, %v", sum, err)
	}
	others := []*TasksRecord{of(3), nil, {Numbers: []int{1}, Of: 5, Shards: 9, SHA256: "a"}, {Numbers: []int{1}, Of: 4,
		Shards: 9, SHA256: "b"}}
	for i, want := range []string{"is of task 3, as another", "one of them is of a task", "tasks on other shards",
		"tasks on other shards"} {
		if _, err := sum.merge(others[i], "first", "second"); !errors.As(err, new(*InputError)) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if !slices.Equal(sum.Numbers, []int{0, 2, 3}) {
		t.Error("a refused merge has changed the sum")
	}
}
