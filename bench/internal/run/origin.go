// This file says where results come from: the machine and the commit.

package run

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
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
	if commit := commit(); commit != "" {
		lines = append(lines, "commit "+commit)
	}
	return lines
}

// commit returns the commit of this program, and whether files were changed; empty if it is not known. The build knows,
// or git where the program runs in its own folder, as `go run` has it.
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

// Pipeline are the folders of code from documents to topics.
var Pipeline = []string{"anchor", "bayes", "corpus", "metric", "model/fit", "rectify", "sketch"}

// Measured finds the commit of a row in its column machine.
var Measured = regexp.MustCompile(`commit ([0-9a-f]{12})`)

// With returns the pipeline and other folders.
func With(folders ...string) []string { return append(slices.Clone(Pipeline), folders...) }

// older says whether code that results depend on has changed since the commit that made them, or that they name none.
// It returns "" if it has not, if the commit is not in the history, or if there is no git to ask.
func (p *Part) older(machine string) string {
	match := Measured.FindStringSubmatch(machine)
	if match == nil {
		return "they name no commit"
	}
	folders := p.Uses
	if folders == nil {
		folders = Pipeline
	}
	args := []string{"diff", "--quiet", match[1], "--", ":(top,exclude)*_test.go"}
	for _, folder := range folders {
		args = append(args, ":/"+folder)
	}
	var exit *exec.ExitError
	if err := exec.Command("git", args...).Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		return ""
	}
	return "something in " + strings.Join(folders, ", ") + " has changed"
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
