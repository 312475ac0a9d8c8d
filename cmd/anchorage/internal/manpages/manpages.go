// Package manpages writes man pages of commands. It is a separate package so that only builds with the tag man, and
// tests, link what it needs.
package manpages

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Write writes a page for each command of the tree below root into a folder that exists: NAME-SUBCOMMAND.1.
// SOURCE_DATE_EPOCH, if set, is their date, otherwise the present day.
func Write(root *cobra.Command, dir string) error {
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "Anchorage " + root.Version,
		Manual: "Anchorage"}, dir)
}
