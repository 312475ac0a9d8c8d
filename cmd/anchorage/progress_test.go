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
	b := &bar{out: &out}
	b.update("reading", 10<<20, 100<<20)
	if !strings.Contains(out.String(), "reading      10% |███ ") || !strings.Contains(out.String(),
		"10 MiB of 100 MiB, ") {
		t.Errorf("the stage is not shown: %q", out.String())
	}
	out.Reset()
	b.update("reading", 20<<20, 100<<20)
	if out.Len() > 0 {
		t.Errorf("a second line within %v: %q", drawEvery, out.String())
	}
	b.update("sketching", 1000, 0) // an unknown total
	if got := out.String(); !strings.Contains(got, "sketching   1,000 documents") || strings.Contains(got, "reading") {
		t.Errorf("after the change of the stage: %q", got)
	}
	out.Reset()
	b.close()
	if got := out.String(); got != "\r\x1b[K" {
		t.Errorf("closing writes %q", got)
	}
	out.Reset()
	b.close()
	if out.Len() > 0 {
		t.Errorf("closing twice writes %q", out.String())
	}
	b.update("rectifying", 20, 20)
	if !strings.Contains(out.String(), "100%") || strings.Contains(out.String(), "to go") {
		t.Errorf("at the end: %q", out.String())
	}
}

// TestUnits wants the unit of each stage.
func TestUnits(t *testing.T) {
	for stage, want := range map[string]string{"writing": "rows", "sketching": "documents", "rectifying": "iterations"} {
		if got := unitOf(stage); got != want {
			t.Errorf("%s counts %s, want %s", stage, got, want)
		}
	}
}

// TestRounded wants three significant digits, and values that JSON can hold.
func TestRounded(t *testing.T) {
	for value, want := range map[float64]string{0.00123456: "0.00123", 157.204: "157", 1e21: "1e+21", -0.25: "-0.25",
		math.Inf(1): "+Inf", math.NaN(): "NaN"} {
		if got := rounded(slog.Float64("x", value)).Value.String(); got != want {
			t.Errorf("%v: %s, want %s", value, got, want)
		}
	}
	if got := rounded(slog.Int("x", 123456)).Value.String(); got != "123456" {
		t.Errorf("a whole number: %s", got)
	}
}
