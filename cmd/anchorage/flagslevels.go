// This file holds the flag that makes a model of several levels.

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"anchorage/model/fit"
)

// levelFlags say which numbers of topics a fit finds.
type levelFlags struct{ list string }

func (f *levelFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.list, "levels", "", "numbers of topics with commas between them, such as 20,100,500, for models of several levels from one sketch: the finest is the model, of which -k need not repeat the number, and the others are in its folder levels; one level if not given")
}

// into returns the coarser levels, increasing, and sets the number of topics, which may have been given, to the finest.
func (f *levelFlags) into(topics *topicCount) ([]int, error) {
	if f.list == "" {
		return nil, nil
	}
	var levels []int
	for _, text := range strings.Split(f.list, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || k < leastTopics || k > fit.MostTopics {
			return nil, &usageError{fmt.Errorf("--levels is %q: give numbers of topics from %d to %d with commas between them, such as 20,100,500", f.list, leastTopics, fit.MostTopics)}
		}
		levels = append(levels, k)
	}
	slices.Sort(levels)
	last := len(levels) - 1
	switch {
	case len(slices.Compact(slices.Clone(levels))) <= last:
		return nil, &usageError{fmt.Errorf("--levels is %q: a number comes twice", f.list)}
	case topics.auto || topics.number != 0 && topics.number != levels[last]:
		return nil, &usageError{fmt.Errorf("-k is %s, but the finest of --levels %s has %d topics: leave -k out, or make them agree", topics, f.list, levels[last])}
	}
	topics.number = levels[last]
	return levels[:last], nil
}
