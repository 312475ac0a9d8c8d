// This file says where results come from: the command, the day and the machine.

package report

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
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
	if commit := Commit(); commit != "" {
		lines = append(lines, "commit "+commit)
	}
	return lines
}

// Commit returns the commit of this program, and whether files were changed; empty if it is not known. The build tells, or git where the program
// runs in its own folder, as `go run` has it.
func Commit() string { return commit() }

var commit = sync.OnceValue(func() string {
	revision, modified := built()
	if revision == "" {
		revision, modified = checkedOut()
	}
	text := revision[:min(12, len(revision))]
	if modified {
		text += " with changes"
	}
	return text
})

// built asks the build.
func built() (revision string, modified bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	return revision, modified
}

// checkedOut asks git about the folder that the program runs in, if that is a checkout of this module. Files that git does not know do not count.
func checkedOut() (revision string, modified bool) {
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return "", false
	}
	folder := strings.TrimSpace(string(top))
	if _, err := os.Stat(filepath.Join(folder, "bench", "internal", "report")); err != nil {
		return "", false
	}
	head, err := exec.Command("git", "-C", folder, "rev-parse", "HEAD").Output()
	if err != nil {
		return "", false
	}
	changes, err := exec.Command("git", "-C", folder, "status", "--porcelain", "--untracked-files=no", "--", ".", ":!bench/results").Output()
	return strings.TrimSpace(string(head)), err != nil || len(changes) > 0
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
