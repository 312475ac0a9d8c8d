// This file runs fit as one of several ranks: it joins them, and ends with them. Rank 0 speaks for all.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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

// ranks is what a process knows of the job of which it is a part.
type ranks struct {
	job     *collective.Job  // nil for a single process, and in tests
	comm    *collective.Comm // nil for a single process
	host    string
	started collective.Launch
	refused bool // each process refuses alike, before it has met the others
}

// quiet reports whether the process leaves what all ranks would say to rank 0.
func (r *ranks) quiet() bool { return !r.comm.First() }

// prefix returns what a line of this rank begins with, "" on rank 0 and in a single process.
func (r *ranks) prefix() string {
	if r.comm.First() {
		return ""
	}
	return fmt.Sprintf("rank %d on %s: ", r.comm.Rank(), r.host)
}

// join joins the job of several processes that this one was started for, if it was. Before anything is read, the ranks
// compare what they are to do.
func (p *program) join(cmd *cobra.Command, args []string) error {
	ctx, r := cmd.Context(), &p.ranks
	if r.comm = collective.From(ctx); r.comm == nil {
		r.started = collective.Launched(os.LookupEnv)
		task := cmd.Flags().Lookup("task") // it knows nothing of others, however many were started together
		if !r.started.Together() || task != nil && task.Value.String() != "" {
			r.started = collective.Launch{}
			return nil
		}
		if err := runsOverRanks(cmd, r.started); err != nil {
			r.refused = true
			return err
		}
		var err error
		if ctx, err = r.meet(ctx); err != nil {
			r.refused = errors.As(err, new(*collective.LaunchError))
			return &runError{err}
		}
		cmd.SetContext(ctx)
	}
	if r.comm == nil {
		return nil
	}
	if r.host == "" { // a test
		r.host = "this machine"
	}
	if r.quiet() {
		p.stdout = io.Discard
		p.outcome.metricsFile = "" // rank 0 reports the run
	}
	if err := p.overRanks(cmd, args); err != nil {
		return &runError{err}
	}
	return nil
}

// meet joins the job, and returns a context with its ranks.
func (r *ranks) meet(ctx context.Context) (_ context.Context, err error) {
	if ctx, r.job, err = collective.Join(ctx); err == nil {
		r.comm = collective.From(ctx)
		r.host = r.comm.Host(r.comm.Rank())
	}
	return ctx, err
}

// joinToRefuse joins the job of a fit whose command line is wrong, so that one rank says so for all that have the same.
// It does nothing once the ranks have joined, or have refused alike.
func (p *program) joinToRefuse(ctx context.Context, cmd *cobra.Command) {
	r := &p.ranks
	if r.comm != nil || r.refused {
		return
	}
	r.started = collective.Launched(os.LookupEnv)
	if !r.started.Together() || cmd.Flags().Lookup("task") != nil {
		r.started = collective.Launch{}
		return
	}
	if cmd.CommandPath() == "anchorage fit" && collective.Implementation() != "" {
		if _, err := r.meet(ctx); err == nil {
			return
		}
	}
	r.refused = true
}

// runsOverRanks returns an error for commands that only one process can run.
func runsOverRanks(cmd *cobra.Command, how collective.Launch) error {
	if cmd.CommandPath() == "anchorage fit" {
		return nil
	}
	count := "several"
	if how.Ranks > 0 {
		count = fmt.Sprint(how.Ranks)
	}
	return &usageError{fmt.Errorf("%s runs in one process, but %s of it were started together by %s: start it once; "+
		"only fit runs on several ranks", cmd.CommandPath(), count, how.Launcher)}
}

// endRanks ends the job with the error of this process, and returns the error that counts and whether to say it.
func (p *program) endRanks(err error) (counts error, speak bool) {
	r := &p.ranks
	if r.job == nil {
		return err, !r.refused || r.started.Rank <= 0
	}
	// A result that is complete but falls short of what was asked for is no reason to end the others.
	if p.saved != "" || errors.As(err, new(*model.ShortError)) {
		if counts, speak = r.job.End(nil); counts == nil || err != nil {
			return err, true
		}
		return &runError{&unreportedError{p.saved, counts}}, speak
	}
	if counts, speak = r.job.End(err); counts != nil && !errors.As(counts, new(*runError)) && !errors.Is(counts, err) {
		counts = &runError{counts}
	}
	return counts, speak
}

// needOneProcess returns an error if there are several ranks.
func needOneProcess(ctx context.Context, what string) error {
	if collective.From(ctx) == nil {
		return nil
	}
	return &usageError{fmt.Errorf("%s is not possible on several ranks: run it in one process", what)}
}

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
	if err := collective.Agree(ctx, p.ranks.comm, comparedOptions, linesOf(flags, learns, reads, gates,
		once, none)...); err != nil {
		return err
	}
	output := flags.Lookup("output").Value.String()
	if output == "" || objects.IsURL(output) { // guard refuses none
		return nil
	}
	if err := folderOf("-o", output); err != nil {
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

// programLines describe the program. Other instructions round differently, and what every rank computes for itself must
// come out the same.
func programLines() []string {
	lines := []string{"anchorage " + model.Version, "instructions " + fit.Instructions(), runtime.Version() + " on " +
		runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
				lines = append(lines, s.Key+" "+s.Value)
			}
		}
	}
	return lines
}
