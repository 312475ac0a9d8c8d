// This file says where results come from: the command, the day and the machine.

package report

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"anchorage/internal/kernel"
	"anchorage/model"
)

// Origin says how results were made.
type Origin struct {
	Day     string // as 2006-01-02
	Command string
	Machine []string // line by line
}

// NewOrigin returns the origin of results that a command makes today on this machine.
func NewOrigin(command string, workers int) Origin {
	return Origin{Day: time.Now().UTC().Format(time.DateOnly), Command: command, Machine: Machine(workers)}
}

// Begin begins a README.md: its title, and the origin of what follows. note, if not empty, is a line about the command.
func (o Origin) Begin(title, note string) *strings.Builder {
	b := new(strings.Builder)
	fmt.Fprintf(b, "# %s\n\nMade on %s by\n\n```\n%s\n```\n\n", title, o.Day, o.Command)
	if note != "" {
		b.WriteString(note + "\n\n")
	}
	b.WriteString("on\n\n")
	for _, line := range o.Machine {
		fmt.Fprintf(b, "- %s\n", line)
	}
	return b
}

// Made says how one run of a series was made.
type Made struct {
	Command string
	Machine []string
	Started time.Time
}

// WriteMade says when, by which commands and where the runs of a series were made.
func WriteMade(b *strings.Builder, runs []Made) {
	type origin struct{ command, machine string }
	var origins []origin
	days := make(map[origin][]string)
	for _, r := range runs {
		from := origin{r.Command, strings.Join(r.Machine, "\n- ")}
		if !slices.Contains(origins, from) {
			origins = append(origins, from)
		}
		days[from] = append(days[from], r.Started.UTC().Format(time.DateOnly))
	}
	for _, from := range origins {
		first, last := slices.Min(days[from]), slices.Max(days[from])
		when := "on " + first
		if first != last {
			when = "from " + first + " to " + last
		}
		count := fmt.Sprintf("%d runs", len(days[from]))
		if len(days[from]) == 1 {
			count = "1 run"
		}
		fmt.Fprintf(b, "%s, made %s by\n\n```\n%s\n```\n\non\n\n- %s\n\n", count, when, from.command, from.machine)
	}
}

// Machine describes where results are made, line by line.
func Machine(workers int) []string {
	lines := []string{
		fmt.Sprintf("%s, %d processors, %s/%s, kernels in %s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, kernel.Instructions()),
		fmt.Sprintf("anchorage %s, %s, %d workers", model.Version, runtime.Version(), kernel.Workers(workers)),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return lines
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = " with changes"
		}
	}
	if revision != "" {
		lines = append(lines, "commit "+revision[:min(12, len(revision))]+modified)
	}
	return lines
}

// processor returns the processor's name, where the system tells.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "processor of unknown name"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "processor of unknown name"
}
