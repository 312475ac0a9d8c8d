package model

import (
	"errors"
	"testing"
)

// A manifest may list no levels but increasing ones in their own folders, and none of as many topics as the model.
func TestLevelsOfManifest(t *testing.T) {
	for _, levels := range [][]LevelRecord{{{Topics: 4, Folder: "levels/3"}}, {{Topics: 4, Folder: "levels/4"},
		{Topics: 3, Folder: "levels/3"}},
		{{Topics: 12, Folder: "levels/12"}}, {{Topics: 1, Folder: "levels/1"}}} {
		m := Manifest{Levels: levels}
		if _, err := m.levels("model", 12); !errors.As(err, new(*InputError)) {
			t.Errorf("%v: %v", levels, err)
		}
	}
	m := Manifest{Levels: []LevelRecord{{Topics: 3, Folder: "levels/3"}, {Topics: 4, Folder: "levels/4"}}}
	if levels, err := m.levels("model", 12); err != nil || len(levels) != 3 || levels[2].Topics != 12 {
		t.Errorf("%v, %v", levels, err)
	}
}
