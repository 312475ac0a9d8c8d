// This file finds the source files and tests the rules about the module as a whole.

package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// folders are the folders that may be at the top of the module, apart from hidden ones.
var folders = []string{
	"anchor", "bayes", "bench", "cmd", "corpus", "docs", "examples", "internal", "matrix", "metric", "model", "rectify",
	"serve", "shard",
	"sketch", "store", "stream", "python", "testdata",
}

// top is the path from this package to the folder of go.mod.
const top = "../.."

// moduleName returns the name that go.mod gives the module.
func moduleName(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if name, found := strings.CutPrefix(line, "module "); found {
			return strings.TrimSpace(name)
		}
	}
	t.Fatal("go.mod names no module")
	return ""
}

// parsed holds the parsed files of the module. They are parsed once for all tests, which only read them.
var parsed = sync.OnceValues(parseModule)

// sourceFiles returns the parsed files of the module.
func sourceFiles(t *testing.T) []*sourceFile {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("only %d source files found: the search is broken", len(files))
	}
	return files
}

// parseModule parses the files of the module.
func parseModule() ([]*sourceFile, error) {
	var files []*sourceFile
	err := filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if file != top && (passedOver(base) || isModule(file)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
			return nil
		}
		name, err := filepath.Rel(top, file)
		if err != nil {
			return err
		}
		f := &sourceFile{name: filepath.ToSlash(name), test: strings.HasSuffix(base, "_test.go"), set: token.NewFileSet()}
		f.pkg = path.Dir(f.name)
		f.syntax, err = parser.ParseFile(f.set, file, nil, parser.ParseComments)
		files = append(files, f)
		return err
	})
	return files, err
}

// passedOver reports whether the go command skips folders of this name.
func passedOver(base string) bool {
	return base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
}

// isModule reports whether the folder is the top of a module.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// TestRules checks every file against the rules for single files.
func TestRules(t *testing.T) {
	module := moduleName(t)
	for _, f := range sourceFiles(t) {
		for _, problem := range f.problems(module) {
			t.Error(problem)
		}
	}
}

// TestPackageComments checks that every package has exactly one package comment, outside its tests.
func TestPackageComments(t *testing.T) {
	comments := make(map[string][]string)
	first := make(map[string]*sourceFile)
	for _, f := range sourceFiles(t) {
		if f.test {
			continue
		}
		if first[f.pkg] == nil {
			first[f.pkg] = f
		}
		if f.syntax.Doc == nil {
			continue
		}
		comments[f.pkg] = append(comments[f.pkg], f.name)
		want := "Package " + f.syntax.Name.Name + " "
		if f.syntax.Name.Name == "main" {
			want = "Command " + path.Base(f.pkg) + " "
		}
		if !strings.HasPrefix(f.syntax.Doc.Text(), want) {
			t.Error(f.at(f.syntax.Doc, "the package comment must begin with %q; put an empty line after a comment about the "+
				"file", want))
		}
	}
	for pkg, f := range first {
		switch {
		case len(comments[pkg]) == 0:
			t.Error(f.at(f.syntax.Name, "package %s has no package comment", pkg))
		case len(comments[pkg]) > 1:
			t.Errorf("package %s has package comments in %s", pkg, strings.Join(comments[pkg], " and "))
		}
	}
}

// TestFolders checks that the top of the module has only the folders of the architecture. Files that git does not
// track, such as a model written there, do not count.
func TestFolders(t *testing.T) {
	listing, err := exec.Command("git", "-C", top, "ls-files", "-z").Output()
	if err != nil || len(listing) == 0 {
		t.Skipf("git cannot list the files: %v", err)
	}
	seen := make(map[string]bool)
	for file := range strings.SplitSeq(strings.TrimSuffix(string(listing), "\x00"), "\x00") {
		folder, _, nested := strings.Cut(file, "/")
		if !nested || seen[folder] || strings.HasPrefix(folder, ".") {
			continue
		}
		seen[folder] = true
		if !slices.Contains(folders, folder) {
			t.Errorf("%s: the architecture has no folder %q, only %s", file, folder, strings.Join(folders, ", "))
		}
	}
}

