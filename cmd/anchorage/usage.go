// This file says what is wrong with a command line, and what was probably meant.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// nearLetters is how many letters a name may differ in from one that was meant.
const nearLetters = 2

// subcommand is the check of the arguments of a command that only groups others: the first one is the name of a command.
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
		near = elsewhere(cmd.Root(), name)
	}
	return fmt.Errorf("unknown command %q for %q%s", name, cmd.CommandPath(), meant(near))
}

// elsewhere returns the commands with a name, anywhere in the tree.
func elsewhere(cmd *cobra.Command, name string) (found []string) {
	for _, below := range cmd.Commands() {
		if below.Name() == name {
			found = append(found, below.CommandPath())
		}
		found = append(found, elsewhere(below, name)...)
	}
	return found
}

// meant asks whether one of some names was meant; it is empty if there are none.
func meant(names []string) string {
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return ": did you mean " + strings.Join(slices.Compact(names), " or ") + "?"
}

// flagError explains an error of pflag. cmd is the command whose flags were read. A command that only groups others was named in
// error if arguments follow it: then the flags are not what is wrong.
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
		return fmt.Errorf("%s is %q: give %s", flagName(invalid.GetFlag()), invalid.GetValue(), wanted(invalid.GetFlag()))
	}
	return err
}

// flagName returns a flag as it is usually written: -k, or --min-df.
func flagName(flag *pflag.Flag) string {
	if flag.Shorthand != "" {
		return "-" + flag.Shorthand
	}
	return "--" + flag.Name
}

// wantedValues say what flags of a type take.
var wantedValues = map[string]string{
	"uint16": "a whole number from 0 to 65535",
	"int":    "a whole number", "int64": "a whole number", "uint64": "a whole number from 0 to 18446744073709551615", "float64": "a number",
	"autoNumber": "a whole number from 0, or auto", "autoShare": "a share from 0 to 1, or auto", "bool": "true or false", "string": "a value", "stringSlice": "values with commas between them", "stringArray": "a value",
}

// wanted says what a flag takes.
func wanted(flag *pflag.Flag) string {
	if limited, ok := flag.Value.(ranged); ok {
		return limited.numbers.String()
	}
	if values := flagValues(flag); len(values) > 0 {
		return "one of " + strings.Join(values, ", ")
	}
	if kind := flag.Value.Type(); kind == "int" || kind == "int64" {
		if _, err := strconv.ParseInt(flag.DefValue, 10, 64); err == nil && flag.DefValue != "0" {
			return "a whole number such as " + flag.DefValue
		}
	}
	return wantedValues[flag.Value.Type()]
}

// unknownFlag says which flags of a command are near one that it does not have, and where there is such a flag.
func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	name := err.GetSpecifiedName()
	if letters := err.GetSpecifiedShortnames(); letters != "" {
		if near := nearFlags(cmd, letters); len(letters) > 2 && len(near) > 0 { // -topics for --topics
			return fmt.Errorf("unknown flag -%s%s", letters, meant(near))
		}
		return fmt.Errorf("unknown flag -%s of %s", name, cmd.CommandPath())
	}
	near := nearFlags(cmd, name)
	if len(near) > 0 {
		return fmt.Errorf("unknown flag: --%s%s", name, meant(near))
	}
	if others := commandsWith(cmd.Root(), name); len(others) > 0 {
		return fmt.Errorf("unknown flag: --%s is a flag of %s, not of %s", name, strings.Join(others, " and "), cmd.CommandPath())
	}
	return fmt.Errorf("unknown flag: --%s", name)
}

// nearFlags returns the flags of a command whose names are like one, in letters or at the beginning. Cobra, which has such a measure for
// commands, sees the flags as commands.
func nearFlags(cmd *cobra.Command, name string) (near []string) {
	list := &cobra.Command{SuggestionsMinimumDistance: nearLetters}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		list.AddCommand(&cobra.Command{Use: flag.Name, Run: func(*cobra.Command, []string) {}})
	})
	for _, found := range list.SuggestionsFor(name) {
		near = append(near, "--"+found)
	}
	return near
}

// commandsWith returns the commands that have a flag.
func commandsWith(cmd *cobra.Command, name string) (found []string) {
	if cmd.LocalFlags().Lookup(name) != nil {
		found = append(found, cmd.CommandPath())
	}
	for _, below := range cmd.Commands() {
		found = append(found, commandsWith(below, name)...)
	}
	return found
}
