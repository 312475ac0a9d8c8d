// This file shows progress on a terminal.

package main

import (
	"fmt"
	"io"

	"github.com/schollz/progressbar/v3"
)

// bar shows the current stage. A nil bar shows nothing.
type bar struct {
	out   io.Writer
	stage string
	shown *progressbar.ProgressBar
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
			progressbar.OptionSetDescription(fmt.Sprintf("%-10s", stage)),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowBytes(stage == "reading"),
			progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100e6),
		)
	}
	// A bar that cannot be drawn must not stop the run.
	_ = b.shown.Set64(done)
}

// close removes the bar from the terminal.
func (b *bar) close() {
	if b != nil && b.shown != nil {
		_ = b.shown.Finish()
		b.shown = nil
	}
}