// TestRulesFind checks that the rules find what is wrong with made-up files.
func TestRulesFind(t *testing.T) {
	const module = "anchorage"
	for _, test := range []struct{ name, source, want string }{
		{"sketch/a.go", `package sketch; import "anchorage/stream"`, ""},
		{"sketch/a.go", `package sketch; import "anchorage/rectify"`, "sketch/a.go:1: package sketch imports rectify, " +
			"which is built on it"},
		{"stream/a_test.go", "package stream\nimport \"anchorage/model\"",
			"stream/a_test.go:2: package stream imports model"},
		{"cmd/anchorage/a.go", `package main; import "anchorage/bench/internal/run"`,
			"package cmd/anchorage imports bench/internal/run"},
		{"bench/a.go", `package main; import "anchorage/bench/internal/recovery"`, ""},
		{"bench/internal/run/a.go", `package run; import "anchorage/bench/internal/recovery"`, "which is built on it"},
		{"bench/internal/recovery/a.go",
			`package recovery; import "anchorage/bench/internal/systems"; import "anchorage/model"`, ""},
		{"shard/inner/a.go", `package inner; import "anchorage/shard"`, ""},
		{"shard/a.go", `package shard; import "anchorage/internal/kernel"`, ""},
		{"internal/kernel/a.go", `package kernel; import "anchorage/internal/durable"`,
			"package internal/kernel imports internal/durable, which"},
		{"internal/durable/a.go", `package durable; import "anchorage/internal/kernel"`, "neither may import"},
		{"internal/durable/a.go", `package durable; import "anchorage/internal/objects"`, "which is built on it"},
		{"internal/objects/a.go", `package objects; import "anchorage/internal/durable"`, "neither may import"},
		{"internal/output/a.go", `package output; import "anchorage/internal/durable"`, ""},
		{"anchor/a.go", `package anchor; import "anchorage/bayes"`, "neither may import"},
		{"bayes/refine/a.go", `package refine; import "anchorage/internal/collective"`, "gets a matrix.Layout"},
		{"bayes/refine/a_test.go", `package refine; import "anchorage/internal/collective"`, ""},
		{"bayes/a.go", `package bayes; import "anchorage/anchor"`, "which is built on it"},
		{"model/a.go", `package model; import "anchorage/bayes"`, ""},
		{"util/a.go", `package util`, `package "util" has no place`},
		{"shards/a.go", `package shards`, `package "shards" has no place`},
		{"model/a.go", `package model; import "anchorage/util"`, `package "util" has no place`},
		{"model/a.go", `package model; import "github.com/apache/arrow/go/v17/parquet/file"`, "package model imports Arrow"},
		{"shard/a.go", `package shard; import "github.com/apache/arrow/go/v17/parquet/file"`, ""},
		{"shard/internal/pages/a.go", `package pages; import "github.com/apache/arrow/go/v17/parquet/file"`, ""},
		{"shard/internal/pages/a.go", `package pages; import "github.com/apache/arrow/go/v17/parquet/pqarrow"`,
			"malformed files crash it"},
		{"shard/a.go", `package shard; import "github.com/apache/arrow/go/v17/parquet/pqarrow"`, "malformed files crash it"},
		{"shard/a_test.go", `package shard; import _ "github.com/apache/arrow/go/v17/arrow/csv"`, "malformed files crash it"},
		{"model/a.go", `package model; import "os/exec"`, "imports os/exec"},
		{"model/a_test.go", `package model; import "os/exec"`, ""},
		{"bench/internal/run/a.go", `package run; import "os/exec"`, ""},
		{"bench/internal/recovery/a.go", `package recovery; import "os/exec"`, "imports os/exec"},
		{"model/a.go", `package model; import "golang.org/x/sync/errgroup"`, "imports errgroup"},
		{"stream/a.go", `package stream; import "golang.org/x/sync/errgroup"; func f() { go f() }`, ""},
		{"anchor/a.go", "package anchor\nfunc f() {\n\tif true {\n\t\tgo f()\n\t}\n}",
			"anchor/a.go:4: a goroutine is started here"},
		{"anchor/a_test.go", `package anchor; func f() { go f() }`, ""},
	} {
		f := &sourceFile{name: test.name, pkg: path.Dir(test.name), test: strings.HasSuffix(test.name, "_test.go"),
			set: token.NewFileSet()}
		f.syntax = parse(t, f.set, test.name, test.source)
		found := strings.Join(f.problems(module), "\n")
		if (test.want == "") != (found == "") || !strings.Contains(found, test.want) {
			t.Errorf("%s\n%s\nfound %q, want %q", test.name, test.source, found, test.want)
		}
	}
}

func parse(t *testing.T, set *token.FileSet, name, source string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(set, name, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
