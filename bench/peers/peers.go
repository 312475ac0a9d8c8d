// Package peers holds the programs, in Python and R, that run other people's methods, for comparisons with ours.
package peers

import (
	"embed"
	"io/fs"
)

//go:embed beside
var beside embed.FS

// Beside holds the programs that README.md's interface of `bench topics` describes.
func Beside() fs.FS {
	programs, err := fs.Sub(beside, "beside")
	if err != nil {
		panic(err) // the name is no path
	}
	return programs
}

//go:embed labels.py items.py
var scripts embed.FS

// Script returns a program that groups items or completes baskets; its head says what it takes.
func Script(name string) ([]byte, error) { return scripts.ReadFile(name) }
