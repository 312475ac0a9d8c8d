// This file tests that all random numbers come from package random.

package lint

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// randomPackage is the only package that makes random numbers.
const randomPackage = "internal/random"

// hashes reports whether a file may have mixing constants because it hashes: corpus/key.go hashes item ids, and the
// shard readers look up integers in a hash table. They draw no random numbers.
func (f *sourceFile) hashes() bool {
	return f.name == "corpus/key.go" || strings.HasPrefix(f.name, "shard/") && path.Base(f.name) == "index.go"
}

// mixingConstants are the constants by which random number generators and hashes can be recognized.
var mixingConstants = map[uint64]string{
	0x9e3779b97f4a7c15: "SplitMix64", 0xbf58476d1ce4e5b9: "SplitMix64", 0x94d049bb133111eb: "SplitMix64",
	0xff51afd7ed558ccd: "MurmurHash3", 0xc4ceb9fe1a85ec53: "MurmurHash3", 0x85ebca6b: "MurmurHash3",
	0xc2b2ae35:         "MurmurHash3",
	0xcbf29ce484222325: "FNV-1a", 0x100000001b3: "FNV-1a", 0x811c9dc5: "FNV-1a", 0x01000193: "FNV-1a",
	6364136223846793005: "PCG", 1442695040888963407: "PCG", 0x2545f4914f6cdd1d: "xorshift*",
	0x9e3779b185ebca87: "xxHash", 0xc2b2ae3d27d4eb4f: "xxHash", 0x9e3779b1: "xxHash", 0x9e3779b9: "the golden ratio",
	0xa0761d6478bd642f: "wyhash", 0xe7037ed1a0b428db: "wyhash", 0x3c79ac492ba7b653: "Moremur",
	0xd6e8feb86659fd93: "Pelican",
}

// randomProblems returns the places where a file makes its own random numbers.
func (f *sourceFile) randomProblems() []string {
	if f.test || f.pkg == randomPackage {
		return nil
	}
	var found []string
	for _, spec := range f.syntax.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil && strings.HasPrefix(name, "math/rand") {
			found = append(found, f.at(spec, "%s is imported; random numbers come from %s", name, randomPackage))
		}
	}
	if f.hashes() {
		return found
	}
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		literal, ok := node.(*ast.BasicLit)
		if !ok || literal.Kind != token.INT {
			return true
		}
		if value, err := strconv.ParseUint(literal.Value, 0, 64); err == nil && mixingConstants[value] != "" {
			found = append(found, f.at(literal, "%s is a constant of %s; random numbers come from %s", literal.Value,
				mixingConstants[value], randomPackage))
		}
		return true
	})
	return found
}

// TestRandomNumbers checks every file against the rule.
func TestRandomNumbers(t *testing.T) {
	for _, f := range sourceFiles(t) {
		for _, problem := range f.randomProblems() {
			t.Error(problem)
		}
	}
}

// TestStagesHaveOneUse checks that exactly one package uses each stage of random numbers, so that no two uses share
// numbers.
func TestStagesHaveOneUse(t *testing.T) {
	files := sourceFiles(t)
	users := make(map[string][]string)
	for _, f := range files {
		if f.name == randomPackage+"/stage.go" {
			for _, stage := range declaredConstants(f.syntax) {
				users[stage] = nil
			}
		}
	}
	if len(users) < 10 {
		t.Fatalf("only %d stages found: the search is broken", len(users))
	}
	for _, f := range files {
		ast.Inspect(f.syntax, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := selector.X.(*ast.Ident)
			if _, stage := users[selector.Sel.Name]; ok && stage && of.Name == path.Base(randomPackage) && !f.test {
				users[selector.Sel.Name] = append(users[selector.Sel.Name], f.pkg)
			}
			return true
		})
	}
	for _, stage := range slices.Sorted(maps.Keys(users)) {
		packages := slices.Compact(slices.Sorted(slices.Values(users[stage])))
		if want := map[bool]int{true: 0, false: 1}[stage == "Test"]; len(packages) != want {
			t.Errorf("stage %s is used by %d packages outside of tests: %s", stage, len(packages), strings.Join(packages, ", "))
		}
	}
}

// declaredConstants returns the names of a file's constants.
func declaredConstants(file *ast.File) []string {
	var names []string
	for _, declaration := range file.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// TestRandomRuleFinds checks that the rule finds what is wrong with made-up files.
func TestRandomRuleFinds(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"sketch/a.go", `package sketch; import "math/rand/v2"`, "sketch/a.go:1: math/rand/v2 is imported"},
		{"sketch/a.go", `package sketch; import _ "math/rand"`, "math/rand is imported"},
		{"sketch/a_test.go", `package sketch; import "math/rand/v2"`, ""},
		{"internal/random/a.go", `package random; import "math/rand/v2"; const gamma = 0x9e3779b97f4a7c15`, ""},
		{"internal/durable/a.go", `package durable; import "crypto/rand"`, ""},
		{"model/a.go", `package model; func f(z uint64) uint64 { return z * 0x9E3779B97F4A7C15 }`, "constant of SplitMix64"},
		{"model/a.go", `package model; const a = 11400714819323198485`, "constant of SplitMix64"},
		{"corpus/key.go", `package corpus; const a = 0xff51afd7ed558ccd`, ""},
		{"shard/index.go", `package shard; const a = 0x9e3779b97f4a7c15`, ""},
		{"corpus/other.go", `package corpus; const a = 0xff51afd7ed558ccd`, "constant of MurmurHash3"},
	} {
		f := &sourceFile{name: test.name, pkg: path.Dir(test.name), test: strings.HasSuffix(test.name, "_test.go"),
			set: token.NewFileSet()}
		f.syntax = parse(t, f.set, test.name, test.source)
		found := strings.Join(f.randomProblems(), "\n")
		if (test.want == "") != (found == "") || !strings.Contains(found, test.want) {
			t.Errorf("%s\n%s\nfound %q, want %q", test.name, test.source, found, test.want)
		}
	}
}
