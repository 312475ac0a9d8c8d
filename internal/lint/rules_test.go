// This file defines the rules for single files.

package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// order lists the packages: each may import those before it and none after it. A name means the package and the
// packages below it.
var order = []string{
	"internal/long", "internal/aligned", "internal/process", "internal/random", "internal/polls", "internal/scribble",
	"internal/rowsort", "internal/pipeline", "matrix", "internal/collective", "internal/exact",
	"internal/kernel", "internal/assignment", "internal/toplist", "internal/nearest", "internal/linkage", "internal/npy",
	"internal/safetext", "internal/table", "internal/page", "internal/sealed", "internal/durable", "internal/objects", "internal/output",
	"internal/checkpoint", "corpus", "internal/visit", "shard", "stream", "internal/synth", "bayes/infer", "bayes",
	"sketch", "rectify", "anchor", "metric", "model/items", "model/drift",
	"model", "model/thinning", "model/diagnose", "model/fold", "model/transform", "model/report",
	"model/fit", "model/plan",
	"model/choose", "model/steer", "store", "internal/verify", "internal/metrics", "model/export", "internal/web", "serve", "serve/explore",
	"cmd", "bench/internal/show", "bench/internal/run", "bench/peers", "bench/internal",
	"bench", "examples", "internal/frozen", "internal/lint",
}

// apart lists pairs of packages that may not import each other, although the order would let the second import the
// first.
var apart = [][2]string{
	{"internal/kernel", "internal/durable"},
	{"internal/durable", "internal/objects"},                       // they meet in internal/output
	{"bayes", "sketch"}, {"bayes", "rectify"}, {"bayes", "anchor"}, // the two families meet in model
}

// withoutRanks are the folders of the mathematics: they work on matrices that several processes may share, and never
// ask who holds what. Their tests do.
var withoutRanks = []string{"bayes", "sketch", "rectify", "anchor", "metric"}

const arrow = "github.com/apache/arrow/"

var (
	// forbidden are the ends of Arrow import paths that no file may have. These packages read whole tables in their own
	// goroutines, where a malformed file ends the process.
	forbidden = []string{"/parquet/pqarrow", "/arrow/csv"}
	// startsGoroutines are the packages that may start goroutines.
	startsGoroutines = []string{"stream", "internal/collective", "internal/kernel", "internal/pipeline",
		"internal/process", "internal/web", "serve", "serve/explore", "bench/internal/systems"}
	// startsProcesses are the packages that may start processes: bench measures the time and memory of processes.
	startsProcesses = []string{"bench/internal/systems", "bench/internal/run", "bench/internal/soak"}
)

// sourceFile is a parsed file.
type sourceFile struct {
	name   string // path from the top of the module
	pkg    string // path of its package from there, with slashes
	test   bool   // name ends in _test.go
	syntax *ast.File
	set    *token.FileSet
}

// at returns a message that begins with the place of node.
func (f *sourceFile) at(node ast.Node, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: ", f.name, f.set.Position(node.Pos()).Line) + fmt.Sprintf(format, args...)
}

// place returns the index in order of the entry for a package: the longest name that fits, or -1 without one.
func place(pkg string) int {
	best := -1
	for i, name := range order {
		if (pkg == name || strings.HasPrefix(pkg, name+"/")) && (best < 0 || len(name) > len(order[best])) {
			best = i
		}
	}
	return best
}

// problems returns the rules that the file's imports and statements break.
func (f *sourceFile) problems(module string) []string {
	if place(f.pkg) < 0 {
		return []string{f.at(f.syntax.Name, "package %q has no place in the order of imports: give it one in "+
			"internal/lint/rules_test.go", f.pkg)}
	}
	var found []string
	for _, spec := range f.syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			found = append(found, f.at(spec, "import path %s: %v", spec.Path.Value, err))
			continue
		}
		if reason := f.importProblem(module, path); reason != "" {
			found = append(found, f.at(spec, "%s", reason))
		}
	}
	if !f.test && !slices.Contains(startsGoroutines, f.pkg) {
		ast.Inspect(f.syntax, func(node ast.Node) bool {
			if statement, ok := node.(*ast.GoStmt); ok {
				found = append(found, f.at(statement, "a goroutine is started here; only %s may",
					strings.Join(startsGoroutines, " and ")))
			}
			return true
		})
	}
	return found
}

// importProblem returns why the file may not import path, or "".
func (f *sourceFile) importProblem(module, path string) string {
	for _, ending := range forbidden {
		if strings.HasPrefix(path, arrow) && strings.HasSuffix(path, ending) {
			return fmt.Sprintf("%s is imported, but malformed files crash it: use the low-level readers and writers of "+
				"parquet/file", path)
		}
	}
	switch {
	case strings.HasPrefix(path, arrow) && f.pkg != "shard" && !strings.HasPrefix(f.pkg, "shard/"):
		return fmt.Sprintf("package %s imports Arrow; only package shard and the packages below it may", f.pkg)
	case path == "os/exec" && !f.test && !slices.Contains(startsProcesses, f.pkg):
		return fmt.Sprintf("package %s imports os/exec; only %s and tests may", f.pkg, strings.Join(startsProcesses, ", "))
	case path == "golang.org/x/sync/errgroup" && !f.test && !slices.Contains(startsGoroutines, f.pkg):
		return fmt.Sprintf("package %s imports errgroup; only %s start goroutines", f.pkg,
			strings.Join(startsGoroutines, " and "))
	}
	if folder, _, _ := strings.Cut(f.pkg, "/"); path == module+"/"+linkPackage && !f.test &&
		slices.Contains(withoutRanks, folder) {
		return fmt.Sprintf("package %s imports %s; it gets a matrix.Layout instead", f.pkg, linkPackage)
	}
	if imported, ours := strings.CutPrefix(path, module+"/"); ours {
		return f.arrowProblem(imported)
	}
	return ""
}

// arrowProblem returns why the file may not import a package of this module, or "".
func (f *sourceFile) arrowProblem(imported string) string {
	from, to := place(f.pkg), place(imported)
	switch {
	case to < 0:
		return fmt.Sprintf("package %q has no place in the order of imports: give it one in internal/lint/rules_test.go",
			imported)
	case from < to && !strings.HasSuffix(f.syntax.Name.Name, "_test"): // a test from outside is a user
		return fmt.Sprintf("package %s imports %s, which is built on it: imports go the other way", f.pkg, imported)
	case slices.Contains(apart, [2]string{order[to], order[from]}):
		return fmt.Sprintf("package %s imports %s; neither may import the other", f.pkg, imported)
	}
	return ""
}
