// This file says what is wrong with a command line, and what was probably meant.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/model"
)

// nearLetters is how many letters a name may differ in from one that was meant.
const nearLetters = 2

// subcommand is the check of the arguments of a command that only groups others: the first one is the name of a
// command.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	name := args[0]
	cmd.SuggestionsMinimumDistance = nearLetters
	near := cmd.SuggestionsFor(name)
	for i := range near {
		near[i] = cmd.CommandPath() + " " + near[i]
	}
	if len(near) == 0 {
		near = commandsThat(cmd.Root(), func(cmd *cobra.Command) bool { return cmd.HasParent() && cmd.Name() == name })
	}
	return fmt.Errorf("unknown command %q for %q%s", name, cmd.CommandPath(), meant(near))
}

// someShards is the check of the arguments of fit: without one, it shows how to begin.
func someShards(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return errors.Join(errors.New("name a file of documents, or a folder; to begin with, run"),
		errors.New("  anchorage inspect FILE                  what it holds, and how it would be read"),
		errors.New("  anchorage fit FILE -k auto -o model     learn as many topics as it shows"))
}

// meant asks whether one of some names was meant; it is empty if there are none.
func meant(names []string) string {
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return ": did you mean " + strings.Join(slices.Compact(names), " or ") + "?"
}

// flagError explains an error of pflag. cmd is the command whose flags were read. A command that only groups others was
// named in error if arguments follow it: then the flags are not what is wrong.
func flagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return cmd.ValidateArgs(cmd.Flags().Args())
	}
	var (
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &missing):
		return fmt.Errorf("%s needs %s after it", flagName(missing.GetFlag()), wanted(missing.GetFlag()))
	case errors.As(err, &invalid):
		if failed := new(settingError); errors.As(err, &failed) {
			return failed.error
		}
		return refused(invalid.GetFlag(), invalid.GetValue(), errors.Unwrap(invalid))
	}
	return err
}

// refused says why a flag or setting does not take a value.
func refused(flag *pflag.Flag, given string, reason error) error {
	v, is := flag.Value.(*value)
	if option := new(model.OptionError); errors.As(reason, &option) {
		reason = errors.New(option.Reason)
	}
	if is && v.values.kind == plain {
		return fmt.Errorf("%s: %w", flagName(flag), reason)
	}
	if is && v.values.kind == nil {
		return fmt.Errorf("%s is %q: use %s", flagName(flag), given, wanted(flag))
	}
	return fmt.Errorf("%s is %q: give %s", flagName(flag), given, wanted(flag))
}

// flagName returns a flag or setting as it is usually written: -k, --min-df or --set polish.
func flagName(flag *pflag.Flag) string {
	if v, is := flag.Value.(*value); is {
		return v.spelled()
	}
	return "--" + flag.Name
}

// spelled is flagName of a flag or setting of a command.
func spelled(flags *pflag.FlagSet, name string) string {
	if flag := lookup(flags, name); flag != nil {
		return flagName(flag)
	}
	return "--" + name
}

// wanted says what a flag or setting takes.
func wanted(flag *pflag.Flag) string {
	if v, is := flag.Value.(*value); is {
		return v.values.String()
	}
	return flag.Value.Type()
}

// unknownFlag says which flags of a command are near one that it does not have, and where there is such a flag.
func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	name := err.GetSpecifiedName()
	if letters := err.GetSpecifiedShortnames(); letters != "" {
		if near := nearFlags(cmd.Flags(), letters, "--"); len(letters) > 2 && len(near) > 0 { // -topics for --topics
			return fmt.Errorf("unknown flag -%s%s", letters, meant(near))
		}
		return fmt.Errorf("unknown flag -%s of %s", name, cmd.CommandPath())
	}
	if setting := settingsOf(cmd.Flags()).Lookup(name); setting != nil {
		return fmt.Errorf("unknown flag: --%s is a setting: write --set %s=VALUE", name, name)
	}
	near := nearFlags(cmd.Flags(), name, "--")
	if len(near) > 0 {
		return fmt.Errorf("unknown flag: --%s%s", name, meant(near))
	}
	has := func(cmd *cobra.Command) bool { return lookup(cmd.LocalFlags(), name) != nil }
	if others := commandsThat(cmd.Root(), has); len(others) > 0 {
		if n := len(others); n > 3 {
			others = []string{others[0] + ", " + others[1], fmt.Sprintf("%d other commands", n-2)}
		}
		return fmt.Errorf("unknown flag: --%s is a flag of %s, not of %s", name, strings.Join(others, " and "),
			cmd.CommandPath())
	}
	return fmt.Errorf("unknown flag: --%s", name)
}

// nearFlags returns the flags whose names are like one, in letters or at the beginning, after a prefix. Cobra, which
// has such a measure for commands, sees the flags as commands.
func nearFlags(flags *pflag.FlagSet, name, prefix string) (near []string) {
	list := &cobra.Command{SuggestionsMinimumDistance: nearLetters}
	flags.VisitAll(func(flag *pflag.Flag) {
		list.AddCommand(&cobra.Command{Use: flag.Name, Run: func(*cobra.Command, []string) {}})
	})
	for _, found := range list.SuggestionsFor(name) {
		near = append(near, prefix+found)
	}
	return near
}

// commandsThat returns the commands of which something is true.
func commandsThat(cmd *cobra.Command, is func(*cobra.Command) bool) (found []string) {
	if is(cmd) {
		found = append(found, cmd.CommandPath())
	}
	for _, below := range cmd.Commands() {
		found = append(found, commandsThat(below, is)...)
	}
	return found
}
