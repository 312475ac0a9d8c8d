// This file holds the flags with which plan forecasts a fit over several machines, and one of documents that nobody has seen.

package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/model/fit"
)

// clusterFlags are the ranks and the network of a plan, and the sizes of a corpus in place of shards.
type clusterFlags struct {
	ranks     int
	bandwidth string
	latency   time.Duration
	sizes     fit.Sizes
}

func (f *clusterFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.ranks, "ranks", 1, "processes that share the fit, one for each machine, which is like this one: time, memory and scratch disk are then those of one of them")
	flags.StringVar(&f.bandwidth, "bandwidth", "10Gbit", "what a rank can send in a second: a number and bit, kbit, Mbit or Gbit")
	flags.DurationVar(&f.latency, "latency", 100*time.Microsecond, "how long a message takes")
	flags.Float64Var(&f.sizes.Items, "assume-items", 0, "items that are kept, for a plan without shards")
	flags.Float64Var(&f.sizes.Entries, "assume-entries", 0, "distinct items of all documents together, for a plan without shards")
	flags.Float64Var(&f.sizes.Documents, "assume-documents", 0, "documents, for a plan without shards; 0 for one for each 100 entries")
	flags.Float64Var(&f.sizes.Growth, "assume-growth", corpus.UsualGrowth, "how distinct items grow with entries, for a plan without shards: n entries have about as many as n to this power, in proportion")
}

// bits are the units of --bandwidth, in bits per second.
var bits = []struct {
	unit string
	bits float64
}{{"Gbit", 1e9}, {"Mbit", 1e6}, {"kbit", 1e3}, {"bit", 1}}

// parseBandwidth returns bytes per second.
func parseBandwidth(text string) (float64, error) {
	for _, b := range bits {
		number, found := strings.CutSuffix(strings.TrimSuffix(text, "/s"), b.unit)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(n > 0) || n*b.bits > 1e15 {
			break
		}
		return n * b.bits / 8, nil
	}
	return 0, &usageError{fmt.Errorf("--bandwidth is %q: give a number and bit, kbit, Mbit or Gbit, like 10Gbit", text)}
}

// into sets the cluster.
func (f *clusterFlags) into(rates *fit.Rates) (err error) {
	if f.ranks > 1 {
		rates.Cluster = fit.Cluster{Ranks: f.ranks, Latency: f.latency.Seconds()}
		rates.Cluster.Bandwidth, err = parseBandwidth(f.bandwidth)
	}
	return err
}

// check refuses a bandwidth that is none, and sizes that say too little or stand beside shards.
func (f *clusterFlags) check(shards []string) error {
	if _, err := parseBandwidth(f.bandwidth); err != nil {
		return err
	}
	s := &f.sizes
	sized := s.Items > 0 || s.Entries > 0 || s.Documents > 0
	switch {
	case sized && len(shards) > 0:
		return &usageError{errors.New("--assume-items, --assume-entries and --assume-documents are for a plan without shards: leave one or the other out")}
	case !sized && len(shards) == 0:
		return &usageError{errors.New("name shards, or their sizes with --assume-items and --assume-entries")}
	case sized && (s.Items < 1 || s.Entries < s.Items):
		return &usageError{errors.New("--assume-items and --assume-entries are needed for a plan without shards, and there are at least as many entries as items")}
	}
	if sized && s.Documents == 0 {
		s.Documents = max(s.Entries/100, 1)
	}
	return nil
}
