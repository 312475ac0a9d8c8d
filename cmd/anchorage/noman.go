// This file replaces man.go in usual builds, which do not link what writes man pages.

//go:build !man

package main

import "github.com/spf13/cobra"

func (p *program) buildCommands() []*cobra.Command { return nil }
