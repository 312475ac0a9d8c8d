package store

import (
	"errors"
	"slices"
	"testing"

	"anchorage/model"
	"anchorage/model/steer"
)

// TestScript wants generations without the items that a script removes and with the names that it gives, and refuses
// scripts that cannot be respected.
func TestScript(t *testing.T) {
	days := inDays(t, 2)
	s := usual()
	s.script = "remove item_1"
	_, _, first := s.must(t, "store", days[0])
	if _, known := first.Fitted.Vocabulary.Lookup([]byte("item_1")); known || first.Fitted.Vocabulary.Len() < 30 {
		t.Errorf("item_1 is one of %d items: %v", first.Fitted.Vocabulary.Len(), known)
	}
	s.script += "\nname 0 Zeroth"
	_, _, second := s.must(t, "store", days[1])
	m := second.Fitted.Overview()
	if _, known := m.Vocabulary.Lookup([]byte("item_1")); known || !slices.Contains(m.TopicNames, "Zeroth") {
		t.Errorf("item_1 is there: %v; the names are %q", known, m.TopicNames)
	}
	writeDay(t, dayName(3), 0, 4, 7)
	s.script = "seed new nothing_has_this"
	if _, _, _, err := s.update(t, "store", dayName(3)); !errors.As(err, new(*steer.Error)) {
		t.Errorf("a seed of no document: %v", err)
	}
	s.script, s.corpus.NoPrune = "remove item_1", true
	if _, _, _, err := s.update(t, "store", dayName(3)); !errors.As(err, new(*model.OptionError)) {
		t.Errorf("an item is removed from all that are kept: %v", err)
	}
}
