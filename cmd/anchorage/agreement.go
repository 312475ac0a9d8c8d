// This file compares what the ranks of a job are to do, before anything is read. Ranks that do not agree would wait for each other for ever, or
// make a model of nothing in particular.

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/internal/collective"
	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/shard"
)

// What ranks compare.
const (
	comparedProgram = "program"
	comparedOptions = "options"
	comparedShards  = "shards"
)

// mayDiffer are the flags that may differ among ranks: they concern the machine or the log.
var mayDiffer = []string{"workers", "log-level", "log-format", "quiet", "progress", "cpu-profile", "spill-dir", "metrics-file", "openlineage", "job-name", "no-disk-check", "json", "help"}

// rankless are the flags of fit that only one process can obey, with the value that stands for none.
var rankless = []struct{ flag, none string }{
	{"group", "false"}, {"levels", ""}, {"neighbours", "0"}, {"documents", "false"}, {"diagnostics", "false"},
}

// disagreement is a *collective.DisagreementError with the names of the hosts.
type disagreement struct {
	*collective.DisagreementError
	host, first string // of the rank that differs, and of rank 0
}

func (e *disagreement) Error() string {
	return fmt.Sprintf("the ranks do not agree on the %s: rank %d%s has %s, and rank 0%s has %s", e.What, e.Rank, onHost(e.host), orNothing(e.Other), onHost(e.first), orNothing(e.Own))
}

func (e *disagreement) Unwrap() error { return e.DisagreementError }

func onHost(host string) string {
	if host == "" {
		return ""
	}
	return " on " + host
}

func orNothing(text string) string {
	if text == "" {
		return "nothing there"
	}
	return fmt.Sprintf("%q", text)
}

// unsharedError says that ranks do not see the folder of the output.
type unsharedError struct {
	folder string
	rank   int
	host   string
}

func (e *unsharedError) Error() string {
	return fmt.Sprintf("rank %d%s does not see what rank 0 writes to %s: all ranks need the same folder", e.rank, onHost(e.host), e.folder)
}

// overRanks checks what fit is to do on several ranks.
func (p *program) overRanks(cmd *cobra.Command, args []string) error {
	ctx, flags := cmd.Context(), cmd.Flags()
	if slices.Contains(args, "-") {
		return alone(ctx, "reading standard input")
	}
	for _, r := range rankless {
		if flag := flags.Lookup(r.flag); flag != nil && flag.Value.String() != r.none {
			return alone(ctx, "--"+r.flag)
		}
	}
	if flag := flags.Lookup("topics"); flag != nil && flag.Value.String() == topicsAuto {
		return alone(ctx, "-k auto")
	}
	if err := p.agreeOn(ctx, comparedProgram, programLines()); err != nil {
		return err
	}
	if err := p.agreeOn(ctx, comparedOptions, optionLines(flags)); err != nil {
		return err
	}
	output := flags.Lookup("output").Value.String()
	if err := needOutput(output); err != nil || objects.IsURL(output) {
		return err
	}
	local, err := objects.Local(output)
	if err != nil {
		return err
	}
	return p.shareFolder(ctx, filepath.Dir(local))
}

// agreeOn returns a *disagreement unless all ranks have the same lines.
func (p *program) agreeOn(ctx context.Context, what string, lines []string) error {
	err := collective.AgreeLines(ctx, collective.From(ctx), what, lines)
	if differs := new(collective.DisagreementError); errors.As(err, &differs) {
		return &disagreement{differs, p.ranks.hostOf(differs.Rank), p.ranks.hostOf(0)}
	}
	return err
}

// agreeOnShards returns an error unless all ranks see the same shards, in whatever folder.
func (p *program) agreeOnShards(ctx context.Context, shards []shard.Shard) error {
	if collective.From(ctx) == nil {
		return nil
	}
	lines := make([]string, len(shards))
	for i, s := range shards {
		name, _, _ := strings.Cut(filepath.ToSlash(s.Path), "?")
		lines[i] = fmt.Sprintf("%s with %d bytes", path.Base(name), s.Size)
	}
	return p.agreeOn(ctx, comparedShards, lines)
}

// programLines describe the program. Other instructions round differently, and what every rank computes for itself must come out the same.
func programLines() []string {
	lines := []string{"anchorage " + model.Version, "instructions " + model.Instructions(), runtime.Version() + " on " + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
				lines = append(lines, s.Key+" "+s.Value)
			}
		}
	}
	return lines
}

// optionLines describe the flags that must agree.
func optionLines(flags *pflag.FlagSet) (lines []string) {
	flags.VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(mayDiffer, flag.Name) {
			lines = append(lines, "--"+flag.Name+"="+flag.Value.String())
		}
	})
	return lines
}

// How long, and how often, a rank looks for what another has written: folders of networks take a while.
const (
	shareWait = 5 * time.Second
	shareStep = 50 * time.Millisecond
)

// shareFolder returns an error unless all ranks see the same folder: rank 0 writes a file with a random name there, and the others look for it.
func (p *program) shareFolder(ctx context.Context, folder string) (err error) {
	c := collective.From(ctx)
	name := make([]byte, 26)
	var failed error
	if c.First() {
		copy(name, rand.Text())
		marker := filepath.Join(folder, markerName(name))
		if failed = os.WriteFile(marker, nil, 0o600); failed == nil {
			defer func() { err = errors.Join(err, os.Remove(marker)) }()
		}
		if failed != nil {
			return failed
		}
	}
	if err := collective.Broadcast(ctx, c, 0, name); err != nil {
		return err
	}
	seen := []int64{1}
	if !c.First() && !appears(ctx, filepath.Join(folder, markerName(name))) {
		seen[0] = 0
	}
	all, err := collective.AllGather(ctx, c, seen)
	if err != nil {
		return err
	}
	for rank, seen := range all {
		if seen[0] == 0 {
			written, err := firstsFolder(ctx, folder)
			if err != nil {
				return err
			}
			return &unsharedError{written, rank, p.ranks.hostOf(rank)}
		}
	}
	return nil
}

// firstsFolder returns the whole path of a folder as rank 0 sees it: a relative one may mean something else on each rank.
func firstsFolder(ctx context.Context, folder string) (string, error) {
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	all, err := collective.AllGather(ctx, collective.From(ctx), []byte(folder))
	if err != nil {
		return "", err
	}
	return string(all[0]), nil
}

func markerName(token []byte) string { return ".anchorage-" + string(token) }

// appears reports whether a file is there, or comes soon.
func appears(ctx context.Context, path string) bool {
	for until := time.Now().Add(shareWait); ; {
		if _, err := os.Stat(path); err == nil {
			return true
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return false
		}
		time.Sleep(shareStep)
	}
}
