package store

import (
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/long"
)

// TestDayByDay wants the bytes of a fit of all shards, whatever updates brought them into the store.
func TestDayByDay(t *testing.T) {
	for name, change := range map[string]func(*setting){
		"pruned":   func(*setting) {},
		"refined":  func(s *setting) { s.refine = 2 },
		"no prune": func(s *setting) { s.corpus = corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 1} },
		"one pass": func(s *setting) {
			s.corpus = corpus.Options{NoPrune: true}
			s.passes = 1
		},
		"most frequent": func(s *setting) {
			s.corpus.Pruning.MaxItems, s.corpus.MinItems = 30, 2
		},
	} {
		t.Run(name, func(t *testing.T) {
			days := inDays(t, 4)
			s := usual()
			change(&s)
			want := s.whole(t, "shards")
			orders := map[string][][]string{"mixed": {{days[2], days[0]}, {days[3], days[1]}}}
			if name == "pruned" {
				if long.Tier() {
					orders["at once"], orders["all given"] = [][]string{days}, [][]string{days[:1], days[:2], days[:3], days}
				}
				orders["backward"] = [][]string{days[3:], days[2:3], days[1:2], days[:1]}
			}
			for order, nights := range orders {
				for _, night := range nights {
					s.must(t, "store-"+order, night...)
				}
				same(t, order, current(t, "store-"+order), want)
			}
		})
	}
}

// TestChanged wants a changed shard to replace its former self.
func TestChanged(t *testing.T) {
	days := inDays(t, 3)
	s := usual()
	s.must(t, "store", days...)
	writeDay(t, days[1], 0, 3, 7)
	plan, added, _ := s.must(t, "store", days...)
	if len(plan.Fresh) != 1 || !plan.Fresh[0].Replaces || plan.Known != 2 || added.Read != 1 {
		t.Errorf("%+v, %+v", plan, added)
	}
	same(t, "changed", current(t, "store"), s.whole(t, "shards"))
	// The former content comes back: the store still has it.
	writeDay(t, days[1], 1, 3, 1)
	if _, added, _ = s.must(t, "store", days[1]); added.Read != 0 || added.Adopted != 1 {
		t.Errorf("%+v", added)
	}
	same(t, "changed back", current(t, "store"), s.whole(t, "shards"))
}

// TestRemoved wants removed shards to leave no trace in the model.
func TestRemoved(t *testing.T) {
	days := inDays(t, 4)
	s := usual()
	s.must(t, "store", days...)
	s.plan.Remove = []string{"2026-11-0[24].txt"}
	plan, _, generated := s.must(t, "store")
	if !slices.Equal(plan.Removed, []string{days[1], days[3]}) || generated.Shards != 2 {
		t.Errorf("%+v, %+v", plan, generated)
	}
	s.plan.Remove = nil
	same(t, "removed", current(t, "store"), s.whole(t, days[0], days[2]))
	// A shard that is given and to be removed is removed.
	s.plan.Remove = []string{days[0]}
	s.must(t, "store", days[0], days[3])
	s.plan.Remove = nil
	same(t, "removed and given", current(t, "store"), s.whole(t, days[2], days[3]))
	s.plan.Remove = []string{"2026-12-*"}
	if _, _, _, err := s.update(t, "store"); !isFault(err, NoMatch) {
		t.Errorf("a name that no shard has: %v", err)
	}
}

// TestWindow wants the shards of only the last days in the model, and the others not to be read.
func TestWindow(t *testing.T) {
	days := inDays(t, 5)
	s := usual()
	s.plan.Window = 3
	for i := range days {
		s.must(t, "store", days[:i+1]...)
	}
	plain := usual()
	same(t, "window", current(t, "store"), plain.whole(t, days[2:]...))
	opened, err := Open(t.Context(), "store")
	if err != nil || len(opened.State.Shards) != 3 || opened.State.Generations[4].From != "2026-11-03" {
		t.Errorf("%+v, %v", opened, err)
	}
	plan, _, generated, err := s.update(t, "store", days...)
	if err != nil || generated != nil || plan.Outside != 2 || plan.Known != 3 {
		t.Errorf("%+v, %v", plan, err)
	}
	_, added, _ := s.must(t, "new", days...)
	if added.Read != 3 {
		t.Errorf("%d shards were read, 3 are in the window", added.Read)
	}
	writeDay(t, "shards/undated.txt", 0, 5, 8)
	if _, _, _, err := s.update(t, "store", "shards/undated.txt"); !isFault(err, Undated) {
		t.Errorf("no date: %v", err)
	}
	s.plan.Date = "2026-11-07"
	if plan, _, _ := s.must(t, "store", "shards/undated.txt"); len(plan.Expired) != 2 {
		t.Errorf("%+v", plan)
	}
	// A date that would empty the store is refused.
	writeDay(t, "shards/2062-11-22.txt", 1, 5, 8)
	late := s
	late.plan.Date = ""
	if _, _, _, err := late.update(t, "store", "shards/2062-11-22.txt"); !isFault(err, Emptied) {
		t.Errorf("a date far ahead: %v", err)
	}
	late.plan.Remove = []string{"2026-*", "undated*"}
	if plan, err := planned(t, late, "store", "shards/2062-11-22.txt"); err != nil || len(plan.Removed) != 2 ||
		len(plan.Fresh) != 1 {
		t.Errorf("the others removed: %+v, %v", plan, err)
	}
	same(t, "date given", current(t, "store"), plain.whole(t, "shards/2026-11-05.txt", "shards/undated.txt"))
	for _, date := range []string{"", "2026-11-09"} { // the date that a shard has stays
		s.plan.Date = date
		if plan, _, generated, err := s.update(t, "store", "shards/2026-11-05.txt", "shards/undated.txt"); err != nil ||
			generated != nil || !plan.Nothing() {
			t.Errorf("%+v, %v", plan, err)
		}
	}
}

// planned plans an update and does not make it.
func planned(t *testing.T, s setting, path string, names ...string) (*Plan, error) {
	t.Helper()
	w, err := Begin(t.Context(), path, s.options)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.Plan(t.Context(), discover(t, names), s.plan)
}
