// This file keeps account of tasks: sketches of parts of the same shards, which become whole when all are merged.

package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// TasksRecord says of which tasks a sketch is.
type TasksRecord struct {
	Numbers []int  `json:"numbers"` // increasing, from 0
	Of      int    `json:"of"`
	Shards  int    `json:"shards"`        // of all tasks
	SHA256  string `json:"shards_sha256"` // of the list of these, shard.Fingerprint
}

// mostMissing is how many tasks that are missing an error names.
const mostMissing = 10

// Whole returns an *InputError if tasks are missing from a sketch, which is at path, or a sum if that is empty. It
// returns nil for a nil t.
func (t *TasksRecord) Whole(path string) error {
	if t == nil || len(t.Numbers) == t.Of {
		return nil
	}
	var names []string
	for number := range t.Of {
		if _, found := slices.BinarySearch(t.Numbers, number); !found && len(names) < mostMissing {
			names = append(names, strconv.Itoa(number))
		}
	}
	if more := t.Of - len(t.Numbers) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	e := &InputError{Path: path, Fault: PartialSketch, Reason: fmt.Sprintf("is of %d of %d tasks; missing: %s",
		len(t.Numbers), t.Of, strings.Join(names, ", "))}
	if path == "" {
		e.Path, e.Fault = "the sum", PartialSum
	}
	return e
}

// merge adds the tasks of the sketch at path to those of the sketches that were added before, of which first is one.
// Either may be nil. The error is an *InputError.
func (t *TasksRecord) merge(other *TasksRecord, first, path string) (*TasksRecord, error) {
	switch {
	case t == nil && other == nil:
		return nil, nil
	case t == nil || other == nil:
		return nil, &InputError{Path: path, Reason: "cannot be merged with " + first +
			": one of them is of a task, and the other is not"}
	case t.Of != other.Of || t.Shards != other.Shards || t.SHA256 != other.SHA256:
		return nil, &InputError{Path: path, Reason: fmt.Sprintf("is of tasks on other shards than %s: %d tasks on %d "+
			"shards, and %d on %d, whose names or sizes differ", first, other.Of, other.Shards,
			t.Of, t.Shards)}
	}
	sum := *t
	sum.Numbers = slices.Clone(t.Numbers)
	for _, number := range other.Numbers {
		at, found := slices.BinarySearch(sum.Numbers, number)
		if found {
			return nil, &InputError{Path: path, Reason: fmt.Sprintf("is of task %d, as another of the sketches is: its "+
				"documents would count twice", number)}
		}
		sum.Numbers = slices.Insert(sum.Numbers, at, number)
	}
	return &sum, nil
}
