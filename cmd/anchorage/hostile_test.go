package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostileNames are ids that a terminal or a spreadsheet would obey.
var hostileNames = []string{"\x1b]0;owned\x07", "\x1b[31mred", "gone\rFORGED", "two\nFORGED lines", "nul\x00byte",
	"\u202egnp.exe", "\u2066iso", "\u009b2J", "=1+1", "+1", "-5", "@SUM(A1)",
	"\tFORGED", "\rFORGED", "＝1"}

// writeHostile writes documents whose items, ids and folder have such names, and returns the path of the folder.
func writeHostile(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "shards\nFORGED\x1b[2J\u202e")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for d := range 400 {
		var words []string
		for i := range 6 {
			words = append(words, hostileNames[(d%3*5+(d/3*7+i*i)%5+i/5)%len(hostileNames)])
		}
		if err := json.NewEncoder(&lines).Encode(map[string]any{"id": fmt.Sprintf("%s %d", hostileNames[d%len(hostileNames)],
			d), "items": words, "date": []string{"2024-01-05", "2024-03-05"}[d%2]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "a\x1b[31m\nFORGED.jsonl"), []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestHostileNames runs every command that prints names, on names that a terminal would obey. No stream holds a
// character that it would obey, and no line begins where a name has a line break.
func TestHostileNames(t *testing.T) {
	folder := writeHostile(t)
	t.Chdir(t.TempDir())
	keep := []string{"--min-df", "1", "--max-df-ratio", "1", "--min-items", "1", "--min-tokens", "1",
		"--log-level", "debug"}
	with := func(args ...string) []string { return append(args, keep...) }
	for _, test := range []struct {
		code int
		args []string
	}{
		{exitDone, []string{"inspect", folder, "--log-level", "debug"}},
		{exitDone, []string{"inspect", folder, "--full", "--json"}},
		{exitDone, with("vocab", folder, "-o", "v\nFORGED.parquet")[:8]},
		{exitDone, with("fit", folder, "-k", "3", "-o", "m\nFORGED", "--neighbours", "5", "--refine", "2")},
		{exitDone, with("fit", folder, "-k", "3", "-o", "m2\nFORGED", "--log-format", "json")},
		{exitDone, with("bayes", "fit", "--model", "lda", folder, "-k", "3", "-o", "b\nFORGED", "--batch")},
		{exitDone, []string{"topics", "m\nFORGED", "--top", "20"}},
		{exitDone, []string{"compare", "m\nFORGED", "m2\nFORGED"}},
		{exitDone, []string{"compare", "m\nFORGED", "m2\nFORGED"}},
		{exitDone, []string{"topics", "m\nFORGED", "--top", "20"}},
		{exitDone, []string{"topics", "m\nFORGED", "--json"}},
		{exitDone, []string{"topics", "m\nFORGED", "--json"}},
		{exitDone, []string{"items", "m\nFORGED", "search", "FORGED"}},
		{exitDone, []string{"items", "m\nFORGED", "search", "\x1b"}},
		{exitDone, []string{"items", "m\nFORGED", "similar", "two\nFORGED lines"}},
		{exitDone, []string{"items", "m\nFORGED", "with", "two\nFORGED lines"}},
		{exitDone, []string{"items", "m\nFORGED", "show", "two\nFORGED lines"}},
		{exitDone, []string{"items", "m\nFORGED", "topics", "two\nFORGED lines"}},
		{exitDone, []string{"transform", "m\nFORGED", folder, "-o", "d\nFORGED", "--time-column", "date"}},
		{exitDone, []string{"trends", "d\nFORGED", "-o", "trends.parquet"}},
		{exitDone, []string{"eval", "m\nFORGED", folder, "-o", "figures.json"}},
		{exitInput, []string{"items", "m\nFORGED", "show", "none\nFORGED\x1b"}},
		{exitExists, with("fit", folder, "-k", "3", "-o", "m\nFORGED")},
		{exitInput, []string{"topics", "nowhere\nFORGED\u202e"}},
		{exitUsage, []string{"fit", folder, "-k", "two\nFORGED\x1b", "-o", "x"}},
		{exitUsage, []string{"two\nFORGED\x1b"}},
	} {
		code, stdout, stderr := outputs(t, test.args...)
		if code != test.code && !(test.code == exitInput && code == exitFailed) {
			t.Errorf("%q: code %d: %s", test.args, code, stderr)
		}
		for name, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
			if obeys(text) {
				t.Errorf("%q: %s holds a character that a terminal obeys: %q", test.args, name, text)
			}
			for line := range strings.Lines(text) {
				if strings.HasPrefix(strings.TrimSpace(line), "FORGED") {
					t.Errorf("%q: %s has a line of a name's own: %q", test.args, name, line)
				}
			}
		}
	}
}

// outputs runs a command line and returns what it writes.
func outputs(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err strings.Builder
	code = run(t.Context(), args, nil, &out, &err)
	return code, out.String(), err.String()
}

// TestHostileCells wants every cell of the tables for spreadsheets to be text.
func TestHostileCells(t *testing.T) {
	folder := writeHostile(t)
	t.Chdir(t.TempDir())
	execute(t, exitDone, "fit", folder, "-k", "3", "-o", "m", "--min-df", "1", "--max-df-ratio", "1", "--min-items", "1",
		"--min-tokens", "1", "--refine", "none", "-q")
	execute(t, exitDone, "export", "m", "--to", "csv", "-o", "tables")
	files, err := filepath.Glob("tables/*.csv")
	if err != nil || len(files) < 5 {
		t.Fatalf("%v, %v", files, err)
	}
	names := make(map[string]bool)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range slices.Concat(rows...) {
			names[cell] = true
			if cell != "" && (obeys(cell) || strings.ContainsAny(cell, "\n\t") || strings.ContainsAny(cell[:1], "=+-@")) {
				t.Errorf("a cell is %q", cell)
			}
		}
	}
	if !names["'-5"] || !names[`\x1b[31mred`] || !names["'＝1"] {
		t.Error("names are missing")
	}
}
