// This file compares what the ranks of a job are to do, before anything is read. Ranks that do not agree would wait for each other for ever, or
// make a model of nothing in particular.

package main

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/internal/collective"
	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
)

// What ranks compare.
const (
	comparedProgram = "program"
	comparedOptions = "options"
	comparedShards  = "shards"
)

// rankless are the flags of fit that only one process can obey, with the value that turns each off.
var rankless = []struct{ flag, none string }{
	{"group", "false"}, {"levels", ""}, {"neighbours", "0"}, {"documents", "false"}, {"diagnostics", "false"},
}

// overRanks checks what fit is to do on several ranks.
func (p *program) overRanks(cmd *cobra.Command, args []string) error {
	ctx, flags := cmd.Context(), cmd.Flags()
	if slices.Contains(args, "-") {
		return needOneProcess(ctx, "reading standard input")
	}
	for _, r := range rankless {
		if flag := lookup(flags, r.flag); flag != nil && flag.Value.String() != r.none {
			return needOneProcess(ctx, spelled(flags, r.flag))
		}
	}
	if flag := flags.Lookup("topics"); flag != nil && flag.Value.String() == topicsAuto {
		return needOneProcess(ctx, "-k auto")
	}
	if err := collective.Agree(ctx, p.ranks.comm, comparedProgram, programLines()...); err != nil {
		return err
	}
	if err := collective.Agree(ctx, p.ranks.comm, comparedOptions, linesOf(flags, learns, reads, once, none)...); err != nil {
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
	return collective.ShareFolder(ctx, p.ranks.comm, filepath.Dir(local))
}

// agreeOnShards returns an error unless all ranks see the same shards, in whatever folder.
func (p *program) agreeOnShards(ctx context.Context, shards []shard.Shard) error {
	lines := make([]string, len(shards))
	for i, s := range shards {
		name, _, _ := strings.Cut(filepath.ToSlash(s.Path), "?")
		lines[i] = fmt.Sprintf("%s with %d bytes", path.Base(name), s.Size)
	}
	return collective.Agree(ctx, p.ranks.comm, comparedShards, lines...)
}

// programLines describe the program. Other instructions round differently, and what every rank computes for itself must come out the same.
func programLines() []string {
	lines := []string{"anchorage " + model.Version, "instructions " + fit.Instructions(), runtime.Version() + " on " + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
				lines = append(lines, s.Key+" "+s.Value)
			}
		}
	}
	return lines
}
