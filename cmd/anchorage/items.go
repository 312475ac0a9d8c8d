// This file holds the items command: what a model knows of its items. The model comes first and then a verb, each of which is a
// command in a file of its own.

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/model"
)

// itemsVerbs are the verbs of items, in the order of its help. The arguments of a verb's command are the model and what its Use names.
func (p *program) itemsVerbs() []*cobra.Command {
	return []*cobra.Command{
		p.itemsSearchCommand(), p.itemsShowCommand(), p.itemsTopicsCommand(), p.itemsSimilarCommand(), p.itemsWithCommand(),
		p.itemsVectorsCommand(), p.itemsLearnCommand(), p.itemsEvalCommand(),
	}
}

const itemsName = "items"

func (p *program) itemsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   itemsName,
		Short: "Look up items: which are alike, which go together, what they are about",
		Long: `Items answers questions about the items of a model. Name the model first, then what you want to know:

  anchorage items MODEL VERB ...`,
		Example: `  anchorage items model search choc
  anchorage items model similar chocolate`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return fmt.Errorf("say what to do with the items of %s: %s", args[0], p.verbNames())
			}
			if len(args) > 1 {
				return fmt.Errorf("items does not know %q: after the model use %s", args[1], p.verbNames())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) != 1 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			var verbs []string
			for _, verb := range p.itemsVerbs() {
				verbs = append(verbs, cobra.CompletionWithDesc(verb.Name(), verb.Short))
			}
			return verbs, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.AddCommand(p.itemsVerbs()...)
	return cmd
}

// verbNames lists the verbs for an error message.
func (p *program) verbNames() string {
	var names []string
	for _, verb := range p.itemsVerbs() {
		names = append(names, verb.Name())
	}
	return strings.Join(names, ", ")
}

// verbFirst moves the verb of items in front of its model, where cobra looks for commands: items MODEL similar becomes items similar
// MODEL, which users may also write. A model whose name is a verb needs a path, such as ./show.
func verbFirst(root *cobra.Command, args []string) []string {
	given := args
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // the last word is not complete
		given = args[1:max(len(args)-1, 1)]
	}
	found, rest, err := root.Find(given)
	if err != nil || found.Name() != itemsName || len(rest) == 0 {
		return args
	}
	at := slices.Index(args, itemsName)
	for i := at + 2; i < at+1+len(rest) && i < len(args); i++ {
		if slices.ContainsFunc(found.Commands(), func(verb *cobra.Command) bool { return verb.Name() == args[i] }) {
			moved := slices.Clone(args)
			copy(moved[at+2:], args[at+1:i])
			moved[at+1] = args[i]
			return moved
		}
	}
	return args
}

// modelThen checks that a verb of items was given a model and at least least further arguments, at most most if that is not
// negative. what names them.
func modelThen(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch n := len(args) - 1; {
		case n < 0:
			return errors.New("the model is missing: give it before the verb")
		case n < least:
			return fmt.Errorf("%s is missing: give it after the verb", what)
		case most >= 0 && n > most:
			return fmt.Errorf("%q is too much: give only %s after the verb", args[1+most], what)
		}
		return nil
	}
}

// onModel is the function of a verb: it loads the model and passes it on with the other arguments.
func onModel(fn func(ctx context.Context, m *model.Model, args []string) error) func(*cobra.Command, []string) error {
	return started(func(ctx context.Context, args []string) error {
		m, err := model.Load(ctx, args[0])
		if err != nil {
			return err
		}
		return fn(ctx, m, args[1:])
	})
}
