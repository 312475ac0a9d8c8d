// Package lint holds the tests that keep the house in order: imports go one way, Arrow stays in package shard and below it, goroutines
// start in packages stream and internal/kernel alone, and every package says what it is for. It has no other content.
//
// The tests read the source files of this module; those of nested modules and of folders that the go command passes over,
// such as testdata, are not looked at.
package lint
