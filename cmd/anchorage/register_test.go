package main

import (
	"fmt"
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
	"anchorage/internal/process"
	"anchorage/internal/safetext"
	"anchorage/model/fit"
	"anchorage/rectify"
	"anchorage/shard"
)

// parsed registers rows and reads a command line of them.
func parsed(args []string, rows ...row) (*pflag.FlagSet, error) {
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	register(flags, rows...)
	return flags, flags.Parse(args)
}

// everyRow calls fn with all flags and settings of all commands, and with the command that defines each.
func everyRow(fn func(command *cobra.Command, v *value, flag *pflag.Flag)) {
	for _, command := range commands() {
		eachRow(command.LocalNonPersistentFlags(), func(v *value, flag *pflag.Flag) { fn(command, v, flag) })
		eachRow(command.PersistentFlags(), func(v *value, flag *pflag.Flag) { fn(command, v, flag) })
	}
}

// written returns the arguments that give a row a value.
func written(v *value, text string) []string {
	if v.layer == setting {
		return []string{"--set", v.name + "=" + text}
	}
	return []string{"--" + v.name + "=" + text}
}

// TestRows wants every row to have what help needs: a group unless it is a setting, a line that is no sentence, and a
// default within its values.
func TestRows(t *testing.T) {
	everyRow(func(command *cobra.Command, v *value, flag *pflag.Flag) {
		name := command.CommandPath() + " " + v.spelled()
		if (v.group == nil) != (v.layer == setting) {
			t.Errorf("%s: a flag has a group, and a setting has none", name)
		}
		if len(v.help) < 5 || len(v.help) > 120 || strings.HasSuffix(v.help, ".") {
			t.Errorf("%s is described as %q", name, v.help)
		}
		if v.values.kind == nil && len(v.values.words) == 0 {
			t.Errorf("%s takes no values", name)
		}
		if v.usual != "" && v.values.check(v.usual) != nil {
			t.Errorf("%s: the default %q is not one of its values", name, v.usual)
		}
		if v.values.path && v.values.as == "" {
			t.Errorf("%s: help does not say what path it takes", name)
		}
	})
}

// TestEverydayHelp wants --help to have lines of at most 100 characters, of at most 32 flags for fit, and the settings
// only in their table.
func TestEverydayHelp(t *testing.T) {
	different := make(map[string]bool)
	for _, command := range commands() {
		help, _ := execute(t, exitDone, append(strings.Fields(command.CommandPath())[1:], "--help")...)
		_, usage, _ := strings.Cut(help, "Usage:")
		flags := 0
		for line := range strings.Lines(usage) {
			if n := len([]rune(line)) - 1; strings.HasPrefix(strings.TrimSpace(line), "-") && n > 100 {
				t.Errorf("%s: a line of %d characters: %s", command.CommandPath(), n, line)
			}
			if strings.HasPrefix(line, "  -") {
				flags++
			}
		}
		if most := 36; flags > most || command.Name() == "fit" && command.Parent().Name() == "anchorage" && flags > 32 {
			t.Errorf("%s --help has %d flags", command.CommandPath(), flags)
		}
		command.Flags().VisitAll(func(flag *pflag.Flag) { different[flag.Name] = true })
		command.PersistentFlags().VisitAll(func(flag *pflag.Flag) { different[flag.Name] = true })
		all, _ := execute(t, exitDone, append(strings.Fields(command.CommandPath())[1:], "--help-all")...)
		command.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			if !strings.Contains(all, "--"+flag.Name) {
				t.Errorf("%s --help-all lacks --%s", command.CommandPath(), flag.Name)
			}
		})
	}
	if n := len(different); n > 109 {
		t.Errorf("all commands have %d different flags", n)
	}
	table, _ := execute(t, exitDone, "settings")
	everyRow(func(command *cobra.Command, v *value, _ *pflag.Flag) {
		if v.layer == setting && !strings.Contains(table, "  "+v.name+" ") {
			t.Errorf("the table of settings lacks %s", v.name)
		}
	})
	if helped, _ := execute(t, exitDone, "help", "settings"); !strings.Contains(helped, "Settings lists what --set") {
		t.Error(helped)
	}
}

