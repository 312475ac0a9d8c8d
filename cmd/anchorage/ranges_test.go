package main

import (
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bayes"
	"anchorage/internal/long"
	"anchorage/model/fit"
)

// flagsOf calls fn with every flag of every command, and with the words that name the command.
func flagsOf(command *cobra.Command, fn func(words []string, command *cobra.Command, flag *pflag.Flag)) {
	words := strings.Fields(command.CommandPath())[1:]
	command.LocalFlags().VisitAll(func(flag *pflag.Flag) { fn(words, command, flag) })
	for _, below := range command.Commands() {
		flagsOf(below, fn)
	}
}

// numericTexts are flags whose values are numbers, sizes among them, or words.
var numericTexts = []string{"passes", "enn-iterations", "refine", "relevance", "memory-limit", "corrections-memory", "spill-limit", "shard-size"}

// TestRangeOfEveryNumber gives every numeric flag of every command values beyond its range. The shards do not exist, and the folder stays
// empty: nothing is read or written before the value is refused, and the message names the range.
func TestRangeOfEveryNumber(t *testing.T) {
	t.Chdir(t.TempDir())
	seen := 0
	flagsOf(new(program).root(), func(words []string, command *cobra.Command, flag *pflag.Flag) {
		kind := flag.Value.Type()
		if slices.Contains([]string{"bool", "stringSlice", "stringArray"}, kind) || kind == "string" && !slices.Contains(numericTexts, flag.Name) {
			return
		}
		seen++
		limited, ok := flag.Value.(ranged)
		if !ok && kind != "uint64" { // seeds have no other range than their type
			t.Errorf("%s: --%s has no range", command.CommandPath(), flag.Name)
			return
		}
		values := []string{"-1", "2147483648", "9223372036854775807", "18446744073709551616", "NaN", "Inf", "-Inf", "1e308", "x", ""}
		if ok {
			n := limited.numbers
			if !strings.Contains(flag.Usage, "("+n.kind.text(n.least)+" to "+n.kind.text(n.most)+")") {
				t.Errorf("%s: help of --%s does not name the range: %s", command.CommandPath(), flag.Name, flag.Usage)
			}
			values = append(values, beyond(n)...)
		}
		for _, value := range values {
			if ok && limited.numbers.check(value) == nil || !ok && !strings.HasPrefix(value, "-") && isUint(value) {
				continue // within the range
			}
			if err := flag.Value.Set(value); err == nil {
				t.Errorf("%s: --%s takes %q", command.CommandPath(), flag.Name, value)
			}
			if value != "-1" && value != "NaN" && value != "9223372036854775807" {
				continue // a run of the program takes longer
			}
			args := append(slices.Clone(words), "--"+flag.Name+"="+value)
			if !command.HasSubCommands() {
				args = append(args, "nowhere")
			}
			if command.Flags().Lookup("output") != nil {
				args = append(args, "-o", "out")
			}
			_, said := execute(t, exitUsage, args...)
			if want := wanted(flag); !strings.Contains(said, "give "+want) {
				t.Errorf("%q: %s", args, said)
			}
		}
	})
	if seen < 80 {
		t.Errorf("only %d numeric flags", seen)
	}
}

// beyond returns values just outside a range.
func beyond(n numbers) []string {
	switch n.kind {
	case whole, size:
		return []string{strconv.FormatInt(int64(n.least)-1, 10), strconv.FormatInt(int64(n.most)+1, 10)}
	case duration:
		return []string{strconv.FormatInt(int64(n.least)-1, 10) + "ns", strconv.FormatInt(int64(n.most)+1, 10) + "ns"}
	}
	return []string{strconv.FormatFloat(math.Nextafter(n.least, -1), 'g', -1, 64), strconv.FormatFloat(math.Nextafter(n.most, math.MaxFloat64), 'g', -1, 64)}
}

func isUint(text string) bool {
	_, err := strconv.ParseUint(text, 0, 64)
	return err == nil
}

