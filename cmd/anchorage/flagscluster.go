// This file holds the flags with which plan forecasts a fit over several machines, and one of documents that nobody has seen.

package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"anchorage/model/plan"
)

// clusterFlags are the ranks and the network of a plan, and the sizes of a corpus in place of shards.
type clusterFlags struct {
	ranks     int
	bandwidth float64 // bytes per second
	latency   time.Duration
	sizes     plan.Sizes
}

func (f *clusterFlags) rows() []row {
	return []row{
		{name: "ranks", group: memoryGroup, to: &f.ranks, usual: "1", values: wholes(1, mostRanks), help: "processes that share the fit, one for each of such machines"},
		{name: "assume-items", group: inputGroup, to: &f.sizes.Items, values: reals(0, mostNumbered), help: "items that are kept, for a plan without shards"},
		{name: "assume-entries", group: inputGroup, to: &f.sizes.Entries, values: reals(0, 1e15), help: "distinct items of all documents together, for a plan without shards"},
		{name: "bandwidth", layer: setting, to: f.setBandwidth, usual: "10Gbit", values: anyText.named("RATE"), help: "what a rank can send in a second: a number and bit, kbit, Mbit or Gbit"},
		{name: "latency", layer: setting, to: &f.latency, usual: "100µs", values: durations(0, float64(time.Minute)), help: "how long a message takes"},
	}
}

// bits are the units of --set bandwidth, in bits per second.
var bits = []struct {
	unit string
	bits float64
}{{"Gbit", 1e9}, {"Mbit", 1e6}, {"kbit", 1e3}, {"bit", 1}}

// setBandwidth reads a rate.
func (f *clusterFlags) setBandwidth(text string) error {
	for _, b := range bits {
		number, found := strings.CutSuffix(strings.TrimSuffix(text, "/s"), b.unit)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(n > 0) || n*b.bits > 1e15 {
			break
		}
		f.bandwidth = n * b.bits / 8
		return nil
	}
	return fmt.Errorf("%q is no rate: give a number and bit, kbit, Mbit or Gbit, like 10Gbit", text)
}

// cluster returns the ranks and their network; the zero value if there is one rank.
func (f *clusterFlags) cluster() plan.Cluster {
	if f.ranks < 2 {
		return plan.Cluster{}
	}
	return plan.Cluster{Ranks: f.ranks, Bandwidth: f.bandwidth, Latency: f.latency.Seconds()}
}

// check refuses sizes that say too little, or that are given beside shards.
func (f *clusterFlags) check(shards []string) error {
	s := &f.sizes
	sized := s.Items > 0 || s.Entries > 0
	switch {
	case sized && len(shards) > 0:
		return &usageError{errors.New("--assume-items and --assume-entries are for a plan without shards: leave them or the shards out")}
	case !sized && len(shards) == 0:
		return &usageError{errors.New("name shards, or their sizes with --assume-items and --assume-entries")}
	case sized && (s.Items < 1 || s.Entries < s.Items):
		return &usageError{errors.New("--assume-items and --assume-entries are needed for a plan without shards, and there are at least as many entries as items")}
	}
	if sized {
		s.Documents = max(s.Entries/100, 1)
	}
	return nil
}
