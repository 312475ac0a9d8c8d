package main

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"
)

// TestNilBar wants a program without a bar to work as one with a bar.
func TestNilBar(t *testing.T) {
	var b *bar
	b.update("reading", 1, 2)
	b.close()
	new(bar).close()
}

// TestBarStages wants each stage to be shown once it begins, and nothing of a stage after it.
func TestBarStages(t *testing.T) {
	var out bytes.Buffer
	b := newBar(&out)
	b.update("reading", 10, 100)
	first := b.shown
	b.update("reading", 20, 100)
	if b.shown != first {
		t.Error("the same stage has two bars")
	}
	if !strings.Contains(out.String(), "reading") {
		t.Errorf("the stage is not shown: %q", out.String())
	}
	out.Reset()
	b.update("sketching", 1, 0) // an unknown total
	if b.shown == first || b.stage != "sketching" || !first.IsFinished() {
		t.Error("the first stage goes on")
	}
	if got := out.String(); !strings.Contains(got, "sketching") || strings.Contains(got, "reading") {
		t.Errorf("after the change of the stage: %q", got)
	}
	b.close()
	if b.shown != nil {
		t.Error("the bar is still there")
	}
	out.Reset()
	b.close()
	if out.Len() > 0 {
		t.Errorf("closing twice writes %q", out.String())
	}
}

// TestBarMax wants the parts of a stage to add up to the whole.
func TestBarMax(t *testing.T) {
	b := newBar(&bytes.Buffer{})
	b.update("rectifying", 3, 20)
	if state := b.shown.State(); state.CurrentNum != 3 || state.Max != 20 {
		t.Errorf("%d of %d", state.CurrentNum, state.Max)
	}
	b.update("rectifying", 20, 20)
	if state := b.shown.State(); state.CurrentNum != 20 || !b.shown.IsFinished() {
		t.Errorf("%d of %d", state.CurrentNum, state.Max)
	}
}

// TestBarTotal wants a total that becomes known later, and the unit of each stage.
func TestBarTotal(t *testing.T) {
	var out bytes.Buffer
	b := newBar(&out)
	b.update("rectifying", 0, 0)
	b.update("rectifying", 2, 19)
	if state := b.shown.State(); state.CurrentNum != 2 || state.Max != 19 {
		t.Errorf("%d of %d", state.CurrentNum, state.Max)
	}
	for stage, want := range map[string]string{"writing": "rows", "sketching": "documents", "rectifying": "steps"} {
		if got := unitOf(stage); got != want {
			t.Errorf("%s counts %s, want %s", stage, got, want)
		}
	}
}

// TestRounded wants three significant digits, and values that JSON can hold.
func TestRounded(t *testing.T) {
	for value, want := range map[float64]string{0.00123456: "0.00123", 157.204: "157", 1e21: "1e+21", -0.25: "-0.25", math.Inf(1): "+Inf", math.NaN(): "NaN"} {
		if got := rounded(slog.Float64("x", value)).Value.String(); got != want {
			t.Errorf("%v: %s, want %s", value, got, want)
		}
	}
	if got := rounded(slog.Int("x", 123456)).Value.String(); got != "123456" {
		t.Errorf("a whole number: %s", got)
	}
}