// TestDefaultsWithinRanges wants the default of every flag to be a value that it takes, unless the flag is required.
func TestDefaultsWithinRanges(t *testing.T) {
	flagsOf(new(program).root(), func(_ []string, command *cobra.Command, flag *pflag.Flag) {
		if limited, ok := flag.Value.(ranged); ok && flag.Name != "topics" {
			if err := limited.numbers.check(flag.DefValue); err != nil {
				t.Errorf("%s --%s: the default: %v", command.CommandPath(), flag.Name, err)
			}
		}
	})
}

// TestRangesAreUsed wants every entry of the table to be that of a flag.
func TestRangesAreUsed(t *testing.T) {
	used := make(map[string]bool)
	flagsOf(new(program).root(), func(words []string, _ *cobra.Command, flag *pflag.Flag) {
		if name := strings.Join(append(slices.Clone(words), flag.Name), " "); ranges[name].kind != nil {
			used[name] = true
		} else {
			used[flag.Name] = true
		}
	})
	for name := range ranges {
		if !used[name] {
			t.Errorf("no flag has the range %q", name)
		}
	}
}

// TestGreatestValues fits with the greatest values that flags take. They may be refused, as too much for the documents or the memory;
// nothing may panic.
func TestGreatestValues(t *testing.T) {
	inCorpus(t, 1)
	for _, flag := range []string{"topics", "sketch-columns", "workers", "anchor-min-df", "max-items", "min-df", "memory-limit", "pair-items", "top"} {
		n := ranges[flag]
		args := []string{"fit", "shards", "-o", "out-" + flag, "--refine", "none", "--" + flag, strconv.FormatFloat(n.most, 'f', -1, 64)}
		if flag != "topics" {
			args = append(args, "-k", "3")
		}
		if code, said := attempt(t, args...); !slices.Contains([]int{exitDone, exitUsage, exitInput, exitResources}, code) {
			t.Errorf("%q: code %d: %s", args, code, said)
		}
	}
	for _, kind := range long.Grid(1, bayes.Models...) {
		for _, flag := range []string{"topics", "c0", "a0", "b0", "variance", "t0", "batch-size", "workers"} {
			for _, algorithm := range []string{"--batch=true", "--batch=false"} {
				args := []string{"bayes", "fit", "--model", string(kind), "shards", "-o", "out-" + string(kind) + algorithm + flag, algorithm, "--iterations", "2", "--local-iterations", "5",
					"--" + flag, strconv.FormatFloat(ranges[flag].most, 'f', -1, 64)}
				if flag != "topics" {
					args = append(args, "-k", "3")
				}
				if code, said := attempt(t, args...); !slices.Contains([]int{exitDone, exitUsage, exitInput, exitResources}, code) {
					t.Errorf("%q: code %d: %s", args, code, said)
				}
			}
		}
	}
}

// attempt runs a command line in a process of its own, and returns the exit code and what it says on stderr.
func attempt(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	process := exec.Command(os.Args[0], append(args, "--quiet")...)
	process.Args[0] = "anchorage" // TestMain runs the program under this name
	var err strings.Builder
	process.Stderr = &err
	if ended := process.Run(); ended != nil && process.ProcessState == nil {
		t.Fatal(ended)
	}
	return process.ProcessState.ExitCode(), err.String()
}

// TestRangesWithinLibrary wants libraries to accept what flags accept: the ranges of flags are never wider.
func TestRangesWithinLibrary(t *testing.T) {
	for _, edge := range []func(numbers) float64{func(n numbers) float64 { return n.least }, func(n numbers) float64 { return n.most }} {
		value := func(flag string) float64 { return edge(ranges[flag]) }
		o := fit.Options{Topics: int(value("topics")), Run: &fit.Run{Workers: int(value("workers"))}}
		o.Sketch.Columns, o.Rectify.Iterations, o.Refine.Passes = fit.MostColumns, int(value("enn-iterations")), int(value("refine"))
		if err := o.Check(); err != nil {
			t.Error(err)
		}
		b := bayes.Options{Model: bayes.LDA, Topics: int(value("topics")), C0: value("c0"), A0: value("a0"), B0: value("b0"), Variance: value("variance"),
			Delay: value("t0"), Forgetting: value("kappa"), LocalTolerance: value("local-tolerance"), LocalIterations: int(value("local-iterations")), BatchSize: int(value("batch-size"))}
		if err := b.Check(); err != nil {
			t.Error(err)
		}
	}
}
