// This file collects what a run leaves for those who watch it, and publishes it at the end, whatever the end is:
// metrics for Prometheus.

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/internal/metrics"
	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/internal/process"
	"anchorage/model/fit"
	"anchorage/shard"
)

// outcome is what is known of a run, and where it goes. Commands fill it while they work.
type outcome struct {
	metrics.Run
	metricsFile string
	paths       []string // of the shards
}

// monitorRows say where the metrics of a run go.
func (p *program) monitorRows() []row {
	o := &p.outcome
	return []row{
		outputGroup.more("metrics-file", &o.metricsFile, values{kind: plain, path: true, as: "FILE", role: keptFile},
			"file for the figures of the run, as Prometheus reads them; also if it fails").does(local),
		outputGroup.more("job-name", &o.Job, anyText.named("NAME"),
			"name of the job in metrics; anchorage.COMMAND if not given").does(local),
	}
}

// folderOf checks that the folder of a file exists that a flag names.
func folderOf(flag, path string) error {
	if objects.IsURL(path) {
		return nil // a bucket has no folders
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

// read notes the shards that a run reads.
func (o *outcome) read(shards []shard.Shard) {
	o.Shards, o.Bytes, o.paths = len(shards), 0, nil
	for _, s := range shards {
		o.paths = append(o.paths, s.Path)
		o.Bytes += s.Size
	}
	if slices.ContainsFunc(shards, func(s shard.Shard) bool { return s.Size <= 0 }) {
		o.Bytes = 0 // a size is unknown
	}
}

// made notes the result of a stage.
func (o *outcome) made(result saved) {
	switch r := result.(type) {
	case *fit.Fitted:
		o.Manifest = &r.Manifest
	case *fit.Sketched:
		o.Manifest = &r.Manifest
	case *fit.Rectified:
		o.Manifest = &r.Manifest
	}
}

// publish writes the metrics of a run that ended with a code. That they cannot be written is a warning: the work of the
// run is done, or has failed for another reason.
func (p *program) publish(ctx context.Context, command *cobra.Command, args []string, code int) {
	o := &p.outcome
	var inputs []string
	if o.Command == "" { // the command line was refused before the command began
		o.Command = strings.TrimPrefix(command.CommandPath(), command.Root().Name()+" ")
		o.metricsFile = writtenFlag(command, args, "metrics-file", o.metricsFile)
		o.Job = writtenFlag(command, args, "job-name", o.Job)
		inputs = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { // nobody knows which of them are inputs
			return strings.HasPrefix(arg, "-") || arg == o.metricsFile
		})
	}
	dry := command.Flags().Lookup("dry-run") // which leaves the metrics of the last run
	if o.metricsFile == "" || dry != nil && dry.Value.String() == "true" {
		return
	}
	o.Ended, o.Code, o.Skipped = p.now(), code, len(p.skipped)
	o.Peak, o.CPU = process.PeakMemory(), process.CPUSeconds()
	ctx = context.WithoutCancel(ctx)
	failed := output.CheckPlace(ctx, o.metricsFile, inputs) // again: guard did not look at a command line that was refused
	if failed == nil {
		failed = output.Kept(ctx, o.metricsFile, metrics.Begin)
	}
	if failed == nil {
		failed = output.WriteFile(ctx, o.metricsFile, true, p.warn, o.Write)
	}
	if failed != nil {
		p.log.Warn("the metrics cannot be written", "file", o.metricsFile, "error", failed)
	}
}

// writtenFlag returns the value of a flag among arguments that could not all be read. known is its value as far as they
// were.
func writtenFlag(command *cobra.Command, args []string, name, known string) string {
	if known != "" || command.Flags().Lookup(name) == nil {
		return known
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags, flags.Usage = true, func() {} // nor is --help for these
	value := flags.String(name, "", "")
	_ = flags.Parse(args) // what can be read of them counts
	return *value
}
