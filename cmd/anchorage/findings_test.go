package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"anchorage/internal/table"
	"anchorage/model"
	"anchorage/rectify"
)

func TestRectifyWarning(t *testing.T) {
	for _, record := range []*model.RectifyRecord{nil, {Converged: true}, {Change: 0.1}} {
		if line := rectifyWarning(record); line != "" {
			t.Errorf("%+v: %q", record, line)
		}
	}
	asked := rectifyWarning(&model.RectifyRecord{Iterations: 3, Change: 0.005})
	if !strings.Contains(asked, "ended after 3 iterations, as asked, and had not settled") {
		t.Errorf("%q", asked)
	}
	line := rectifyWarning(&model.RectifyRecord{Unsettled: true, Iterations: 35, Change: 0.002,
		Negative: &rectify.Negativity{Mass: 0.01}})
	if !strings.Contains(line, "not settled after 35 iterations: the last still moved it by 0.002 ") ||
		!strings.Contains(line, "add up to 0.01 of the sum") {
		t.Errorf("%q", line)
	}
}

func TestPrintWarning(t *testing.T) {
	var out strings.Builder
	printWarning(&out, "")
	printWarning(&out, "one")
	if want := "\nWarnings:\n- one\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestPrint wants// TestPrint wants text or JSON, and the error of a stdout that is full.
func TestPrint(t *testing.T) {
	value, text := map[string]string{"a<b": "c&d"}, func(w io.Writer) { io.WriteString(w, "text\n") }
	for asJSON, want := range map[bool]string{false: "text\n", true: "{\"a<b\":\"c&d\"}\n"} {
		var out strings.Builder
		p := &program{stdout: &out, json: asJSON}
		if err := p.print(value, text); err != nil || out.String() != want {
			t.Errorf("%q, %v, want %q", out.String(), err, want)
		}
		p.stdout = &failing{3}
		if err := p.print(value, text); !errors.Is(err, errRoom) {
			t.Errorf("JSON %v on a full disk: %v", asJSON, err)
		}
	}
	var out strings.Builder
	p := &program{stdout: &out, colours: true}
	err := p.print(value, func(w io.Writer) {
		fmt.Fprint(w, "\x1b[31m ")
		w.(table.Ink).Ink(2, "film\x1b[0m")
	})
	if want := "\\x1b[31m \x1b[38;5;166mfilm\\x1b[0m\x1b[39m"; err != nil || out.String() != want {
		t.Errorf("in colour: %q, %v, want %q", out.String(), err, want)
	}
	t.Setenv("NO_COLOR", "1")
	if (&program{stdout: os.Stdout}).coloured() || (&program{stdout: &out}).coloured() {
		t.Error("colours although NO_COLOR is set, or without a terminal")
	}
	for relevance, want := range map[float64]string{1: "probable", 0.6: "relevant (--set relevance=0.6)"} {
		if got := prominence(&model.AnchorRecord{Relevance: relevance}); got != want {
			t.Errorf("%v: %s", relevance, got)
		}
	}
}

// failing is a writer that fails after some bytes.
type failing struct{ room int }

var errRoom = errors.New("no room")

// Write implements io.Writer.
func (f *failing) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errRoom
	}
	return len(p), nil
}
