// This file collects what a run leaves for those who watch it, and publishes it at the end, whatever the end is: metrics for Prometheus.

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/internal/process"
	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/model/fit"
	"anchorage/shard"
)

// outcome is what is known of a run. Commands fill it while they work, and nothing of it needs to be there.
type outcome struct {
	metricsFile, job string // flags

	started  time.Time
	ended    time.Time
	code     int
	command  string // such as "bayes fit"
	skipped  int    // shards
	peak     int64  // resident memory, in bytes
	cpu      float64
	shards   int
	bytes    int64 // of the shards; 0 if the size of one is unknown
	run      *fit.Run
	account  *corpus.Account // of what was read; that of the manifest is complete
	manifest *model.Manifest // of the result
	// transformed describes the documents of transform.
	transformed *model.DocumentsRecord
	// figures are further metrics of a command, such as how far topics have drifted. metricPrefix comes before their names.
	figures []figure
}

// figure is a metric that one command alone has.
type figure struct {
	name, help string
	value      float64
}

// monitorRows say who is told of a run.
func (p *program) monitorRows() []row {
	o := &p.outcome
	return []row{
		{name: "metrics-file", group: outputGroup, layer: advanced, effect: local, to: &o.metricsFile, values: metricsFile, help: "file for the figures of the run, as Prometheus reads them; also if it fails"},
		{name: "job-name", group: outputGroup, layer: advanced, effect: local, to: &o.job, values: anyText.named("NAME"), help: "name of the job in metrics; anchorage.COMMAND if not given"},
	}
}

// begin notes the beginning of a command, once its flags are read.
func (p *program) begin(cmd *cobra.Command) {
	o := &p.outcome
	o.command = strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// folderOf checks that the folder of a file exists that a flag names.
func folderOf(flag, path string) error {
	if objects.IsURL(path) {
		return nil
	}
	local, err := objects.Local(path)
	if err != nil {
		return &usageError{fmt.Errorf("%s: %w", flag, err)}
	}
	folder := objects.Folder(local)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return &usageError{fmt.Errorf("%s %s: there is no folder %s: make it first", flag, path, folder)}
	}
	return nil
}

// jobName returns the name of the job.
func (o *outcome) jobName() string {
	if o.job != "" {
		return o.job
	}
	return "anchorage." + strings.ReplaceAll(o.command, " ", ".")
}

// read notes the shards that a run reads.
func (o *outcome) read(shards []shard.Shard) {
	o.shards, o.bytes = len(shards), 0
	for _, s := range shards {
		if s.Size <= 0 {
			o.bytes = 0
			return
		}
		o.bytes += s.Size
	}
}

// made notes the result of a stage.
func (o *outcome) made(result saved) {
	switch r := result.(type) {
	case *fit.Fitted:
		o.manifest = &r.Manifest
	case *fit.Sketched:
		o.manifest = &r.Manifest
	case *fit.Rectified:
		o.manifest = &r.Manifest
	}
}

// drifted notes what became of the topics of the generation before; nil if there was none.
func (o *outcome) drifted(d *drift.Drift) {
	if d == nil {
		return
	}
	s := &d.Summary
	for _, f := range []struct {
		name, help string
		topics     int
	}{
		{"topics_kept", "topics of the generation before that go on", s.Kept},
		{"topics_born", "topics that continue none of the generation before", s.Born},
		{"topics_died", "topics of the generation before that have ended", s.Died},
		{"topics_split", "topics of the generation before that are several now", s.Split},
		{"topics_merged", "topics of the generation before that are part of one now", s.Merged},
	} {
		o.figures = append(o.figures, figure{f.name, f.help, float64(f.topics)})
	}
	o.figures = append(o.figures, figure{"topic_distance", "mean Hellinger distance of topics that go on, from 0 to 1", s.MeanDistance})
}

// publish writes the metrics of a run that ended with a code. That they cannot be written is a warning: the work of the run is done, or has
// failed for another reason.
func (p *program) publish(ctx context.Context, command *cobra.Command, args []string, code int) {
	o := &p.outcome
	if o.command == "" { // the command line was refused before the command began
		o.command = strings.TrimPrefix(command.CommandPath(), command.Root().Name()+" ")
		o.metricsFile = writtenFlag(command, args, "metrics-file", o.metricsFile)
		o.job = writtenFlag(command, args, "job-name", o.job)
	}
	if o.metricsFile == "" {
		return
	}
	o.ended, o.code, o.skipped = p.now(), code, len(p.skipped)
	o.peak, o.cpu = process.PeakMemory(), process.CPUSeconds()
	ctx = context.WithoutCancel(ctx)
	failed := output.CheckPlace(ctx, o.metricsFile, nil) // again: a command line that was refused was not looked at
	if failed == nil {
		failed = output.Kept(ctx, o.metricsFile, metricsBegin)
	}
	if failed == nil {
		failed = output.WriteFile(ctx, o.metricsFile, true, p.warn, o.writeMetrics)
	}
	if failed != nil {
		p.log.Warn("the metrics cannot be written", "file", o.metricsFile, "error", failed)
	}
}

// writtenFlag returns the value of a flag among arguments that could not all be read. known is its value as far as they were.
func writtenFlag(command *cobra.Command, args []string, name, known string) string {
	if known != "" || command.Flags().Lookup(name) == nil {
		return known
	}
	at := slices.IndexFunc(args, func(arg string) bool { return arg == "--"+name || strings.HasPrefix(arg, "--"+name+"=") })
	switch {
	case at < 0:
		return ""
	case strings.Contains(args[at], "="):
		_, value, _ := strings.Cut(args[at], "=")
		return value
	case at+1 < len(args):
		return args[at+1]
	}
	return ""
}
