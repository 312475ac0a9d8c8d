// This file shows progress on a terminal.

package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"anchorage/corpus"
)

// bar shows the current stage. A nil bar shows nothing.
type bar struct {
	out   io.Writer
	stage string
	shown *progressbar.ProgressBar

	estimate *estimate // nil if there is no plan
	said     string    // the time that is left, as it is shown
}

func newBar(out io.Writer) *bar { return &bar{out: out} }

// update shows that done out of total are done in a stage. A total of 0 is unknown.
func (b *bar) update(stage string, done, total int64) {
	if b == nil {
		return
	}
	if total <= 0 {
		total = -1
	}
	if stage != b.stage {
		b.close()
		b.stage = stage
		b.shown = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(b.out),
			progressbar.OptionSetDescription(fmt.Sprintf("%-11s", stage)),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowBytes(stage == "reading"),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), // the rate; the time left is shown as soon as the total is known
			progressbar.OptionSetItsString(unitOf(stage)),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100e6),
		)
	}
	if left := timeLeft(b.estimate.left(stage)); left != b.said {
		b.said = left
		b.shown.Describe(fmt.Sprintf("%-11s %s", stage, left))
	}
	if total != b.shown.GetMax64() {
		b.shown.ChangeMax64(total)
	}
	// A bar that cannot be drawn must not stop the run.
	_ = b.shown.Set64(done)
}

// timeLeft says how much time is left of a run, rounded to what an estimate can tell; "" for none.
func timeLeft(left time.Duration) string {
	switch {
	case left <= 0:
		return ""
	case left < 2*time.Minute:
		left = left.Round(10 * time.Second)
	default:
		left = left.Round(time.Minute)
	}
	return strings.Replace(left.String(), "m0s", "m", 1) + " left in all"
}

// stageUnits are the units in which stages count what is done; others count iterations or steps.
var stageUnits = map[string]string{
	"sketching": "documents", "evidence": "documents", "counting": "documents", "scoring": "documents", "searching": "documents",
	"reading": "bytes", "writing": "rows", "mixtures": "items", "pivots": "anchors", "corrections": "rows",
}

func unitOf(stage string) string {
	if unit, known := stageUnits[stage]; known {
		return unit
	}
	return "steps"
}

// watched returns the pass over a corpus, shown as the given stage. A corpus that is read only once shows how far its shards are read.
func (p *program) watched(docs *corpus.Corpus, stage string) corpus.Pass {
	if p.bar == nil && p.pace == nil || !docs.Copied() {
		return docs.Pass
	}
	return docs.Watched(func(done, total int64) { p.advance(stage, done, total) })
}

// close removes the bar from the terminal.
func (b *bar) close() {
	if b != nil && b.shown != nil {
		_ = b.shown.Finish()
		b.shown = nil
	}
}
