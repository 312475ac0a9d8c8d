package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newProgram(stdin, stdout, stderr).run(ctx, args)
}

// commands returns all commands of a new tree.
func commands() []*cobra.Command {
	var all []*cobra.Command
	var walk func(*cobra.Command)
	walk = func(command *cobra.Command) {
		all = append(all, command)
		for _, below := range command.Commands() {
			walk(below)
		}
	}
	walk(new(program).root())
	return all
}

// parse checks a command line, which begins with "anchorage", as far as cobra does: the command, its flags and its
// arguments.
func parse(line string) error {
	args, err := split(line)
	if err != nil {
		return err
	}
	root := new(program).root()
	command, rest, err := root.Find(verbFirst(root, args[1:]))
	if err != nil {
		return err
	}
	if err := command.ParseFlags(rest); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	if err := command.ValidateArgs(command.Flags().Args()); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	return nil
}

// split splits a line like a shell without variables: at blanks outside of quotes, up to a comment.
func split(line string) ([]string, error) {
	var list []string
	for _, match := range regexp.MustCompile(`'([^']*)'|"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		if strings.HasPrefix(match[3], "#") {
			break
		}
		list = append(list, match[1]+match[2]+match[3])
	}
	if len(list) == 0 || list[0] != "anchorage" {
		return nil, fmt.Errorf("%q does not run anchorage", line)
	}
	return list, nil
}

// TestCommands wants every command to say what it is for, what arguments it takes and how it is used.
func TestCommands(t *testing.T) {
	for _, command := range commands() {
		name := command.CommandPath()
		if command.Short == "" || command.Long == "" || command.Args == nil || command.RunE == nil {
			t.Errorf("%s lacks a line or a text of help, a check of its arguments, or a function", name)
		}
		if strings.HasSuffix(command.Short, ".") || strings.Contains(command.Short, "\n") {
			t.Errorf("%s: the line of help is %q", name, command.Short)
		}
		if command.HasParent() && command.Example == "" {
			t.Errorf("%s has no example", name)
		}
		for line := range strings.Lines(command.Long + "\n" + command.Example) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 150 {
				t.Errorf("%s: a line of help has %d characters", name, n)
			}
		}
	}
}

// TestExamples parses the examples of all commands. Each must be of its command.
func TestExamples(t *testing.T) {
	for _, command := range commands() {
		if command.HasParent() && !strings.Contains(strings.ReplaceAll(command.Example, "\n", " "), " "+command.Name()+" ") {
			t.Errorf("no example of %s has it", command.CommandPath())
		}
		for line := range strings.Lines(command.Example) {
			if !strings.HasPrefix(strings.TrimSpace(line), "anchorage ") {
				continue // what another program does with the result
			}
			for part := range strings.SplitSeq(line, "&&") {
				part = strings.TrimSpace(part)
				if !strings.HasPrefix(part, "anchorage ") {
					continue
				}
				if err := parse(part); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestExamplesAreChecked wants parse to see what is wrong.
func TestExamplesAreChecked(t *testing.T) {
	for _, line := range []string{"fit shards", "anchorage fit", "anchorage fit shards --no-such-flag",
		"anchorage frobnicate", "anchorage merge -o both",
		"anchorage rectify one two -o both", "anchorage fit shards -k many", "# anchorage fit shards"} {
		if parse(line) == nil {
			t.Errorf("%q passes", line)
		}
	}
	if err := parse("anchorage fit 'two words' -k 5 # a comment --no-such-flag"); err != nil {
		t.Error(err)
	}
}

// TestDocumentedCommands parses the commands in the blocks of code of the documents.
func TestDocumentedCommands(t *testing.T) {
	pages, err := filepath.Glob(filepath.FromSlash("../../docs/*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	found := 0
	for _, page := range append(pages, filepath.FromSlash("../../README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		code := false
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			line = strings.Replace(line, "go run ./cmd/anchorage", "anchorage", 1)
			if !code || !strings.HasPrefix(line, "anchorage ") {
				continue
			}
			found++
			if err := parse(strings.NewReplacer("bnmf|cnmf|lda", "lda", "--to FORMAT", "--to csv").Replace(line)); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	if found < 10 {
		t.Errorf("the documents have %d commands", found)
	}
}

// TestHelp wants --help to print the text and the examples of a command.
func TestHelp(t *testing.T) {
	for _, command := range commands() {
		args := append(strings.Fields(command.CommandPath())[1:], "--help")
		help, stderr := execute(t, exitDone, args...)
		if stderr != "" || !strings.Contains(help, command.Long) || !strings.Contains(help, command.Example) {
			t.Errorf("%s:\n%s%s", command.CommandPath(), help, stderr)
		}
	}
}

// TestNamedFlags wants flags that help texts and descriptions name to exist: in the command, or in one that the text
// names too.
func TestNamedFlags(t *testing.T) {
	all := make(map[string]bool)
	for _, command := range commands() {
		command.Flags().VisitAll(func(flag *pflag.Flag) { all[flag.Name] = true })
		command.PersistentFlags().VisitAll(func(flag *pflag.Flag) { all[flag.Name] = true })
	}
	named := regexp.MustCompile(`--([a-z][a-z0-9-]*)`)
	for _, command := range commands() {
		text := command.Short + "\n" + command.Long
		command.Flags().VisitAll(func(flag *pflag.Flag) { text += "\n" + flag.Usage })
		for _, match := range named.FindAllStringSubmatch(text, -1) {
			if !all[match[1]] {
				t.Errorf("%s: there is no flag --%s", command.CommandPath(), match[1])
			}
		}
	}
}

// TestUnknown wants flags, commands and arguments that do not exist to end with the code of bad usage, before anything
// happens.
func TestUnknown(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, command := range commands() {
		args := strings.Fields(command.CommandPath())[1:]
		stdout, stderr := execute(t, exitUsage, append(args, "--no-such-flag")...)
		if stdout != "" || !strings.Contains(stderr, "unknown flag: --no-such-flag\nSee "+command.CommandPath()+" --help.") {
			t.Errorf("%s: %q, %q", command.CommandPath(), stdout, stderr)
		}
		if command.HasParent() && !command.HasSubCommands() && command.Name() != "settings" {
			if _, stderr := execute(t, exitUsage, args...); !strings.Contains(stderr,
				"wrong arguments: the command is "+command.CommandPath()) && !strings.Contains(stderr, "the model is missing") &&
				!strings.Contains(stderr, "name a file of documents") && !strings.Contains(stderr, "name shards, or their sizes") {
				t.Errorf("%s without arguments: %q", command.CommandPath(), stderr)
			}
		}
	}
	for _, args := range [][]string{{"frobnicate"}, {"bayes", "frobnicate"}, {"fitt", "shards"}} {
		if _, stderr := execute(t, exitUsage, args...); !strings.Contains(stderr, "unknown command") {
			t.Errorf("%q: %q", args, stderr)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestGroups wants commands that only group others to print help.
func TestGroups(t *testing.T) {
	for _, args := range [][]string{nil, {"bayes"}} {
		if stdout, _ := execute(t, exitDone, args...); !strings.Contains(stdout, "Commands:") {
			t.Errorf("%q prints %s", args, stdout)
		}
	}
}
