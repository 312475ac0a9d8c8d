package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/cmd/anchorage/internal/manpages"
)

// eachFlag calls fn with all flags of all commands, each with the command that defines it.
func eachFlag(fn func(*cobra.Command, *pflag.Flag)) {
	for _, command := range commands() {
		command.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) { fn(command, flag) })
		command.PersistentFlags().VisitAll(func(flag *pflag.Flag) { fn(command, flag) })
	}
}

// TestCompletion wants completion.go to say of every flag that takes text which words, files or folders it takes, and the tables there to
// have no other flags.
func TestCompletion(t *testing.T) {
	known := slices.Concat(folders, files, plain)
	for name := range choices {
		known = append(known, name[strings.LastIndexByte(name, ' ')+1:])
	}
	used := make(map[string]bool)
	eachFlag(func(command *cobra.Command, flag *pflag.Flag) {
		used[flag.Name] = true
		if kind := flag.Value.Type(); kind != "string" && kind != "stringSlice" && kind != "stringArray" {
			return
		}
		if !slices.Contains(known, flag.Name) {
			t.Errorf("%s: add --%s to a table of completion.go: to choices, with its values, or to folders, files or plain", command.CommandPath(), flag.Name)
		}
	})
	for _, name := range known {
		if !used[name] {
			t.Errorf("completion.go has --%s, which no command has", name)
		}
	}
}

// TestChoices wants commands to accept every value that completion offers, to refuse others, and to name all values then.
func TestChoices(t *testing.T) {
	t.Chdir(t.TempDir())
	required := map[string][]string{"fit": {"-k", "3", "-o", "m"}, "sketch": {"-k", "3", "-o", "m"}, "plan": {"-k", "3"},
		"vocab": {"-o", "m"}, "convert": {"-o", "m"}, "rectify": {"-o", "m"}, "anchor": {"-o", "m"}, "search": {"--items", "a"}, "eval": {"no-model"}}
	checked := 0
	eachFlag(func(command *cobra.Command, flag *pflag.Flag) {
		values := flagValues(flag)
		if len(values) == 0 || !command.HasParent() && flag.Name != "progress" && flag.Name != "log-level" {
			return
		}
		args := append(strings.Fields(command.CommandPath())[1:], required[command.Name()]...)
		if path := command.CommandPath(); (path == "anchorage bayes fit" || path == "anchorage bayes plan") && flag.Name != "model" {
			args = append(args, "--model", "lda")
		}
		if !command.HasParent() {
			args = []string{"topics"}
		}
		if command.Name() != "eval" && command.HasParent() && command.Args(command, make([]string, 1)) != nil {
			args = append(args, "no-model") // the command takes two arguments
		}
		args = append(args, "no-input")
		for _, value := range append(values, "no-such-value") {
			var errors strings.Builder
			code := run(t.Context(), append(args, "--"+flag.Name+"="+value), nil, new(strings.Builder), &errors)
			text := errors.String()
			if value != "no-such-value" && strings.Contains(text, "--"+flag.Name+" is ") {
				t.Errorf("%s refuses --%s %s: %s", command.CommandPath(), flag.Name, value, text)
			}
			if value == "no-such-value" && (code != exitUsage || !strings.Contains(text, values[len(values)-1])) {
				t.Errorf("%s accepts --%s %s, or does not say what it takes: %d %s", command.CommandPath(), flag.Name, value, code, text)
			}
			checked++
		}
	})
	if checked < 50 {
		t.Errorf("only %d values", checked)
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
		{[]string{"topics", "--format", ""}, []string{"table\t", "csv\t", "json\t", "markdown\t"}},
		{[]string{"fit", "--progress", ""}, []string{"auto\t", "off\t"}},
		{[]string{"fit", "--memory-limit", ""}, []string{":4"}},
		{[]string{"fit", "--min-d"}, []string{"--min-df\t"}},
		{[]string{"to"}, []string{"topics\t"}},
	} {
		stdout, _ := execute(t, exitDone, append([]string{"__complete"}, test.args...)...)
		for _, want := range test.want {
			if !strings.Contains("\n"+stdout, "\n"+want) {
				t.Errorf("%q: %q lacks %q", test.args, stdout, want)
			}
		}
	}
}

// TestManPages writes the man pages. Each must have every flag of its command, with what it does.
func TestManPages(t *testing.T) {
	dir := t.TempDir()
	if err := manpages.Write(new(program).root(), dir); err != nil {
		t.Fatal(err)
	}
	plainText := strings.NewReplacer(`\-`, "-", `\(aq`, "'", `\(rs`, `\`, `\(ti`, "~", `\(ha`, "^", `\(dq`, `"`, `\&`, "", `\fB`, "", `\fP`, "", `\fI`, "", `\e`, `\`)
	letters := func(text string) string { // what is left when markup and spaces differ
		return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n*_`\"\\<>", r) }), "")
	}
	for _, command := range commands() {
		name := strings.ReplaceAll(command.CommandPath(), " ", "-") + ".1"
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		page := letters(plainText.Replace(string(text)))
		check := func(flag *pflag.Flag) {
			if flag.Hidden {
				return
			}
			if !strings.Contains(page, "--"+flag.Name) || !strings.Contains(page, letters(flag.Usage)) {
				t.Errorf("%s lacks --%s: %s", name, flag.Name, flag.Usage)
			}
		}
		command.NonInheritedFlags().VisitAll(check)
		command.InheritedFlags().VisitAll(check)
		if first, _, _ := strings.Cut(command.Long, "\n"); !strings.Contains(page, letters(first)) {
			t.Errorf("%s lacks the text of its command: %q", name, first)
		}
	}
}
