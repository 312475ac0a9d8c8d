// This file says where results come from: the machine and the commit.

package run

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"anchorage/internal/kernel"
	"anchorage/model"
)

// machine describes where results are made, line by line.
func machine(workers int) []string {
	lines := []string{
		fmt.Sprintf("%s, %d processors, %s/%s, kernels in %s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
			kernel.Instructions()),
		fmt.Sprintf("anchorage %s, %s, %d workers", model.Version, runtime.Version(), kernel.Workers(workers)),
	}
	if commit := Commit(); commit != "" {
		lines = append(lines, "commit "+commit)
	}
	return lines
}

// Commit returns the commit of this program, and whether files were changed; empty if it is not known. The build knows,
// or git where the program runs in its own folder, as `go run` has it.
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

// checkedOut asks git about the folder that the program runs in, if that is a checkout of this module. Files that git
// does not know do not count.
func checkedOut() (revision string, modified bool) {
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return "", false
	}
	folder := strings.TrimSpace(string(top))
	if _, err := os.Stat(filepath.Join(folder, "bench", "internal", "run")); err != nil {
		return "", false
	}
	head, err := exec.Command("git", "-C", folder, "rev-parse", "HEAD").Output()
	if err != nil {
		return "", false
	}
	changes, err := exec.Command("git", "-C", folder, "status", "--porcelain", "--untracked-files=no", "--", ".",
		":!bench/results").Output()
	return strings.TrimSpace(string(head)), err != nil || len(changes) > 0
}

// processor returns the processor's name, where the system knows it.
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
