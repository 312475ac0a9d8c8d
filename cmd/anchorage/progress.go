// This file begins the log on stderr and gives its lines their form, shows progress on a terminal, or in the log where
// no terminal shows it, and estimates how much time a stage still takes.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"anchorage/corpus"
	"anchorage/internal/safetext"
)

// The forms of the log.
const (
	logText = "text"
	logJSON = "json"
)

// startLog begins the log, as the flags say.
func (p *program) startLog() error {
	level, err := p.level()
	if err != nil {
		return err
	}
	if p.ranks.quiet() {
		level = max(level, slog.LevelWarn)
	}
	options := &slog.HandlerOptions{Level: level}
	if level >= slog.LevelInfo {
		options.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr { return rounded(a) }
	}
	p.log = slog.New(slog.NewTextHandler(p.stderr, options))
	if p.logFormat == logJSON {
		p.log = slog.New(slog.NewJSONHandler(safetext.JSON{W: p.stderr}, options))
	}
	if p.ranks.quiet() { // all but rank 0 say only what goes wrong, and who they are
		p.log = p.log.With("rank", p.ranks.comm.Rank(), "host", p.ranks.host)
	}
	return nil
}

// level returns the level from which on lines are logged.
func (p *program) level() (level slog.Level, err error) {
	switch {
	case p.quiet && p.logLevel != "auto":
		return level, &usageError{errors.New("--quiet leaves out the log, and --log-level says what it holds: give one of " +
			"them")}
	case p.quiet:
		return slog.LevelError, nil
	case p.logLevel == "auto" && p.bar != nil:
		return slog.LevelWarn, nil
	case p.logLevel == "auto":
		return slog.LevelInfo, nil
	}
	return level, level.UnmarshalText([]byte(p.logLevel))
}

// significantDigits are those that numbers of the log have, unless it holds what debugging needs.
const significantDigits = 3

// rounded returns an attribute with its number rounded to significantDigits. JSON has no numbers for infinities and
// NaN, so they become text.
func rounded(a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindFloat64 {
		return a
	}
	v := a.Value.Float64()
	text := strconv.FormatFloat(v, 'g', significantDigits, 64)
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return slog.String(a.Key, text)
	}
	short, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return a // out of range only by rounding
	}
	return slog.Float64(a.Key, short)
}

// bar shows the current stage on a line of a terminal. A nil bar shows nothing.
type bar struct {
	out   io.Writer
	stage string
	begun time.Time // when the stage began
	drawn time.Time // when the line was last written
	shown bool      // the line is on the terminal
}

// drawEvery is the least time between two lines.
const drawEvery = 100 * time.Millisecond

// update shows that done out of total are done in a stage, and how much time is left of it. A total of 0 is unknown.
func (b *bar) update(stage string, done, total int64) {
	if b == nil {
		return
	}
	now := time.Now()
	if stage != b.stage {
		b.close()
		b.stage, b.begun, b.drawn = stage, now, time.Time{}
	}
	if now.Sub(b.drawn) < drawEvery && done != total {
		return
	}
	b.drawn, b.shown = now, true
	amount, unit, passed := humanize.Comma, " "+unitOf(stage), now.Sub(b.begun)
	if stage == "reading" {
		amount, unit = func(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }, ""
	}
	line := fmt.Sprintf("%-11s %s%s", stage, amount(done), unit)
	if total > 0 {
		share := min(max(float64(done)/float64(total), 0), 1)
		full := int(share * barWidth)
		line = fmt.Sprintf("%-11s %3.0f%% |%s%s| %s of %s%s", stage, 100*share, strings.Repeat("█", full),
			strings.Repeat(" ", barWidth-full), amount(done), amount(total), unit)
		if share > 0 && share < 1 {
			line += fmt.Sprintf(", %v to go", (time.Duration(float64(passed) * (1 - share) / share)).Round(time.Second))
		}
	}
	fmt.Fprintf(b.out, "\r\x1b[K%s, %v ", line, passed.Round(time.Second))
}

// barWidth is the number of cells of the bar.
const barWidth = 30

// stageUnits are the units in which stages count what is done, other than documents.
var stageUnits = map[string]string{
	"reading": "bytes", "writing": "rows", "mixtures": "items", "pivots": "anchors", "corrections": "rows",
	"rows":    "items",
	"solving": "products", "rectifying": "iterations", "choosing": "numbers of topics", "verifying": "paths",
	"converting": "shards",
}

func unitOf(stage string) string { return cmp.Or(stageUnits[stage], "documents") }

// watched returns the pass over a corpus, shown as the given stage. A corpus that is read only once shows how far its
// shards are read.
func (p *program) watched(docs *corpus.Corpus, stage string) corpus.Pass {
	if p.bar == nil && p.pace == nil || !docs.Copied() {
		return docs.Pass
	}
	return docs.Watched(func(done, total int64) { p.advance(stage, done, total) })
}

// close removes the bar from the terminal.
func (b *bar) close() {
	if b != nil && b.shown {
		fmt.Fprint(b.out, "\r\x1b[K")
		b.shown = false
	}
}

// paceEvery is how long the log is silent about what is under way.
const paceEvery = time.Minute

// pace logs how far the present stage is, once in paceEvery. A run that takes less has no line. A nil pace logs
// nothing.
type pace struct {
	log   *slog.Logger
	now   func() time.Time
	stage string
	begun time.Time // when the stage began
	last  time.Time // when the last line was written, or the first stage began
	first int64     // what was done when the stage began
	done  int64
}

// update takes note that done out of total are done in a stage, as bar.update.
func (p *pace) update(stage string, done, total int64) {
	if p == nil {
		return
	}
	now := p.now()
	if p.last.IsZero() {
		p.last = now
	}
	if stage != p.stage || done < p.done { // a stage may come again, as passes do
		p.stage, p.begun, p.first = stage, now, done
	}
	p.done = done
	if now.Sub(p.last) < paceEvery {
		return
	}
	p.last = now
	took := now.Sub(p.begun).Seconds()
	figures := []any{"stage", stage, "seconds", took, "done", done}
	if total > 0 {
		figures = append(figures, "of", total)
		if gained := done - p.first; gained > 0 && done <= total {
			figures = append(figures, "seconds_left", took*float64(total-done)/float64(gained))
		}
	}
	p.log.Info("progress", append(figures, "unit", unitOf(stage))...)
}

// advance shows or logs that done out of total are done in a stage.
func (p *program) advance(stage string, done, total int64) {
	p.bar.update(stage, done, total)
	p.pace.update(stage, done, total)
}
