// This file deals shards among tasks that know nothing of each other, and among ranks that read them together.

package shard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"anchorage/internal/toplist"
)

// MostTasks is the greatest number of tasks among which shards are dealt.
const MostTasks = 1_000_000

// Task is one of Of tasks, numbered from 0, that share the work on the same shards. The zero value means no tasks.
type Task struct {
	Number, Of int
}

// ParseTask reads "3/8": task 3 of the tasks 0 to 7.
func ParseTask(text string) (Task, error) {
	number, of, found := strings.Cut(text, "/")
	var t Task
	var errNumber, errOf error
	t.Number, errNumber = strconv.Atoi(number)
	t.Of, errOf = strconv.Atoi(of)
	switch {
	case !found || errNumber != nil || errOf != nil:
		return Task{}, fmt.Errorf("%q is not a task: write its number, from 0, and how many there are, as in 3/8", text)
	case t.Of < 1 || t.Of > MostTasks:
		return Task{}, fmt.Errorf("%q: there must be from 1 to %d tasks", text, MostTasks)
	case t.Number < 0 || t.Number >= t.Of:
		return Task{}, fmt.Errorf("%q: the tasks are numbered from 0 to %d", text, t.Of-1)
	}
	return t, nil
}

// String returns the form that ParseTask reads.
func (t Task) String() string { return fmt.Sprintf("%d/%d", t.Number, t.Of) }

// Shards returns the shards of the task, in the order of all. Every shard belongs to one task, whoever asks: the
// largest that is left goes to the task with the fewest bytes so far, and of equal ones the first comes first. The
// error says that there are more tasks than shards.
func (t Task) Shards(all []Shard) ([]Shard, error) {
	if t.Of > len(all) {
		return nil, fmt.Errorf("there are %d shards, too few for %d tasks: every task needs one", len(all), t.Of)
	}
	sizes := make([]int64, len(all))
	for i, s := range all {
		sizes[i] = s.Size
	}
	bytes, owner := make([]int64, t.Of), make([]int, len(all))
	for rank, i := range toplist.Order(sizes) {
		owner[i] = rank // the first shards, one for each task: those of empty files need theirs too
		if rank >= t.Of {
			owner[i] = slices.Index(bytes, slices.Min(bytes))
		}
		bytes[owner[i]] += all[i].Size
	}
	var mine []Shard
	for i, s := range all {
		if owner[i] == t.Number {
			mine = append(mine, s)
		}
	}
	return mine, nil
}

// Fingerprint returns a SHA-256, in hexadecimal, of the names and sizes of shards in their order. Folders do not count,
// since tasks on different machines may see the same files in different ones, nor do the queries of URLs.
func Fingerprint(all []Shard) string {
	digest := sha256.New()
	for _, s := range all {
		name, _, _ := strings.Cut(strings.ReplaceAll(s.Path, `\`, "/"), "?")
		fmt.Fprintf(digest, "%q %d\n", path.Base(name), s.Size) // a hash never fails
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// Run returns the shards [first, last) of all that a rank reads, of the given number of ranks. The runs of the ranks
// follow each other, so that the order of ranks is the order of documents; Task.Shards, whose tasks know nothing of
// each other, deals shards without regard to their order. The largest run has as few bytes as runs can have. Every rank
// has a shard if there are enough. All depends only on the sizes of the shards.
func Run(all []Shard, rank, ranks int) (first, last int) {
	low, high := int64(0), int64(0) // most bytes of the largest run: at least low, and at most high
	for _, s := range all {
		low, high = max(low, s.Size), high+s.Size
	}
	low += int64(sort.Search(int(high-low), func(more int) bool {
		runs := 0
		for end := 0; end < len(all); runs++ {
			end = runEnd(all, end, 0, low+int64(more))
		}
		return runs <= ranks
	}))
	for r := range rank + 1 {
		first, last = last, runEnd(all, last, ranks-r-1, low)
	}
	return first, last
}

// runEnd returns the end of the run from first: it has as many shards as have no more than most bytes together, but
// leaves one for each of the ranks after it.
func runEnd(all []Shard, first, after int, most int64) int {
	bytes, last := int64(0), first
	for last < len(all) && (last == first || bytes+all[last].Size <= most && len(all)-last > after) {
		bytes += all[last].Size
		last++
	}
	return last
}