// TestRangeOfEveryNumber gives every numeric flag and setting of every command values beyond its range. The shards do
// not exist, and the folder stays empty: nothing is read or written before the value is refused, and the message names
// the range.
func TestRangeOfEveryNumber(t *testing.T) {
	t.Chdir(t.TempDir())
	seen := 0
	everyRow(func(command *cobra.Command, v *value, flag *pflag.Flag) {
		n := v.values
		if n.kind == nil || n.kind.text == nil {
			return
		}
		seen++
		for _, text := range append(beyond(n), "9223372036854775807", "18446744073709551616", "NaN", "Inf",
			"1e308", "x", "") {
			if n.check(text) == nil {
				continue // within the range
			}
			if err := flag.Value.Set(text); err == nil {
				t.Errorf("%s: %s takes %q", command.CommandPath(), v.spelled(), text)
			}
		}
		args := append(strings.Fields(command.CommandPath())[1:], written(v, "NaN")...)
		if _, said := execute(t, exitUsage, args...); !strings.Contains(said, v.spelled()+` is "NaN": give `+n.String()) {
			t.Errorf("%q: %s", args, said)
		}
	})
	if seen < 80 {
		t.Errorf("only %d numeric flags and settings", seen)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// beyond returns values just outside a range.
func beyond(n values) []string {
	switch n.kind {
	case whole, size:
		return []string{strconv.FormatInt(int64(n.least)-1, 10), strconv.FormatInt(int64(n.most)+1, 10)}
	case duration:
		return []string{strconv.FormatInt(int64(n.least)-1, 10) + "ns", strconv.FormatInt(int64(n.most)+1, 10) + "ns"}
	}
	return []string{strconv.FormatFloat(math.Nextafter(n.least, -1), 'g', -1, 64),
		strconv.FormatFloat(math.Nextafter(n.most, math.MaxFloat64), 'g', -1, 64)}
}

// TestWordsOfEveryRow wants flags and settings to accept every word that completion offers, to refuse others, and to
// name all of them then.
func TestWordsOfEveryRow(t *testing.T) {
	everyRow(func(command *cobra.Command, v *value, flag *pflag.Flag) {
		for _, w := range v.values.words {
			if err := flag.Value.Set(w.name); err != nil || flag.Value.String() != w.name {
				t.Errorf("%s: %s %s: %v, %s", command.CommandPath(), v.spelled(), w.name, err, flag.Value)
			}
		}
		if v.values.kind != nil {
			return
		}
		args := append(strings.Fields(command.CommandPath())[1:], written(v, "no-such-value")...)
		_, said := execute(t, exitUsage, args...)
		if !strings.Contains(said, v.spelled()+` is "no-such-value": use `+safetext.List(v.values.names(), "or")) {
			t.Errorf("%q: %s", args, said)
		}
	})
}

// TestSettings reads --set.
func TestSettings(t *testing.T) {
	read := func(args ...string) (fit.Options, *pflag.FlagSet, error) {
		var o fit.Options
		flags, err := parsed(args, append(sketchRows(&o), rectifyRows(&o.Rectify)...)...)
		return o, flags, err
	}
	o, flags, err := read("--set", "enn-iterations=10", "--set=sketch-method=power", "--set", "corrections=spill")
	if err != nil || o.Rectify.Iterations != 10 || !o.Sketch.Power || o.Rectify.Corrections.Mode != rectify.CorrectionsSpill ||
		o.Rectify.Normalization != fit.NormalizeMarginal {
		t.Errorf("%+v, %v", o, err)
	}
	if !given(flags, "enn-iterations") || given(flags, "normalization") ||
		lookup(flags, "sketch-method").Value.String() != "power" {
		t.Error("what was given is not known")
	}
	for text, want := range map[string]string{
		"enn-iteration=1": "did you mean enn-iterations?", "enn-iterations": "write --set enn-iterations=VALUE",
		"enn-iterations=0":   "a whole number from 1 to 1,000,000, or auto",
		"normalization=none": "use marginal or uniform", "": "there is no setting",
	} {
		if _, said := execute(t, exitUsage, "fit", "shards", "-k", "3", "-o", "m", "--set",
			text); !strings.Contains(said, want) {
			t.Errorf("%q: %s", text, said)
		}
	}
	if _, said := execute(t, exitUsage, "fit", "shards", "--"+"polish=none"); !strings.Contains(said,
		"is a setting: write --set polish=VALUE") {
		t.Error(said)
	}
}

// TestLists reads flags that take several values.
func TestLists(t *testing.T) {
	var commas, apart []string
	flags, err := parsed([]string{"--a", `x,"y,z"`, "--a", "w", "--b", "x,y", "--b", "z"}, row{name: "a", to: &commas,
		values: commaList}, row{name: "b", to: &apart, values: repeatable})
	if err != nil || !slices.Equal(commas, []string{"x", "y,z", "w"}) || !slices.Equal(apart, []string{"x,y", "z"}) ||
		flags.Lookup("b").Value.String() != "x,y,z" {
		t.Errorf("%q, %q, %v", commas, apart, err)
	}
}

// TestGreatestValues fits with the greatest values that flags take. They may be refused, as too much for the documents
// or the memory; nothing may panic.
func TestGreatestValues(t *testing.T) {
	inCorpus(t, 1)
	try := func(rows *pflag.FlagSet, args []string, names ...string) {
		for i, name := range names {
			v := lookup(rows, name).Value.(*value)
			line := append(slices.Clone(args), "-o", fmt.Sprint("out-", len(args), "-", i, name))
			if name != "topics" {
				line = append(line, "-k", "3")
			}
			line = append(line, written(v, strconv.FormatFloat(v.values.most, 'f', -1, 64))...)
			if code, said := attempt(t, line...); !slices.Contains([]int{exitDone, exitUsage, exitInput, exitResources}, code) {
				t.Errorf("%q: code %d: %s", line, code, said)
			}
		}
	}
	p := new(program)
	root := p.root()
	fitting, _, _ := root.Find([]string{"fit"})
	try(fitting.Flags(), []string{"fit", "shards", "--refine", "none"}, "topics", "sketch-columns", "anchor-min-df",
		"max-items", "min-df", "memory-limit", "pair-items", "top")
	bayesian, _, _ := root.Find([]string{"bayes", "fit"})
	for _, kind := range bayes.Models {
		for _, algorithm := range []string{"--batch=true", "--batch=false"} {
			args := []string{"bayes", "fit", "--model", string(kind), "shards", algorithm, "--set", "iterations=2"}
			try(bayesian.Flags(), append(args, "--replace"), "topics", "c0", "a0", "b0", "variance", "t0", "batch-size")
		}
	}
}

// attempt runs a command line in another process, and returns the exit code and what it says on stderr.
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
	for _, edge := range []func(values) float64{func(n values) float64 { return n.least },
		func(n values) float64 { return n.most }} {
		edges := func(rows []row) map[string]float64 {
			all := make(map[string]float64)
			for _, r := range rows {
				all[r.name] = edge(r.values)
			}
			return all
		}
		rows := edges(new(fitFlags).rows(topicsRow(nil)))
		o := fit.Options{Topics: int(rows["topics"]), Run: &fit.Run{Workers: int(edges(new(program).rows())["workers"])}}
		o.Sketch.Columns, o.Rectify.Iterations, o.Refine.Passes = fit.MostColumns, int(rows["enn-iterations"]),
			int(rows["refine"])
		if err := o.Check(); err != nil {
			t.Error(err)
		}
		v := edges(new(bayesFlags).rows())
		b := bayes.Options{Model: bayes.LDA, Topics: int(v["topics"]), C0: v["c0"], A0: v["a0"], B0: v["b0"],
			Variance: v["variance"], Delay: v["t0"],
			Forgetting: v["kappa"], BatchSize: int(v["batch-size"])}
		if err := b.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestParseSize reads sizes however people write them.
func TestParseSize(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "1": 1, "1B": 1, "17B": 17, "1K": 1000, "1KiB": 1 << 10, "1KB": 1000, "512MiB": 512 << 20, "2GB": 2e9, "4G": 4e9,
		"4GiB": 4 << 30,
		"2gb":  2e9, "2g": 2e9, "2gib": 2 << 30, "2Gi": 2 << 30, "1mib": 1 << 20, "1.5K": 1500, "0.5KB": 500,
		"2 MiB": 2 << 20, "3TiB": 3 << 40,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q is %g, %v, want %g", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0.5", "-1", "K", "lots", "1mibi", "NaN", "1e19", "99999999T", "8EiB",
		"1KiBB", "0x", "1e3"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is %g", text, got)
		}
	}
}

// TestMemoryLimit wants --memory-limit to take sizes and two words. Nothing but a size changes what a run does.
func TestMemoryLimit(t *testing.T) {
	for text, want := range map[string]memoryLimit{"auto": 0, "none": anyMemory, "2GiB": 2 << 30} {
		if f, _ := sourceOf(t, "--memory-limit", text); f.limit != want {
			t.Errorf("%q: %d, want %d", text, f.limit, want)
		}
	}
	if bytes := anyMemory.bytes(); bytes != 0 {
		t.Errorf("none is %d bytes", bytes)
	}
	room := process.MemoryRoom()
	if bytes := memoryLimit(0).bytes(); bytes > room.Bytes || room.Bytes > 0 && bytes < room.Bytes/2 {
		t.Errorf("auto is %d of %d bytes", bytes, room.Bytes)
	}
	if sorting := anyMemory.sorting(); sorting != usualSorting {
		t.Errorf("sorting takes %d bytes without a limit", sorting)
	}
	if sorting := memoryLimit(1 << 20).sorting(); sorting > 1<<19 {
		t.Errorf("sorting takes %d bytes of 1 MiB", sorting)
	}
}

// TestCompletionOutput wants the shells' request for the values of a flag to be answered.
func TestCompletionOutput(t *testing.T) {
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"fit", "--method", ""}, []string{"lrjsmf\t", "aw\t"}},
		{[]string{"fit", "--format", "p"}, []string{"parquet\t"}},
		{[]string{"fit", "--memory-limit", ""}, []string{"auto\t", ":4"}},
		{[]string{"fit", "--min-d"}, []string{"--min-df\t"}},
		{[]string{"fit", "--set", "pol"}, []string{"polish=\t"}},
		{[]string{"fit", "--set", "polish="}, []string{"polish=factor\t", "polish=none\t"}},
		{[]string{"to"}, []string{"topics\t"}},
	} {
		stdout, _ := execute(t, exitDone, append([]string{"__complete"}, test.args...)...)
		for _, want := range test.want {
			if !strings.Contains("\n"+stdout, "\n"+want) {
				t.Errorf("%q: %q lacks %q", test.args, stdout, want)
			}
		}
	}
	completed, _ := execute(t, exitDone, "__complete", "fit", "--format", "")
	for _, known := range shard.Formats() {
		if !strings.Contains(formatTable(), "  "+known.Name+" ") ||
			!strings.Contains(completed, known.Name+"\t"+known.Help+"\n") {
			t.Errorf("help or completion lacks %s", known.Name)
		}
	}
}
