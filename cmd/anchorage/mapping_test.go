package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/shard"
)

// TestSayMappings wants a line on a terminal, whose log does not show the mapping, and none beside a log that does.
func TestSayMappings(t *testing.T) {
	var files []string
	for _, name := range []string{"a.csv", "b.csv"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("order;sku;qty\n1;a;2\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	for _, test := range []struct {
		terminal bool
		level    slog.Level
		want     string
	}{
		{true, slog.LevelWarn, "Reading 2 shards, " + files[0] +
			` first, as csv separated by ";", a row per document and item: documents "order", ` +
			`items "sku", counts "qty" (round)` + "\n"},
		{true, slog.LevelInfo, `level=INFO msg=mapping shards=2`},
		{false, slog.LevelInfo, `level=INFO msg=mapping shards=2`},
		{false, slog.LevelError, ""},
	} {
		var out bytes.Buffer
		f, p := sourceOf(t, "--counts", "round")
		p.stderr, p.log = &out, slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: test.level}))
		if test.terminal {
			p.bar = &bar{out: &out}
		}
		if _, err := f.discover(t.Context(), p, files); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if !strings.Contains(got, test.want) || test.want == "" && got != "" ||
			strings.Contains(got, "Reading") != strings.HasPrefix(test.want, "Reading") {
			t.Errorf("terminal %v, level %v: %q, want %q", test.terminal, test.level, got, test.want)
		}
	}
}

// TestLayoutUses wants flags about some formats to exist, and to apply to a format at least, but not to all.
func TestLayoutUses(t *testing.T) {
	flags := new(program).fitCommand().Flags()
	for _, use := range layoutUses {
		applies, all := 0, shard.Formats()
		for _, known := range all {
			if use.applies(known) {
				applies++
			}
		}
		if lookup(flags, use.flag) == nil || applies == 0 || applies == len(all) {
			t.Errorf("--%s applies to %d of %d formats", use.flag, applies, len(all))
		}
	}
}

// TestQuoted wants arguments to be as a shell takes them.
func TestQuoted(t *testing.T) {
	for arg, want := range map[string]string{"a.csv": "a.csv", "": "''", "two words": "'two words'", "it's": `'it'\''s'`,
		"*.csv": "'*.csv'", "s3://b/k": "s3://b/k"} {
		if got := quoted(arg); got != want {
			t.Errorf("%q: %s, want %s", arg, got, want)
		}
	}
}
