// This file checks the numbers of topics of levels.

package fit

import (
	"fmt"
	"slices"
)

// checkLevels returns an *OptionError if the levels are not such that Fit finds them.
func (o *Options) checkLevels() error {
	for i, k := range o.Levels {
		if k < leastTopics || k >= o.Topics || i > 0 && k <= o.Levels[i-1] {
			return badOption("Levels", "must increase from %d or more to less than %d, the number of topics, but are %v",
				leastTopics, o.Topics, o.Levels)
		}
	}
	switch {
	case len(o.Levels) > 0 && o.Method.entry().inference != "law":
		return badOption("Levels", "%s has no factor from which several numbers of topics can be solved", o.Method)
	case len(o.Levels) > 0 && o.TopicCounts != nil && !slices.Equal(o.TopicCounts,
		append(slices.Clone(o.Levels), o.Topics)):
		return badOption("Levels", "the numbers of topics of a sketch follow from the levels, but are %v", o.TopicCounts)
	}
	return nil
}

// levelStage names a stage of a coarser level.
func levelStage(stage string, topics int) string { return fmt.Sprintf("%s/%d", stage, topics) }

// levelFolder names the folder of a coarser level, as package model expects it.
func levelFolder(topics int) string { return fmt.Sprintf("levels/%d", topics) }
