// This file begins the log on stderr: which lines it has, and their form.

package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"

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
	if err := level.UnmarshalText([]byte(p.logLevel)); err != nil {
		return level, &usageError{fmt.Errorf("--log-level is %q: use auto, debug, info, warn or error", p.logLevel)}
	}
	return level, nil
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
