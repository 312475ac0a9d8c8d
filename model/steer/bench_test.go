package steer

import (
	"os"
	"strconv"
	"testing"
)

// BenchmarkApply applies steps to the model that $ANCHORAGE_MODEL names, or to a small one that it fits. Taking them
// back is not timed.
func BenchmarkApply(b *testing.B) {
	path := os.Getenv("ANCHORAGE_MODEL")
	if path == "" {
		path = fitted(b, true)
	}
	s := open(b, path, 0)
	m := s.Model()
	id := func(k int) string { return strconv.Itoa(m.TopicIDs[k]) }
	names := func(k, first, last int) []string { return m.Names(m.Prominent[k])[first:last] }
	for _, step := range []Step{
		{Kind: Name, Topics: []string{id(0)}, Name: "one"},
		{Kind: Merge, Topics: []string{id(0), id(1)}},
		{Kind: Split, Topics: []string{id(2)}},
		{Kind: Seed, Topics: []string{id(3)}, Items: names(3, 2, 6)},
		{Kind: Ban, Scope: AsAnchor, Items: []string{m.Vocabulary.ID(m.Anchors[4])}},
		{Kind: Ban, Scope: InLists, Items: names(5, 0, 1)},
		{Kind: Remove, Items: names(1, 3, 5)},
	} {
		name := string(step.Kind)
		if step.Kind == Ban {
			name += "/" + string(step.Scope)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := s.Apply(b.Context(), step); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := s.Undo(b.Context()); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
