// This file tests that only the link between ranks knows of MPI, and that a build without it is as it was.

package lint

import (
	"go/ast"
	"go/build/constraint"
	"go/token"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// linkPackage is the only package that may name MPI.
const linkPackage = "internal/collective"

// saysMPI are the packages whose texts for people may name it: commands say how the program was built. This one looks
// for it.
var saysMPI = []string{"cmd/anchorage", "bench", "bench/internal/ranks", "internal/lint"}

var (
	mpiName = regexp.MustCompile(`MPI|^mpi([A-Z0-9_]|$)|PMIX?_|^pmix?([A-Z0-9_]|$)`)
	mpiText = regexp.MustCompile(`\bO?MPI|MPI_|PMIX?_|\bmpi(run|cc|exec)?\b`)
)

// mpiProblems returns where a file names MPI, or calls C.
func (f *sourceFile) mpiProblems() (found []string) {
	if f.pkg == linkPackage {
		return nil
	}
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			if !constraint.IsGoBuild(comment.Text) {
				continue
			}
			if expression, err := constraint.Parse(comment.Text); err == nil && usesTag(expression, "mpi") {
				found = append(found, f.at(comment, "the build tag mpi is only for %s", linkPackage))
			}
		}
	}
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ImportSpec:
			if n.Path.Value == `"C"` {
				found = append(found, f.at(n, "C is imported; only %s may, with the build tag mpi", linkPackage))
			}
			return false
		case *ast.Ident:
			if mpiName.MatchString(n.Name) && !slices.Contains(saysMPI[2:], f.pkg) {
				found = append(found, f.at(n, "%s names MPI; only %s may", n.Name, linkPackage))
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && mpiText.MatchString(n.Value) && !slices.Contains(saysMPI, f.pkg) {
				found = append(found, f.at(n, "%s names MPI; only %s may", n.Value, linkPackage))
			}
		}
		return true
	})
	return found
}

// usesTag reports whether a build constraint depends on a tag.
func usesTag(expression constraint.Expr, tag string) bool {
	uses := false
	expression.Eval(func(other string) bool { uses = uses || other == tag; return true })
	expression.Eval(func(other string) bool { uses = uses || other == tag; return false })
	return uses
}

// TestOnlyLinkNamesMPI checks every file. It also checks that the search finds the link.
func TestOnlyLinkNamesMPI(t *testing.T) {
	link := false
	for _, f := range sourceFiles(t) {
		for _, problem := range f.mpiProblems() {
			t.Error(problem)
		}
		if f.pkg == linkPackage && !f.test {
			elsewhere := *f
			elsewhere.pkg = "sketch"
			link = link || len(elsewhere.mpiProblems()) > 10
		}
	}
	if !link {
		t.Error("the link over MPI is not found: the search is broken")
	}
}

func TestOnlyLinkFinds(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"sketch/a.go", `package sketch; import "C"`, "C is imported"},
		{"sketch/a.go", "//go:build linux && !mpi\n\npackage sketch", "build tag"},
		{"sketch/a.go", `package sketch; const sizeOfMPI = 1`, "sizeOfMPI names MPI"},
		{"sketch/a.go", `package sketch; var mpiRank int`, "mpiRank names MPI"},
		{"sketch/a.go", `package sketch; var rank = os.Getenv("OMPI_COMM_WORLD_RANK")`, "names MPI"},
		{"model/a.go", `package model; const text = "start it with mpirun"`, "names MPI"},
		{"cmd/anchorage/a.go", `package main; const text = "built without MPI"`, ""},
		{"cmd/anchorage/a.go", `package main; func startMPI() {}`, "startMPI names MPI"},
		{"sketch/a.go", `package sketch; var empirical, compiled = "simple", "compile"`, ""},
		{"internal/collective/a.go", "//go:build mpi\n\npackage collective\nimport \"C\"", ""},
	} {
		f := &sourceFile{name: test.name, pkg: test.name[:strings.LastIndex(test.name, "/")], set: token.NewFileSet()}
		f.syntax = parse(t, f.set, test.name, test.source)
		found := strings.Join(f.mpiProblems(), "\n")
		if (test.want == "") != (found == "") || !strings.Contains(found, test.want) {
			t.Errorf("%s\n%s\nfound %q, want %q", test.name, test.source, found, test.want)
		}
	}
}

// TestBuildWithoutMPI checks that the usual program has no C of ours, and that the link over MPI brings no module.
func TestBuildWithoutMPI(t *testing.T) {
	module := moduleName(t)
	packages := func(tags string) (modules []string) {
		list := exec.Command("go", "list", "-deps", "-tags", tags, "-f",
			`{{with .Module}}{{.Path}}{{end}} {{.ImportPath}} {{len .CgoFiles}}`, "./cmd/anchorage")
		list.Dir = top
		list.Env = append(list.Environ(), "CGO_ENABLED=1")
		listing, err := list.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for line := range strings.Lines(string(listing)) {
			fields := strings.Split(strings.TrimSpace(line), " ")
			if len(fields) != 3 {
				continue // of the standard library
			}
			if fields[0] == module && fields[2] != "0" && (tags == "" || fields[1] != module+"/"+linkPackage) {
				t.Errorf("with tags %q, package %s has C", tags, fields[1])
			}
			modules = append(modules, fields[0])
		}
		slices.Sort(modules)
		return slices.Compact(modules)
	}
	without, with := packages(""), packages("mpi")
	if len(without) < 10 || !slices.Equal(without, with) {
		t.Errorf("the program has %d modules, and %d with MPI: %v and %v", len(without), len(with), without, with)
	}
}
