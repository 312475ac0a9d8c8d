// This file prints the help of commands: the everyday flags in groups with --help, all of them with --help-all, and the
// settings.

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpAll is the flag that shows all flags; it is --help with more of them.
const helpAll = "help-all"

// allFlags turns --help-all of a command line into --help, and reports whether it was there.
func allFlags(args []string) ([]string, bool) {
	flags := args
	if end := slices.Index(args, "--"); end >= 0 {
		flags = args[:end]
	}
	at := slices.Index(flags, "--"+helpAll)
	if at < 0 {
		return args, false
	}
	return slices.Replace(slices.Clone(args), at, at+1, "--help"), true
}

// usage prints how a command is used, below its text.
func (p *program) usage(cmd *cobra.Command) error {
	var out strings.Builder
	fmt.Fprintf(&out, "Usage:\n  %s\n", useLine(cmd))
	if cmd.Example != "" {
		fmt.Fprintf(&out, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprint(&out, "\nCommands:\n")
		for _, below := range cmd.Commands() {
			if below.IsAvailableCommand() {
				fmt.Fprintf(&out, "  %-10s %s\n", below.Name(), below.Short)
			}
		}
	}
	hidden := 0
	for _, g := range groups {
		var lines []string
		each := func(flag *pflag.Flag) {
			group, layer := place(flag)
			switch {
			case group != g:
			case layer == advanced && !p.helpAll:
				hidden++
			default:
				lines = append(lines, p.flagLine(flag))
			}
		}
		cmd.LocalFlags().VisitAll(each)
		cmd.InheritedFlags().VisitAll(each)
		if len(lines) > 0 {
			fmt.Fprintf(&out, "\n%s:\n%s", g.title, strings.Join(lines, ""))
		}
	}
	if hidden > 0 {
		fmt.Fprintf(&out, "\n%s --help-all shows %d more flags.\n", cmd.CommandPath(), hidden)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), out.String())
	return err
}

// useLine returns the words of a command. The verbs of items come after the model.
func useLine(cmd *cobra.Command) string {
	switch {
	case cmd.Name() == itemsName:
		return cmd.CommandPath() + " MODEL VERB"
	case cmd.HasParent() && cmd.Parent().Name() == itemsName:
		return cmd.Parent().CommandPath() + " MODEL " + cmd.Use + " [flags]"
	}
	return cmd.UseLine()
}

// place returns the group and layer of a flag: those of its row. Cobra's own flags have none.
func place(flag *pflag.Flag) (*group, layer) {
	if v, is := flag.Value.(*value); is {
		return v.group, v.layer
	}
	if flag.Name == "set" {
		return topicsGroup, everyday
	}
	return logGroup, everyday
}

// flagLine is the line of a flag.
func (p *program) flagLine(flag *pflag.Flag) string {
	name := "--" + flag.Name
	if flag.Shorthand != "" {
		name = "-" + flag.Shorthand + ", " + name
	}
	help := strings.ToUpper(flag.Usage[:1]) + flag.Usage[1:]
	v, is := flag.Value.(*value)
	if !is {
		if flag.Name == "set" {
			name += " " + flag.Value.Type()
		}
		return fmt.Sprintf("  %-25s %s\n", name, help)
	}
	if v.values.kind != yesNo {
		name += " " + v.values.place()
	}
	var more []string
	if p.helpAll && (v.values.kind == nil || v.values.kind.text != nil) {
		more = append(more, v.values.brief())
	}
	if usual := flag.DefValue; p.helpAll && usual != "" && usual != "0" && usual != "false" && usual != "0s" {
		more = append(more, "default "+usual)
	}
	if len(more) > 0 {
		help += " (" + strings.Join(more, "; ") + ")"
	}
	return fmt.Sprintf("  %-25s %s\n", name, help)
}

// settingsCommand prints the settings of all commands.
func (p *program) settingsCommand() *cobra.Command {
	cmd := described("settings")
	cmd.Args, cmd.RunE = cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		_, err := fmt.Fprint(cmd.OutOrStdout(), settingsTable(cmd.Root()))
		return err
	}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { // anchorage help settings has the table too
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n\nExamples:\n%s\n\n%s", cmd.Long, cmd.Example, settingsTable(cmd.Root()))
	})
	return cmd
}

// settingsTable lists the settings of all commands, each once for the commands that have it.
func settingsTable(root *cobra.Command) string {
	var order []string
	commands := make(map[string][]string) // of each line
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		settingsOf(cmd.Flags()).VisitAll(func(flag *pflag.Flag) {
			v := flag.Value.(*value)
			line := fmt.Sprintf("  %-19s %-33s %-9s %s", v.name, v.values.brief(), flag.DefValue, v.help)
			if commands[line] == nil {
				order = append(order, line)
			}
			commands[line] = append(commands[line], strings.TrimPrefix(cmd.CommandPath(), root.Name()+" "))
		})
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(root)
	var out strings.Builder
	fmt.Fprintf(&out, "  %-19s %-33s %-9s %s\n", "name", "values", "default", "what for")
	for len(order) > 0 { // the settings of the same commands are together
		of := commands[order[0]]
		fmt.Fprintf(&out, "\n%s:\n", strings.Join(of, ", "))
		order = slices.DeleteFunc(order, func(line string) bool {
			same := slices.Equal(commands[line], of)
			if same {
				fmt.Fprintln(&out, line)
			}
			return same
		})
	}
	return out.String()
}

// completeFlags lets shells complete the flags of a command and of those below it. Cobra keeps every flag that is
// registered for good, with the commands that it belongs to, so only a program that a shell asks calls it.
func completeFlags(command *cobra.Command) {
	complete := func(flag *pflag.Flag) {
		var function cobra.CompletionFunc
		switch v, is := flag.Value.(*value); {
		case flag.Name == "set":
			function = completeSetting(settingsOf(command.Flags()))
		case !is || v.values.path || v.values.kind == yesNo:
			return
		default:
			var list []cobra.Completion
			for _, w := range v.values.words {
				list = append(list, cobra.CompletionWithDesc(w.name, w.help))
			}
			function = cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
		}
		if err := command.RegisterFlagCompletionFunc(flag.Name, function); err != nil {
			panic(err) // the flag exists, and is registered once
		}
	}
	command.LocalNonPersistentFlags().VisitAll(complete)
	command.PersistentFlags().VisitAll(complete)
	for _, below := range command.Commands() {
		completeFlags(below)
	}
}

// completeSetting offers the names of settings, and after a name its words.
func completeSetting(set *pflag.FlagSet) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
		set.VisitAll(func(flag *pflag.Flag) {
			v := flag.Value.(*value)
			if !strings.HasPrefix(begun, v.name+"=") {
				list = append(list, cobra.CompletionWithDesc(v.name+"=", v.help))
				return
			}
			for _, w := range v.values.words {
				list = append(list, cobra.CompletionWithDesc(v.name+"="+w.name, w.help))
			}
		})
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}
