//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"anchorage/internal/long"
	"anchorage/internal/synth"
)

// measured runs the program named by the arguments and prints its exit code, -1 for a signal, and its peak memory in
// bytes. A process inherits the peak of the one that starts it, so that must be small.
func measured() {
	child := exec.Command(os.Args[1], os.Args[2:]...)
	child.Stderr = os.Stderr
	if err := child.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		panic(err)
	}
	peak := child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS != "darwin" {
		peak <<= 10
	}
	fmt.Println(child.ProcessState.ExitCode(), peak)
}

// limitedRun runs the program after a line of shell, and returns its exit code, its peak memory and what it says.
func limitedRun(t *testing.T, before string, args ...string) (code int, peak int64, said string) {
	t.Helper()
	script := before + `; exec "$0" "$@"`
	process := exec.Command(os.Args[0], append([]string{"sh", "-c", script, filepath.Join(t.TempDir(),
		"anchorage")}, args...)...)
	if err := os.Symlink(os.Args[0], process.Args[4]); err != nil { // the test binary runs the program under this name
		t.Fatal(err)
	}
	process.Args[0] = "measured"
	var errs strings.Builder
	process.Stderr = &errs
	out, err := process.Output()
	if _, scanned := fmt.Sscan(string(out), &code, &peak); err != nil || scanned != nil {
		t.Fatalf("%v, %v: %s%s", err, scanned, out, errs.String())
	}
	return code, peak, errs.String()
}

// writeBaskets writes drawn documents as lines of items.
func writeBaskets(t *testing.T, path string, from synth.Model) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	drawn, _ := from.Draw()
	lines := bufio.NewWriter(file)
	for d := range drawn.Documents() {
		items, counts := drawn.Row(d)
		for i, item := range items {
			fmt.Fprint(lines, strings.Repeat(fmt.Sprintf("item%d ", item), int(counts[i])))
		}
		fmt.Fprintln(lines)
	}
	if err := lines.Flush(); err != nil {
		t.Fatal(err)
	}
}

// TestEveryCommandWithinLimits runs every command that reads documents or models under limits of three kinds. Each must
// end with 0, or with 12, and not by a signal, nor by a trace of the runtime. With a flag it may take 8 % more than the
// limit, or than leastLimit where that is less.
func TestEveryCommandWithinLimits(t *testing.T) {
	long.Test(t, "it runs all commands under many limits")
	if runtime.GOOS != "linux" {
		t.Skip("limits of address space and containers are Linux's")
	}
	t.Chdir(t.TempDir())
	writeBaskets(t, "a.dat", synth.Model{Items: 4000, Topics: 10, Documents: 8000, Tokens: 30,
		Concentration: 0.1, Seed: 3})
	usual := strings.Fields("--min-df 1 --log-level error")
	for _, line := range []string{"fit a.dat -k 10 -o model --neighbours 20", "sketch a.dat -k 10 -o sketch",
		"rectify sketch -o factor",
		"transform model a.dat -o mixtures", "update store a.dat -k 5"} {
		args := strings.Fields(line)
		if args[0] == "fit" || args[0] == "sketch" || args[0] == "update" {
			args = append(args, usual...)
		}
		if code, _, said := limitedRun(t, ":", args...); code != 0 {
			t.Fatalf("%s: exit code %d: %s", line, code, said)
		}
	}
	group := limitedGroup(t)
	for n, line := range []string{
		"convert a.dat -o OUT", "vocab a.dat -o OUT.parquet", "fit a.dat -k 10 -o OUT", "fit a.dat -k 40 -o OUT",
		"fit a.dat -k 10 --neighbours 200 --documents -o OUT", "sketch a.dat -k 10 -o OUT", "rectify sketch -o OUT",
		"anchor factor -o OUT",
		"eval model a.dat -o OUT", "items model learn a.dat", "items model eval a.dat", "items model similar item7",
		"transform model a.dat -o OUT",
		"choose-k a.dat -o OUT", "topics model", "report model -o OUT.html", "compare model model",
		"export model --to csv -o OUT",
		"plan a.dat -k 10", "bayes fit a.dat --model lda -k 5 -o OUT", "update OUT a.dat -k 5", "verify model",
		"store list store",
	} {
		command, _, err := newProgram(nil, nil, nil).root().Find(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		output := 0
		try := func(before, limit string, most int64, more ...string) {
			output++
			args := append(strings.Fields(strings.ReplaceAll(line, "OUT", fmt.Sprintf("out-%d-%d", n, output))), more...)
			code, peak, said := limitedRun(t, before, args...)
			t.Logf("%s with %s: exit code %d, %d MiB", line, limit, code, peak>>20)
			if code != 0 && code != exitResources || most > 0 && peak > max(most, leastLimit)*108/100 {
				t.Errorf("%s with %s: exit code %d, %d MiB: %s", line, limit, code, peak>>20, said)
			}
		}
		if command.Flags().Lookup("memory-limit") != nil {
			for _, limit := range []int64{64 << 20, leastLimit, 160 << 20} {
				try(":", fmt.Sprintf("--memory-limit %d", limit), limit, "--memory-limit", fmt.Sprint(limit))
			}
		}
		space := fmt.Sprintf("ulimit -v %d", usualAddressSpace+110<<10)
		try(space, space, 0)
		if group != nil {
			try(group(110<<20), "a container of 110 MiB", 0)
		}
	}
}

// limitedGroup returns a function that sets the limit of a cgroup of this test and returns the line of shell that joins
// it; nil where this process may make none.
func limitedGroup(t *testing.T) func(bytes int64) string {
	for file, root := range map[string]string{"memory.limit_in_bytes": "/sys/fs/cgroup/memory",
		"memory.max": "/sys/fs/cgroup"} {
		folder := filepath.Join(root, fmt.Sprintf("anchorage-test-%d", os.Getpid()))
		if _, err := os.Stat(filepath.Join(root, "cgroup.procs")); err != nil || os.Mkdir(folder, 0o777) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(folder) })
		limit := filepath.Join(folder, file)
		if os.WriteFile(limit, []byte("1073741824"), 0) != nil {
			continue
		}
		return func(bytes int64) string {
			if err := os.WriteFile(limit, []byte(fmt.Sprint(bytes)), 0); err != nil {
				t.Fatal(err)
			}
			return "echo $$ > " + filepath.Join(folder, "cgroup.procs")
		}
	}
	t.Log("no cgroup can be made here: limits of containers are not tried")
	return nil
}
