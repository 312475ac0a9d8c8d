// Package lint tests the rules of the architecture. Imports go one way. Only package shard and the packages below it
// import Arrow. Goroutines, processes and random numbers each have their own packages. Public packages name no internal
// types, and libraries name no flags. Every package has a comment, and links in documents lead to files. The package
// has no other content.
//
// The tests read the source files of this module. They skip nested modules, and folders that the go command skips, such
// as testdata.
package lint
