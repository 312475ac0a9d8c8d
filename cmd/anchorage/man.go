// This file holds the man command, which the build tag man adds: go run -tags man ./cmd/anchorage man DIR.

//go:build man

package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"anchorage/cmd/anchorage/internal/manpages"
)

// buildCommands returns the commands that only builds for packagers have.
func (p *program) buildCommands() []*cobra.Command {
	cmd := &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the man pages of all commands",
		Long:    `Man writes a page for each command into DIR, which it makes.`,
		Example: `  anchorage man share/man/man1`,
		Args:    cobra.ExactArgs(1),
		RunE: started(func(_ context.Context, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			return manpages.Write((&program{}).root(), args[0])
		}),
	}
	return []*cobra.Command{cmd}
}
