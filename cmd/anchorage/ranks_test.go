package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"anchorage/internal/collective"
	"anchorage/shard"
)

// together runs a command line on every rank of a job, as goroutines of this process, and returns what each says and
// its exit code.
func together(t *testing.T, ranks int, line func(rank int) []string) (codes []int, out, said []string) {
	t.Helper()
	codes, out, said = make([]int, ranks), make([]string, ranks), make([]string, ranks)
	_ = collective.Together(t.Context(), ranks, func(ctx context.Context) error {
		r := collective.From(ctx).Rank()
		var stdout, stderr bytes.Buffer
		codes[r] = run(ctx, line(r), strings.NewReader(""), &stdout, &stderr)
		out[r], said[r] = stdout.String(), stderr.String()
		return nil // an error would end those that are about to fail alike
	})
	return codes, out, said
}

func TestRanksDisagree(t *testing.T) {
	shards, results := t.TempDir(), t.TempDir()
	if err := writeSynthetic(shards, 3, 1); err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(results, "m")
	for _, test := range []struct {
		name string
		own  func(rank int) []string // added to the command line of each rank
		code int
		text string
	}{
		{"seed", func(rank int) []string { return []string{shards, "--seed", strconv.Itoa(rank / 2)} }, exitUsage,
			`do not agree on the options: rank 2 has "--seed=1", and rank 0 has "--seed=0": give all ranks the same flags`},
		{"standard input", func(int) []string { return []string{"-"} }, exitUsage,
			"reading standard input is not possible on several ranks"},
		{"a number to choose", func(int) []string { return []string{shards, "-k", "auto"} }, exitUsage,
			"-k auto is not possible on several ranks"},
		{"levels", func(int) []string { return []string{shards, "--levels", "3,8"} }, exitUsage,
			"--levels is not possible on several ranks"},
		{"pairs", func(int) []string { return []string{shards, "--neighbours", "5"} }, exitUsage,
			"--neighbours is not possible on several ranks"},
		{"diagnostics", func(int) []string { return []string{shards, "--set=diagnostics=true"} }, exitUsage,
			"--set diagnostics is not possible on several ranks"},
		{"one pass", func(int) []string { return []string{shards, "--passes", "1"} }, exitUsage,
			"--passes: on 3 ranks: only one process, or tasks, make a single pass"},
		{"groups", func(int) []string { return []string{shards, "--group"} }, exitUsage,
			"--group is not possible on several ranks"},
	} {
		t.Run(test.name, func(t *testing.T) {
			codes, out, said := together(t, 3, func(rank int) []string {
				return append([]string{"fit", "-k", "8", "-o", output, "--log-level", "error", "--workers", strconv.Itoa(rank + 1)},
					test.own(rank)...)
			})
			for rank, code := range codes {
				if code != test.code || out[rank] != "" || !strings.Contains(said[rank], test.text) {
					t.Errorf("rank %d: code %d, %q", rank, code, said[rank])
				}
				if rank > 0 && !strings.Contains(said[rank], "anchorage: rank "+strconv.Itoa(rank)+" on ") {
					t.Errorf("rank %d does not say who it is: %q", rank, said[rank])
				}
			}
			if left, err := os.ReadDir(results); err != nil || len(left) > 0 {
				t.Errorf("%v is left: %v", left, err)
			}
		})
	}
}

// TestRanksFindOutput has ranks find that an output exists: all end alike, so that one can say it.
func TestRanksFindOutput(t *testing.T) {
	shards, output := t.TempDir(), t.TempDir()
	if err := writeSynthetic(shards, 3, 1); err != nil {
		t.Fatal(err)
	}
	codes, _, said := together(t, 3, func(int) []string { return []string{"fit", shards, "-k", "8", "-o", output} })
	for rank, code := range codes {
		if code != exitExists || !strings.Contains(said[rank], output+": output exists already: choose another -o") {
			t.Errorf("rank %d: code %d, %q", rank, code, said[rank])
		}
	}
}

// TestRanksSeeOtherShards has rank 1 see two shards of three, in another folder.
func TestRanksSeeOtherShards(t *testing.T) {
	seen := [][]shard.Shard{{{Path: "/a/x", Size: 10}, {Path: "/a/y", Size: 20}, {Path: "/a/z", Size: 30}},
		{{Path: "/b/x", Size: 10}, {Path: "/b/z", Size: 30}}}
	for _, own := range [][]int{{0, 0, 0}, {0, 1, 0}} {
		agreed := collective.Together(t.Context(), 3, func(ctx context.Context) error {
			p := new(program)
			p.ranks.comm = collective.From(ctx)
			rank := p.ranks.comm.Rank()
			err := p.agreeOnShards(ctx, seen[own[rank]])
			if own[1] == 0 {
				return err
			}
			if exitCode(err) != exitInput || !strings.Contains(message(err),
				`rank 1 has "z with 30 bytes", and rank 0 has "y with 20 bytes": all ranks must see the same files`) {
				t.Errorf("rank %d: %v", rank, err)
			}
			return nil
		})
		if agreed != nil {
			t.Error(agreed)
		}
	}
}

// TestFolderNotShared has a rank look in another folder than that in which rank 0 writes.
func TestFolderNotShared(t *testing.T) {
	folders := []string{t.TempDir(), t.TempDir()}
	_ = collective.Together(t.Context(), 3, func(ctx context.Context) error {
		c := collective.From(ctx)
		rank := c.Rank()
		err := collective.ShareFolder(ctx, c, folders[rank/2])
		if unshared := new(collective.UnsharedError); !errors.As(err, &unshared) || unshared.Rank != 2 ||
			exitCode(err) != exitInput || unshared.Folder != folders[0] || !strings.Contains(message(err),
			"name a folder with -o") {
			t.Errorf("rank %d: %v", rank, err)
		}
		return nil
	})
	if err := collective.Together(t.Context(), 3, func(ctx context.Context) error {
		return collective.ShareFolder(ctx,
			collective.From(ctx), folders[0])
	}); err != nil {
		t.Error(err)
	}
	for _, folder := range folders {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%v is left: %v", left, err)
		}
	}
}

// TestRanksFlags checks that the tables name flags of fit.
func TestRanksFlags(t *testing.T) {
	flags := new(program)
	cmd, _, err := flags.root().Find([]string{"fit"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rankless {
		if flag := lookup(cmd.Flags(), r.flag); flag == nil || flag.DefValue != r.none {
			t.Errorf("--%s has not the default %q", r.flag, r.none)
		}
	}
}
