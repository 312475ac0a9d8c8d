// This file makes a fit over several ranks: what it refuses, and what all ranks must have alike.

package fit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/internal/process"
)

// aloneOnly are the options that only one process can follow. The first that applies is the reason.
var aloneOnly = []struct {
	option string
	asked  func(o *Options) bool
	reason string
}{
	{"Method", func(o *Options) bool { return o.Method.entry().name != LRJSMF },
		"only the method LR-JSMF with ENN is made by several ranks"},
	{"Baseline", func(o *Options) bool { return o.Baseline }, "only one process makes a fit without the rectification"},
	{"Levels", func(o *Options) bool { return len(o.Levels) > 0 }, "only one process finds coarser levels"},
	{"Choice", func(o *Options) bool { return o.Choice != nil }, "only one process chooses the number of topics"},
	{"Sketch.Passes", func(o *Options) bool { return o.Sketch.Passes == 1 },
		"only one process, or tasks, make a single pass"},
	{"Start", func(o *Options) bool { return o.Start != nil }, "only one process continues from an earlier model"},
	{"Wishes", func(o *Options) bool { return o.Wishes != nil }, "only one process finds topics with wishes"},
	{"Sketch.Tasks", func(o *Options) bool { return o.Sketch.Tasks != nil || o.Sketch.Mergeable != nil },
		"tasks, and sketches that are merged, need no ranks"},
}

// CheckRanks returns an *OptionError if a number of ranks cannot make a fit with these options; Fit checks first. One
// can make any.
func (o *Options) CheckRanks(ranks int) error {
	if ranks < 2 {
		return nil
	}
	for _, a := range aloneOnly {
		if a.asked(o) {
			return badOption(a.option, "on %d ranks: %s", ranks, a.reason)
		}
	}
	return nil
}

// together prepares a fit by the ranks of ctx: it refuses what they cannot do, and makes the limits of memory those of
// the rank that has least. All ranks decide alike afterwards.
func (o *Options) together(ctx context.Context, docs *corpus.Corpus) error {
	c := collective.From(ctx)
	o.Run.ranks = c
	if c.Size() == 1 {
		return nil
	}
	if err := o.CheckRanks(c.Size()); err != nil {
		return err
	}
	if docs.Growing() {
		return badOption("Sketch.Passes", "on %d ranks: a single pass needs a vocabulary that is known before it", c.Size())
	}
	least := []int64{cmp.Or(o.Run.MemoryLimit, unlimited), cmp.Or(o.Run.ceiling(), unlimited)}
	if err := collective.Min(ctx, c, least); err != nil {
		return err
	}
	for i, limit := range least {
		if limit == unlimited {
			least[i] = 0
		}
	}
	o.Run.MemoryLimit, o.Run.lowest = least[0], &least[1]
	if o.Diagnose || o.Report {
		o.Diagnose, o.Report = false, false
		if c.First() {
			o.Run.log().Info("report, diagnostics and examples are left out: only one process makes them")
		}
	}
	o.Run.idBytes = []int64{docs.Vocabulary.Bytes() + docs.ViewBytes(), docs.ReadingBytes()}
	if err := collective.Max(ctx, c, o.Run.idBytes); err != nil {
		return err
	}
	facts, err := optionFacts(o.decisive())
	if err != nil {
		return err
	}
	digest := sha256.Sum256(fmt.Append(nil, facts, documentFacts(docs)))
	return collective.Agree(ctx, c, "options or documents", hex.EncodeToString(digest[:]))
}

// unlimited means no limit where the least limit is looked for.
const unlimited = 1 << 62

// RankRecord is what a rank of a run has taken.
type RankRecord struct {
	Host      string      `json:"host"`
	PeakBytes int64       `json:"peak_memory_bytes"` // largest resident size; 0 if the system does not report it
	Stages    []RankStage `json:"stages"`
}

// RankStage is what a rank has sent to others in a stage, and its memory.
type RankStage struct {
	Name      string `json:"name"`
	Bytes     int64  `json:"sent_bytes"`
	Messages  int64  `json:"messages"`
	PeakBytes int64  `json:"peak_memory_bytes,omitempty"` // if the process is the run's
}

// gatherRecord gathers what the ranks have taken so far, if there are several. All must call it.
func (r *Run) gatherRecord(ctx context.Context) (err error) {
	if r.ranks.Size() == 1 {
		return nil
	}
	own := RankRecord{PeakBytes: process.PeakMemory()}
	own.Host, _ = os.Hostname() // without a name it is ""
	names, moved := r.ranks.Moved()
	for _, name := range names {
		s := RankStage{Name: name, Bytes: moved[name].Bytes, Messages: moved[name].Messages}
		for _, stage := range r.stages {
			if stage.Name == name && r.OwnsProcess {
				s.PeakBytes = max(s.PeakBytes, stage.PeakBytes)
			}
		}
		own.Stages = append(own.Stages, s)
	}
	r.together, err = collective.GatherJSON(ctx, r.ranks, own)
	return err
}
